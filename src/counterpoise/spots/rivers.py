"""The strategies of a solved spot: all of them, or those without the last street, which is then solved when needed.

For the ranges that the stored streets bring there, a river is a game of its own; its solution is exact for them and
need not be the one that was left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.public import HoldemGame, Profile, PublicNode, Traverser
from counterpoise.solvers import RegretMatching
from counterpoise.solvers.public.solver import PublicSolver, public_schedule
from counterpoise.spots.engine import settings_of

RIVER_ITERATIONS = 200


class StoredStrategies:
    """The average strategies of a game, all of which are known."""

    def __init__(self, game: HoldemGame, average: Profile) -> None:
        self.game, self.average = game, average

    def at(self, node: PublicNode) -> Profile:
        """Return strategies that are right at a node and on the way to it."""
        return self.average

    def below(self, node: PublicNode) -> Profile:
        """Return strategies that are right at a node, on the way to it and below it."""
        return self.average


class LazyRivers(StoredStrategies):
    """Average strategies without those of the last street, which is solved on demand, one river at a time."""

    def __init__(
        self, game: HoldemGame, bits: int, average: NDArray[Any], scale: NDArray[Any] | None, algorithm: str
    ) -> None:
        """`average` and `scale` are what `upper_streets` returned."""
        settings = settings_of(algorithm)
        if not isinstance(settings, RegretMatching):
            raise InputError(f"rivers are solved by a variant of CFR, not by {settings.name}")
        self._learning = PublicSolver(settings, game, bits=bits).learning
        super().__init__(game, self._learning.average)
        self.settings, self.solved = settings, set[tuple[int, int]]()
        trees = game.arrays.trees
        _put(self.average.numbers, _above_last_street(game, trees.store), average)
        if scale is not None:
            _put(self.average.store.scale, _above_last_street(game, trees.number), scale)

    def at(self, node: PublicNode) -> Profile:
        """Return strategies that are right at a node, whose river has been solved by then."""
        if node.street_tree.street == self.game.streets - 1:
            self._solve(node)
        return self.average

    def below(self, node: PublicNode) -> Profile:
        """Return strategies that are right at and below a node: all rivers there have been solved by then."""
        self.at(node)
        if node.street_tree.street < self.game.streets - 1:
            for decision in node.decisions_below():
                if decision.street_tree.street == self.game.streets - 1 and decision.at[1] == 0:
                    self._solve(decision)
        return self.average

    def _solve(self, node: PublicNode) -> None:
        """Solve a street tree of the last street on one board, once."""
        where = node.tree, node.board
        if where not in self.solved:
            reach = node.start_reach(self.average)
            most = reach.max(axis=1, keepdims=True)
            arriving = (reach / np.where(most > 0, most, 1)).astype(np.float32)
            schedule = public_schedule(self.settings, 0, RIVER_ITERATIONS)
            Traverser(self.game).iterate_below(*where, arriving, self._learning, schedule)
            self.solved.add(where)


def upper_streets(average: Profile) -> dict[str, NDArray[Any]]:
    """Return the average strategy of all streets but the last, as arrays to save."""
    game = average.game
    assert isinstance(game, HoldemGame)
    if game.streets == 1:
        raise InputError("a spot on the river has no earlier street: save it with its river")
    trees = game.arrays.trees
    entries = _above_last_street(game, trees.store)
    found: dict[str, NDArray[Any]] = {"average": np.concatenate([average.numbers[part] for part in entries])}
    if average.bits == 16:
        rows = _above_last_street(game, trees.number)
        found["average.scale"] = np.concatenate([average.store.scale[part] for part in rows])
    return found


def _above_last_street(game: HoldemGame, starts: NDArray[np.uint64]) -> list[slice]:
    """Return the entries, or rows, of streets before the last; `starts[player, tree]` is where each tree begins."""
    first = next(number for number, tree in enumerate(game.street_trees) if tree.street == game.streets - 1)
    return [slice(int(own[0]), int(own[first])) for own in starts]


def _put(target: NDArray[Any], parts: list[slice], source: NDArray[Any]) -> None:
    begin = 0
    for part in parts:
        target[part] = source[begin : begin + part.stop - part.start]
        begin += part.stop - part.start
