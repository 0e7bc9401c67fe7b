"""First deals of a walk in other processes or machines, each of which builds the same walk once from game and agent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from counterpoise.evaluation.best_response.betting import LimitBetting
from counterpoise.evaluation.best_response.players import Players
from counterpoise.evaluation.best_response.walk import BestResponseWalk, Pair
from counterpoise.games import Game
from counterpoise.jobs.clock import cpu_with_children
from counterpoise.jobs.processes import WorkersLike, cpu_elsewhere, map_in_order
from counterpoise.progress import CancelToken

Seat = Callable[[], tuple[Game, Players]]
"""A function that makes the game and the players that are answered, in the process that asks them."""


class WalkElsewhere(NamedTuple):
    """The workers of the first deals of a walk, and what they need for it."""

    workers: WorkersLike
    seat: Seat

    def cpu(self) -> float:
        """Return the CPU seconds of this process and of all that walk for it."""
        return cpu_with_children() + cpu_elsewhere(self.workers)

    def units(self, numbers: Iterator[int], suits_alike: bool, cancel: CancelToken) -> Iterator[tuple[int, Pair]]:
        """Yield the values of first deals with their numbers, in the order of these."""
        todo = list(numbers)
        make = partial(_unit_of, self.seat, suits_alike)
        found = map_in_order(make, _never_here, ((number,) for number in todo), self.workers, cancel)
        yield from zip(todo, found, strict=False)  # fewer if the walk is cancelled


def _unit_of(seat: Seat, suits_alike: bool) -> Callable[[int], Pair]:
    """Return the function of a worker that walks what follows a first deal."""
    game, players = seat()
    walk = BestResponseWalk(LimitBetting.of(game), players, suits_alike)
    assert walk.trunk_reach
    return partial(walk.unit, cancel=CancelToken())


def _never_here(number: int) -> Pair:
    raise AssertionError("walks of one process are shared by its threads")
