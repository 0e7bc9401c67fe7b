"""What rounding alone changes: the same algorithm on payoffs that differ in the last bit.

Where two actions are worth the same, the sign of a regret that should be zero is decided by rounding, and regret
matching turns it into a strategy. Two correct implementations therefore drift apart, the sooner the more ties a
game has. A figure of another implementation agrees with ours if it lies within what this does to our own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from counterpoise.games import load
from counterpoise.reproduce.harness.experiment import Lab
from counterpoise.reproduce.harness.report import Figures, Verdict, short
from counterpoise.reproduce.harness.runs import Runs
from counterpoise.solvers import make_algorithm
from counterpoise.tree import Tree, enumerate_game, evaluate

STOPPED = "stopped before the rounding runs ended"


class Spread(NamedTuple):
    """Smallest and largest exploitability of the runs at one iteration."""

    low: float
    high: float

    def holds(self, figure: float, tolerance: float) -> bool:
        """Return whether the figure lies in the range, widened by a relative tolerance."""
        return self.low / (1 + tolerance) <= figure <= self.high * (1 + tolerance)


Spreads = Mapping[tuple[str, int], Spread]
"""By label and iteration."""


def rounding_spreads(lab: Lab, runs: Runs, labels: Sequence[str], counts: Mapping[int, int]) -> Spreads:
    """Return the exploitability of runs and of others like them with other last bits in the payoffs.

    `counts` says how many runs, the first one included, to measure at each iteration. Every strategy is evaluated on
    the game itself. What the user stops is missing.
    """
    figures, most = Figures(missing=STOPPED), max(counts.values())
    with lab.stoppable():
        lab.check()
        tree = enumerate_game(load(runs.game))
        for label in labels:
            settings = make_algorithm(runs.series[label].algorithm)
            lab.begin(f"{settings.name} on {runs.game}: rounding")
            found = {t: [runs.at(label, t)] for t in sorted(counts)}
            for seed in range(1, most):
                solver = settings.on(_nudged(tree, seed))
                for t, own in found.items():
                    if seed < counts[t]:
                        solver.step(t - solver.iteration)
                        own.append(evaluate(tree, solver.profile()).exploitability)
                lab.show(seed / (most - 1), f"run {seed} of {most - 1}")
            figures |= spreads_of(label, found)
    keep_spreads(lab, figures)
    return figures


def spreads_of(label: str, found: Mapping[int, Sequence[float]]) -> dict[tuple[str, int], Spread]:
    """Return the range of the figures of one label, by iteration."""
    return {(label, t): Spread(min(own), max(own)) for t, own in found.items()}


def keep_spreads(lab: Lab, spreads: Spreads) -> None:
    """Put the ranges among the numbers for programs."""
    data = lab.data.setdefault("rounding", {})
    for (label, t), spread in spreads.items():
        data.setdefault(label, {})[t] = spread._asdict()


def agreement(
    spreads: Spreads, at: Mapping[int, float], reference: Mapping[str, Mapping[int, float]], exact: bool = False
) -> Verdict:
    """Judge whether the reference lies where rounding puts our figures; `at` maps iterations to tolerances."""
    outside = []
    for label, figures in reference.items():
        for t, tolerance in at.items():
            found = spreads[label, t]
            if not found.holds(figures[t], tolerance):
                told = f": {short(found.low)} to {short(found.high)}, reference {short(figures[t])}" if exact else ""
                outside.append(f"{label} at {t:,}{told}")
    cells = len(at) * len(reference)
    count = f"{cells - len(outside)} of {cells}"
    if exact:
        return not outside, "; ".join([count, *outside])
    return not outside, count + (f"; not {', '.join(outside)}" if outside else "")


def _nudged(tree: Tree, seed: int) -> Tree:
    """Return the game with every payoff moved by one unit in the last place or not at all."""
    values = tree.form.values
    ulps = np.random.default_rng(seed).integers(-1, 2, len(values))
    return replace(tree, form=tree.form._replace(values=values + ulps * np.spacing(values)))
