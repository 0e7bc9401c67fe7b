"""BROWN figures 3.13, 3.14, 3.15, 3.20 and 3.21 (TRBP figure 2): what pruning does for CFR on Leduc and Leduc-5.

Everything is NashConv by histories touched. CFR+ with pruning is noisy, so all curves of CFR+ with linear averaging
show the best profile so far, with and without pruning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from counterpoise.reproduce.harness.experiment import Lab, experiment
from counterpoise.reproduce.harness.published import REFERENCE_NOTE, published
from counterpoise.reproduce.harness.racing import race_to_nodes
from counterpoise.reproduce.harness.report import Claim, Declared, Table, Verdict, cell, short
from counterpoise.reproduce.harness.runs import Runs, at_least, at_most, by_millions, convergence, near_one

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
NOTE = (
    f"{REFERENCE_NOTE} Its figures and ours are with alternating updates (two traversals) unless a row says otherwise; "
    "our CFR+ rows are the best profile so far. CFR+ with RBP is without best responses where own play does not lead, "
    "as in the reference, because they slow it down; the reference's figures are the average itself, which is noisy."
)


@experiment(
    "brown-3.13-best-response",
    "A best response where own play does not lead, on Leduc and Leduc-5",
    "BROWN 3.3.1, figure 3.13",
    seconds=60,
    budget=True,
)
def best_response(lab: Lab, leduc_nodes: float = 2e7, leduc5_nodes: float = 1.4e8) -> Iterator[Declared]:
    """CFR and CFR+ with partial pruning, with and without the best response."""
    labels = (PARTIAL, BEST, PLUS, PLUS_BEST)
    games = {
        "Leduc": _run(lab, "leduc_poker", labels, leduc_nodes, part=0.1, at=(4_096,)),
        "Leduc-5": _run(lab, "leduc5", labels, leduc5_nodes, part=0.9),
    }
    five = games["Leduc-5"]
    yield Table(
        "Leduc, NashConv after 4,096 iterations",
        ["algorithm", "ours", "reference"],
        [
            [label, cell(games["Leduc"].at, label, 4_096), figure]
            for label, figure in published("pruning")["best_response"].items()
        ],
    )
    yield _against(
        "The best response against partial pruning alone, where both have come to the same NashConv",
        games,
        ((PARTIAL, BEST), (PLUS, PLUS_BEST)),
    )
    for name, runs in games.items():
        yield Claim(
            f"{name.lower()}-fewer-iterations",
            f"{name}: it takes CFR dramatically fewer iterations (1.5 times, or more)",
            *(at_least, runs.iteration_gain, 1.5, PARTIAL, BEST),
        )
    text = "Leduc-5: it takes CFR slightly more nodes"
    yield Claim("leduc-5-more-nodes", text, at_most, five.speed_up, 1, PARTIAL, BEST)
    for name, runs in games.items():
        yield Claim(
            f"{name.lower()}-cfr-plus-alike",
            f"{name}: it makes no substantial difference to CFR+ (0.67 to 1.5 times the nodes)",
            *(near_one, runs.speed_up, 1.5, PLUS, PLUS_BEST),
        )
    yield NOTE
    yield convergence("A best response in unreached branches", games, "nodes_touched", "NashConv")


@experiment("brown-3.14-leduc", "Regret-based pruning on Leduc", "BROWN 3.3.5, figure 3.14", seconds=8, budget=True)
def rbp_leduc(lab: Lab, nodes: float = 6.4e7) -> Iterator[Declared]:
    """Interval RBP against partial pruning, for CFR and CFR+, with two traversals an iteration and with one."""
    yield from _rbp(lab, "leduc", nodes, (8, 2))


@experiment("brown-3.14-leduc5", "Regret-based pruning on Leduc-5", "BROWN 3.3.5, figure 3.14", seconds=60, budget=True)
def rbp_leduc5(lab: Lab, nodes: float = 1.5e8) -> Iterator[Declared]:
    """The same methods as on Leduc."""
    yield from _rbp(lab, "leduc5", nodes, (12, 10))


def _rbp(lab: Lab, key: str, nodes: float, claimed: tuple[float, float]) -> Iterator[Declared]:
    (name, game), known = NAMES[key], published("pruning")
    runs = _run(lab, game, (NO, PARTIAL, RBP, ONE_PARTIAL, ONE_RBP, PLUS, PLUS_RBP), nodes)
    yield from by_millions(f"{name}, NashConv by millions of histories", runs, MILLIONS[key], known[key])
    pairs, gain = {RBP: PARTIAL, ONE_RBP: ONE_PARTIAL, PLUS_RBP: PLUS}, known["gain"][key]
    yield Table(
        f"{name}: times fewer histories than partial pruning to the same NashConv, and per iteration",
        ["algorithm", "published", "reference", "ours", "per iteration, published", "ours"],
        [
            [
                fast,
                gain[fast]["published"],
                gain[fast]["reference"],
                cell(runs.speed_up, slow, fast),
                gain[fast]["per_iteration"],
                cell(_per_iteration, runs, slow, fast),
            ]
            for fast, slow in pairs.items()
        ],
    )
    yield Claim("rbp-faster", "RBP converges faster than partial pruning", at_least, runs.speed_up, 1, PARTIAL, RBP)
    yield Claim(
        "rbp-published-gain",
        f"RBP makes CFR {claimed[0]:g} times faster than partial pruning (one traversal per iteration, as published)",
        *(at_least, runs.speed_up, claimed[0], ONE_PARTIAL, ONE_RBP),
    )
    yield Claim(
        "rbp-published-gain-cfr-plus",
        f"RBP makes CFR+ about {claimed[1]:g} times faster than partial pruning (half as much, or more)",
        *(at_least, runs.speed_up, claimed[1] / 2, PLUS, PLUS_RBP),
    )
    yield NOTE
    yield convergence(f"Regret-based pruning on {name}", {name: runs}, "nodes_touched", "NashConv")


THETAS = (1, 5, 10, 25, 50)


@experiment(
    "brown-3.15-skip-threshold",
    "Regret-based pruning by the least number of iterations worth skipping",
    "BROWN 3.3.6, figure 3.15",
    seconds=90,
    budget=True,
)
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
    for (name, runs), id in zip(games.items(), ("cfr-alike", "cfr-plus-alike"), strict=True):
        yield Claim(id, f"{name}: all values perform similarly (within a factor of 2 at the end)", _spread, runs, late)
    yield Claim(
        "low-early-high-late",
        "Leduc-5, CFR: a low value is better early, a high one later",
        *(_crosses, games["Leduc-5, CFR"], early, late),
    )
    yield NOTE
    yield convergence("Minimum skip of RBP", games, "nodes_touched", "NashConv")


@experiment(
    "brown-3.20-leduc", "Kinds of pruning on Leduc", "BROWN 3.5.4, figure 3.20; TRBP figure 2", seconds=10, budget=True
)
def kinds_leduc(lab: Lab, nodes: float = 6.4e7) -> Iterator[Declared]:
    """No pruning, partial pruning, interval RBP and Total RBP for CFR, RM+ and CFR+."""
    runs = _run_kinds(lab, "leduc", nodes)
    yield from _kinds(runs, "leduc")
    yield Claim(
        "total-like-rbp",
        "Total RBP and RBP perform alike on CFR (0.67 to 1.5 times the nodes)",
        *(near_one, runs.speed_up, 1.5, RBP, TOTAL),
    )
    yield Claim(
        "cfr-plus-rbp-better",
        "RBP with CFR+ is significantly better than Total RBP with CFR (half the nodes, or less)",
        *(at_least, runs.speed_up, 2, TOTAL, PLUS_RBP),
    )
    yield Claim(
        "rm-plus-no-better",
        "Total RBP with RM+ is no better than with CFR (at most 1.5 times fewer nodes)",
        *(at_most, runs.speed_up, 1.5, TOTAL, RM_PLUS_TOTAL),
    )


@experiment(
    "brown-3.21-leduc5",
    "Kinds of pruning on Leduc-5",
    "BROWN 3.5.4, figure 3.21; TRBP figure 2",
    seconds=90,
    budget=True,
)
def kinds_leduc5(lab: Lab, nodes: float = 2.8e8) -> Iterator[Declared]:
    """The same kinds as on Leduc."""
    runs = _run_kinds(lab, "leduc5", nodes)
    yield from _kinds(runs, "leduc5")
    yield Claim(
        "total-beats-rbp",
        "Total RBP beats RBP by a factor of 2 on CFR (1.5 times fewer nodes, or more)",
        *(at_least, runs.speed_up, 1.5, RBP, TOTAL),
    )
    yield Claim(
        "rm-plus-like-cfr-plus",
        "Total RBP with RM+ is comparable to RBP with CFR+ (0.5 to 2 times the nodes)",
        *(near_one, runs.speed_up, 2, PLUS_RBP, RM_PLUS_TOTAL),
    )


def _run_kinds(lab: Lab, key: str, nodes: float) -> Runs:
    return _run(lab, NAMES[key][1], (NO, PARTIAL, RBP, TOTAL, RM_PLUS, RM_PLUS_TOTAL, PLUS, PLUS_RBP), nodes)


def _kinds(runs: Runs, key: str) -> Iterator[Declared]:
    name, _ = NAMES[key]
    yield from by_millions(f"{name}, NashConv by millions of histories", runs, MILLIONS[key], published("pruning")[key])
    yield _against(
        "Times fewer histories, and iterations, to the same NashConv",
        {name: runs},
        ((NO, PARTIAL), (PARTIAL, RBP), (PARTIAL, TOTAL), (RBP, TOTAL), (RM_PLUS, RM_PLUS_TOTAL), (PLUS, PLUS_RBP)),
    )
    yield Claim("partial-faster", "Partial pruning beats no pruning", at_least, runs.speed_up, 1, NO, PARTIAL)
    for id, slow, fast in (
        ("rbp-faster", PARTIAL, RBP),
        ("total-rbp-faster", PARTIAL, TOTAL),
        ("rm-plus-total-rbp-faster", RM_PLUS, RM_PLUS_TOTAL),
    ):
        yield Claim(id, f"{fast} beats partial pruning", at_least, runs.speed_up, 1, slow, fast)
    yield NOTE
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
