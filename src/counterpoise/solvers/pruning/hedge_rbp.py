"""Regret-based pruning for Hedge (BROWN 3.4.2): ``hedge/threshold/rbp``, ``hedge/threshold(d=1)/rbp(theta=10)``.

With dynamic thresholding Hedge does not play actions that are hopeless enough, so their branches can be left alone as
in interval RBP (`interval_rbp`). What differs is when a pruned action may matter again: not when its regret can be
positive, but when its probability can reach the threshold (3.21),

    exp(eta_T bound(a)) / sum_b exp(eta_T R(b)) >= threshold_T,

where bound(a) is its regret when it was pruned plus, for every iteration since, pi_{-i}(I) times the largest payoff
below it less v(I). The learning rate and the threshold change with T, so this is looked at on every iteration. Then
one best response to the sum of what the opponent played meanwhile makes up for the skipped iterations. An action is
pruned if its probability would still be below the threshold in `theta` iterations were its bound to grow as it has on
average.

The variance of v(I) behind the learning rate is that of the iterations in which I was not in a pruned branch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.solvers.base import Algorithm, Modified
from counterpoise.solvers.kernels.hedge_rbp import Rule, Statistics, iterate
from counterpoise.solvers.kernels.interval_rbp import Work, empty_tables
from counterpoise.solvers.kernels.preorder import lay_out
from counterpoise.solvers.matching.hedge import Hedge, HedgeSolver
from counterpoise.solvers.pruning.threshold import Threshold
from counterpoise.tree import Tree


def thresholded_hedge(base: Algorithm) -> tuple[Hedge, Threshold] | None:
    """Hedge and its threshold if `base` is ``hedge/threshold``, else None."""
    if isinstance(base, Modified) and isinstance(base.modifier, Threshold) and isinstance(base.base, Hedge):
        return base.base, base.modifier
    return None


class HedgeRBPSolver(HedgeSolver):
    """Thresholded Hedge with interval RBP: the tables of `IntervalRBPSolver` and the statistics of v(I)."""

    kernels = (iterate,)

    def __init__(
        self,
        settings: Modified,
        tree: Tree,
        seed: int = 0,
        *,
        rule: Hedge,
        threshold: Threshold,
        theta: float,
        best_response: bool,
        together: bool,
    ) -> None:
        """`theta`, `best_response` and `together` (one walk for both players) are those of the modifier ``rbp``."""
        super().__init__(settings, tree, seed, rule=rule)
        self._rule = Rule(self._adaptive, self._constant, float(threshold.d), tree.payoff_range)
        self._theta, self._best_response, self._together = float(theta), bool(best_response), together
        self._nodes, self._branches = lay_out(tree)
        self.tables = empty_tables(self._strategy, self._reach, self.cumulative, tree.infosets)
        self.regrets = self.tables.regrets
        visits, hidden = np.zeros(tree.infosets, dtype=np.int64), np.zeros(tree.infosets, dtype=np.bool_)
        self._statistics = Statistics(visits, self._mean, self._deviation, hidden)
        self._work = Work(self._values, np.zeros(tree.infosets), np.zeros_like(self._values), np.zeros(tree.infosets))

    def step(self, iterations: int = 1) -> None:
        """Advance by so many iterations in one compiled call."""
        self.tables.touched[0] = 0
        iterate(
            self.tree.form, self._nodes, self._branches, self.tables, self._statistics, self._work, self._rule,
            self._simultaneous, self._together, self._best_response, self._theta, self.iteration + 1, iterations,
        )  # fmt: skip
        self.iteration += iterations
        self.nodes_touched += int(self.tables.touched[0])

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All tables and statistics but the counter of this step."""
        tables = self.tables._asdict() | self._statistics._asdict()
        return {name: table for name, table in tables.items() if name != "touched"}
