"""Fictitious play (Brown 1951), its linear and optimistic forms, and FLOP (Brown 2020, section 5.3.8; Brown et al.
2020, appendix H).

Iteration t, for each player in turn (alternating) or for all from the same mixtures (simultaneous):

1. a best response to the mixture of the other players' responses so far, that of iteration s with weight ``weights(s)``
   and the last one ``optimism`` times more; to uniform play before there are any;
2. the average gains this response with weight ``weights(t)``.

Realisation weights are mixed, not decisions. Where the others' responses never go, a player responds to the uniform
play that they started from; remaining ties go to the first action. With weights t and optimism 1 the mixture is t/(t+2)
of the average and 2/(t+2) of the last response, and the average moves by 2/(t+1): this is FLOP. All are generalised
weakened fictitious play, which converges in two-player zero-sum games.

Published counts of "iterations" in which one player responds are twice ours, in which every player does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from counterpoise.solvers.base import Algorithm, Arrays, FiniteAtLeastZero, Updates, algorithm, check_schedule
from counterpoise.solvers.kernels.fictitious_play import iterate
from counterpoise.solvers.kernels.layouts import FictitiousTables
from counterpoise.solvers.tree_solver import AveragingSolver
from counterpoise.tree import Tree
from counterpoise.tree.kernels.layouts import FloatArray

Weighting = Literal["uniform", "linear"]

VANISHING = 1e-60
"""Stands for a weight of 0 in the limit: lost in rounding wherever anything else was played."""


@dataclass(frozen=True, kw_only=True)
class WeightedFictitiousPlay(Algorithm):
    """Settings of the family. A variant overrides `weights` or `optimism`."""

    updates: Updates = "alternating"
    """Whether a player sees the others' responses of this iteration or only the earlier ones."""
    start: FiniteAtLeastZero = 0.0
    """Weight in the average of the uniform play at the start; 0 is the limit of small weights."""

    @property
    def optimism(self) -> float:
        """The additional weight of the last response in the mixture that others respond to."""
        return 0.0

    def weights(self, t: FloatArray) -> FloatArray:
        """Return the weights of the responses of iterations t = 1, 2, ..."""
        return np.ones_like(t)

    def on_tree(self, tree: Tree, seed: int) -> FictitiousPlaySolver:
        return FictitiousPlaySolver(self, tree, seed)

    @property
    def public_tables(self) -> int:
        """The average, what is responded to, and the responses of those who respond at a time."""
        return 4 if self.updates == "simultaneous" else 3

    def on_public(self, game: Any, seed: int, threads: int, bits: int) -> Any:
        from counterpoise.solvers.public.fictitious_play import PublicFictitiousPlay

        return PublicFictitiousPlay(self, game, threads, bits)


@algorithm("fp")
@dataclass(frozen=True, kw_only=True)
class FictitiousPlay(WeightedFictitiousPlay):
    """Fictitious play: best responses to the average of the others' best responses; simple and slow."""

    source = "Brown 2020, section 5.3.8; Brown et al. 2020, appendix H"

    weighting: Weighting = "uniform"
    """Weight 1 or t of the response of iteration t."""
    optimistic: bool = False
    """Whether the last response counts twice in the mixture that others respond to."""

    @property
    def optimism(self) -> float:
        return 1.0 if self.optimistic else 0.0

    def weights(self, t: FloatArray) -> FloatArray:
        return t if self.weighting == "linear" else np.ones_like(t)


@algorithm("lfp")
@dataclass(frozen=True, kw_only=True)
class LinearFictitiousPlay(WeightedFictitiousPlay):
    """Linear fictitious play: the response of iteration t has weight t."""

    source = "Brown 2020, section 5.3.8; Brown et al. 2020, appendix H"

    def weights(self, t: FloatArray) -> FloatArray:
        return t


@algorithm("ofp")
@dataclass(frozen=True, kw_only=True)
class OptimisticFictitiousPlay(WeightedFictitiousPlay):
    """Optimistic fictitious play: the last response counts twice in what the others respond to."""

    source = "Brown et al. 2020, appendix H"
    optimism = 1.0


@algorithm("flop")
@dataclass(frozen=True, kw_only=True)
class FLOP(LinearFictitiousPlay):
    """Fictitious linear optimistic play: linear weights, and the last response counts twice."""

    source = "Brown 2020, section 5.3.8; Brown et al. 2020, appendix H"
    optimism = 1.0


class FictitiousPlaySolver(AveragingSolver):
    """The weighted sum of all best responses, the last response and what the others will face."""

    settings: WeightedFictitiousPlay
    kernels = (iterate,)
    compile_seconds = 2.0

    def __init__(self, settings: WeightedFictitiousPlay, tree: Tree, seed: int = 0) -> None:
        super().__init__(settings, tree, seed)
        self._faced = self._reach.copy()
        self.cumulative += max(float(settings.start), VANISHING) * self._reach

    def step(self, iterations: int = 1) -> None:
        t = self.next_iterations(iterations)
        weights = check_schedule(self.settings.weights(t), t, f"{self.settings.name}: weights")
        tables = FictitiousTables(self._strategy, self._reach, self.cumulative, self._faced)
        iterate(self.tree.form, self._simultaneous, self.settings.optimism, weights, tables, self._values)
        self.count(iterations)

    def arrays(self) -> Arrays:
        return {"strategy": self._strategy, "cumulative": self.cumulative, "faced": self._faced}
