"""Linear CFR and LCFR+ (Brown 2020, section 3.1.2): iteration t counts t times, in the regrets and in the average."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from counterpoise.solvers.base import algorithm
from counterpoise.solvers.matching.dcfr import fading
from counterpoise.solvers.matching.regret_matching import RegretMatching
from counterpoise.tree.kernels.layouts import FloatArray


@algorithm("lcfr")
@dataclass(frozen=True, kw_only=True)
class LCFR(RegretMatching):
    """Linear CFR; the choice when a few actions are catastrophic mistakes."""

    source = "Brown 2020, section 3.1.2"
    discounting = "alike"
    average_like_regrets = True

    def discounts(self, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        return fading(t, 1.0), fading(t, 1.0)  # t/(t+1): sums stay in proportion to weights t without growing

    def weights(self, t: FloatArray) -> FloatArray:
        return t


@algorithm("lcfr+")
@dataclass(frozen=True, kw_only=True)
class LCFRPlus(LCFR):
    """Linear CFR with the floor of CFR+; worse than both on no-limit hold'em, not on every game."""

    source = "Brown 2020, section 3.1.2"
    floored = True

    def discounts(self, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        return fading(t, 1.0), np.zeros_like(t)
