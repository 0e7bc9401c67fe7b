"""Counterfactual regret minimisation: regret matching at every infoset.

See Zinkevich et al. 2007; Brown 2020, section 2.3.5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from counterpoise.solvers.base import algorithm
from counterpoise.solvers.matching.regret_matching import RegretMatching
from counterpoise.tree.kernels.layouts import FloatArray

Averaging = Literal["uniform", "linear", "quadratic"]
POWER = {"uniform": 0, "linear": 1, "quadratic": 2}


@algorithm("cfr")
@dataclass(frozen=True, kw_only=True)
class CFR(RegretMatching):
    """Counterfactual regret minimisation, O(1/sqrt(T)); the baseline."""

    source = "Brown 2020, section 2.3.5"

    average: Averaging = "uniform"
    """Weight 1, t or t^2 of iteration t; only the uniform one has a guarantee with plain regret matching."""

    @property
    def guarantee(self) -> str:
        return super().guarantee if self.average == "uniform" else ""

    @property
    def average_like_regrets(self) -> bool:
        return self.average == "uniform"

    def weights(self, t: FloatArray) -> FloatArray:
        return t ** POWER[self.average]
