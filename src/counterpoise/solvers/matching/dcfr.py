"""Discounted CFR (Brown and Sandholm 2019; BROWN 3.1.2): old regrets fade, positive and negative ones differently."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from counterpoise.solvers.base import algorithm
from counterpoise.solvers.matching.regret_matching import Discounting, RegretMatching
from counterpoise.tree.kernels.layouts import FloatArray

MAX_GAMMA = 20
"""t^gamma stays finite for any number of iterations that can be run."""


def fading(t: FloatArray, power: float) -> FloatArray:
    """t^power / (t^power + 1); 1 for an infinite power and 0 for minus infinity."""
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

    source = "BROWN 3.1.2"

    alpha: float = 1.5
    """Positive sums are multiplied by t^alpha / (t^alpha + 1)."""
    beta: float = 0.0
    """Negative sums are multiplied by t^beta / (t^beta + 1): one half for 0, the floor of CFR+ for -inf."""
    gamma: float = 2.0
    """Iteration t has weight t^gamma in the average."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require_number("alpha")
        self.require_number("beta")
        self.require_number("gamma", 0, MAX_GAMMA)

    @property
    def guarantee(self) -> str:
        """Theorems 3 to 5 of BROWN 3.1: CFR, LCFR, the floor with any weights, and (3/2, 0 or 1/2, 2)."""
        proven = {
            (math.inf, math.inf, 0),
            (1, 1, 1),
            (1, -math.inf, 1),
            (1.5, 0, 2),
            (1.5, 0.5, 2),
            (1.5, -math.inf, 2),
        }
        covered = (self.alpha, self.beta) == (math.inf, -math.inf) or (self.alpha, self.beta, self.gamma) in proven
        return super().guarantee if covered else ""

    @property
    def floored(self) -> bool:
        """A factor of 0 on negative sums is the floor of CFR+."""
        return self.beta == -math.inf

    @property
    def discounting(self) -> Discounting:
        """The two powers say it."""
        if self.alpha == math.inf and self.beta in (math.inf, -math.inf):
            return "none"
        return "alike" if self.alpha == self.beta else "by sign"

    @property
    def negative_bounded(self) -> bool:
        """They are halved, or more, unless the power is positive."""
        return self.beta <= 0

    @property
    def average_like_regrets(self) -> bool:
        """So in LCFR, and where neither fades."""
        return (self.alpha, self.gamma) in ((1, 1), (math.inf, 0))

    def discounts(self, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The two fading factors."""
        return fading(t, self.alpha), fading(t, self.beta)

    def weights(self, t: FloatArray) -> FloatArray:
        """t^gamma."""
        return np.asarray(t**self.gamma)
