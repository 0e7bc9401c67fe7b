"""Values in place of what follows a leaf: the interface between public trees and the evaluators of those values.

A game that a `Cut` has shortened has *value leaves*. Before every traversal its `Traverser` gathers the reach of both
players' hands at all of them and calls a `LeafEvaluator` once. Anything with a method `values(batch)` is one: a table,
a network, a program that solves. An evaluator whose values are linear in the opponent's reach may be a
`LinearEvaluator` too: it is then asked for its matrices once, and traversals multiply by them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.parameters import as_numbers, is_list, shown
from counterpoise.public.boards import row_length
from counterpoise.public.game import FloatArray, PublicGame, row_totals
from counterpoise.public.kernels.layouts import NO_LEAF_TABLES, LeafTables, Root, Store, Work
from counterpoise.public.kernels.reach import ReachLayout, realisation
from counterpoise.public.kernels.street import VALUE

if TYPE_CHECKING:
    from counterpoise.public.node import PublicNode

FloatRow = NDArray[np.float32]
Groups = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Per player the group of each hand, -1 if it is blocked: hands of a group have equal reach and equal values."""
Picks = tuple[int, int]
"""The number of the continuation that each player has chosen."""


@dataclass(frozen=True, eq=False)
class LeafBatch:
    """All value leaves of a game with the reach of both players' hands.

    ``reach[player][leaf, hand]`` are the players' own reach, range weights included and chance left out; hands are
    numbered as in the game, and those that the board blocks have reach 0. ``picks[leaf]`` are the continuations that
    the players have chosen there.

    Where many belief states are iterated at once the leaves are those of all states (`counterpoise.public.batch`):
    ``states[leaf]`` is the number of its belief state, and a leaf of the tree may be there once for each. If a
    `player` is given, only the values of that player are read.
    """

    game: PublicGame
    leaves: Sequence[PublicNode]
    picks: Sequence[Picks]
    reach: tuple[FloatArray, FloatArray]
    states: NDArray[np.int64] | None = None
    player: int | None = None


class LeafEvaluator(Protocol):
    """An object that knows the values of value leaves."""

    def values(self, batch: LeafBatch) -> tuple[FloatArray, FloatArray]:
        """Return the value of each leaf to each hand of both players: two arrays [leaf, hand].

        Values are counterfactual: in the game's unit, summed over the opponent's hands with their reach (and, in games
        whose payoffs have the probabilities of chance inside, with these).
        """
        ...


class LeafMatrix(NamedTuple):
    """Values of one leaf that are linear in the opponent's reach.

    ``values[player][own group, group of the opponent]`` is what a hand of a group wins if all hands of the other's
    group arrive with reach 1.
    """

    groups: Groups
    values: tuple[FloatArray, FloatArray]


@runtime_checkable
class LinearEvaluator(LeafEvaluator, Protocol):
    """A leaf evaluator whose values are linear in the opponent's reach."""

    def matrices(
        self, game: PublicGame, leaves: Sequence[PublicNode], picks: Sequence[Picks]
    ) -> Sequence[LeafMatrix] | None:
        """Return the matrix of each leaf, with the same groups on the same board; None if values are not linear."""
        ...


def linear_values(matrices: Sequence[LeafMatrix], batch: LeafBatch) -> tuple[FloatArray, FloatArray]:
    """Return the values of leaves by their matrices, as a leaf evaluator does."""
    found = tuple(np.zeros_like(batch.reach[player]) for player in range(2))
    for number, matrix in enumerate(matrices):
        for player in range(2):
            own, other = matrix.groups[player], matrix.groups[1 - player]
            met = batch.reach[1 - player][number, first_of(other)]
            found[player][number] = np.where(own >= 0, (matrix.values[player] @ met)[own], 0.0)
    return found[0], found[1]


