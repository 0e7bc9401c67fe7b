"""BROWN figures 3.16 and 3.17: dynamic thresholding in EGT and CFR with Hedge, with and without pruning.

NashConv by histories touched. `brown-3.16-first-order` has the curves without thresholding in exploitability.
"""

from __future__ import annotations

from collections.abc import Sequence

from counterpoise.reproduce.base import Report, Setup, Table, experiment
from counterpoise.reproduce.by_nodes import NodeRace, at_least, between, race_to_nodes, times
from counterpoise.reproduce.race import REFERENCE_NOTE, draw, measured, short

EGT, EGT_CUT = "EGT", "EGT, thresholded"
HEDGE, HEDGE_CUT, HEDGE_RBP = "Hedge", "Hedge, thresholded", "Hedge, thresholded, RBP"
ONE_HEDGE, ONE_RM = "one traversal, Hedge, thresholded, RBP", "one traversal, RM, RBP"
RM, RM_CUT, RM_RBP, PLUS = "RM, partial pruning", "RM, thresholded", "RM, RBP", "CFR+, partial pruning"
ALGORITHMS = {
    EGT: "egt",
    EGT_CUT: "egt/threshold",
    HEDGE: "hedge",
    HEDGE_CUT: "hedge/threshold",
    HEDGE_RBP: "hedge/threshold/rbp",
    RM: "cfr/partial-pruning",
    RM_CUT: "cfr/threshold",
    RM_RBP: "cfr/rbp",
    PLUS: "cfr+/partial-pruning",
    ONE_HEDGE: "hedge(updates=simultaneous)/threshold/rbp(traversals=one)",
    ONE_RM: "cfr(updates=simultaneous)/rbp(traversals=one)",
}
FINAL = (EGT_CUT, HEDGE_RBP, RM_CUT, ONE_HEDGE)
MILLIONS = {"Leduc": (1.0, 5.0, 20.0), "Leduc-5": (20.0, 70.0, 200.0)}


@experiment(
    "brown-3.16-thresholding",
    "Dynamic thresholding in EGT and CFR with Hedge, on Leduc and Leduc-5",
    "BROWN 3.4.3, figure 3.16",
    seconds=70,
    budget=True,
)
def thresholding(setup: Setup, report: Report, leduc_nodes: float = 2.1e7, leduc5_nodes: float = 2.1e8) -> None:
    """The curves of the figure, and thresholded regret matching, which the source leaves out as identical."""
    contests = {
        "Leduc": race_to_nodes(setup, report, "leduc_poker", ALGORITHMS, leduc_nodes, part=0.1),
        "Leduc-5": race_to_nodes(setup, report, "leduc5", ALGORITHMS, leduc5_nodes, part=0.9),
    }
    for name, contest in contests.items():
        report.tables.append(
            Table(
                f"{name}, NashConv by millions of histories",
                ["algorithm", *(f"{m:g} M" for m in MILLIONS[name])],
                [
                    [label, *(measured(contest.at_nodes, label, 1e6 * m) for m in MILLIONS[name])]
                    for label in ALGORITHMS
                ],
            )
        )
    pairs = (
        (EGT, EGT_CUT), (HEDGE, HEDGE_CUT), (HEDGE, HEDGE_RBP), (RM, RM_CUT), (RM, RM_RBP), (RM_RBP, HEDGE_RBP),
        (ONE_RM, ONE_HEDGE),
    )  # fmt: skip
    report.tables.append(
        Table(
            "Times fewer histories to the same NashConv, and histories per iteration as a share",
            ["slow", "fast", "Leduc", "Leduc-5", "published, Leduc-5", "share, Leduc", "share, Leduc-5"],
            [
                [
                    slow,
                    fast,
                    *(measured(contest.speed_up_at_end, slow, fast) for contest in contests.values()),
                    {EGT: "2", HEDGE: "7", RM: "1", RM_RBP: "< 1", ONE_RM: "< 1"}[slow] if fast in FINAL else "-",
                    *(measured(_share, contest, slow, fast) for contest in contests.values()),
                ]
                for slow, fast in pairs
            ],
        )
    )
    leduc, five = contests["Leduc"], contests["Leduc-5"]
    _judge(report, leduc, five, leduc_nodes, leduc5_nodes)
    report.notes.append(REFERENCE_NOTE)
    draw(setup, report, "Dynamic thresholding", contests, x="nodes_touched", y_label="NashConv")


