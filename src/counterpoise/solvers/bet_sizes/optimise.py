"""Optimise parameters of a game for a seat: check what the user asks for, run Algorithm 3, return what it found."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from counterpoise.errors import InputError
from counterpoise.games import Game, game_name
from counterpoise.parameters import is_list, is_number, require, require_number, require_seat, require_whole, shown
from counterpoise.progress import CancelToken, Progress, as_progress, cancel_on_interrupt
from counterpoise.solvers.base import Algorithm
from counterpoise.solvers.bet_sizes.affine import Box, enumerate_family
from counterpoise.solvers.bet_sizes.ascent import Ascent, ParameterAscent
from counterpoise.solvers.bet_sizes.family import Family, FieldFamily, make_family, read_entry
from counterpoise.solvers.bet_sizes.parametric import ParametricSolver, check_iterations_alike
from counterpoise.solvers.bet_sizes.result import OptimisedParameters
from counterpoise.solvers.driver import BATCH_SECONDS, prepare
from counterpoise.solvers.run import make_algorithm
from counterpoise.tree import Strategy, evaluate
from counterpoise.tree.evaluation import describe_size
from counterpoise.tree.kernels.layouts import FloatArray

DEFAULT_STEPS = 200

AnyFamily = Game | Family | Callable[..., Game] | str
"""A name, a rule book, a family, or a function that takes the parameters by name and returns a game."""


def optimise_parameters(
    game: AnyFamily,
    parameters: Mapping[str, tuple[float, float]],
    *,
    seat: int,
    start: Mapping[str, float] | None = None,
    steps: int | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    algorithm: str | Algorithm = "cfr",
    settings: Ascent | None = None,
    progress: Progress | bool | None = None,
    cancel: CancelToken | None = None,
) -> OptimisedParameters:
    """Return parameters that are locally best for a seat: Algorithm 3 of Brown 2020, section 4.2.5, on two-player
    zero-sum games.

    `parameters` maps each parameter to its box, such as ``{"bets[1]": (1, 15)}`` in leduc_poker: all games in it must
    have the same structure, and payoffs that are affine in the parameters. It starts where `start` says:
    by default where the game stands, or in the middle of the box if that is outside. It ends at the first of a number
    of `steps` (200 if nothing is said), `iterations` of every probe, and `seconds`; Ctrl-C or `cancel` ends it early
    and returns what has been found. The equilibrium value need not be concave: try several starts, and
    `sweep_parameters` to see the whole.

    >>> found = optimise_parameters("leduc_poker", {"bets[1]": (1, 15)}, seat=1, steps=20, progress=False)
    >>> found.parameters["bets[1]"] > 4
    True
    """
    family = make_family(game, list(parameters))
    box = tuple(_checked_box(parameters, name) for name in family.names)
    origin = _checked_start(family, box, start)
    require_seat("seat", seat)
    for field, limit in (("steps", steps), ("iterations", iterations)):
        if limit is not None:
            require_whole(field, limit, 1)
    require(
        seconds is None or (is_number(seconds) and seconds > 0),
        f"seconds must be a positive number, not {shown(seconds)}",
    )
    if steps is None and iterations is None and seconds is None:
        steps = DEFAULT_STEPS
    chosen = make_algorithm(algorithm)
    check_iterations_alike(chosen, "optimise_parameters")
    display = as_progress(progress)
    with display:
        display.begin(f"parameters of {game_name(family.at(origin))}")
        affine = enumerate_family(family, box, progress=display, cancel=cancel)
        affine.require_two_player_zero_sum("optimise_parameters")
        display.note(describe_size(affine.structure))
        ascent = ParameterAscent(affine, seat, origin, chosen, settings or Ascent())
        prepare(ascent.probes[0], display)
        with cancel_on_interrupt(cancel) as token:
            climb = _Climb(ascent, _Limits(steps, iterations, seconds), token, display)
            return climb.run(origin, chosen.name)


class _Limits(NamedTuple):
    """When to end: None is no limit."""

    steps: int | None
    iterations: int | None
    seconds: float | None


class _Climb:
    """Algorithm 3 until its end, in batches of about a tenth of a second between which it can be stopped."""

    def __init__(self, ascent: ParameterAscent, limits: _Limits, token: CancelToken, progress: Progress) -> None:
        self.ascent, self.limits, self.token, self.progress = ascent, limits, token, progress
        self.wall, self.cpu = time.perf_counter(), time.process_time()
        self.batch = 1

    def run(self, origin: Sequence[float], algorithm: str) -> OptimisedParameters:
        """Climb, and return where that led."""
        ascent = self.ascent
        while not self._done() and ascent.advance(self._iterate):
            latest = ascent.trace[-1]
            point = ", ".join(f"{name} {number:.4g}" for name, number in self._named(ascent.theta).items())
            self.progress.show(self._share(), f"step {latest.step:,}  {point}  value {latest.value:.4g}")
        tree, profile = ascent.game.at(ascent.theta), ascent.average_profile()
        found = evaluate(tree, profile)
        return OptimisedParameters(
            game=tree.name,
            seat=ascent.seat,
            parameters=self._named(ascent.theta),
            value=float(found.expected[ascent.seat]),
            exploitability=found.exploitability,
            start=self._named(origin),
            box=dict(zip(ascent.game.names, ascent.game.box, strict=True)),
            algorithm=algorithm,
            steps=len(ascent.trace),
            iterations=ascent.iterations,
            seconds=time.perf_counter() - self.wall,
            cpu_seconds=time.process_time() - self.cpu,
            interrupted=self.token.cancelled,
            trace=ascent.trace,
            strategy=Strategy(tree.name, tree.table, profile),
        )

    def _iterate(self, probe: ParametricSolver, iterations: int) -> bool:
        """Run iterations of a probe; False if the climb is to end before they are done."""
        while iterations > 0 and not self._out_of_time():
            count = min(iterations, self.batch)
            began = time.perf_counter()
            probe.step(count)
            self.batch = max(1, int(count * BATCH_SECONDS / max(time.perf_counter() - began, 1e-6)))
            iterations -= count
        return iterations <= 0

    def _out_of_time(self) -> bool:
        limit = self.limits.seconds
        return self.token.cancelled or (limit is not None and time.perf_counter() - self.wall >= limit)

    def _done(self) -> bool:
        return self._out_of_time() or self._share() >= 1.0

    def _share(self) -> float:
        """Return how much of the nearest limit is used up."""
        used = (len(self.ascent.trace), self.ascent.iterations, time.perf_counter() - self.wall)
        return max(done / limit for done, limit in zip(used, self.limits, strict=True) if limit is not None)

    def _named(self, theta: Sequence[float] | FloatArray) -> dict[str, float]:
        return dict(zip(self.ascent.game.names, map(float, theta), strict=True))


def _checked_box(parameters: Mapping[str, tuple[float, float]], name: str) -> tuple[float, float]:
    box = parameters[name]
    if not is_list(box) or len(box) != 2 or not all(map(is_number, box)) or not box[0] < box[1]:
        raise InputError(f"parameters: {name} must have a lower and an upper end, such as (1, 15), not {shown(box)}")
    return float(box[0]), float(box[1])


def _checked_start(family: Family, box: Box, start: Mapping[str, float] | None) -> list[float]:
    """Return the point to start from; refuse one outside of the box."""
    given = dict(start or {})
    origin = []
    for name, (low, high) in zip(family.names, box, strict=True):
        if name in given:
            require_number(f"start: {name}", given[name], low, high)
            origin.append(float(given.pop(name)))
        else:
            present = read_entry(family.game, name) if isinstance(family, FieldFamily) else math.nan
            origin.append(float(present) if low <= present <= high else (low + high) / 2)
    if given:
        raise InputError(f"start names {shown(next(iter(given)))}, which is none of {', '.join(family.names)}")
    return origin
