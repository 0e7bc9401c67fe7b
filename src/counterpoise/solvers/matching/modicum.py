"""The CFR+ of Modicum: made for a number of iterations that is known beforehand.

See Brown et al. 2018, appendix A; Brown 2020, section 6.5.

It is CFR+ with two changes: the average is only over the second half of the iterations, and after each of the first 30
iterations t regrets are multiplied by sqrt(t) / sqrt(t + 1), so that the first strategies, which are poor, count less.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from counterpoise.solvers.base import WholeFromOne, algorithm
from counterpoise.solvers.matching.regret_matching import Discounting, RegretMatching

if TYPE_CHECKING:
    from counterpoise.tree.kernels.layouts import FloatArray

FADING_ITERATIONS = 30
NEXT_TO_NOTHING = 1e-12


@algorithm("modicum-cfr+")
@dataclass(frozen=True, kw_only=True)
class ModicumCFRPlus(RegretMatching):
    """CFR+ for a number of iterations known beforehand: average of the second half, early regrets faded."""

    source = "Brown et al. 2018, appendix A; Brown 2020, section 6.5"
    floored = True

    total: WholeFromOne = 1000
    """The number of iterations; the average begins after half of them."""
    fading: Literal["root-of-sum", "sum-of-root", "none"] = "root-of-sum"
    """sqrt(t) / sqrt(t + 1), or sqrt(t) / (sqrt(t) + 1), as the formula can be read too; or no factor at all."""

    @property
    def discounting(self) -> Discounting:
        return "none" if self.fading == "none" else "alike"

    def discounts(self, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        root = np.sqrt(t)
        below = {"root-of-sum": np.sqrt(t + 1), "sum-of-root": root + 1, "none": root}[self.fading]
        return np.where(t <= FADING_ITERATIONS, root / below, 1.0), np.zeros_like(t)

    def weights(self, t: FloatArray) -> FloatArray:
        # the first half decides only where the second one never plays
        return np.where(t > self.total // 2, t, NEXT_TO_NOTHING * t)
