"""Regret-based pruning for Hedge (BROWN 3.4.2): ``hedge/threshold/rbp``, ``hedge/threshold(d=1)/rbp(theta=10)``.

With dynamic thresholding Hedge does not play actions that are hopeless enough, so their branches can be left alone as
in interval RBP (`interval_rbp`). What differs is when a pruned action may matter again: not when its regret can be
positive, but when its probability can reach the threshold (3.21),

    exp(eta_T bound(a)) / sum_b exp(eta_T R(b)) >= threshold_T,

where bound(a) is its regret when it was pruned plus, for every iteration since, pi_{-i}(I) times the largest payoff
below it less v(I). The learning rate and the threshold change with T, so this is tested on every iteration. Then
one best response to the sum of what the opponent played meanwhile makes up for the skipped iterations. An action is
pruned if its probability would still be below the threshold in `theta` iterations were its bound to grow as it has on
average.

The variance of v(I) behind the learning rate is that of the iterations in which I was not in a pruned branch.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from counterpoise.solvers.base import Algorithm, Modified
from counterpoise.solvers.kernels.hedge_rbp import iterate
from counterpoise.solvers.kernels.interval_rbp import empty_tables
from counterpoise.solvers.kernels.layouts import HedgeState
from counterpoise.solvers.matching.hedge import Hedge, HedgeSolver
from counterpoise.solvers.pruning.threshold import Threshold
from counterpoise.solvers.tree_solver import pruning_work
from counterpoise.tree import Tree


def threshold_of_hedge(base: Algorithm) -> Threshold | None:
    """Return the threshold if `base` is ``hedge/threshold``, else None."""
    if isinstance(base, Modified) and isinstance(base.modifier, Threshold) and isinstance(base.base, Hedge):
        return base.modifier
    return None


class HedgeRBPSolver(HedgeSolver):
    """Thresholded Hedge with interval RBP: the tables of `IntervalRBPSolver` and the statistics of v(I)."""

    kernels = (iterate,)
    compile_seconds = 23.0

    def __init__(self, settings: Modified, tree: Tree, seed: int = 0, **changes: Any) -> None:
        super().__init__(settings, tree, seed, **changes)
        self.tables = empty_tables(self._strategy, self._reach, self.cumulative, tree.infosets)
        self.regrets = self.tables.regrets
        self._state = HedgeState(self.tables, self._statistics, pruning_work(tree))

    def step(self, iterations: int = 1) -> None:
        self.tables.touched[0] = 0
        iterate(self.pruning_tree, self._rules, (self.iteration + 1, self.iteration + iterations), self._state)
        self.count(iterations, self.tables.touched[0])

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all tables and statistics but the counter of this step."""
        tables = self.tables._asdict() | self._statistics._asdict()
        return {name: table for name, table in tables.items() if name != "touched"}
