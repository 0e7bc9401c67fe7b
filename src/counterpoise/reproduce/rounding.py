"""What rounding alone changes: the same algorithm on payoffs that differ in the last bit.

Where two actions are worth the same, the sign of a regret that should be zero is decided by rounding, and regret
matching turns it into a strategy. Two correct implementations therefore drift apart, the sooner the more ties a
game has. A figure of another implementation agrees with ours if it lies within what this does to our own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from counterpoise.games import load
from counterpoise.reproduce.base import Report, Setup
from counterpoise.reproduce.race import Race
from counterpoise.solvers import make_algorithm
from counterpoise.tree import Tree, enumerate_game, evaluate


class Spread(NamedTuple):
    """Smallest and largest exploitability of the runs at one iteration."""

    low: float
    high: float

    def holds(self, figure: float, tolerance: float) -> bool:
        """Whether the figure lies in the range, widened by a relative tolerance."""
        return self.low / (1 + tolerance) <= figure <= self.high * (1 + tolerance)


def rounding_spread(
    setup: Setup, report: Report, contest: Race, label: str, runs: Mapping[int, int]
) -> dict[int, Spread]:
    """Exploitability of a run of the contest and of others like it with other last bits in the payoffs.

    `runs` says how many runs, the first one included, to measure at each iteration. Every strategy is evaluated on
    the game itself. Empty if the user stops it.
    """
    if report.interrupted:
        return {}
    settings = make_algorithm(contest.runs[label].algorithm)
    setup.live.begin(f"{settings.name} on {contest.game}: rounding")
    figures = {t: [contest.at(label, t)] for t in sorted(runs)}
    most = max(runs.values())
    try:
        tree = enumerate_game(load(contest.game))
        for seed in range(1, most):
            solver = settings.on(_nudged(tree, seed))
            for t, found in figures.items():
                if seed < runs[t]:
                    solver.step(t - solver.iteration)
                    found.append(evaluate(tree, solver.profile()).exploitability)
            setup.live.show(seed / (most - 1), f"run {seed} of {most - 1}")
    except KeyboardInterrupt:
        report.interrupted = True
        return {}
    return {t: Spread(min(found), max(found)) for t, found in figures.items()}


def _nudged(tree: Tree, seed: int) -> Tree:
    """The game with every payoff moved by one unit in the last place or not at all."""
    values = tree.form.values
    ulps = np.random.default_rng(seed).integers(-1, 2, len(values))
    return replace(tree, form=tree.form._replace(values=values + ulps * np.spacing(values)))
