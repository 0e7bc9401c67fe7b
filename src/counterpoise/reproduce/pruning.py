"""BROWN figures 3.13, 3.14, 3.15, 3.20 and 3.21 (TRBP figure 2): what pruning does for CFR on Leduc and Leduc-5.

Everything is NashConv by histories touched. CFR+ with pruning is noisy, so all curves of CFR+ with linear averaging
show the best profile so far, with and without pruning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from counterpoise.reproduce.base import Report, Setup, Table, experiment
from counterpoise.reproduce.by_nodes import NodeRace, at_least, nash_conv_table, race_to_nodes, times
from counterpoise.reproduce.race import REFERENCE_NOTE, draw, measured, short

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

LEDUC_MILLIONS = (2.0, 4.0, 7.9)
LEDUC = {
    NO: (0.0398, 0.0236, 0.0157),
    PARTIAL: (0.0227, 0.0117, 0.0077),
    RBP: (0.0144, 0.0083, 0.0043),
    TOTAL: (0.0150, 0.0080, 0.0046),
    RM_PLUS_TOTAL: (None, 0.0065, 0.0032),
    PLUS: (None, 2.9e-4, 8.1e-5),
    PLUS_RBP: (0.044, 0.041, 0.0099),
}
LEDUC5_MILLIONS = (17.0, 35.0, 69.0, 138.0)
LEDUC5 = {
    NO: (1.9, 1.02, 0.570, 0.311),
    PARTIAL: (0.600, 0.258, 0.104, 0.0472),
    RBP: (0.546, 0.211, 0.0634, None),
    TOTAL: (0.575, 0.226, 0.0707, None),
    RM_PLUS: (None, 0.408, 0.193, 0.0916),
    RM_PLUS_TOTAL: (0.944, 0.412, 0.132, 0.0392),
    PLUS: (None, 0.160, 0.0487, 0.0122),
    PLUS_RBP: (None, 0.096, 0.0209, 0.0110),
}
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
def best_response(setup: Setup, report: Report, leduc_nodes: float = 2e7, leduc5_nodes: float = 1.4e8) -> None:
    """CFR and CFR+ with partial pruning, with and without the best response."""
    labels = (PARTIAL, BEST, PLUS, PLUS_BEST)
    contests = {
        "Leduc": _run(setup, report, "leduc_poker", labels, leduc_nodes, part=0.1, at=(4_096,)),
        "Leduc-5": _run(setup, report, "leduc5", labels, leduc5_nodes, part=0.9),
    }
    report.tables.append(
        Table(
            "Leduc, NashConv after 4,096 iterations",
            ["algorithm", "ours", "reference"],
            [
                [label, measured(contests["Leduc"].at, label, 4_096), short(figure)]
                for label, figure in ((PARTIAL, 0.00826), (BEST, 0.00525))
            ],
        )
    )
    report.tables.append(
        _against(
            "The best response against partial pruning alone, where both have come to the same NashConv",
            contests,
            ((PARTIAL, BEST), (PLUS, PLUS_BEST)),
        )
    )
    for name, contest in contests.items():
        report.judge(
            f"{name}: it takes CFR dramatically fewer iterations (1.5 times, or more)",
            lambda contest=contest: at_least(_iteration_gain(contest, PARTIAL, BEST), 1.5),  # type: ignore[misc]
        )
    five = contests["Leduc-5"]
    report.judge(
        "Leduc-5: it takes CFR slightly more nodes",
        lambda: _at_most(five.speed_up_at_end(PARTIAL, BEST), 1),
    )
    for name, contest in contests.items():
        report.judge(
            f"{name}: it makes no substantial difference to CFR+ (0.67 to 1.5 times the nodes)",
            lambda contest=contest: _near_one(contest.speed_up_at_end(PLUS, PLUS_BEST)),  # type: ignore[misc]
        )
    report.notes.append(NOTE)
    draw(setup, report, "A best response in unreached branches", contests, x="nodes_touched", y_label="NashConv")


@experiment("brown-3.14-leduc", "Regret-based pruning on Leduc", "BROWN 3.3.5, figure 3.14", seconds=8, budget=True)
def rbp_leduc(setup: Setup, report: Report, nodes: float = 6.4e7) -> None:
    """Interval RBP against partial pruning, for CFR and CFR+, with two traversals an iteration and with one."""
    published = {RBP: ("> 8", "1.5 to 1.8", "2"), ONE_RBP: ("> 8", "-", "2"), PLUS_RBP: ("2", "< 1", "2")}
    _rbp(setup, report, "Leduc", "leduc_poker", nodes, LEDUC_MILLIONS, LEDUC, published, (8, 2))


@experiment("brown-3.14-leduc5", "Regret-based pruning on Leduc-5", "BROWN 3.3.5, figure 3.14", seconds=60, budget=True)
def rbp_leduc5(setup: Setup, report: Report, nodes: float = 1.5e8) -> None:
    """As on Leduc."""
    published = {RBP: ("12", "1.3", "7"), ONE_RBP: ("12", "-", "7"), PLUS_RBP: ("10", "1.0 to 1.5", "40")}
    _rbp(setup, report, "Leduc-5", "leduc5", nodes, LEDUC5_MILLIONS, LEDUC5, published, (12, 10))


def _rbp(
    setup: Setup,
    report: Report,
    name: str,
    game: str,
    nodes: float,
    millions: Sequence[float],
    reference: Mapping[str, Sequence[float | None]],
    published: Mapping[str, tuple[str, str, str]],
    claimed: tuple[float, float],
) -> None:
    labels = (NO, PARTIAL, RBP, ONE_PARTIAL, ONE_RBP, PLUS, PLUS_RBP)
    contest = _run(setup, report, game, labels, nodes)
    report.tables += nash_conv_table(f"{name}, NashConv by millions of histories", contest, millions, reference)
    pairs = {RBP: PARTIAL, ONE_RBP: ONE_PARTIAL, PLUS_RBP: PLUS}
    report.tables.append(
        Table(
            f"{name}: times fewer histories than partial pruning to the same NashConv, and per iteration",
            ["algorithm", "published", "reference", "ours", "per iteration, published", "ours"],
            [
                [
                    fast,
                    published[fast][0],
                    published[fast][1],
                    measured(contest.speed_up_at_end, slow, fast),
                    published[fast][2],
                    measured(_per_iteration, contest, slow, fast),
                ]
                for fast, slow in pairs.items()
            ],
        )
    )
    report.judge(
        "RBP converges faster than partial pruning", lambda: at_least(contest.speed_up_at_end(PARTIAL, RBP), 1)
    )
    report.judge(
        f"RBP makes CFR {claimed[0]:g} times faster than partial pruning (one traversal per iteration, as published)",
        lambda: at_least(contest.speed_up_at_end(ONE_PARTIAL, ONE_RBP), claimed[0]),
    )
    report.judge(
        f"RBP makes CFR+ about {claimed[1]:g} times faster than partial pruning (half as much, or more)",
        lambda: at_least(contest.speed_up_at_end(PLUS, PLUS_RBP), claimed[1] / 2),
    )
    report.notes.append(NOTE)
    draw(setup, report, f"Regret-based pruning on {name}", {name: contest}, x="nodes_touched", y_label="NashConv")


THETAS = (1, 5, 10, 25, 50)
SKIPPED = {"theta 1": 0.0220, "theta 5": 0.0211, "theta 10": 0.0208, "theta 25": 0.0213, "partial pruning": 0.0258}


@experiment(
    "brown-3.15-skip-threshold",
    "Regret-based pruning by the least number of iterations worth skipping",
    "BROWN 3.3.6, figure 3.15",
    seconds=90,
    budget=True,
)
def skip_threshold(setup: Setup, report: Report, leduc_nodes: float = 8e6, leduc5_nodes: float = 7e7) -> None:
    """theta from 1 to 50: simultaneous CFR on Leduc, where there are figures to compare, CFR and CFR+ on Leduc-5."""
    simultaneous = {
        f"theta {theta}": f"cfr(updates=simultaneous)/rbp(theta={theta}, best_response=False)" for theta in THETAS
    } | {"partial pruning": "cfr(updates=simultaneous)/partial-pruning"}
    leduc = race_to_nodes(setup, report, "leduc_poker", simultaneous, leduc_nodes, part=0.1)
    contests = {
        name: race_to_nodes(
            setup,
            report,
            "leduc5",
            {f"theta {theta}": f"{base}/rbp(theta={theta})" for theta in THETAS},
            leduc5_nodes,
            name=name,
            part=0.45,
            best_so_far=[f"theta {theta}" for theta in THETAS] if base == "cfr+" else (),
        )
        for name, base in (("Leduc-5, CFR", "cfr"), ("Leduc-5, CFR+", "cfr+"))
    }
    report.tables.append(
        Table(
            "Leduc, simultaneous CFR, RBP with no other best response: NashConv after 7.9 million histories",
            ["pruning", "ours", "reference"],
            [[label, measured(leduc.at_nodes, label, 7.9e6), short(SKIPPED.get(label))] for label in simultaneous],
        )
    )
    early, late = 0.25 * leduc5_nodes, leduc5_nodes
    report.tables.append(
        Table(
            "Leduc-5, NashConv by millions of histories",
            ["theta", *(f"{name[9:]} at {n / 1e6:.3g} M" for name in contests for n in (early, late))],
            [
                [f"{t}", *(measured(c.at_nodes, f"theta {t}", n) for c in contests.values() for n in (early, late))]
                for t in THETAS
            ],
        )
    )
    for name, contest in contests.items():
        report.judge(
            f"{name}: all values perform similarly (within a factor of 2 at the end)",
            lambda contest=contest: _spread(contest, late),  # type: ignore[misc]
        )
    report.judge(
        "Leduc-5, CFR: a low value is better early, a high one later",
        lambda: _crosses(contests["Leduc-5, CFR"], early, late),
    )
    report.notes.append(NOTE)
    draw(setup, report, "Minimum skip of RBP", contests, x="nodes_touched", y_label="NashConv")


@experiment(
    "brown-3.20-leduc", "Kinds of pruning on Leduc", "BROWN 3.5.4, figure 3.20; TRBP figure 2", seconds=10, budget=True
)
def kinds_leduc(setup: Setup, report: Report, nodes: float = 6.4e7) -> None:
    """No pruning, partial pruning, interval RBP and Total RBP for CFR, RM+ and CFR+."""
    contest = _kinds(setup, report, "Leduc", "leduc_poker", nodes, LEDUC_MILLIONS, LEDUC)
    report.judge(
        "Total RBP and RBP perform alike on CFR (0.67 to 1.5 times the nodes)",
        lambda: _near_one(contest.speed_up_at_end(RBP, TOTAL)),
    )
    report.judge(
        "RBP with CFR+ is significantly better than Total RBP with CFR (half the nodes, or less)",
        lambda: at_least(contest.speed_up_at_end(TOTAL, PLUS_RBP), 2),
    )
    report.judge(
        "Total RBP with RM+ is no better than with CFR (at most 1.5 times fewer nodes)",
        lambda: _at_most(contest.speed_up_at_end(TOTAL, RM_PLUS_TOTAL), 1.5),
    )


@experiment(
    "brown-3.21-leduc5",
    "Kinds of pruning on Leduc-5",
    "BROWN 3.5.4, figure 3.21; TRBP figure 2",
    seconds=90,
    budget=True,
)
def kinds_leduc5(setup: Setup, report: Report, nodes: float = 2.8e8) -> None:
    """As on Leduc."""
    contest = _kinds(setup, report, "Leduc-5", "leduc5", nodes, LEDUC5_MILLIONS, LEDUC5)
    report.judge(
        "Total RBP beats RBP by a factor of 2 on CFR (1.5 times fewer nodes, or more)",
        lambda: at_least(contest.speed_up_at_end(RBP, TOTAL), 1.5),
    )
    report.judge(
        "Total RBP with RM+ is comparable to RBP with CFR+ (0.5 to 2 times the nodes)",
        lambda: _near_one(contest.speed_up_at_end(PLUS_RBP, RM_PLUS_TOTAL), 2),
    )


def _kinds(
    setup: Setup,
    report: Report,
    name: str,
    game: str,
    nodes: float,
    millions: Sequence[float],
    reference: Mapping[str, Sequence[float | None]],
) -> NodeRace:
    labels = (NO, PARTIAL, RBP, TOTAL, RM_PLUS, RM_PLUS_TOTAL, PLUS, PLUS_RBP)
    contest = _run(setup, report, game, labels, nodes)
    report.tables += nash_conv_table(f"{name}, NashConv by millions of histories", contest, millions, reference)
    report.tables.append(
        _against(
            "Times fewer histories, and iterations, to the same NashConv",
            {name: contest},
            ((NO, PARTIAL), (PARTIAL, RBP), (PARTIAL, TOTAL), (RBP, TOTAL), (RM_PLUS, RM_PLUS_TOTAL), (PLUS, PLUS_RBP)),
        )
    )
    report.judge("Partial pruning beats no pruning", lambda: at_least(contest.speed_up_at_end(NO, PARTIAL), 1))
    for slow, fast in ((PARTIAL, RBP), (PARTIAL, TOTAL), (RM_PLUS, RM_PLUS_TOTAL)):
        report.judge(
            f"{fast} beats partial pruning",
            lambda slow=slow, fast=fast: at_least(contest.speed_up_at_end(slow, fast), 1),  # type: ignore[misc]
        )
    report.notes.append(NOTE)
    draw(setup, report, f"Kinds of pruning on {name}", {name: contest}, x="nodes_touched", y_label="NashConv")
    return contest


def _run(
    setup: Setup,
    report: Report,
    game: str,
    labels: Sequence[str],
    nodes: float,
    part: float = 1.0,
    at: Sequence[int] = (),
) -> NodeRace:
    algorithms = {label: ALGORITHMS[label] for label in labels}
    return race_to_nodes(setup, report, game, algorithms, nodes, part=part, at=at, best_so_far=LOWEST)


def _against(caption: str, contests: Mapping[str, NodeRace], pairs: Sequence[tuple[str, str]]) -> Table:
    return Table(
        caption,
        ["game", "slow", "fast", "NashConv", "histories", "iterations"],
        [
            [
                name,
                slow,
                fast,
                measured(contest.common_goal, slow, fast),
                measured(contest.speed_up_at_end, slow, fast),
                measured(_iteration_gain, contest, slow, fast),
            ]
            for name, contest in contests.items()
            for slow, fast in pairs
        ],
    )


def _iteration_gain(contest: NodeRace, slow: str, fast: str) -> float:
    """How many times fewer iterations `fast` takes than `slow` to the smallest NashConv that both have reached."""
    goal = contest.common_goal(slow, fast)
    return contest.iterations_to(slow, goal) / contest.iterations_to(fast, goal)


def _per_iteration(contest: NodeRace, slow: str, fast: str) -> float:
    return contest.nodes_per_iteration(slow) / contest.nodes_per_iteration(fast)


def _at_most(ratio: float, wanted: float) -> tuple[bool, str]:
    return ratio <= wanted, times(ratio)


def _near_one(ratio: float, factor: float = 1.5) -> tuple[bool, str]:
    return 1 / factor <= ratio <= factor, times(ratio)


def _spread(contest: NodeRace, nodes: float) -> tuple[bool, str]:
    figures = [contest.at_nodes(f"theta {theta}", nodes) for theta in THETAS]
    return max(figures) <= 2 * min(figures), f"{short(min(figures))} to {short(max(figures))}"


def _crosses(contest: NodeRace, early: float, late: float) -> tuple[bool, str]:
    low, high = f"theta {THETAS[0]}", f"theta {THETAS[-1]}"
    ratios = [contest.at_nodes(low, nodes) / contest.at_nodes(high, nodes) for nodes in (early, late)]
    return ratios[0] < 1 < ratios[
        1
    ], f"theta {THETAS[0]} is at {ratios[0]:.2f}, then {ratios[1]:.2f} of theta {THETAS[-1]}"
