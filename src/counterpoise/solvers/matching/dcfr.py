"""Discounted CFR: old regrets fade, positive and negative ones differently.

See Brown and Sandholm 2019; Brown 2020, section 3.1.2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np

from counterpoise.solvers.base import AnyNumber, Number, algorithm
from counterpoise.solvers.matching.regret_matching import Discounting, RegretMatching

if TYPE_CHECKING:
    from counterpoise.tree.kernels.layouts import FloatArray

Exponent = Annotated[float, Number(0, 20)]
"""The power of t in an average, small enough for t^gamma to stay finite in any run."""


def fading(t: FloatArray, power: float) -> FloatArray:
    """Return t^power / (t^power + 1); 1 for an infinite power and 0 for minus infinity."""
    if math.isinf(power):
        return np.full_like(t, 1.0 if power > 0 else 0.0)
    with np.errstate(over="ignore"):  # a power that overflows is as good as minus infinity
        return np.asarray(1.0 / (1.0 + t**-power))


@algorithm("dcfr")
@dataclass(frozen=True, kw_only=True)
class DCFR(RegretMatching):
    """Discounted CFR; alpha, beta, gamma fade positive regrets, negative regrets and the average.

    (1,1,1) is LCFR, (inf,-inf,2) quadratic CFR+, (inf,inf,0) CFR; (1.5,0.5,2) suits pruning.
    """

    source = "Brown 2020, section 3.1.2"

    alpha: AnyNumber = 1.5
    """Positive sums are multiplied by t^alpha / (t^alpha + 1)."""
    beta: AnyNumber = 0.0
    """Negative sums are multiplied by t^beta / (t^beta + 1): one half for 0, the floor of CFR+ for -inf."""
    gamma: Exponent = 2.0
    """Iteration t has weight t^gamma in the average."""

    @property
    def guarantee(self) -> str:
        """Theorems 3 to 5 of Brown 2020, section 3.1: CFR, LCFR, the floor with any weights, and (3/2, 0 or 1/2, 2)."""
        proven = {(math.inf, math.inf, 0), (1, 1, 1), (1, -math.inf, 1)}
        proven |= {(1.5, beta, 2) for beta in (0, 0.5, -math.inf)}
        covered = (self.alpha, self.beta) == (math.inf, -math.inf) or (self.alpha, self.beta, self.gamma) in proven
        return super().guarantee if covered else ""

    @property
    def floored(self) -> bool:
        return self.beta == -math.inf

    @property
    def discounting(self) -> Discounting:
        if self.alpha == math.inf and self.beta in (math.inf, -math.inf):
            return "none"
        return "alike" if self.alpha == self.beta else "by sign"

    @property
    def negative_bounded(self) -> bool:
        return self.beta <= 0  # they are at least halved

    @property
    def average_like_regrets(self) -> bool:
        return (self.alpha, self.gamma) in ((1, 1), (math.inf, 0))  # LCFR, and where neither fades

    def discounts(self, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        return fading(t, self.alpha), fading(t, self.beta)

    def weights(self, t: FloatArray) -> FloatArray:
        return np.asarray(t**self.gamma)
