"""The regret-matching family on public games: the same settings as on enumerated games, vectors of hands instead.

A variant is its discounts and weights (see `regret_matching`); here they become a schedule for the street kernels,
which alternate between the players. `PublicSolver.warm_start` makes regrets for a strategy that is there already,
by the rules of `counterpoise.solvers.warm_start.warm_start` (Brown 2020, section 3.2).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.public import (
    HoldemGame,
    LeafEvaluator,
    Learning,
    Profile,
    PublicGame,
    Schedule,
    copy_profile,
    transfer,
)
from counterpoise.public.warm_start import warm_start_arrays
from counterpoise.solvers.base import Algorithm, Arrays
from counterpoise.solvers.matching.regret_matching import RegretMatching
from counterpoise.solvers.public.base import PublicGameSolver
from counterpoise.solvers.warm_start.warm_start import (
    FITTED_ITERATIONS,
    PastWeights,
    WarmStart,
    carries_over,
    check_numbers,
    iterations_worth,
)
from counterpoise.tree import Strategy

BLOCK = 100
"""Iterations whose schedule is computed together."""
FACTOR_PRECISION = 0.01
"""How much excess of substitute values the search of a factor may leave, as a share of NashConv."""
DIRECTION_LENGTH = 3.0
"""How many times as long regrets that keep the direction are as those that fit: with less, DCFR drifts off at first."""
MOST_PASSES = 40
"""The most traversals of that search."""


def public_schedule(settings: RegretMatching, iteration: int, count: int) -> Schedule:
    """Return what iterations ``iteration + 1`` to ``iteration + count`` of a variant do to old numbers.

    Variants discount after adding and the kernels before, so the factors are those of the iteration before; weights
    in the average become the factor by which older ones shrink.
    """
    first, last = iteration // BLOCK, (iteration + count) // BLOCK
    blocks = [_schedule_rows(settings, block) for block in range(first, last + 1)]
    begin = iteration - first * BLOCK
    positive, negative, decay = (np.concatenate(rows)[begin:] for rows in zip(*blocks, strict=True))
    return Schedule(
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
        check_numbers(iterations, factor)
        self._check(source)
        touched = self.nodes_touched
        started = self.average.copy() if source is None or source is self.average else source
        constant = self._fitted() if iterations is None else 0.0
        self.learning.clear()
        self._play(started)
        won = float(self.values().sum())
        gain = float(self.traverser.best_response_values(self.average).sum()) - won
        self.touch(4)
        if iterations is None:  # after which the variant would be as good as this
            iterations = iterations_worth(constant, max(gain / 2, 0.0))
        past = PastWeights.of(self.settings, iterations, pending=True)
        prepared = warm_start_arrays(self.game, squared_reach)._replace(
            positive=np.float32(past.positive),
            negative=np.float32(past.negative),
            keep_direction=np.float32(DIRECTION_LENGTH if keep_direction else 0),
        )

        def excess(factor: float) -> float:
            self.touch(2)
            chosen = prepared._replace(factor=np.float32(factor / past.effective))
            return float(self.traverser.fit_regrets(chosen, self.learning).sum()) - won

        if factor is None:
            factor, left = _smallest_factor(excess, gain)
        else:
            left = excess(factor)
        self.traverser.add_to_average(self.average, self.average, 0.0, self.settings.reach_weighted)
        self.average.scale(past.average)
        self.touch(2)
        if self.learning.matched is not self.learning.regrets:  # the next strategy follows without a prediction
            self.learning.matched.copy_from(self.learning.regrets)
        self.iteration = iterations
        proven = carries_over(self.settings) and self.game.constant_sum and not keep_direction
        covered = proven and left <= 0 and factor <= 1
        return WarmStart(
            iterations=iterations,
            factor=factor,
            squared_reach=squared_reach,
            exploitability=max(gain / 2, 0.0),
            substitute_sum=left,
            proven=proven,
            covered=covered,
            bound=math.inf,
            nodes_touched=self.nodes_touched - touched,
        )

    def _check(self, source: Strategy | Profile | None) -> None:
        fits = isinstance(source, Profile if isinstance(self.game, HoldemGame) else Strategy)
        if source is not None and source is not self.average and not fits:
            raise InputError(f"{self.game.name} cannot be started from a {type(source).__name__}")

    def _play(self, source: Strategy | Profile) -> None:
        """Write the strategies to start from into the average."""
        if isinstance(source, Profile):
            if source.game is self.game and source.bits == self.bits:
                self.average.copy_from(source)
            else:
                transfer(source, self.average)
        else:
            from counterpoise.public import DenseGame

            assert isinstance(self.game, DenseGame)
            self.average.copy_from(self.game.profile(source).in_bits(self.bits))

    def _fitted(self) -> float:
        """Return c in exploitability = c / T, from ten iterations of a run of its own, in the solver's profiles."""
        self.learning.clear()
        self.traverser.iterate(self.learning, public_schedule(self.settings, 0, FITTED_ITERATIONS))
        self.touch(2 * FITTED_ITERATIONS + 2)
        return FITTED_ITERATIONS * self.exploitability()


def _smallest_factor(excess: Callable[[float], float], gain: float) -> tuple[float, float]:
    """Return the smallest factor with which substitute values exceed what players win by nothing, and the excess left.

    The excess falls from NashConv, almost in proportion to the root of the factor: a secant in the root finds it.
    """
    low, above, high, below = 0.0, gain, math.inf, 0.0
    root = 1e-3 if gain > 0 else 0.0
    for _ in range(MOST_PASSES):
        left = excess(root * root)
        if -FACTOR_PRECISION * gain <= left <= 0 or root == 0:
            return root * root, left
        if left > 0:
            low, above = root, left
        else:
            high, below = root, left
        if math.isinf(high):
            root = min(10 * root, 1.2 * root * gain / max(gain - left, 1e-3 * gain))
        else:
            aim = (above + FACTOR_PRECISION / 2 * gain) / (above - below)
            root = low + min(max(aim, 0.02), 0.98) * (high - low)
    if math.isinf(high):
        raise InputError("no factor makes regrets fit this strategy: start from another, or set the factor")
    return high * high, excess(high * high)
