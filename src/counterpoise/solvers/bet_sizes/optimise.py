"""Optimise parameters of a game for a seat: check the request, run Algorithm 3, return the result."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Unpack

from counterpoise.errors import InputError
from counterpoise.games import Game, game_name
from counterpoise.jobs import Driver, Job, JobHistory, Limits, TimedRunKeywords, prepare, refuse_unknown, takes
from counterpoise.parameters import is_list, is_number, require_number, require_seat, require_whole, shown
from counterpoise.progress import as_progress
from counterpoise.solvers.base import Algorithm, make_algorithm
from counterpoise.solvers.bet_sizes.affine import Box, enumerate_family
from counterpoise.solvers.bet_sizes.ascent import Ascent, ParameterAscent
from counterpoise.solvers.bet_sizes.family import Family, FieldFamily, make_family, read_entry
from counterpoise.solvers.bet_sizes.parametric import check_iterations_alike
from counterpoise.solvers.bet_sizes.result import OptimisedParameters
from counterpoise.tree import Strategy, Values, evaluate
from counterpoise.tree.evaluation import describe_size
from counterpoise.tree.kernels.layouts import FloatArray

DEFAULT_STEPS = 200

AnyFamily = Game | Family | Callable[..., Game] | str
"""A name, a rule book, a family, or a function that takes the parameters by name and returns a game."""


@takes(TimedRunKeywords)
def optimise_parameters(
    game: AnyFamily,
    parameters: Mapping[str, tuple[float, float]],
    *,
    seat: int,
    start: Mapping[str, float] | None = None,
    steps: int | None = None,
    algorithm: str | Algorithm = "cfr",
    settings: Ascent | None = None,
    **options: Unpack[TimedRunKeywords],
) -> OptimisedParameters:
    """Return parameters that are locally best for a seat: Algorithm 3 of Brown 2020, section 4.2.5, on two-player
    zero-sum games.

    `parameters` maps each parameter to its box, such as ``{"bets[1]": (1, 15)}`` in leduc_poker: all games in it must
    have the same structure, and payoffs that are affine in the parameters. It starts where `start` says:
    by default where the game stands, or in the middle of the box if that is outside. It ends at the first of a number
    of `steps` (200 if nothing is said), `iterations` of every probe, and `seconds`. The equilibrium
    value need not be concave: try several starts, and `sweep_parameters` to see the whole.

    >>> found = optimise_parameters("leduc_poker", {"bets[1]": (1, 15)}, seat=1, steps=20, progress=False)
    >>> found.parameters["bets[1]"] > 4
    True
    """
    refuse_unknown(optimise_parameters, options)
    iterations, seconds, cancel = options.get("iterations"), options.get("seconds"), options.get("cancel")
    family = make_family(game, list(parameters))
    box = tuple(_checked_box(parameters, name) for name in family.names)
    origin = _checked_start(family, box, start)
    require_seat("seat", seat)
    if steps is None and iterations is None and seconds is None:
        steps = DEFAULT_STEPS
    counted = {name: most for name, most in (("steps", steps), ("iterations", iterations)) if most is not None}
    for field, most in counted.items():
        require_whole(field, most, 1)
    limits = Limits(seconds=seconds, others=counted)
    chosen = make_algorithm(algorithm)
    check_iterations_alike(chosen, "optimise_parameters")
    display = as_progress(options.get("progress"))
    with display:
        display.begin(f"parameters of {game_name(family.at(origin))}")
        affine = enumerate_family(family, box, progress=display, cancel=cancel)
        affine.require_two_player_zero_sum("optimise_parameters")
        display.note(describe_size(affine.structure))
        ascent = ParameterAscent(affine, seat, origin, chosen, settings or Ascent())
        prepare(ascent.probes[0], display)
        return Driver(ClimbJob(ascent, origin, chosen.name), limits, display, cancel=cancel).run()


class ClimbJob(Job[Values, OptimisedParameters]):
    """Algorithm 3 at work; its limits count whole steps and the iterations of every probe until the last of them."""

    clocked = "everything"

    def __init__(self, ascent: ParameterAscent, origin: Sequence[float], algorithm: str) -> None:
        self.ascent, self.origin, self.algorithm = ascent, origin, algorithm
        self._iterations = 0

    @property
    def iteration(self) -> int:
        """Iterations of all probes together."""
        return self._iterations

    def step(self, iterations: int) -> None:
        self._iterations += self.ascent.run(iterations)

    def state(self) -> tuple[ParameterAscent, int]:
        return deepcopy(self.ascent), self._iterations

    def restore(self, state: tuple[ParameterAscent, int]) -> None:
        self.ascent, self._iterations = deepcopy(state[0]), state[1]

    def count(self, name: str) -> float:
        trace = self.ascent.trace
        return {"steps": len(trace), "iterations": trace[-1].iterations if trace else 0}[name]

    def next_measurement(self, done: int, to_target: bool) -> int | None:
        """Return None: every step adds its own figures to the trace."""
        return None

    def measure(self) -> Values:
        """Return the value and the exploitability of the average strategy at the point found."""
        return evaluate(self.ascent.game.at(self.ascent.theta), self.ascent.average_profile())

    def figure(self, latest: None) -> str:
        if not self.ascent.trace:
            return "step 0"
        last = self.ascent.trace[-1]
        point = ", ".join(f"{name} {number:.4g}" for name, number in self._named(self.ascent.theta).items())
        return f"step {last.step:,}  {point}  value {last.value:.4g}"

    def result(self, measured: Values, history: JobHistory) -> OptimisedParameters:
        """Return the parameters that the climb has reached."""
        ascent = self.ascent
        tree, profile = ascent.game.at(ascent.theta), ascent.average_profile()
        return OptimisedParameters(
            game=tree.name,
            seat=ascent.seat,
            parameters=self._named(ascent.theta),
            value=float(measured.expected[ascent.seat]),
            exploitability=measured.exploitability,
            start=self._named(self.origin),
            box=dict(zip(ascent.game.names, ascent.game.box, strict=True)),
            algorithm=self.algorithm,
            steps=len(ascent.trace),
            iterations=ascent.iterations,
            trace=ascent.trace,
            strategy=Strategy(tree.name, tree.table, profile),
            **history.spent,
        )

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
