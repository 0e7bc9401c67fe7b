"""BROWN figures 3.16 and 3.17: dynamic thresholding in EGT and CFR with Hedge, with and without pruning.

NashConv by histories touched. `brown-3.16-first-order` has the curves without thresholding in exploitability.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from counterpoise.reproduce.harness.experiment import Lab
from counterpoise.reproduce.harness.published import published
from counterpoise.reproduce.harness.racing import race_to_nodes
from counterpoise.reproduce.harness.report import Claim, Declared, Table, Verdict, cell, less, listed, short
from counterpoise.reproduce.harness.runs import Runs, at_least, by_millions, convergence, times

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
MILLIONS = {"Leduc": (1.0, 5.0, 20.0), "Leduc-5": (20.0, 70.0, 200.0)}
PAIRS = (
    (EGT, EGT_CUT),
    (HEDGE, HEDGE_CUT),
    (HEDGE, HEDGE_RBP),
    (RM, RM_CUT),
    (RM, RM_RBP),
    (RM_RBP, HEDGE_RBP),
    (ONE_RM, ONE_HEDGE),
)
"""Slow and fast methods."""


def thresholding(lab: Lab, leduc_nodes: float = 2.1e7, leduc5_nodes: float = 2.1e8) -> Iterator[Declared]:
    """The curves of the figure, and thresholded regret matching, which the source leaves out as identical."""
    leduc = race_to_nodes(lab, "leduc_poker", ALGORITHMS, leduc_nodes, part=0.1)
    five = race_to_nodes(lab, "leduc5", ALGORITHMS, leduc5_nodes, part=0.9)
    games, gain = {"Leduc": leduc, "Leduc-5": five}, published("thresholding")["gain"]
    for name, runs in games.items():
        caption = f"{name}, NashConv by millions of histories"
        yield from by_millions(caption, runs, MILLIONS[name], labels=ALGORITHMS)
    yield Table(
        "Times fewer histories to the same NashConv, and histories per iteration as a share",
        ["slow", "fast", "Leduc", "Leduc-5", "published, Leduc-5", "share, Leduc", "share, Leduc-5"],
        [
            [
                *pair,
                *(cell(runs.speed_up, *pair) for runs in games.values()),
                gain.get(pair[0], {}).get(pair[1]),
                *(cell(_share, runs, *pair) for runs in games.values()),
            ]
            for pair in PAIRS
        ],
    )
    yield Claim("egt-gain", at_least, 2, five.speed_up, EGT, EGT_CUT)
    yield Claim("hedge-gain", at_least, 7, five.speed_up, HEDGE, HEDGE_RBP)
    yield Claim("egt-gain-grows", _grows, leduc, five, EGT, EGT_CUT)
    yield Claim("hedge-gain-grows", _grows, leduc, five, HEDGE, HEDGE_RBP)
    yield Claim("leduc-hedge-ahead", _ahead, leduc, HEDGE_RBP, RM_RBP)
    yield Claim("leduc-5-matching-ahead", _ahead, five, RM_RBP, HEDGE_RBP)
    yield Claim("cfr-plus-ahead", less, five.common_goal, PLUS, HEDGE_RBP, RM_RBP)
    for (name, runs), nodes in zip(games.items(), (leduc_nodes, leduc5_nodes), strict=True):
        yield Claim("matching-unchanged", _same, runs, nodes, about=name)
    yield convergence("Dynamic thresholding", games, "nodes_touched", "NashConv")


HEDGE_D = (0.1, 0.5, 1.0, 5.0)
EGT_C = (0.0, 0.001, 0.005, 0.01, 0.05, 0.2)


def aggressiveness(lab: Lab, leduc_nodes: float = 2.1e7, leduc5_nodes: float = 1e8) -> Iterator[Declared]:
    """c of EGT and d of Hedge on Leduc and Leduc-5; the reference is EGT on Leduc."""
    methods = {
        "EGT": {f"c = {c:g}": f"egt/threshold(c={c:g})" for c in EGT_C},
        "Hedge": {"plain": "hedge"} | {f"d = {d:g}": f"hedge/threshold(d={d:g})" for d in HEDGE_D},
    }
    sizes = {"Leduc": ("leduc_poker", leduc_nodes, 0.1), "Leduc-5": ("leduc5", leduc5_nodes, 0.4)}
    games = {
        f"{method}, {name}": race_to_nodes(
            lab, game, algorithms, nodes, name=f"{method}, {name}", part=part, at=(1_000,)
        )
        for name, (game, nodes, part) in sizes.items()
        for method, algorithms in methods.items()
    }
    leduc, reference = games["EGT, Leduc"], published("thresholding")["egt"]
    yield Table(
        "EGT on Leduc after 1,000 steps",
        ["c", "exploitability", "reference", "million histories", "reference"],
        [
            [
                label.removeprefix("c = "),
                cell(lambda label: leduc.at(label, 1_000) / 2, label),
                known["exploitability"],
                cell(_millions, leduc, label),
                known["millions"],
            ]
            for label, known in reference.items()
        ],
    )
    for method, labels in methods.items():
        yield Table(
            f"{method}, NashConv after {leduc_nodes / 1e6:.3g} and {leduc5_nodes / 1e6:.3g} million histories",
            ["threshold", *sizes],
            [
                [label, *(cell(games[f"{method}, {name}"].at_nodes, label, sizes[name][1]) for name in sizes)]
                for label in labels
            ],
        )
    yield Claim("hedge-insensitive", _helps, [(games[f"Hedge, {name}"], size[1]) for name, size in sizes.items()])
    for name, (_, nodes, _) in sizes.items():
        yield Claim("small-c-alike", _beneficial, games[f"EGT, {name}"], nodes, about=name)
        yield Claim("large-c-worse", _worse, games[f"EGT, {name}"], nodes, about=name)
    yield convergence("Aggressiveness of thresholding", games, "nodes_touched", "NashConv")


def _millions(runs: Runs, label: str) -> float:
    return next((p.nodes_touched for p in runs.points(label) if p.iteration == 1_000), float("nan")) / 1e6


def _share(runs: Runs, slow: str, fast: str) -> float:
    return runs.nodes_per_iteration(fast) / runs.nodes_per_iteration(slow)


def _grows(leduc: Runs, five: Runs, slow: str, fast: str) -> Verdict:
    small, large = leduc.speed_up(slow, fast), five.speed_up(slow, fast)
    return large > small, f"{short(small)} times on Leduc, {short(large)} times on Leduc-5"


def _ahead(runs: Runs, wins: str, loses: str) -> Verdict:
    return runs.speed_up(loses, wins) > 1, f"{times(runs.speed_up(loses, wins))} fewer histories"


def _late(runs: Runs, label: str, other: str, nodes: float) -> float:
    """Return the ratio of two runs in the mean over the second half of the histories."""
    return runs.between_nodes(label, nodes / 2, nodes) / runs.between_nodes(other, nodes / 2, nodes)


def _same(runs: Runs, nodes: float) -> Verdict:
    ratio = _late(runs, RM_CUT, RM, nodes)
    return abs(ratio - 1) <= 0.05, times(ratio)


def _helps(games: Sequence[tuple[Runs, float]]) -> Verdict:
    ratios = [_late(runs, f"d = {d:g}", "plain", nodes) for runs, nodes in games for d in HEDGE_D[:3]]
    return max(ratios) <= 1, f"NashConv {min(ratios):.2f} to {max(ratios):.2f} of plain Hedge's"


def _beneficial(runs: Runs, nodes: float) -> Verdict:
    ratios = [_late(runs, f"c = {c:g}", "c = 0", nodes) for c in (0.001, 0.005, 0.01)]
    return max(ratios) < 1 and max(ratios) <= 1.25 * min(ratios), listed(ratios, ".2f")


def _worse(runs: Runs, nodes: float) -> Verdict:
    ratio = _late(runs, "c = 0.05", "c = 0.01", nodes)
    return ratio > 1, f"{times(ratio)} the NashConv of 0.01"
