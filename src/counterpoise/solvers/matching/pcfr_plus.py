"""Predictive CFR+ (Farina et al. 2021) and its discounted form PDCFR+ (Xu et al. 2024)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from counterpoise.solvers.base import AnyNumber, algorithm
from counterpoise.solvers.matching.cfr import POWER, Averaging
from counterpoise.solvers.matching.dcfr import Exponent, fading
from counterpoise.solvers.matching.regret_matching import RegretMatching
from counterpoise.tree.kernels.layouts import FloatArray


@algorithm("pcfr+")
@dataclass(frozen=True, kw_only=True)
class PCFRPlus(RegretMatching):
    """CFR+ that plays as though the last regrets came once more; quadratic averaging."""

    source = "Farina et al. 2021"
    predictive = True
    floored = True

    average: Averaging = "quadratic"
    """Weight 1, t or t^2 of iteration t."""

    def weights(self, t: FloatArray) -> FloatArray:
        return t ** POWER[self.average]


@algorithm("pdcfr+")
@dataclass(frozen=True, kw_only=True)
class PDCFRPlus(RegretMatching):
    """PCFR+ whose regrets fade as in DCFR, with a steeply weighted average."""

    source = "Xu et al. 2024"
    predictive = True
    floored = True
    discounting = "alike"

    alpha: AnyNumber = 2.3
    """Positive sums are multiplied by t^alpha / (t^alpha + 1)."""
    gamma: Exponent = 5.0
    """Iteration t has weight t^gamma in the average."""

    def discounts(self, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        return fading(t, self.alpha), np.zeros_like(t)

    def weights(self, t: FloatArray) -> FloatArray:
        return np.asarray(t**self.gamma)
