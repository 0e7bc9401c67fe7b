"""The regret-matching family on public trees: the same settings as on enumerated games, vectors of hands instead.

A variant is its discounts and weights (see `regret_matching`); here they become a schedule for the street kernels,
which alternate between the players. `PublicSolver.warm_start` makes regrets for a strategy that is there already,
by the rules of `counterpoise.solvers.warm_start` (BROWN 3.2).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.public import DenseTree, HoldemTree, PublicTree, Schedule, transfer
from counterpoise.public.arrays import Tables
from counterpoise.public.substitute import make_substitute
from counterpoise.solvers.base import Algorithm, put_back
from counterpoise.solvers.regret_matching import RegretMatching
from counterpoise.solvers.warm_start import FITTED_ITERATIONS, MAX_ITERATIONS, check_numbers
from counterpoise.tree import Strategy

FACTOR_PRECISION = 0.01
"""Of the sum of substitute values that the search of a factor leaves, relative to NashConv."""
STEADINESS = 3.0
"""Steady regrets are so many times as long as those that fit the average: with less, DCFR drifts off at first."""
MOST_PASSES = 40
"""Of that search."""


def public_schedule(settings: RegretMatching, iteration: int, count: int) -> Schedule:
    """What iterations ``iteration + 1`` to ``iteration + count`` of a variant do to old numbers.

    Variants discount after adding and the kernels before, so the factors are those of the iteration before; weights
    in the average become the factor by which older ones shrink.
    """
    t = np.arange(iteration, iteration + count + 1, dtype=np.float64)
    begun = np.maximum(t, 1)
    factors = [np.broadcast_to(np.asarray(row, dtype=np.float64), t.shape) for row in settings.discounts(begun)]
    positive, negative = (np.where(t < 1, 1.0, row) for row in factors)
    weights = np.broadcast_to(np.asarray(settings.weights(begun), dtype=np.float64), t.shape)
    with np.errstate(invalid="ignore", divide="ignore"):
        keep = np.where(weights[1:] > 0, weights[:-1] / weights[1:], 1.0)
    keep = np.where(t[:-1] < 1, 0.0, keep)
    return Schedule(
        positive.astype(np.float32),
        negative.astype(np.float32),
        keep.astype(np.float32),
        weighted=settings.reach_weighted,
        predictive=bool(settings.prediction),
    )


class PublicWarmStart(NamedTuple):
    """What a warm start chose."""

    iterations: int
    """T: the counter of iterations goes on from here."""
    factor: float
    """Lambda of BROWN 3.2.4, the share of the bound on regrets that is used."""
    squared_reach: bool
    """Whether the bound used the square of the external reach."""
    exploitability: float
    """Of the strategy started from, in the tree's unit."""
    substitute_sum: float
    """By how much the players' substitute values together exceed what both win."""
    covered: bool
    """Whether theorem 6 covers it: regrets satisfy equation 3.6 and the sum is not above 0."""
    nodes_touched: int
    """Nodes visited for it, the short run of the projection included."""


class _PastWeights(NamedTuple):
    """What the iterations 1 to T of a schedule would count in the tables by now (see `PastWeights`)."""

    positive: float
    negative: float
    effective: float
    average: float

    @classmethod
    def of(cls, schedule: Schedule) -> _PastWeights:
        count = len(schedule.keep)
        positive, negative, average = (
            np.cumprod(np.append(1.0, row[1:count][::-1].astype(np.float64)))
            for row in (schedule.positive, schedule.negative, schedule.keep)
        )
        total = float(positive.sum())
        return cls(total, float(negative.sum()), total**2 / float(positive @ positive), float(average.sum()))


