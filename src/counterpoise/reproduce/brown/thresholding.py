"""BROWN figures 3.16 and 3.17: dynamic thresholding in EGT and CFR with Hedge, with and without pruning.

NashConv by histories touched. `brown-3.16-first-order` has the curves without thresholding in exploitability.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from counterpoise.reproduce.harness.racing import race_to_nodes
from counterpoise.reproduce.harness.report import Claim, Declared, Lab, by_row
from counterpoise.reproduce.harness.runs import Runs, by_millions, convergence
from counterpoise.reproduce.harness.verdicts import Verdict, at_least, less, listed, short, times

EGT, EGT_CUT = "EGT", "EGT, thresholded"
HEDGE, HEDGE_RBP = "Hedge", "Hedge, thresholded, RBP"
RM, RM_CUT, RM_RBP, PLUS = "RM, partial pruning", "RM, thresholded", "RM, RBP", "CFR+, partial pruning"
MILLIONS = {"Leduc": (1.0, 5.0, 20.0), "Leduc-5": (20.0, 70.0, 200.0)}


def thresholding(lab: Lab, leduc_nodes: float = 2.1e7, leduc5_nodes: float = 2.1e8) -> Iterator[Declared]:
    """Draw the curves of the figure, and thresholded regret matching, which the source leaves out as identical."""
    leduc = race_to_nodes(lab, "leduc_poker", lab.algorithms, leduc_nodes, part=0.1)
    five = race_to_nodes(lab, "leduc5", lab.algorithms, leduc5_nodes, part=0.9)
    games, gain = {"Leduc": leduc, "Leduc-5": five}, lab.published("thresholding")["gain"]
    for name, runs in games.items():
        caption = f"{name}, NashConv by millions of histories"
        yield from by_millions(caption, runs, MILLIONS[name], labels=lab.algorithms)
    yield by_row(
        "Times fewer histories to the same NashConv, and histories per iteration as a share",
        ["slow", "fast", "Leduc", "Leduc-5", "published, Leduc-5", "share, Leduc", "share, Leduc-5"],
        [(slow, fast) for slow, faster in gain.items() for fast in faster],
        leduc.speed_up,
        five.speed_up,
        lambda slow, fast: gain[slow][fast],
        lambda slow, fast: leduc.nodes_per_iteration(fast) / leduc.nodes_per_iteration(slow),
        lambda slow, fast: five.nodes_per_iteration(fast) / five.nodes_per_iteration(slow),
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
    """Vary c of EGT and d of Hedge on Leduc and Leduc-5; the reference is EGT on Leduc."""
    methods = {
        "EGT": {f"c = {c:g}": f"egt/threshold(c={c:g})" for c in EGT_C},
        "Hedge": {"plain": "hedge"} | {f"d = {d:g}": f"hedge/threshold(d={d:g})" for d in HEDGE_D},
    }
    sizes = {"Leduc": ("leduc_poker", leduc_nodes, 0.1), "Leduc-5": ("leduc5", leduc5_nodes, 0.4)}
    games = dict[str, Runs]()
    for name, (game, nodes, part) in sizes.items():
        for method, algorithms in methods.items():
            own = f"{method}, {name}"
            games[own] = race_to_nodes(lab, game, algorithms, nodes, name=own, part=part, at=(1_000,))
    leduc, reference = games["EGT, Leduc"], lab.published("thresholding")["egt"]
    yield by_row(
        "EGT on Leduc after 1,000 steps",
        ["c", "exploitability", "reference", "million histories", "reference"],
        [label.removeprefix("c = ") for label in reference],
        lambda c: leduc.at(f"c = {c}", 1_000) / 2,
        lambda c: reference[f"c = {c}"]["exploitability"],
        lambda c: _millions(leduc, f"c = {c}"),
        lambda c: reference[f"c = {c}"]["millions"],
    )
    for method, labels in methods.items():
        small, large = (games[f"{method}, {name}"] for name in sizes)
        yield by_row(
            f"{method}, NashConv after {leduc_nodes / 1e6:.3g} and {leduc5_nodes / 1e6:.3g} million histories",
            ["threshold", *sizes],
            labels,
            partial(small.at_nodes, nodes=leduc_nodes),
            partial(large.at_nodes, nodes=leduc5_nodes),
        )
    yield Claim("hedge-insensitive", _helps, [(games[f"Hedge, {name}"], size[1]) for name, size in sizes.items()])
    for name, (_, nodes, _) in sizes.items():
        yield Claim("small-c-alike", _beneficial, games[f"EGT, {name}"], nodes, about=name)
        yield Claim("large-c-worse", _worse, games[f"EGT, {name}"], nodes, about=name)
    yield convergence("Aggressiveness of thresholding", games, "nodes_touched", "NashConv")


def _millions(runs: Runs, label: str) -> float:
    return next((p.nodes_touched for p in runs.points(label) if p.iteration == 1_000), float("nan")) / 1e6


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