def _judge(report: Report, leduc: NodeRace, five: NodeRace, leduc_nodes: float, five_nodes: float) -> None:
    report.judge(
        "Leduc-5: thresholding makes EGT 2 times faster",
        lambda: at_least(five.speed_up_at_end(EGT, EGT_CUT), 2),
    )
    report.judge(
        "Leduc-5: thresholding and RBP make CFR with Hedge 7 times faster",
        lambda: at_least(five.speed_up_at_end(HEDGE, HEDGE_RBP), 7),
    )
    for label, slow in ((EGT_CUT, EGT), (HEDGE_RBP, HEDGE)):
        report.judge(
            f"The gain of {label} grows with the game",
            lambda label=label, slow=slow: (  # type: ignore[misc]
                five.speed_up_at_end(slow, label) > leduc.speed_up_at_end(slow, label),
                f"{short(leduc.speed_up_at_end(slow, label))} times on Leduc, "
                f"{short(five.speed_up_at_end(slow, label))} times on Leduc-5",
            ),
        )
    for name, contest, wins in (("Leduc", leduc, HEDGE_RBP), ("Leduc-5", five, RM_RBP)):
        loses = RM_RBP if wins == HEDGE_RBP else HEDGE_RBP
        report.judge(
            f"{name}: {wins} is better than {loses}",
            lambda contest=contest, wins=wins, loses=loses: (  # type: ignore[misc]
                contest.speed_up_at_end(loses, wins) > 1,
                f"{times(contest.speed_up_at_end(loses, wins))} fewer histories",
            ),
        )
    report.judge(
        "Leduc-5: CFR+ exceeds CFR with Hedge and with regret matching",
        lambda: (
            five.common_goal(PLUS) < min(five.common_goal(HEDGE_RBP), five.common_goal(RM_RBP)),
            "NashConv " + ", ".join(short(five.common_goal(label)) for label in (PLUS, HEDGE_RBP, RM_RBP)),
        ),
    )
    for name, contest, nodes in (("Leduc", leduc, leduc_nodes), ("Leduc-5", five, five_nodes)):
        report.judge(
            f"{name}: thresholding does not change regret matching (5 % in the mean over the second half)",
            lambda contest=contest, nodes=nodes: _same(contest, nodes),  # type: ignore[misc]
        )


HEDGE_D = (0.1, 0.5, 1.0, 5.0)
EGT_C = (0.0, 0.001, 0.005, 0.01, 0.05, 0.2)
# EGT on Leduc after 1,000 steps: exploitability, millions of histories.
EGT_REFERENCE = {
    0.0: (0.00268, 5.81),
    0.001: (0.00265, 4.69),
    0.005: (0.00274, 4.48),
    0.01: (0.00286, 4.37),
    0.05: (0.00435, 4.09),
    0.2: (0.0177, 3.64),
}


