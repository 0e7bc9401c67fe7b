"""CFR with Hedge (Freund and Schapire 1997; Brown 2020, sections 2.3.3, 3.4.3): exponential weights at every infoset.

Iteration t, for each player in turn (alternating) or for all from the same profile (simultaneous):

1. counterfactual values of every action against the others' current strategies;
2. the average gains the current strategy, weighted by own reach;
3. regrets gain v(I,a) - v(I), and the running variance of v(I) gains this iteration's value;
4. the next strategy is proportional to exp(eta_t R(I,a)) with the learning rate eta_t of the settings.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from counterpoise.solvers.base import Algorithm, Arrays, Output, Positive, Updates, algorithm
from counterpoise.solvers.kernels.hedge import iterate
from counterpoise.solvers.kernels.layouts import HedgeRules, Statistics
from counterpoise.solvers.tree_solver import AveragingSolver
from counterpoise.tree import Tree

Rate = Literal["variance", "theory"]


@algorithm("hedge")
@dataclass(frozen=True, kw_only=True)
class Hedge(Algorithm):
    """CFR with Hedge instead of regret matching; its learning rate adapts to the variance of the values.

    `variance` sets eta_t = sqrt(ln|A|) / (constant * sqrt(VAR(I)_t) * sqrt(t)), with VAR(I)_t the variance
    of v(I) over the iterations so far. `theory` sets eta_t = sqrt(8 ln|A|) / (Delta(I) sqrt(t)) with Delta(I)
    the range of payoffs below I, which has the better bound and is far too timid in practice.
    """

    source = "Brown 2020, sections 2.3.3, 3.4.3"

    rate: Rate = "variance"
    """How the learning rate is set: by the variance of the values seen, or by the range of payoffs."""
    constant: Positive = 3.0
    """Divisor of the variance rule; smaller learns faster (1 is better than 3 on Leduc)."""
    updates: Updates = "alternating"
    """Whether a player sees the others' strategies of this iteration or of the last one."""
    output: Output = "average"
    """Which strategy is the result; only the average has a guarantee."""

    @property
    def guarantee(self) -> str:
        return super().guarantee if self.output == "average" else ""

    def on_tree(self, tree: Tree, seed: int) -> HedgeSolver:
        return HedgeSolver(self, tree, seed)

    @property
    def public_tables(self) -> int:
        """Regrets, the weights that strategies are proportional to, and the average."""
        return 3

    def on_public(self, game: Any, seed: int, threads: int, bits: int) -> Any:
        from counterpoise.solvers.public.hedge import PublicHedge

        return PublicHedge(self, game, threads, bits)


class HedgeSolver(AveragingSolver):
    """Regrets, average and iterate per sequence; mean and squared deviations of the value per infoset."""

    kernels: ClassVar[tuple[Any, ...]] = (iterate,)
    compile_seconds: ClassVar[float] = 3.0

    def __init__(self, settings: Algorithm, tree: Tree, seed: int = 0, **changes: Any) -> None:
        """`changes` are the switches and numbers of a modifier, fields of `HedgeRules`."""
        super().__init__(settings, tree, seed)
        rule = settings.unmodified
        assert isinstance(rule, Hedge)
        self._rules = HedgeRules(
            simultaneous=self._simultaneous,
            adaptive=rule.rate == "variance",
            constant=float(rule.constant) if rule.rate == "variance" else math.sqrt(1 / 8),
            ranges=tree.payoff_range,
            **changes,
        )
        infosets = tree.infosets
        self._infoset_values, mean, deviation = np.zeros((3, infosets))
        visits, hidden = np.zeros(infosets, dtype=np.int64), np.zeros(infosets, dtype=np.bool_)
        self._statistics = Statistics(visits, mean, deviation, hidden)

    def step(self, iterations: int = 1) -> None:
        state = self._walked, self._infoset_values, self._tables, self._statistics
        iterate(self.tree.form, self._rules, (self.iteration + 1, self.iteration + iterations), *state)
        self.count(iterations)

    def arrays(self) -> Arrays:
        return super().arrays() | {"mean": self._statistics.mean, "deviation": self._statistics.deviation}
