"""Values in the place of what follows a leaf: the interface between public trees and whatever knows those values.

A game that a `Cut` has shortened has *value leaves*. Before every traversal its `Traverser` gathers what arrives of
both players' hands at all of them and asks a `LeafEvaluator` once. Anything with a method `values(batch)` is one: a
table, a network, a program that solves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.public.game import FloatArray, Located, PublicGame, row_totals
from counterpoise.public.kernels.layouts import Store, Work
from counterpoise.public.kernels.reach import ReachLayout, realisation
from counterpoise.public.kernels.street import VALUE

if TYPE_CHECKING:
    from counterpoise.public.node import PublicNode


@dataclass(frozen=True, eq=False)
class LeafBatch:
    """All value leaves of a game with what arrives of both players' hands.

    ``reach[player][leaf, hand]`` are the players' own reach, range weights included and chance left out; hands are
    numbered as in the game, and those that the board blocks have reach 0.
    """

    game: PublicGame
    leaves: Sequence[PublicNode]
    reach: tuple[FloatArray, FloatArray]


class LeafEvaluator(Protocol):
    """Something that knows what value leaves are worth."""

    def values(self, batch: LeafBatch) -> tuple[FloatArray, FloatArray]:
        """Return what each leaf is worth to each hand of both players: two arrays [leaf, hand].

        Values are counterfactual: in the game's unit, summed over the opponent's hands with their reach (and, in games
        whose payoffs have the probabilities of chance inside, with these).
        """
        ...


class ValueLeaves:
    """The value leaves of a game, and where their reach and their values stand in the arrays of kernels."""

    def __init__(self, game: PublicGame, evaluator: LeafEvaluator | None) -> None:
        if game.value_leaves and evaluator is None:
            raise InputError(f"{game.name} stops at {game.value_leaves:,} value leaves: say what they are worth")
        self.game, self.evaluator = game, evaluator
        self.stride = int(game.boards.stride.max())
        self.nothing = np.zeros(0, dtype=np.float32)

    @cached_property
    def nodes(self) -> list[PublicNode]:
        """The leaves, in the order of their slots."""
        from counterpoise.public.node import PublicNode

        dealt = {0: self.game.first_deal}
        for board in range(len(self.game.street_of)):
            if self.game.boards.child_start[board] < self.game.boards.child_start[board + 1]:
                for after in self.game.deals_after(dealt[board]):
                    dealt[self.game.locate(after).board] = after
        first = np.searchsorted(self.game.street_of, np.arange(self.game.streets + 1))
        return [
            PublicNode(self.game, number, ("leaf", k), dealt[board])
            for number, tree in enumerate(self.game.street_trees)
            for k, leaf in enumerate(tree.leaves)
            if leaf.kind == VALUE
            for board in range(first[tree.street], first[tree.street + 1])
        ]

    def values(
        self, stores: tuple[Store, Store], arriving: NDArray[np.float32], work: Work
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the values of all slots to each player, for strategies in stores and what arrives at the root."""
        if self.evaluator is None:
            return self.nothing, self.nothing
        game, reach = self.game, []
        for player in range(2):
            rows = work._replace(reach=np.zeros(self._size + 1, dtype=np.float32))
            realisation(game.arrays, self._layout, np.uint64(player), stores[player], arriving[player], rows)
            reach.append(rows.reach[self._gather[player]].astype(np.float64) * game.unit[player])
        found = self.evaluator.values(LeafBatch(game, self.nodes, (reach[0], reach[1])))
        return self._slots(0, found), self._slots(1, found)

    def _slots(self, player: int, found: tuple[FloatArray, FloatArray]) -> NDArray[np.float32]:
        wanted = (len(self.nodes), self.game.hand_counts[player])
        values = np.asarray(found[player], dtype=np.float64)
        if values.shape != wanted or not np.isfinite(values).all():
            raise InputError(
                f"a leaf evaluator must return finite numbers [leaf, hand] of shape {wanted} for player {player}, "
                f"not {'numbers that are not finite' if values.shape == wanted else f'shape {values.shape}'}"
            )
        slots = np.zeros(len(self.nodes) * self.stride + 1, dtype=np.float32)
        slots[self._scatter[player]] = values / self.game.unit[1 - player]
        slots[-1] = 0
        return slots

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
        return [self._places(player, reading=True) for player in range(2)]

    @cached_property
    def _scatter(self) -> list[NDArray[np.int64]]:
        """Per player, [leaf, hand]: where the value of a hand stands among the slots."""
        return [self._places(player, reading=False) for player in range(2)]

    def _places(self, player: int, reading: bool) -> NDArray[np.int64]:
        game, trees = self.game, self.game.arrays.trees
        found = []
        for slot, node in enumerate(self.nodes):
            board = node.board
            if reading:
                leaf = game.street_trees[node.tree].leaves[node.at[1]]
                stored = int(trees.rows[player, node.tree]) * int(game.boards.stored[player, board])
                row = leaf.rows[player] * int(game.boards.stride[player, board])
                begin, blocked = int(self._layout.start[player, node.tree]) + stored + row, self._size
            else:
                begin, blocked = slot * self.stride, len(self.nodes) * self.stride
            rows = np.arange(1, int(game.boards.held[player, board]) + 1, dtype=np.float64)
            place = game.from_rows(player, rows, Located(board, node.located.renamed)).astype(np.int64)
            found.append(np.where(place > 0, begin + place - 1, blocked))
        return np.array(found, dtype=np.int64).reshape(len(self.nodes), game.hand_counts[player])
