"""Predictive CFR+ (Farina et al. 2021) and its discounted form PDCFR+ (Xu et al. 2024)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from counterpoise.solvers.base import algorithm
from counterpoise.solvers.matching.cfr import POWER, Averaging
from counterpoise.solvers.matching.dcfr import MAX_GAMMA, fading
from counterpoise.solvers.matching.regret_matching import RegretMatching
from counterpoise.tree.kernels.layouts import FloatArray


@algorithm("pcfr+")
@dataclass(frozen=True, kw_only=True)
class PCFRPlus(RegretMatching):
    """CFR+ that plays as though the last regrets came once more; quadratic averaging."""

    source = "Farina, Kroer, Sandholm 2021"
    predictive = True
    floored = True

    average: Averaging = "quadratic"
    """Weight 1, t or t^2 of iteration t."""

    def discounts(self, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The floor of CFR+."""
        return np.ones_like(t), np.zeros_like(t)

    def weights(self, t: FloatArray) -> FloatArray:
        """1, t or t^2."""
        return t ** POWER[self.average]


@algorithm("pdcfr+")
@dataclass(frozen=True, kw_only=True)
class PDCFRPlus(RegretMatching):
    """PCFR+ whose regrets fade as in DCFR, with a steeply weighted average."""

    source = "Xu, Li, Liu et al. 2024"
    predictive = True
    floored = True
    discounting = "alike"

    alpha: float = 2.3
    """Positive sums are multiplied by t^alpha / (t^alpha + 1)."""
    gamma: float = 5.0
    """Iteration t has weight t^gamma in the average."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require_number("alpha")
        self.require_number("gamma", 0, MAX_GAMMA)

    def discounts(self, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Positive sums fade, negative sums are cut."""
        return fading(t, self.alpha), np.zeros_like(t)

    def weights(self, t: FloatArray) -> FloatArray:
        """t^gamma."""
        return np.asarray(t**self.gamma)