class ValueLeaves:
    """The value leaves of a game, and where their reach and their values stand in the arrays of kernels."""

    def __init__(self, game: PublicGame, evaluator: LeafEvaluator | None) -> None:
        if isinstance(evaluator, type):
            raise InputError(
                f"leaves must be an evaluator: write {evaluator.__name__}() instead of {evaluator.__name__}"
            )
        if game.value_leaves and evaluator is None:
            raise InputError(f"{game.name} stops at {game.value_leaves:,} value leaves: say what they are worth")
        if evaluator is not None and not callable(getattr(evaluator, "values", None)):
            raise InputError(f"leaves must have a method values(batch), which {shown(evaluator)} has not")
        self.game, self.evaluator = game, evaluator if game.value_leaves else None
        self.stride = int(game.boards.stride.max())

    @cached_property
    def nodes(self) -> list[PublicNode]:
        """The leaves, in the order of their slots."""
        from counterpoise.public.node import PublicNode

        dealt = boards_dealt(self.game)
        first = np.searchsorted(self.game.street_of, np.arange(self.game.streets + 1))
        return [
            PublicNode(self.game, number, ("leaf", k), dealt[board])
            for number, tree in enumerate(self.game.street_trees)
            for k, leaf in enumerate(tree.leaves)
            if leaf.kind == VALUE
            for board in range(first[tree.street], first[tree.street + 1])
        ]

    @cached_property
    def picks(self) -> list[Picks]:
        """The continuations chosen at each leaf."""
        return [node.leaf.picks for node in self.nodes]

    @cached_property
    def tables(self) -> LeafTables:
        """The matrices of all leaves as kernels read them; none if values are not linear."""
        if not isinstance(self.evaluator, LinearEvaluator):
            return NO_LEAF_TABLES
        matrices = self.evaluator.matrices(self.game, self.nodes, self.picks)
        return NO_LEAF_TABLES if matrices is None else self._tabulate(self._checked(matrices))

    def values(
        self, store: Store, root: Root, windows: Sequence[NDArray[np.uint64]], work: Work, player: int
    ) -> FloatRow:
        """Return the values of all slots to a player, for strategies in a store and what arrives at a root."""
        assert self.evaluator is not None
        game, reach = self.game, []
        for seat in range(2):
            rows = work._replace(reach=np.zeros(self._size + 1, dtype=np.float32))
            realisation(game.arrays, self._layout, np.uint64(seat), store, root, windows[seat], rows)
            reach.append(rows.reach[self._gather[seat]].astype(np.float64) * game.unit[seat])
        batch = LeafBatch(game, self.nodes, self.picks, (reach[0], reach[1]), player=player)
        return self._slots(player, self.evaluator.values(batch))

    def _slots(self, player: int, found: Sequence[FloatArray]) -> FloatRow:
        values = checked_values(found, player, (len(self.nodes), self.game.hand_counts[player]))
        slots = np.zeros(len(self.nodes) * self.stride + 1, dtype=np.float32)
        slots[self._scatter[player]] = values / self.game.unit[1 - player]
        slots[-1] = 0
        return slots

    def _checked(self, matrices: Sequence[LeafMatrix]) -> list[LeafMatrix]:
        """Return the matrices of a leaf evaluator, one per leaf, as arrays that kernels can index without a check."""
        if not isinstance(matrices, Sequence) or len(matrices) != len(self.nodes):
            found = f"{len(matrices)} of them" if isinstance(matrices, Sequence) else shown(matrices)
            raise InputError(
                f"a leaf evaluator must return one matrix for each of {len(self.nodes)} leaves, not {found}"
            )
        known: dict[int, Groups] = {}
        checked = []
        for node, matrix in zip(self.nodes, matrices, strict=True):
            if not isinstance(matrix, LeafMatrix) or any(not is_list(part) or len(part) != 2 for part in matrix):
                raise InputError(f"a leaf evaluator must return a LeafMatrix for each leaf, not {shown(matrix)}")
            if node.board not in known:
                known[node.board] = self._groups(node, 0, matrix.groups), self._groups(node, 1, matrix.groups)
            groups = known[node.board]
            if not all(np.array_equal(own, used) for own, used in zip(matrix.groups, groups, strict=True)):
                raise InputError("a leaf evaluator must return the same groups of hands at all leaves on one board")
            counts = [int(own.max(initial=-1)) + 1 for own in groups]
            values = [
                _finite(player, "own group, other's group", matrix.values, (counts[player], counts[1 - player]))
                for player in range(2)
            ]
            checked.append(LeafMatrix(groups, (values[0], values[1])))
        return checked

    def _groups(self, node: PublicNode, player: int, groups: Groups) -> NDArray[np.int64]:
        """Return a player's groups of hands at a leaf: whole numbers from 0 without a gap, or -1 for blocked hands."""
        own, count = np.asarray(groups[player]), self.game.hand_counts[player]
        if own.shape == (count,) and own.dtype.kind in "iu":
            own = own.astype(np.int64)
            rows = self.game.to_rows(player, node.board, own)
            if own.min() >= -1 and np.array_equal(np.unique(rows[rows >= 0]), np.arange(own.max() + 1)):
                return own
        raise InputError(
            f"a leaf evaluator must number the groups of player {player}'s {count} hands 0, 1, ... without a gap, and "
            f"blocked hands -1, not {shown(groups[player])}"
        )

    def _tabulate(self, matrices: Sequence[LeafMatrix]) -> LeafTables:
        game, boards = self.game, self.game.boards
        shape = boards.begin.shape
        groups, length = np.zeros(shape, dtype=np.uint64), np.zeros(shape, dtype=np.uint64)
        group, member = (np.zeros(len(boards.parent_hand), dtype=np.uint16) for _ in range(2))
        begin, parts, size = np.zeros((2, len(self.nodes)), dtype=np.uint64), [], 0
        for slot, (node, matrix) in enumerate(zip(self.nodes, matrices, strict=True)):
            for player in range(2):
                values, board = matrix.values[player], node.board
                if not length[player, board]:
                    own = game.to_rows(player, board, matrix.groups[player])
                    at, living = int(boards.begin[player, board]), np.flatnonzero(own >= 0)[::-1]
                    # Blocked hands have one more group, which is worth 0: rows of a matrix are padded by at least one.
                    group[at : at + len(own)] = np.where(own >= 0, own, len(values))
                    member[at + own[living]] = living
                    groups[player, board], length[player, board] = len(values), row_length(len(values))
                padded = np.zeros((values.shape[1], int(length[player, board])), dtype=np.float32)
                padded[:, : len(values)] = values.T
                begin[player, slot] = size
                parts.append(padded.ravel())
                size += padded.size
        return LeafTables(groups, length, group, member, begin, np.concatenate(parts))

    @cached_property
    def _sizes(self) -> NDArray[np.int64]:
        """Numbers of all rows of each street tree on all boards, per player."""
        trees = self.game.arrays.trees
        totals = row_totals(self.game.boards, self.game.street_of).astype(np.int64)
        return trees.rows.astype(np.int64) * totals[:, trees.street.astype(np.int64)]

    @cached_property
    def _size(self) -> int:
        return int(self._sizes.sum(axis=1).max())

    @cached_property
    def _layout(self) -> ReachLayout:
        game, trees = self.game, self.game.arrays.trees
        start = np.cumsum(self._sizes, axis=1) - self._sizes
        above = [max(tree.path[0], 0) for tree in game.street_trees]
        pairs = zip(above, game.street_trees, strict=True)
        leaf = [int(trees.leaf_start[number]) + max(tree.path[1], 0) for number, tree in pairs]
        first = np.searchsorted(game.street_of, np.arange(game.streets + 1))
        return ReachLayout(
            *(np.asarray(part, dtype=np.uint64) for part in (start, above, leaf, first, game.board_above))
        )

    @cached_property
    def _gather(self) -> list[NDArray[np.int64]]:
        """Per player, [leaf, hand]: where the reach of a hand stands among the realisation weights."""
        found, trees, boards = [], self.game.arrays.trees, self.game.boards
        for player in range(2):
            begin = [
                int(self._layout.start[player, node.tree])
                + int(trees.rows[player, node.tree]) * int(boards.stored[player, node.board])
                + node.leaf.rows[player] * int(boards.stride[player, node.board])
                for node in self.nodes
            ]
            found.append(self._places(player, begin, self._size))
        return found

    @cached_property
    def _scatter(self) -> list[NDArray[np.int64]]:
        """Per player, [leaf, hand]: where the value of a hand stands among the slots."""
        begin = [slot * self.stride for slot in range(len(self.nodes))]
        return [self._places(player, begin, len(begin) * self.stride) for player in range(2)]

    def _places(self, player: int, begin: Sequence[int], blocked: int) -> NDArray[np.int64]:
        """Return the place of each leaf's hands in a row that begins at `begin[leaf]`; `blocked` for blocked hands."""
        places = np.array([self.game.row_places(player, node.located) for node in self.nodes], dtype=np.int64)
        return np.where(places >= 0, np.array(begin)[:, None] + places, blocked)


