"""Sweep parameters over a grid and solve every game exactly: the check of what an optimisation finds.

See Brown 2020, section 4.2.6.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from counterpoise.errors import InputError
from counterpoise.games import game_name
from counterpoise.jobs import JobResult, PartsJob
from counterpoise.parameters import is_number, require_seat, shown
from counterpoise.progress import CancelToken, Progress, as_progress
from counterpoise.solvers.bet_sizes.family import make_family
from counterpoise.solvers.bet_sizes.optimise import AnyFamily
from counterpoise.store.json import JsonResult
from counterpoise.tree import exact
from counterpoise.tree.kernels.layouts import FloatArray


@dataclass(frozen=True, kw_only=True)
class ParameterSweep(JobResult, JsonResult):
    """The value of every game on a grid of parameters, in the game's own unit."""

    game: str
    """The game at the first point."""
    seat: int
    names: tuple[str, ...]
    points: list[tuple[float, ...]]
    values: list[float]
    """The equilibrium value to the seat at each point, by linear programming."""

    @property
    def best(self) -> dict[str, float]:
        """The point of the highest value; the first if several share it."""
        return dict(zip(self.names, self.points[self.values.index(max(self.values))], strict=True))


def sweep_parameters(
    game: AnyFamily,
    parameters: Mapping[str, Sequence[float] | FloatArray],
    *,
    seat: int,
    progress: Progress | bool | None = None,
    cancel: CancelToken | None = None,
) -> ParameterSweep:
    """Return the exact equilibrium value to a seat on a grid of parameters, of two-player zero-sum games.

    `parameters` maps each parameter to its values. The structure of the games may change with them.

    >>> sweep_parameters("leduc_poker", {"bets[1]": (4, 9.75, 13)}, seat=1, progress=False).best
    {'bets[1]': 9.75}
    """
    family = make_family(game, list(parameters))
    for name, numbers in parameters.items():
        if not len(numbers) or not all(map(is_number, numbers)):
            raise InputError(f"parameters: {name} must be a list of numbers, not {shown(numbers)}")
    require_seat("seat", seat)
    grid = list(product(*(map(float, parameters[name]) for name in family.names)))
    token, first = cancel or CancelToken(), game_name(family.at(grid[0]))

    def values(begin: int) -> Generator[float, None, None]:
        for point in grid[begin:]:
            yield exact(family.at(point)).value[seat]

    with as_progress(progress) as display:
        display.begin(f"values of {first}")
        done = PartsJob(len(grid), values, lambda count: f"{count:,} of {len(grid):,} games").run(display, token)
    if not done.found:
        token.check()
    return ParameterSweep(
        game=first,
        seat=seat,
        names=tuple(family.names),
        points=grid[: len(done.found)],
        values=done.found,
        **done.spent,
    )
