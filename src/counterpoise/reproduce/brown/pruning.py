"""BROWN figures 3.13, 3.14, 3.15, 3.20 and 3.21 (TRBP figure 2): what pruning does for CFR on Leduc and Leduc-5.

Everything is NashConv by histories touched. CFR+ with pruning is noisy, so all curves of CFR+ with linear averaging
show the best profile so far, with and without pruning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from counterpoise.reproduce.harness.racing import race_to_nodes
from counterpoise.reproduce.harness.report import Claim, Declared, Lab, Table, by_row
from counterpoise.reproduce.harness.runs import Runs, by_millions, convergence
from counterpoise.reproduce.harness.verdicts import Verdict, at_least, short, within

NO, PARTIAL, BEST, RBP, TOTAL = "CFR", "CFR, partial", "CFR, best response", "CFR, RBP", "CFR, Total RBP"
RM_PLUS, RM_PLUS_TOTAL = "RM+, partial", "RM+, Total RBP"
PLUS, PLUS_BEST, PLUS_RBP = (f"CFR+, {kind} (best so far)" for kind in ("partial", "best response", "RBP"))
ONE_PARTIAL, ONE_RBP = "one traversal, partial", "one traversal, RBP"
LOWEST = (PLUS, PLUS_BEST, PLUS_RBP)
MILLIONS = {"Leduc": (2.0, 4.0, 7.9), "Leduc-5": (17.0, 35.0, 69.0, 138.0)}
GAMES = {"Leduc": "leduc_poker", "Leduc-5": "leduc5"}


def best_response(lab: Lab, leduc_nodes: float = 2e7, leduc5_nodes: float = 1.4e8) -> Iterator[Declared]:
    """Run CFR and CFR+ with partial pruning, with and without the best response."""
    leduc = race_to_nodes(lab, "leduc_poker", lab.algorithms, leduc_nodes, part=0.1, at=(4_096,), best_so_far=LOWEST)
    five = race_to_nodes(lab, "leduc5", lab.algorithms, leduc5_nodes, part=0.9, best_so_far=LOWEST)
    games, known = {"Leduc": leduc, "Leduc-5": five}, lab.published("pruning")["best_response"]
    heads = ["algorithm", "ours", "reference"]
    yield by_row("Leduc, NashConv after 4,096 iterations", heads, known, lambda n: leduc.at(n, 4_096), known.get)
    yield _against(
        "The best response against partial pruning alone, where both have come to the same NashConv",
        games,
        ((PARTIAL, BEST), (PLUS, PLUS_BEST)),
    )
    for name, runs in games.items():
        yield Claim("fewer-iterations", at_least, 1.5, runs.iteration_gain, PARTIAL, BEST, about=name)
    yield Claim("leduc-5-more-nodes", within, 0, 1, five.speed_up, PARTIAL, BEST)
    for name, runs in games.items():
        yield Claim("cfr-plus-alike", within, 1 / 1.5, 1.5, runs.speed_up, PLUS, PLUS_BEST, about=name)
    yield convergence("A best response in unreached branches", games, "nodes_touched", "NashConv")


def rbp(lab: Lab, name: str, nodes: float, claimed: tuple[float, float]) -> Iterator[Declared]:
    """Run interval RBP against partial pruning, for CFR and CFR+, with two traversals an iteration and with one."""
    known, gain = lab.published("pruning"), lab.published("pruning")["gain"][name]
    runs = race_to_nodes(lab, GAMES[name], lab.algorithms, nodes, best_so_far=LOWEST)
    yield from by_millions(f"{name}, NashConv by millions of histories", runs, MILLIONS[name], known[name])
    slow = {RBP: PARTIAL, ONE_RBP: ONE_PARTIAL, PLUS_RBP: PLUS}
    yield by_row(
        f"{name}: times fewer histories than partial pruning to the same NashConv, and per iteration",
        ["algorithm", "published", "reference", "ours", "per iteration, published", "ours"],
        slow,
        lambda fast: gain[fast]["published"],
        lambda fast: gain[fast]["reference"],
        lambda fast: runs.speed_up(slow[fast], fast),
        lambda fast: gain[fast]["per_iteration"],
        lambda fast: runs.nodes_per_iteration(slow[fast]) / runs.nodes_per_iteration(fast),
    )
    yield Claim("rbp-faster", at_least, 1, runs.speed_up, PARTIAL, RBP)
    yield Claim("rbp-published-gain", at_least, claimed[0], runs.speed_up, ONE_PARTIAL, ONE_RBP)
    yield Claim("rbp-published-gain-cfr-plus", at_least, claimed[1] / 2, runs.speed_up, PLUS, PLUS_RBP)
    yield convergence(f"Regret-based pruning on {name}", {name: runs}, "nodes_touched", "NashConv")


THETAS = {f"theta {theta}": theta for theta in (1, 5, 10, 25, 50)}


def skip_threshold(lab: Lab, leduc_nodes: float = 8e6, leduc5_nodes: float = 7e7) -> Iterator[Declared]:
    """Run theta from 1 to 50: simultaneous CFR on Leduc, which has a reference, and CFR and CFR+ on Leduc-5."""
    base, known = "cfr(updates=simultaneous)", lab.published("pruning")["skipped"]
    simultaneous = {label: f"{base}/rbp(theta={theta}, best_response=False)" for label, theta in THETAS.items()}
    simultaneous["partial pruning"] = f"{base}/partial-pruning"
    leduc, games = race_to_nodes(lab, "leduc_poker", simultaneous, leduc_nodes, part=0.1), dict[str, Runs]()
    for base, lowest in (("cfr", ()), ("cfr+", THETAS)):
        name, algorithms = f"Leduc-5, {base.upper()}", {label: f"{base}/rbp(theta={n})" for label, n in THETAS.items()}
        games[name] = race_to_nodes(
            lab, "leduc5", algorithms, leduc5_nodes, name=name, part=0.45, best_so_far=tuple(lowest)
        )
    yield by_row(
        "Leduc, simultaneous CFR, RBP with no other best response: NashConv after 7.9 million histories",
        ["pruning", "ours", "reference"],
        simultaneous,
        lambda label: leduc.at_nodes(label, 7.9e6),
        known.get,
    )
    early, late = 0.25 * leduc5_nodes, leduc5_nodes
    places = [(name, runs, nodes) for name, runs in games.items() for nodes in (early, late)]
    yield by_row(
        "Leduc-5, NashConv by millions of histories",
        ["theta", *(f"{name[9:]} at {nodes / 1e6:.3g} M" for name, _, nodes in places)],
        [str(theta) for theta in THETAS.values()],
        *(lambda theta, at=runs.at_nodes, nodes=nodes: at(f"theta {theta}", nodes) for _, runs, nodes in places),
    )
    for name, runs in games.items():
        yield Claim("alike", _spread, runs, late, about=name)
    yield Claim("low-early-high-late", _crosses, games["Leduc-5, CFR"], early, late)
    yield convergence("Minimum skip of RBP", games, "nodes_touched", "NashConv")


def kinds(lab: Lab, name: str, nodes: float) -> Iterator[Declared]:
    """Run no pruning, partial pruning, interval RBP and Total RBP for CFR, RM+ and CFR+."""
    runs, known = race_to_nodes(lab, GAMES[name], lab.algorithms, nodes, best_so_far=LOWEST), lab.published("pruning")
    yield from by_millions(f"{name}, NashConv by millions of histories", runs, MILLIONS[name], known[name])
    yield _against(
        "Times fewer histories, and iterations, to the same NashConv",
        {name: runs},
        ((NO, PARTIAL), (PARTIAL, RBP), (PARTIAL, TOTAL), (RBP, TOTAL), (RM_PLUS, RM_PLUS_TOTAL), (PLUS, PLUS_RBP)),
    )
    yield Claim("partial-faster", at_least, 1, runs.speed_up, NO, PARTIAL)
    yield Claim("rbp-faster", at_least, 1, runs.speed_up, PARTIAL, RBP)
    yield Claim("total-rbp-faster", at_least, 1, runs.speed_up, PARTIAL, TOTAL)
    yield Claim("rm-plus-total-rbp-faster", at_least, 1, runs.speed_up, RM_PLUS, RM_PLUS_TOTAL)
    if name == "Leduc":
        yield Claim("total-like-rbp", within, 1 / 1.5, 1.5, runs.speed_up, RBP, TOTAL)
        yield Claim("cfr-plus-rbp-better", at_least, 2, runs.speed_up, TOTAL, PLUS_RBP)
        yield Claim("rm-plus-no-better", within, 0, 1.5, runs.speed_up, TOTAL, RM_PLUS_TOTAL)
    else:
        yield Claim("total-beats-rbp", at_least, 1.5, runs.speed_up, RBP, TOTAL)
        yield Claim("rm-plus-like-cfr-plus", within, 1 / 2, 2, runs.speed_up, PLUS_RBP, RM_PLUS_TOTAL)
    yield convergence(f"Kinds of pruning on {name}", {name: runs}, "nodes_touched", "NashConv")


def _against(caption: str, games: Mapping[str, Runs], pairs: Sequence[tuple[str, str]]) -> Table:
    return by_row(
        caption,
        ["game", "slow", "fast", "NashConv", "histories", "iterations"],
        [(name, *pair) for name in games for pair in pairs],
        lambda name, slow, fast: games[name].common_goal(slow, fast),
        lambda name, slow, fast: games[name].speed_up(slow, fast),
        lambda name, slow, fast: games[name].iteration_gain(slow, fast),
    )


def _spread(runs: Runs, nodes: float) -> Verdict:
    figures = [runs.at_nodes(label, nodes) for label in THETAS]
    return max(figures) <= 2 * min(figures), f"{short(min(figures))} to {short(max(figures))}"


def _crosses(runs: Runs, early: float, late: float) -> Verdict:
    low, *_, high = THETAS
    first, last = (runs.at_nodes(low, nodes) / runs.at_nodes(high, nodes) for nodes in (early, late))
    return first < 1 < last, f"{low} is at {first:.2f}, then {last:.2f} of {high}"
