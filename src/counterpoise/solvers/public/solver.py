"""The regret-matching family on public games: the same settings as on enumerated games, vectors of hands instead.

A variant is its discounts and weights (see `regret_matching`); here they become a schedule for the street kernels,
which alternate between the players. `PublicSolver.warm_start` makes regrets for a strategy that is there already,
by the rules of `counterpoise.solvers.warm_start.warm_start` (Brown 2020, section 3.2).
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.public import HoldemGame, LeafEvaluator, Learning, Profile, PublicGame, UpdateSchedule
from counterpoise.solvers.base import Algorithm, Arrays
from counterpoise.solvers.matching.regret_matching import RegretMatching
from counterpoise.solvers.public.base import PublicGameSolver

if TYPE_CHECKING:
    from counterpoise.solvers.warm_start.warm_start import WarmStart
    from counterpoise.tree import Strategy

BLOCK = 100
"""Iterations whose schedule is computed together."""


def public_schedule(settings: RegretMatching, iteration: int, count: int) -> UpdateSchedule:
    """Return what iterations ``iteration + 1`` to ``iteration + count`` of a variant do to old numbers.

    Variants discount after adding and the kernels before, so the factors are those of the iteration before; weights
    in the average become the factor by which older ones shrink.
    """
    first, last = iteration // BLOCK, (iteration + count) // BLOCK
    blocks = [_schedule_rows(settings, block) for block in range(first, last + 1)]
    begin = iteration - first * BLOCK
    positive, negative, decay = (np.concatenate(rows)[begin:] for rows in zip(*blocks, strict=True))
    return UpdateSchedule(
        positive[: count + 1],
        negative[: count + 1],
        decay[:count],
        weighted=settings.reach_weighted,
        predictive=settings.predictive,
    )


@lru_cache(maxsize=16)
def _schedule_rows(settings: RegretMatching, block: int) -> tuple[NDArray[np.float32], ...]:
    """Return a block of the factors on positive and negative regrets and of the decay of the average.

    They are kept because a small river is solved in the time that they take for each of its steps.
    """
    t = np.arange(block * BLOCK, (block + 1) * BLOCK + 1, dtype=np.float64)
    begun = np.maximum(t, 1)
    positive, negative, weights = settings.factors(begun)
    positive, negative = (np.where(t < 1, 1.0, row)[:-1] for row in (positive, negative))
    with np.errstate(invalid="ignore", divide="ignore"):
        decay = np.where(weights[1:] > 0, weights[:-1] / weights[1:], 1.0)
    decay = np.where(t[:-1] < 1, 0.0, decay)
    return positive.astype(np.float32), negative.astype(np.float32), decay.astype(np.float32)


class PublicSolver(PublicGameSolver):
    """Regrets and the average strategy of a variant at work on a public game."""

    settings: RegretMatching

    def __init__(
        self,
        settings: Algorithm,
        game: PublicGame,
        threads: int = 1,
        bits: int = 32,
        leaves: LeafEvaluator | None = None,
    ) -> None:
        if not isinstance(settings, RegretMatching):
            raise InputError(f"{settings.name} is not a variant of CFR with regret matching, such as dcfr or cfr+")
        if settings.updates != "alternating" or settings.fallback != "uniform" or settings.output != "average":
            raise InputError(
                f"{settings.name} does not run on public trees: there updates alternate, the fallback is uniform and "
                "the output is the average"
            )
        super().__init__(settings, game, threads=threads, bits=bits, leaves=leaves)
        self.learning = Learning.fresh(game, bits, settings.predictive)

    @property
    def average(self) -> Profile:
        """The average strategies, which every step changes."""
        return self.learning.average

    @property
    def current(self) -> Profile:
        """What the strategies of the next iteration are matched from: regrets, with a prediction if there is one."""
        return self.learning.matched

    def step(self, iterations: int = 1) -> None:
        if iterations:
            self.traverser.iterate(self.learning, public_schedule(self.settings, self.iteration, iterations))
        self.iteration += iterations
        self.touch(2 * iterations)

    def arrays(self) -> Arrays:
        return self.learning.arrays()

    def carry_to(self, game: HoldemGame, worth: int) -> PublicSolver:
        """Return a solver that continues in a game of the same boards with other bet sizes, such as another price.

        What was done here counts as `worth` iterations at most: averages get that weight and the schedule continues
        from there, as in regret transfer (Brown 2020, section 4.2.2). Regrets stay as they were paid, without a weight:
        those of DCFR do not grow with the number of iterations, so smaller ones would let the next strategies swing.
        This solver is used up: both may share their numbers.
        """
        from counterpoise.public import copy_profile

        solver = PublicSolver(self.settings, game, self.traverser.threads, self.bits)
        profiles = {name: copy_profile(profile, game) for name, profile in self.learning.profiles.items()}
        regrets, average = profiles["regrets"], profiles["average"]
        if self.iteration > worth:
            average.scale(worth / self.iteration)
        solver.learning = Learning(regrets, profiles.get("basis", regrets), average)
        solver.iteration, solver.nodes_touched = min(self.iteration, worth), self.nodes_touched
        return solver

    def warm_start(
        self,
        source: Strategy | Profile | None = None,
        *,
        iterations: int | None = None,
        factor: float | None = None,
        squared_reach: bool = False,
        keep_direction: bool = False,
    ) -> WarmStart:
        """Continue as though `iterations` iterations had led to the strategies of `source`.

        `source` is a strategy (for a `DenseGame`), a profile (of a `HoldemGame`, whose bets may have other sizes), or
        nothing: then it is the solver's own average, as it stands. `iterations` (T) is projected from ten iterations of
        a run of its own, and `factor` (lambda) searched for, unless given. With `keep_direction` regrets point where
        the strategies do (see `counterpoise.public.warm_start`), which is outside the theorem and much better where
        averages forget fast, as in DCFR.
        """
        from counterpoise.solvers.public.warm_start import warm_start_solver

        return warm_start_solver(self, source, iterations, factor, squared_reach, keep_direction)
