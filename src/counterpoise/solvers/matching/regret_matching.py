"""The regret-matching family of CFR: one solver, of which each variant is a choice of discounts and weights.

Iteration t, for each player in turn (alternating) or for all from the same profile (simultaneous):

1. counterfactual values of every action against the others' current strategies;
2. the average gains the current strategy, weighted by own reach and by ``weights(t)``;
3. regrets gain v(I,a) - v(I); then positive sums are multiplied by the first and negative sums by the second of
   ``discounts(t)``;
4. the next strategy is proportional to the positive regrets; where there are none it is the `fallback`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from counterpoise.errors import InputError
from counterpoise.solvers.base import Algorithm, Output, Updates, check_schedule
from counterpoise.solvers.kernels.layouts import Factors, Rules

if TYPE_CHECKING:
    from counterpoise.solvers.matching.tree_matching import RegretMatchingSolver
    from counterpoise.tree import Tree
    from counterpoise.tree.kernels.layouts import FloatArray

Fallback = Literal["uniform", "argmax"]
Discounting = Literal["none", "alike", "by sign"]
CHECKED_ITERATIONS = 100
"""The number of iterations of a schedule that are compared with the declarations of its variant."""


@dataclass(frozen=True, kw_only=True)
class RegretMatching(Algorithm):
    """Settings of the family. A variant overrides `discounts` or `weights`, and declares what kind it is.

    The declarations decide which modifiers it allows and which guarantees hold (`check_declarations`); a variant
    without declarations runs as it is. One whose kind depends on its settings makes the declaration a property.
    """

    updates: Updates = "alternating"
    """Whether a player sees the others' strategies of this iteration or of the last one."""
    output: Output = "average"
    """Which strategy is the result; only the average has a guarantee."""
    fallback: Fallback = "uniform"
    """The strategy where no regret is positive: uniform, or the action with the largest regret."""

    predictive: ClassVar[bool] = False
    """Whether it plays as though the last regrets came once more."""
    reach_weighted: ClassVar[bool] = True
    """Whether a strategy enters the average with its own reach; without, there is no guarantee."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.predictive:
            self.require(self.fallback == "uniform", "fallback", "'uniform' in a predictive variant")

    @property
    def floored(self) -> bool:
        """Whether negative regret sums are cut to zero in every iteration, as in CFR+."""
        return False

    @property
    def discounting(self) -> Discounting:
        """Whether regret sums fade, and if so all alike or differently by sign; the floor does not count."""
        return "none"

    @property
    def negative_bounded(self) -> bool:
        """Whether negative regret sums stay bounded, so that no action ever looks hopeless."""
        return self.floored or self.discounting == "by sign"

    @property
    def average_like_regrets(self) -> bool:
        """Whether the average weighs iterations as positive regrets do: weights(t) = discount(t) weights(t + 1)."""
        return False

    @property
    def guarantee(self) -> str:
        return super().guarantee if self.output == "average" else ""

    def discounts(self, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the factors on positive and on negative regret sums after iterations t = 1, 2, ...

        A factor of 0 on negative sums is the floor of CFR+; without discounts, `floored` alone makes it.
        """
        return np.ones_like(t), np.zeros_like(t) if self.floored else np.ones_like(t)

    def weights(self, t: FloatArray) -> FloatArray:
        """Return the weights of iterations t = 1, 2, ... in the average."""
        return np.ones_like(t)

    def factors(self, t: FloatArray) -> Factors:
        """Return `discounts` and `weights`, checked, with a number for each of the iterations t."""
        rows = self.discounts(t)
        if not isinstance(rows, tuple | list) or len(rows) != 2:
            raise InputError(
                f"{self.name}: discounts(t) must return two arrays, the factors on positive and on negative regrets"
            )
        positive, negative = (check_schedule(row, t, f"{self.name}: discounts") for row in rows)
        return Factors(positive, negative, check_schedule(self.weights(t), t, f"{self.name}: weights"))

    def check_declarations(self) -> None:
        """Refuse a variant whose discounts contradict what it declares, seen at its first iterations."""
        positive, negative, _ = self.factors(np.arange(1.0, CHECKED_ITERATIONS + 1.0))
        kept = self.discounting == "none"
        if (
            (self.floored and negative.any())
            or (kept and (positive != 1.0).any())
            or (kept and not self.floored and (negative != 1.0).any())
            or (self.discounting == "alike" and not self.floored and not np.array_equal(positive, negative))
        ):
            raise InputError(
                f"{self.name}: discounts(t) must do what the variant declares: floored is {self.floored}, "
                f"discounting is {self.discounting!r}"
            )

    def rules(self, **changes: Any) -> Rules:
        """Return the switches of these settings as kernels read them, with those of a modifier."""
        return Rules(
            simultaneous=self.updates == "simultaneous",
            argmax=self.fallback == "argmax",
            prediction=float(self.predictive),
            **changes,
        )

    def on_tree(self, tree: Tree, seed: int) -> RegretMatchingSolver:
        from counterpoise.solvers.matching.tree_matching import RegretMatchingSolver

        return RegretMatchingSolver(self, tree, seed)

    @property
    def public_tables(self) -> int:
        """Regrets, the average and, in predictive variants, what the next strategy is matched from."""
        return 3 if self.predictive else 2

    def on_public(self, game: Any, seed: int, threads: int, bits: int) -> Any:
        from counterpoise.solvers.public.solver import PublicSolver  # public games are imported when needed

        return PublicSolver(self, game, threads, bits)

    def on_buckets(self, game: Any, buckets: Any, seed: int) -> Any:
        from counterpoise.solvers.public.bucket_solver import FullBucketSolver

        return FullBucketSolver(self, game, buckets, seed)