def boards_dealt(game: PublicGame) -> dict[int, tuple[Any, ...]]:
    """Return what chance has dealt publicly on each expanded board."""
    dealt = {0: game.first_deal}
    for board in range(len(game.street_of)):
        if game.boards.child_start[board] < game.boards.child_start[board + 1]:
            for after in game.deals_after(dealt[board]):
                dealt[game.locate(after).board] = after
    return dealt


def checked_values(
    found: Sequence[FloatArray], player: int, wanted: tuple[int, int], finite: bool = True
) -> FloatArray:
    """Return a player's values [leaf, hand] from the answer of a leaf evaluator; refused if they are not numbers.

    Without `finite` only the shape of float64 arrays is checked.
    """
    if not isinstance(found, tuple | list) or len(found) != 2:
        raise InputError(f"a leaf evaluator must return two arrays, one per player, not {shown(found)}")
    own = found[player]
    if not finite and isinstance(own, np.ndarray) and own.dtype == np.float64 and own.shape == wanted:
        return own
    return _finite(player, "leaf, hand", found, wanted)


def _finite(player: int, axes: str, found: Sequence[FloatArray], wanted: tuple[int, int]) -> FloatArray:
    """Return the answer of a leaf evaluator for a player, if it is an array of finite numbers of the wanted shape."""
    values = found[player]
    if not isinstance(values, np.ndarray) or values.dtype != np.float64:
        values = as_numbers(f"the values of player {player}", values)
    if values.shape != wanted or not np.isfinite(values).all():
        raise InputError(
            f"a leaf evaluator must return finite numbers [{axes}] of shape {wanted} for player {player}, "
            f"not {'numbers that are not finite' if values.shape == wanted else f'shape {values.shape}'}"
        )
    return values


def first_of(groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a hand of each group."""
    numbers, first = np.unique(groups, return_index=True)
    return first[numbers >= 0]
