"""Warm starts of full-width solvers: regrets for strategies that are there already (Brown 2020, section 3.2)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from counterpoise.errors import InputError
from counterpoise.public import DenseGame, HoldemGame, Profile, transfer
from counterpoise.public.warm_start import warm_start_arrays
from counterpoise.solvers.public.solver import public_schedule
from counterpoise.solvers.warm_start.warm_start import (
    FITTED_ITERATIONS,
    PastWeights,
    WarmStart,
    carries_over,
    check_numbers,
    iterations_worth,
)
from counterpoise.tree import Strategy

if TYPE_CHECKING:
    from counterpoise.solvers.public.solver import PublicSolver

FACTOR_PRECISION = 0.01
"""How much excess of substitute values the search of a factor may leave, as a share of NashConv."""
DIRECTION_LENGTH = 3.0
"""How many times as long regrets that keep the direction are as those that fit: with less, DCFR drifts off at first."""
MOST_PASSES = 40
"""The most traversals of that search."""


def warm_start_solver(
    solver: PublicSolver,
    source: Strategy | Profile | None,
    iterations: int | None,
    factor: float | None,
    squared_reach: bool,
    keep_direction: bool,
) -> WarmStart:
    """Let a solver continue as though iterations had led to some strategies; see `PublicSolver.warm_start`."""
    check_numbers(iterations, factor)
    _check(solver, source)
    touched = solver.nodes_touched
    started = solver.average.copy() if source is None or source is solver.average else source
    constant = _fitted(solver) if iterations is None else 0.0
    solver.learning.clear()
    _play(solver, started)
    won = float(solver.values().sum())
    gain = float(solver.traverser.best_response_values(solver.average).sum()) - won
    solver.touch(4)
    if iterations is None:  # after which the variant would be as good as this
        iterations = iterations_worth(constant, max(gain / 2, 0.0))
    past = PastWeights.of(solver.settings, iterations, pending=True)
    prepared = warm_start_arrays(solver.game, squared_reach)._replace(
        positive=np.float32(past.positive),
        negative=np.float32(past.negative),
        keep_direction=np.float32(DIRECTION_LENGTH if keep_direction else 0),
    )

    def excess(factor: float) -> float:
        solver.touch(2)
        chosen = prepared._replace(factor=np.float32(factor / past.effective))
        return float(solver.traverser.fit_regrets(chosen, solver.learning).sum()) - won

    if factor is None:
        factor, left = _smallest_factor(excess, gain)
    else:
        left = excess(factor)
    solver.traverser.add_to_average(solver.average, solver.average, 0.0, solver.settings.reach_weighted)
    solver.average.scale(past.average)
    solver.touch(2)
    if solver.learning.matched is not solver.learning.regrets:  # the next strategy follows without a prediction
        solver.learning.matched.copy_from(solver.learning.regrets)
    solver.iteration = iterations
    proven = carries_over(solver.settings) and solver.game.constant_sum and not keep_direction
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
        nodes_touched=solver.nodes_touched - touched,
    )


def _check(solver: PublicSolver, source: Strategy | Profile | None) -> None:
    fits = isinstance(source, Profile if isinstance(solver.game, HoldemGame) else Strategy)
    if source is not None and source is not solver.average and not fits:
        raise InputError(f"{solver.game.name} cannot be started from a {type(source).__name__}")


def _play(solver: PublicSolver, source: Strategy | Profile) -> None:
    """Write the strategies to start from into the average."""
    if isinstance(source, Profile):
        if source.game is solver.game and source.bits == solver.bits:
            solver.average.copy_from(source)
        else:
            transfer(source, solver.average)
    else:
        assert isinstance(solver.game, DenseGame)
        solver.average.copy_from(solver.game.profile(source).in_bits(solver.bits))


def _fitted(solver: PublicSolver) -> float:
    """Return c in exploitability = c / T, from ten iterations of a run of its own, in the solver's profiles."""
    solver.learning.clear()
    solver.traverser.iterate(solver.learning, public_schedule(solver.settings, 0, FITTED_ITERATIONS))
    solver.touch(2 * FITTED_ITERATIONS + 2)
    return FITTED_ITERATIONS * solver.exploitability()


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
