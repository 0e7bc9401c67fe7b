"""The regret-matching family on public trees: the same settings as on enumerated games, vectors of hands instead.

A variant is its discounts and weights (see `regret_matching`); here they become a schedule for the street kernels,
which alternate between the players. `PublicSolver.warm_start` makes regrets for a strategy that is there already,
by the rules of `counterpoise.solvers.warm_start.warm_start` (BROWN 3.2).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.public import DenseTree, HoldemTree, PublicTree, Schedule, transfer
from counterpoise.public.kernels.layouts import Store
from counterpoise.public.substitute import make_substitute
from counterpoise.solvers.base import Algorithm, restore_arrays
from counterpoise.solvers.matching.regret_matching import RegretMatching
from counterpoise.solvers.warm_start.warm_start import (
    FITTED_ITERATIONS,
    MAX_ITERATIONS,
    PastWeights,
    carries_over,
    check_numbers,
)
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
    positive, negative, weights = settings.factors(begun)
    positive, negative = (np.where(t < 1, 1.0, row) for row in (positive, negative))
    with np.errstate(invalid="ignore", divide="ignore"):
        keep = np.where(weights[1:] > 0, weights[:-1] / weights[1:], 1.0)
    keep = np.where(t[:-1] < 1, 0.0, keep)
    return Schedule(
        positive.astype(np.float32),
        negative.astype(np.float32),
        keep.astype(np.float32),
        weighted=settings.reach_weighted,
        predictive=settings.predictive,
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
    """Whether theorem 6 covers it: it is about the variant and the game (not with rake), regrets satisfy equation 3.6,
    the sum is not above 0."""
    nodes_touched: int
    """Nodes visited for it, the short run of the projection included."""


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
        if settings.predictive:
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
        self._check(source)
        touched = self.nodes_touched
        constant = self._fitted(keep=source is None or source is self.tree) if iterations is None else 0.0
        self._play(source)
        won = float(self.values().sum())
        gain = float(self.tree.best_response_values(self.threads).sum()) - won
        self._touch(4)
        if iterations is None:  # after which the variant would be as good as this
            most = constant >= MAX_ITERATIONS * max(gain / 2, 0.0)
            iterations = MAX_ITERATIONS if most else max(1, round(constant / (gain / 2)))
        past = PastWeights.of(self.settings, iterations, pending=True)
        prepared = make_substitute(self.tree, squared_reach)._replace(
            positive=np.float32(past.positive),
            negative=np.float32(past.negative),
            steady=np.float32(STEADINESS if steady else 0),
        )

        def excess(factor: float) -> float:
            self._touch(2)
            chosen = prepared._replace(factor=np.float32(factor / past.effective))
            values = self.tree.substitute(chosen, self.threads)
            return float(values.sum()) - won

        if factor is None:
            factor, left = _smallest_factor(excess, gain)
        else:
            left = excess(factor)
        self.tree.weigh_average(past.average, self.settings.reach_weighted, self.threads)
        self._touch(2)
        self._match_from_regrets()
        self.iteration = iterations
        proven = carries_over(self.settings) and self.tree.constant_sum and not steady
        covered = proven and left <= 0 and factor <= 1
        return PublicWarmStart(
            iterations, factor, squared_reach, max(gain / 2, 0.0), left, covered, self.nodes_touched - touched
        )

    def _check(self, source: Strategy | HoldemTree | None) -> None:
        fits = (isinstance(source, HoldemTree) and isinstance(self.tree, HoldemTree)) or (
            isinstance(source, Strategy) and isinstance(self.tree, DenseTree)
        )
        if source is not None and not fits:
            raise InputError(f"a {type(self.tree).__name__} cannot be started from a {type(source).__name__}")

    def _play(self, source: Strategy | HoldemTree | None) -> None:
        """Put the strategies to start from in the place of the average."""
        if isinstance(source, HoldemTree) and isinstance(self.tree, HoldemTree):
            transfer(source, self.tree)
        elif isinstance(source, Strategy) and isinstance(self.tree, DenseTree):
            self.tree.play(source)

    def _fitted(self, keep: bool) -> float:
        """c in exploitability = c / T, from ten iterations in the tree's own tables, which are empty afterwards.

        With `keep` the average is put back.
        """
        average = self.tree.tables.average
        kept = Store(average.wide.copy(), average.narrow.copy(), average.scale.copy()) if keep else None
        self.tree.clear()
        trial = PublicSolver(self.settings, self.tree, self.threads)
        trial.step(FITTED_ITERATIONS)
        constant = FITTED_ITERATIONS * trial.exploitability()
        self.tree.clear()
        if kept is not None:
            average.wide[...], average.narrow[...], average.scale[...] = kept.wide, kept.narrow, kept.scale
        self._touch(2 * FITTED_ITERATIONS + 2)
        return constant

    def _touch(self, traversals: int) -> None:
        self.nodes_touched += traversals * int(self.tree.nodes)

    def _match_from_regrets(self) -> None:
        """Let the next strategy follow from the regrets, without a prediction."""
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
        self.iteration, self.nodes_touched = restore_arrays(state, self.tree.arrays(), self.settings.name)


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