class PublicSolver:
    """A variant at work on a public tree: steps, measures, and saves or restores everything that changes."""

    def __init__(self, settings: Algorithm, tree: PublicTree, threads: int = 1) -> None:
        if not isinstance(settings, RegretMatching):
            raise InputError(f"{settings.name} does not run on public trees: use a variant of CFR")
        if settings.updates != "alternating" or settings.fallback != "uniform" or settings.output != "average":
            raise InputError(
                f"{settings.name} does not run on public trees: there updates alternate, the fallback is uniform and "
                "the output is the average"
            )
        if threads < 1:
            raise InputError(f"threads must be at least 1, not {threads!r}")
        self.settings, self.tree, self.threads = settings, tree, threads
        self.iteration = self.nodes_touched = 0
        if settings.prediction:
            tree.predict()

    def step(self, iterations: int = 1) -> None:
        """Advance by so many iterations."""
        self.tree.iterate(public_schedule(self.settings, self.iteration, iterations), self.threads)
        self.iteration += iterations
        self.nodes_touched += 2 * iterations * int(self.tree.nodes)

    def warm_start(
        self,
        source: Strategy | HoldemTree | None = None,
        *,
        iterations: int | None = None,
        factor: float | None = None,
        squared_reach: bool = False,
        steady: bool = False,
    ) -> PublicWarmStart:
        """Go on as though so many iterations had led to the average strategies of `source`.

        `source` is a strategy (for a `DenseTree`), a solved tree (for a `HoldemTree`; bets may have other sizes), or
        nothing: then it is the tree's own average, as it stands. `iterations` (T) is projected from ten iterations of
        a run of its own, and `factor` (lambda) searched for, unless given. `steady` regrets keep to the strategies
        (see `counterpoise.public.substitute`), which is outside the theorem and much better where averages forget fast,
        as in DCFR.
        """
        check_numbers(iterations, factor)
        self._play(source)
        touched, won = self.nodes_touched, float(self.values().sum())
        gain = float(self.tree.best_response_values(self.threads).sum()) - won
        self._touch(4)
        if iterations is None:
            iterations = self._projected(max(gain / 2, 0.0))
        past = _PastWeights.of(public_schedule(self.settings, 0, iterations))
        prepared = make_substitute(self.tree, squared_reach)._replace(
            positive=np.float32(past.positive),
            negative=np.float32(past.negative),
            steady=np.float32(STEADINESS if steady else 0),
        )

        def excess(factor: float) -> float:
            self._touch(2)
            chosen = prepared._replace(factor=np.float32(factor / past.effective))
            values = self.tree.substitute(chosen, self.settings.reach_weighted, self.threads)
            return float(values.sum()) - won

        if factor is None:
            factor, left = _smallest_factor(excess, gain)
        else:
            left = excess(factor)
        self._count_average(past.average)
        self.iteration = iterations
        covered = left <= 0 and factor <= 1 and not steady
        return PublicWarmStart(
            iterations, factor, squared_reach, max(gain / 2, 0.0), left, covered, self.nodes_touched - touched
        )

    def _play(self, source: Strategy | HoldemTree | None) -> None:
        """Put the strategies to start from in the place of the average."""
        tree = self.tree
        if isinstance(source, HoldemTree) and isinstance(tree, HoldemTree):
            transfer(source, tree)
        elif isinstance(source, Strategy) and isinstance(tree, DenseTree):
            tree.play(source)
        elif source is not None:
            raise InputError(f"a {type(tree).__name__} cannot be started from a {type(source).__name__}")

    def _projected(self, exploitability: float) -> int:
        """After how many iterations the variant would be as good as this, taken to be proportional to 1 / T."""
        kept, regrets = self.tree.tables, self.tree.fresh_store()
        self.tree.tables = Tables(regrets, regrets, self.tree.fresh_store())
        try:
            trial = PublicSolver(self.settings, self.tree, self.threads)
            trial.step(FITTED_ITERATIONS)
            constant = FITTED_ITERATIONS * trial.exploitability()
        finally:
            self.tree.tables = kept
        self._touch(2 * FITTED_ITERATIONS + 2)
        if constant >= MAX_ITERATIONS * exploitability:
            return MAX_ITERATIONS
        return max(1, round(constant / exploitability))

    def _touch(self, traversals: int) -> None:
        self.nodes_touched += traversals * int(self.tree.nodes)

    def _count_average(self, weight: float) -> None:
        """Let the average count as so much, and match the next strategy from the regrets."""
        store = self.tree.tables.average
        for array in (store.wide, store.scale):
            array *= np.float32(weight)
        regrets, basis = self.tree.tables.regrets, self.tree.tables.basis
        if basis is not regrets:
            basis.wide[...], basis.narrow[...], basis.scale[...] = regrets.wide, regrets.narrow, regrets.scale

    @property
    def live_bytes(self) -> int:
        """Memory of the tables."""
        return sum(array.nbytes for array in self.tree.arrays().values())

    def exploitability(self) -> float:
        """NashConv / 2 of the average strategies by exact best responses, in the tree's unit."""
        return self.tree.exploitability(self.threads)

    def values(self) -> NDArray[np.float64]:
        """What the average strategies are worth to each player, in the tree's unit."""
        return self.tree.root_values(self.threads)

    def state(self) -> dict[str, NDArray[Any]]:
        """A copy of everything that changes."""
        counters = np.array([self.iteration, self.nodes_touched], dtype=np.int64)
        return {"counters": counters} | {name: array.copy() for name, array in self.tree.arrays().items()}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Go on from a `state` of the same variant on the same tree."""
        self.iteration, self.nodes_touched = put_back(state, self.tree.arrays(), self.settings.name)


def _smallest_factor(excess: Callable[[float], float], gain: float) -> tuple[float, float]:
    """The smallest factor with which substitute values exceed what players win by nothing, and what they do then.

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
        raise InputError("no factor makes regrets fit this strategy: start from another, or give the factor")
    return high * high, excess(high * high)
