"""CFR+ (Tammelin 2014; Brown 2020, section 2.3.7; Johanson 2016, chapter 9): regret sums never fall below zero."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from counterpoise.solvers.base import WholeFromZero, algorithm
from counterpoise.solvers.matching.cfr import POWER, Averaging
from counterpoise.solvers.matching.regret_matching import RegretMatching
from counterpoise.tree.kernels.layouts import FloatArray


@algorithm("cfr+")
@dataclass(frozen=True, kw_only=True)
class CFRPlus(RegretMatching):
    """Regret matching+, linear averaging by default; the method that solved limit hold'em."""

    source = "Brown 2020, section 2.3.7; Johanson 2016, chapter 9"
    floored = True

    average: Averaging = "linear"
    """Weight 1, t or t^2 of iteration t; the discounting figures of Brown 2020, section 3.1 use the quadratic one."""
    delay: WholeFromZero = 0
    """Skip the first `delay` iterations in the average; later ones count from there."""

    @property
    def average_like_regrets(self) -> bool:
        return self.average == "uniform" and self.delay == 0

    def weights(self, t: FloatArray) -> FloatArray:
        counted = np.maximum(t - self.delay, 0.0)
        return np.where(counted > 0, counted ** POWER[self.average], 0.0)
