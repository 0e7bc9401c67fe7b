"""Discounted CFR (Brown and Sandholm 2019; BROWN 3.1.2): old regrets fade, positive and negative ones differently."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from counterpoise.solvers.base import algorithm
from counterpoise.solvers.regret_matching import RegretMatching
from counterpoise.tree.tree_kernels import FloatArray


def fading(t: FloatArray, power: float) -> FloatArray:
    """t^power / (t^power + 1); 1 for an infinite power and 0 for minus infinity."""
    if math.isinf(power):
        return np.full_like(t, 1.0 if power > 0 else 0.0)
    return 1.0 / (1.0 + t**-power)


@algorithm("dcfr")
@dataclass(frozen=True, kw_only=True)
class DCFR(RegretMatching):
    """Discounted CFR; alpha, beta, gamma fade positive regrets, negative regrets and the average.

    (1,1,1) is LCFR, (inf,-inf,2) quadratic CFR+, (inf,inf,0) CFR; (1.5,0.5,2) suits pruning.
    """

    source = "BROWN 3.1.2"

    alpha: float = 1.5
    """Positive sums are multiplied by t^alpha / (t^alpha + 1)."""
    beta: float = 0.0
    """Negative sums are multiplied by t^beta / (t^beta + 1): one half for 0, the floor of CFR+ for -inf."""
    gamma: float = 2.0
    """Iteration t has weight t^gamma in the average."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for field in ("alpha", "beta", "gamma"):
            value = getattr(self, field)
            number = isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(value)
            self.require(number, field, "a number, inf or -inf")
        self.require(0 <= self.gamma <= 100, "gamma", "between 0 and 100")

    def discounts(self, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The two fading factors."""
        return fading(t, self.alpha), fading(t, self.beta)

    def weights(self, t: FloatArray) -> FloatArray:
        """t^gamma."""
        return np.asarray(t**self.gamma)
