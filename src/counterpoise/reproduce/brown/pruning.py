"""BROWN figures 3.13, 3.14, 3.15, 3.20 and 3.21 (TRBP figure 2): what pruning does for CFR on Leduc and Leduc-5.

Everything is NashConv by histories touched. CFR+ with pruning is noisy, so all curves of CFR+ with linear averaging
show the best profile so far, with and without pruning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from counterpoise.reproduce.harness.experiment import Lab
from counterpoise.reproduce.harness.published import published
from counterpoise.reproduce.harness.racing import race_to_nodes
from counterpoise.reproduce.harness.report import Claim, Declared, Table, Verdict, cell, short
from counterpoise.reproduce.harness.runs import Runs, at_least, by_millions, convergence, within

NO, PARTIAL, BEST, RBP, TOTAL = "CFR", "CFR, partial", "CFR, best response", "CFR, RBP", "CFR, Total RBP"
RM_PLUS, RM_PLUS_TOTAL = "RM+, partial", "RM+, Total RBP"
PLUS, PLUS_BEST, PLUS_RBP = (f"CFR+, {kind} (best so far)" for kind in ("partial", "best response", "RBP"))
ONE_PARTIAL, ONE_RBP = "one traversal, partial", "one traversal, RBP"
ALGORITHMS = {
    NO: "cfr",
    PARTIAL: "cfr/partial-pruning",
    BEST: "cfr/best-response",
    RBP: "cfr/rbp",
    TOTAL: "cfr/total-rbp",
    RM_PLUS: "cfr+(average=uniform)/partial-pruning",
    RM_PLUS_TOTAL: "cfr+(average=uniform)/total-rbp",
    PLUS: "cfr+/partial-pruning",
    PLUS_BEST: "cfr+/best-response",
    PLUS_RBP: "cfr+/rbp(best_response=False)",
    ONE_PARTIAL: "cfr(updates=simultaneous)/partial-pruning(traversals=one)",
    ONE_RBP: "cfr(updates=simultaneous)/rbp(traversals=one)",
}
"""Label -> what a user would type."""
LOWEST = (PLUS, PLUS_BEST, PLUS_RBP)
MILLIONS = {"leduc": (2.0, 4.0, 7.9), "leduc5": (17.0, 35.0, 69.0, 138.0)}
NAMES = {"leduc": ("Leduc", "leduc_poker"), "leduc5": ("Leduc-5", "leduc5")}


def best_response(lab: Lab, leduc_nodes: float = 2e7, leduc5_nodes: float = 1.4e8) -> Iterator[Declared]:
    """CFR and CFR+ with partial pruning, with and without the best response."""
    labels = (PARTIAL, BEST, PLUS, PLUS_BEST)
    games = {
        "Leduc": _run(lab, "leduc_poker", labels, leduc_nodes, part=0.1, at=(4_096,)),
        "Leduc-5": _run(lab, "leduc5", labels, leduc5_nodes, part=0.9),
    }
    known, at = published("pruning")["best_response"], games["Leduc"].at
    rows = [[label, cell(at, label, 4_096), figure] for label, figure in known.items()]
    yield Table("Leduc, NashConv after 4,096 iterations", ["algorithm", "ours", "reference"], rows)
    yield _against(
        "The best response against partial pruning alone, where both have come to the same NashConv",
        games,
        ((PARTIAL, BEST), (PLUS, PLUS_BEST)),
    )
    for name, runs in games.items():
        yield Claim("fewer-iterations", at_least, 1.5, runs.iteration_gain, PARTIAL, BEST, about=name)
    yield Claim("leduc-5-more-nodes", within, 0, 1, games["Leduc-5"].speed_up, PARTIAL, BEST)
    for name, runs in games.items():
        yield Claim("cfr-plus-alike", within, 1 / 1.5, 1.5, runs.speed_up, PLUS, PLUS_BEST, about=name)
    yield convergence("A best response in unreached branches", games, "nodes_touched", "NashConv")


def rbp(lab: Lab, key: str, nodes: float, claimed: tuple[float, float]) -> Iterator[Declared]:
    """Interval RBP against partial pruning, for CFR and CFR+, with two traversals an iteration and with one."""
    (name, game), known = NAMES[key], published("pruning")
    runs = _run(lab, game, (NO, PARTIAL, RBP, ONE_PARTIAL, ONE_RBP, PLUS, PLUS_RBP), nodes)
    yield from by_millions(f"{name}, NashConv by millions of histories", runs, MILLIONS[key], known[key])
    pairs, gain = {RBP: PARTIAL, ONE_RBP: ONE_PARTIAL, PLUS_RBP: PLUS}, known["gain"][key]
    yield Table(
        f"{name}: times fewer histories than partial pruning to the same NashConv, and per iteration",
        ["algorithm", "published", "reference", "ours", "per iteration, published", "ours"],
        [
            [fast, *known[:2], cell(runs.speed_up, slow, fast), known[2], cell(_per_iteration, runs, slow, fast)]
            for (fast, slow), known in zip(pairs.items(), (list(gain[fast].values()) for fast in pairs), strict=True)
        ],
    )
    yield Claim("rbp-faster", at_least, 1, runs.speed_up, PARTIAL, RBP)
    yield Claim("rbp-published-gain", at_least, claimed[0], runs.speed_up, ONE_PARTIAL, ONE_RBP)
    yield Claim("rbp-published-gain-cfr-plus", at_least, claimed[1] / 2, runs.speed_up, PLUS, PLUS_RBP)
    yield convergence(f"Regret-based pruning on {name}", {name: runs}, "nodes_touched", "NashConv")


THETAS = (1, 5, 10, 25, 50)


def skip_threshold(lab: Lab, leduc_nodes: float = 8e6, leduc5_nodes: float = 7e7) -> Iterator[Declared]:
    """theta from 1 to 50: simultaneous CFR on Leduc, where there are figures to compare, CFR and CFR+ on Leduc-5."""
    labels, reference = [f"theta {theta}" for theta in THETAS], published("pruning")["skipped"]
    simultaneous = {
        f"theta {theta}": f"cfr(updates=simultaneous)/rbp(theta={theta}, best_response=False)" for theta in THETAS
    } | {"partial pruning": "cfr(updates=simultaneous)/partial-pruning"}
    leduc = race_to_nodes(lab, "leduc_poker", simultaneous, leduc_nodes, part=0.1)
    games = {
        name: race_to_nodes(
            lab,
            "leduc5",
            {f"theta {theta}": f"{base}/rbp(theta={theta})" for theta in THETAS},
            leduc5_nodes,
            name=name,
            part=0.45,
            best_so_far=labels if base == "cfr+" else (),
        )
        for name, base in (("Leduc-5, CFR", "cfr"), ("Leduc-5, CFR+", "cfr+"))
    }
    yield Table(
        "Leduc, simultaneous CFR, RBP with no other best response: NashConv after 7.9 million histories",
        ["pruning", "ours", "reference"],
        [[label, cell(leduc.at_nodes, label, 7.9e6), reference.get(label)] for label in simultaneous],
    )
    early, late = 0.25 * leduc5_nodes, leduc5_nodes
    yield Table(
        "Leduc-5, NashConv by millions of histories",
        ["theta", *(f"{name[9:]} at {n / 1e6:.3g} M" for name in games for n in (early, late))],
        [
            [f"{t}", *(cell(runs.at_nodes, f"theta {t}", n) for runs in games.values() for n in (early, late))]
            for t in THETAS
        ],
    )
    for name, runs in games.items():
        yield Claim("alike", _spread, runs, late, about=name)
    yield Claim("low-early-high-late", _crosses, games["Leduc-5, CFR"], early, late)
    yield convergence("Minimum skip of RBP", games, "nodes_touched", "NashConv")


def kinds(lab: Lab, key: str, nodes: float) -> Iterator[Declared]:
    """No pruning, partial pruning, interval RBP and Total RBP for CFR, RM+ and CFR+."""
    name, game = NAMES[key]
    runs = _run(lab, game, (NO, PARTIAL, RBP, TOTAL, RM_PLUS, RM_PLUS_TOTAL, PLUS, PLUS_RBP), nodes)
    yield from by_millions(f"{name}, NashConv by millions of histories", runs, MILLIONS[key], published("pruning")[key])
    yield _against(
        "Times fewer histories, and iterations, to the same NashConv",
        {name: runs},
        ((NO, PARTIAL), (PARTIAL, RBP), (PARTIAL, TOTAL), (RBP, TOTAL), (RM_PLUS, RM_PLUS_TOTAL), (PLUS, PLUS_RBP)),
    )
    yield Claim("partial-faster", at_least, 1, runs.speed_up, NO, PARTIAL)
    yield Claim("rbp-faster", at_least, 1, runs.speed_up, PARTIAL, RBP)
    yield Claim("total-rbp-faster", at_least, 1, runs.speed_up, PARTIAL, TOTAL)
    yield Claim("rm-plus-total-rbp-faster", at_least, 1, runs.speed_up, RM_PLUS, RM_PLUS_TOTAL)
    if key == "leduc":
        yield Claim("total-like-rbp", within, 1 / 1.5, 1.5, runs.speed_up, RBP, TOTAL)
        yield Claim("cfr-plus-rbp-better", at_least, 2, runs.speed_up, TOTAL, PLUS_RBP)
        yield Claim("rm-plus-no-better", within, 0, 1.5, runs.speed_up, TOTAL, RM_PLUS_TOTAL)
    else:
        yield Claim("total-beats-rbp", at_least, 1.5, runs.speed_up, RBP, TOTAL)
        yield Claim("rm-plus-like-cfr-plus", within, 1 / 2, 2, runs.speed_up, PLUS_RBP, RM_PLUS_TOTAL)
    yield convergence(f"Kinds of pruning on {name}", {name: runs}, "nodes_touched", "NashConv")


def _run(lab: Lab, game: str, labels: Sequence[str], nodes: float, part: float = 1.0, at: Sequence[int] = ()) -> Runs:
    algorithms = {label: ALGORITHMS[label] for label in labels}
    return race_to_nodes(lab, game, algorithms, nodes, part=part, at=at, best_so_far=LOWEST)


def _against(caption: str, games: Mapping[str, Runs], pairs: Sequence[tuple[str, str]]) -> Table:
    return Table(
        caption,
        ["game", "slow", "fast", "NashConv", "histories", "iterations"],
        [
            [name, *pair, *(cell(read, *pair) for read in (runs.common_goal, runs.speed_up, runs.iteration_gain))]
            for name, runs in games.items()
            for pair in pairs
        ],
    )


def _per_iteration(runs: Runs, slow: str, fast: str) -> float:
    return runs.nodes_per_iteration(slow) / runs.nodes_per_iteration(fast)


def _spread(runs: Runs, nodes: float) -> Verdict:
    figures = [runs.at_nodes(f"theta {theta}", nodes) for theta in THETAS]
    return max(figures) <= 2 * min(figures), f"{short(min(figures))} to {short(max(figures))}"


def _crosses(runs: Runs, early: float, late: float) -> Verdict:
    low, high = f"theta {THETAS[0]}", f"theta {THETAS[-1]}"
    first, last = (runs.at_nodes(low, nodes) / runs.at_nodes(high, nodes) for nodes in (early, late))
    return first < 1 < last, f"{low} is at {first:.2f}, then {last:.2f} of {high}"
