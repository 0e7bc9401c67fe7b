"""Regret matching at work on an enumerated game: iterations of `regret_matching`, compiled."""

from __future__ import annotations

from typing import Any, ClassVar

from counterpoise.solvers.base import Algorithm
from counterpoise.solvers.kernels.cfr import iterate
from counterpoise.solvers.kernels.layouts import Factors
from counterpoise.solvers.matching.regret_matching import RegretMatching
from counterpoise.solvers.tree_solver import AveragingSolver
from counterpoise.tree import Tree


class RegretMatchingSolver(AveragingSolver):
    """Regrets, average and current strategy of all players, two floats per sequence plus the iterate.

    `variant` is the member of the family that is at work: the settings without modifiers.
    """

    kernels: ClassVar[tuple[Any, ...]] = (iterate,)
    compile_seconds: ClassVar[float] = 3.0

    def __init__(self, settings: Algorithm, tree: Tree, seed: int = 0, **changes: Any) -> None:
        """`changes` are the switches and numbers of a modifier, fields of `Rules`."""
        super().__init__(settings, tree, seed)
        assert isinstance(settings.unmodified, RegretMatching)
        self.variant = settings.unmodified
        self._rules = self.variant.rules(**changes)

    def step(self, iterations: int = 1) -> None:
        iterate(self.tree.form, self._rules, self.factors(iterations), self._tables, self._values)
        self.count(iterations)

    def factors(self, iterations: int) -> Factors:
        """Return discounts and weights of the next iterations."""
        return self.variant.factors(self.next_iterations(iterations))
