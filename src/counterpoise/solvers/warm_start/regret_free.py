"""Regret-free CFR: a warm start on every iteration, so that regrets need not be stored at all.

See Brown 2020, section 3.2.5.

1. The average of the strategies so far is all that is kept.
2. Each iteration starts CFR from it (`warm_start`): substitute values of every infoset from the average of the
   opponent, with the smallest factor for which those of the two players add up to 0 or less.
3. The next strategies of both players are proportional to the positive substitute regrets.

In a matrix game that is the rule of the source: v'_1 = -v'_2 such that the regrets of both players are the same
share of their bounds. Corollary 1, applied after every iteration, keeps the bound of CFR with simultaneous updates,
which it follows closely. An iteration costs several bottom-up passes and one over all histories instead of one pass.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from counterpoise.solvers.base import Algorithm, Arrays, algorithm
from counterpoise.solvers.kernels.warm_start import iterate_without_regrets
from counterpoise.solvers.tree_solver import AveragingSolver
from counterpoise.tree import Tree


@algorithm("regret-free-cfr")
@dataclass(frozen=True, kw_only=True)
class RegretFreeCFR(Algorithm):
    """CFR that keeps only the average and warm starts from it on every iteration; simultaneous updates."""

    source = "Brown 2020, section 3.2.5"
    updates = "simultaneous"

    squared_reach: bool = False
    """Whether regrets are estimated by the square of the external reach: often closer, but without guarantee."""

    @property
    def guarantee(self) -> str:
        """Corollary 1 of Brown 2020, section 3.2 covers the bound by the reach itself."""
        return "" if self.squared_reach else super().guarantee

    def on_tree(self, tree: Tree, seed: int) -> RegretFreeSolver:
        return RegretFreeSolver(self, tree, seed)


class RegretFreeSolver(AveragingSolver):
    """Average and current strategy of both players."""

    settings: RegretFreeCFR
    kernels = (iterate_without_regrets,)

    def __init__(self, settings: RegretFreeCFR, tree: Tree, seed: int = 0) -> None:
        tree.require_two_player_zero_sum(settings.name)
        super().__init__(settings, tree, seed)
        self._scale = tree.payoff_range**2 * np.subtract(tree.form.stop, tree.form.start, dtype=np.float64)

    def step(self, iterations: int = 1) -> None:
        tree, bound = self.tree, (self.tree.payoff_sum, self._scale, self.settings.squared_reach)
        iterate_without_regrets(tree.form, tree.histories, *bound, iterations, self._tables)
        self.count(iterations)

    def arrays(self) -> Arrays:
        """Return strategy, its reach and the unnormalised average; regrets are made anew in every iteration."""
        return {"strategy": self._strategy, "reach": self._reach, "cumulative": self.cumulative}
