"""A tree without the strategies of its last street: each river is solved again when somebody looks at it.

For the ranges that the stored streets bring there, a river is a game of its own; its solution is exact for them and
need not be the one that was left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.public import HoldemTree, NodeValues
from counterpoise.solvers import RegretMatching
from counterpoise.solvers.public.solver import PublicSolver, public_schedule
from counterpoise.spots.engine import settings_of

RIVER_ITERATIONS = 200
Rows = tuple[NDArray[np.float64], NDArray[np.float64]]


class RiverlessTree(HoldemTree):
    """A tree whose last street is solved on demand, one line on one board at a time."""

    solved: set[tuple[int, int]]
    settings: RegretMatching

    def fill(self, average: NDArray[Any], scale: NDArray[Any] | None, algorithm: str) -> None:
        """Take the average strategy of all streets but the last, as `upper_streets` gave it."""
        self.solved, self.settings = set(), PublicSolver(settings_of(algorithm), self).settings
        store = self.tables.average
        _put(store.wide if self.bits == 32 else store.narrow, _above_last_street(self, self.flat.store), average)
        if scale is not None:
            _put(store.scale, _above_last_street(self, self.flat.number), scale)

    def behaviour(self, line: int, decision: int, cards: tuple[int, ...]) -> NDArray[np.float64]:
        """As in any tree, a river solved first."""
        self._solve(line, cards)
        return super().behaviour(line, decision, cards)

    def reaches(self, line: int, decision: int, cards: tuple[int, ...]) -> Rows:
        """As in any tree, a river solved first."""
        self._solve(line, cards)
        return super().reaches(line, decision, cards)

    def values(self, line: int, decision: int, cards: tuple[int, ...]) -> NodeValues:
        """As in any tree, all rivers below solved first."""
        self._solve(line, cards)
        board, _ = self.find(cards)
        for below in self._lines_after(line, decision):
            self._solve_below(below, board)
        return super().values(line, decision, cards)

    def _solve(self, line: int, cards: tuple[int, ...]) -> None:
        """Solve a line of the last street on one board, once."""
        board, _ = self.find(cards)
        if self.lines[line].street == self.streets - 1 and (line, board) not in self.solved:
            self.solve_below(line, self.tables_of[board].cards, public_schedule(self.settings, 0, RIVER_ITERATIONS))
            self.solved.add((line, board))

    def _solve_below(self, line: int, above: int) -> None:
        """Solve a line, or the rivers it leads to, on every board that follows one."""
        for board in sorted({child for child, _ in self.tables_of[above].children.values()}):
            if self.lines[line].street == self.streets - 1:
                self._solve(line, self.tables_of[board].cards)
            else:
                for below in self._lines_after(line, 0):
                    self._solve_below(below, board)

    def _lines_after(self, line: int, decision: int) -> Iterator[int]:
        """The lines of the next street that a decision may lead to."""
        spot, stack = self.lines[line], [decision]
        while stack:
            at = stack.pop()
            for action in spot.decisions[at].actions:
                kind, child = spot.children[at, action]
                if kind == "decision":
                    stack.append(child)
                elif spot.leaves[child].line:
                    yield spot.leaves[child].line


def upper_streets(tree: HoldemTree) -> dict[str, NDArray[Any]]:
    """The average strategy of all streets but the last, as arrays to save."""
    if tree.streets == 1:
        raise InputError("a spot on the river has no earlier street: save it with its river")
    store = tree.tables.average
    table = store.wide if tree.bits == 32 else store.narrow
    entries = _above_last_street(tree, tree.flat.store)
    found: dict[str, NDArray[Any]] = {"average": np.concatenate([table[part] for part in entries])}
    if tree.bits == 16:
        rows = _above_last_street(tree, tree.flat.number)
        found["average.scale"] = np.concatenate([store.scale[part] for part in rows])
    return found


def _above_last_street(tree: HoldemTree, starts: NDArray[np.uint64]) -> list[slice]:
    """Which entries, or rows, belong to streets before the last; `starts[player, line]` is where each line begins."""
    first = next(number for number, line in enumerate(tree.lines) if line.street == tree.streets - 1)
    return [slice(int(own[0]), int(own[first])) for own in starts]


def _put(target: NDArray[Any], parts: list[slice], source: NDArray[Any]) -> None:
    begin = 0
    for part in parts:
        target[part] = source[begin : begin + part.stop - part.start]
        begin += part.stop - part.start