@experiment(
    "brown-3.17-aggressiveness",
    "How much to threshold in EGT and CFR with Hedge",
    "BROWN 3.4.3, figure 3.17",
    seconds=60,
    budget=True,
)
def aggressiveness(setup: Setup, report: Report, leduc_nodes: float = 2.1e7, leduc5_nodes: float = 1e8) -> None:
    """c of EGT and d of Hedge on Leduc and Leduc-5; the reference is EGT on Leduc."""
    egt = {f"c = {c:g}": f"egt/threshold(c={c:g})" for c in EGT_C}
    hedge = {"plain": "hedge"} | {f"d = {d:g}": f"hedge/threshold(d={d:g})" for d in HEDGE_D}
    contests = {
        f"{method}, {name}": race_to_nodes(
            setup, report, game, algorithms, nodes, name=f"{method}, {name}", part=part, at=(1_000,)
        )
        for name, game, nodes, part in (
            ("Leduc", "leduc_poker", leduc_nodes, 0.1),
            ("Leduc-5", "leduc5", leduc5_nodes, 0.4),
        )
        for method, algorithms in (("EGT", egt), ("Hedge", hedge))
    }
    leduc = contests["EGT, Leduc"]
    report.tables.append(
        Table(
            "EGT on Leduc after 1,000 steps",
            ["c", "exploitability", "reference", "million histories", "reference"],
            [
                [
                    f"{c:g}",
                    measured(lambda label: leduc.at(label, 1_000) / 2, f"c = {c:g}"),
                    short(EGT_REFERENCE[c][0]),
                    measured(_millions, leduc, f"c = {c:g}"),
                    short(EGT_REFERENCE[c][1]),
                ]
                for c in EGT_C
            ],
        )
    )
    for method, labels in (("EGT", list(egt)), ("Hedge", list(hedge))):
        report.tables.append(
            Table(
                f"{method}, NashConv after {leduc_nodes / 1e6:.3g} and {leduc5_nodes / 1e6:.3g} million histories",
                ["threshold", "Leduc", "Leduc-5"],
                [
                    [
                        label,
                        measured(contests[f"{method}, Leduc"].at_nodes, label, leduc_nodes),
                        measured(contests[f"{method}, Leduc-5"].at_nodes, label, leduc5_nodes),
                    ]
                    for label in labels
                ],
            )
        )
    report.judge(
        "Hedge is not sensitive to d, and thresholding only helps (at equal histories, d from 0.1 to 1)",
        lambda: _helps([contests["Hedge, Leduc"], contests["Hedge, Leduc-5"]], [leduc_nodes, leduc5_nodes]),
    )
    for name, nodes in (("Leduc", leduc_nodes), ("Leduc-5", leduc5_nodes)):
        report.judge(
            f"{name}: c of 0.001, 0.005 and 0.01 are alike and beneficial in EGT",
            lambda name=name, nodes=nodes: _beneficial(contests[f"EGT, {name}"], nodes),  # type: ignore[misc]
        )
        report.judge(
            f"{name}: c = 0.05 is too much in EGT",
            lambda name=name, nodes=nodes: _worse(contests[f"EGT, {name}"], nodes),  # type: ignore[misc]
        )
    report.notes.append(REFERENCE_NOTE)
    draw(setup, report, "Aggressiveness of thresholding", contests, x="nodes_touched", y_label="NashConv")


def _millions(contest: NodeRace, label: str) -> float:
    return next((p.nodes_touched for p in contest.trace(label) if p.iteration == 1_000), float("nan")) / 1e6


def _share(contest: NodeRace, slow: str, fast: str) -> float:
    return contest.nodes_per_iteration(fast) / contest.nodes_per_iteration(slow)


def _same(contest: NodeRace, nodes: float) -> tuple[bool, str]:
    ratio = between(contest, RM_CUT, nodes / 2, nodes) / between(contest, RM, nodes / 2, nodes)
    return abs(ratio - 1) <= 0.05, times(ratio)


def _helps(contests: Sequence[NodeRace], nodes: Sequence[float]) -> tuple[bool, str]:
    ratios = [
        between(contest, f"d = {d:g}", budget / 2, budget) / between(contest, "plain", budget / 2, budget)
        for contest, budget in zip(contests, nodes, strict=True)
        for d in HEDGE_D[:3]
    ]
    return max(ratios) <= 1, f"NashConv {min(ratios):.2f} to {max(ratios):.2f} of plain Hedge's"


def _beneficial(contest: NodeRace, nodes: float) -> tuple[bool, str]:
    ratios = [
        between(contest, f"c = {c:g}", nodes / 2, nodes) / between(contest, "c = 0", nodes / 2, nodes)
        for c in (0.001, 0.005, 0.01)
    ]
    return max(ratios) < 1 and max(ratios) <= 1.25 * min(ratios), ", ".join(f"{ratio:.2f}" for ratio in ratios)


def _worse(contest: NodeRace, nodes: float) -> tuple[bool, str]:
    ratio = between(contest, "c = 0.05", nodes / 2, nodes) / between(contest, "c = 0.01", nodes / 2, nodes)
    return ratio > 1, f"{times(ratio)} the NashConv of 0.01"
