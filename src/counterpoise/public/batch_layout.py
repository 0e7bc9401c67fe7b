"""The places of belief states' numbers in the arrays of a batch, whatever their street trees and boards are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.public.game import BoardImage, PublicGame
from counterpoise.public.kernels.batch import LeafPlaces
from counterpoise.public.kernels.layouts import GameArrays
from counterpoise.public.kernels.street import DEAL, VALUE
from counterpoise.public.leaves import Picks, boards_dealt

if TYPE_CHECKING:
    from counterpoise.public.node import PublicNode

IntArray = NDArray[np.int64]
Numbers = NDArray[Any]
"""Numbers of one kind of float."""


class BatchLayout:
    """The places of the numbers of a belief state, whatever its street tree and board are."""

    def __init__(self, game: PublicGame, dtype: type[np.floating[Any]] = np.float32) -> None:
        if game.locks:
            raise InputError(f"{game.name} has locked strategies, which batches of belief states do not know")
        self.game, self.dtype = game, dtype
        trees, boards = game.arrays.trees, game.boards
        if dtype != np.float32 and trees.valued_row.size:
            raise InputError(f"{game.name} has showdowns, which are computed in float32 and not in {dtype.__name__}")
        self.rows = tuple(int(rows.max()) - 1 for rows in trees.rows)
        """The most actions of each player in a street tree."""
        self.strides = tuple(int(stride.max()) for stride in boards.stride)
        self.width = max(self.strides)
        self.hands = game.hand_counts
        self._second = self.rows[0] * self.strides[0]
        self.entries = self._second + self.rows[1] * self.strides[1]
        """Numbers of a belief state in a profile."""
        self.value_leaves = [
            [number for number, leaf in enumerate(tree.leaves) if leaf.kind in (DEAL, VALUE)]
            for tree in game.street_trees
        ]
        """Per street tree the numbers of its deals and value leaves."""
        self.slots = max(map(len, self.value_leaves))

    @cached_property
    def arrays(self) -> GameArrays:
        """The game as kernels read it: tables of one state, deals as value leaves, no symmetries of boards."""
        trees, boards = self.game.arrays.trees, self.game.boards
        kinds, numbers = trees.leaf_kind.copy(), trees.leaf_number.copy()
        for tree, leaves in enumerate(self.value_leaves):
            first = int(trees.leaf_start[tree])
            for slot, leaf in enumerate(leaves):
                kinds[first + leaf], numbers[first + leaf] = VALUE, slot
        store = np.zeros_like(trees.store)
        store[1] = self._second
        return GameArrays(
            trees._replace(leaf_kind=kinds, leaf_number=numbers, store=store, number=np.zeros_like(trees.number)),
            boards._replace(
                stride=np.repeat(np.array(self.strides, dtype=np.uint64)[:, None], boards.stride.shape[1], axis=1),
                stored=np.zeros_like(boards.stored),
                ordinal=np.zeros_like(boards.ordinal),
                mirror=np.zeros_like(boards.mirror),  # ranges need not be symmetric
                payoffs=boards.payoffs.astype(self.dtype),
            ),
        )

    @cached_property
    def dealt(self) -> dict[int, tuple[Any, ...]]:
        """What chance has dealt on each board."""
        return boards_dealt(self.game)

    def of_player(self, numbers: Numbers, player: int) -> Numbers:
        """Return a player's part of a profile, a view [state, action, row of the board]."""
        begin, size = (0, self._second) if player == 0 else (self._second, self.entries - self._second)
        return numbers[:, begin : begin + size].reshape(len(numbers), self.rows[player], self.strides[player])

    @cached_property
    def _rows_are_hands(self) -> tuple[bool, bool]:
        """Per player whether the rows of every board are the hands in their order."""
        first, second = (
            all(np.array_equal(places, np.arange(len(places))) for places in own) for own in self._row_places
        )
        return first, second

    @cached_property
    def _row_places(self) -> tuple[IntArray, IntArray]:
        """Per player, [board, hand]: the row of each hand; the last slot, which is always zero, for blocked hands."""
        boards = range(len(self.game.street_of))
        found = []
        for player in range(2):
            places = np.stack([self.game.row_places(player, BoardImage(board)) for board in boards])
            found.append(np.where(places < 0, self.strides[player] - 1, places))
        return found[0], found[1]

    @cached_property
    def places(self) -> NDArray[np.uint64]:
        """[player, board, hand]: the row of each hand; beyond all rows for blocked hands and where there is none."""
        found = np.full((2, len(self.game.street_of), max(self.game.hand_counts)), self.width, dtype=np.uint64)
        for player, places in enumerate(self._row_places):
            blocked = places == self.strides[player] - 1
            found[player, :, : places.shape[1]] = np.where(blocked, self.width, places)
        return found

    def to_hands(self, player: int, boards: IntArray, rows: Numbers) -> Numbers:
        """Return figures by row of boards, [state, ..., row], by hand; 0 for blocked hands."""
        if self._rows_are_hands[player]:
            return rows[..., : self.hands[player]]
        places = self._row_places[player][boards]
        places = places.reshape(len(places), *(1,) * (rows.ndim - 2), -1)
        found = np.take_along_axis(rows, np.broadcast_to(places, (*rows.shape[:-1], places.shape[-1])), axis=-1)
        found[np.broadcast_to(places == self.strides[player] - 1, found.shape)] = 0
        return found

    def to_rows(self, player: int, boards: IntArray, by_hand: Numbers) -> Numbers:
        """Return figures by hand, [state, ..., hand], by row of boards, with zeros in the slots without a hand."""
        rows = np.zeros((*by_hand.shape[:-1], self.strides[player]), dtype=self.dtype)
        if self._rows_are_hands[player]:
            rows[..., : by_hand.shape[-1]] = by_hand
            return rows
        places = self._row_places[player][boards]
        places = places.reshape(len(places), *(1,) * (rows.ndim - 2), -1)
        np.put_along_axis(rows, np.broadcast_to(places, by_hand.shape), by_hand, axis=-1)
        rows[..., -1] = 0  # where blocked hands went
        return rows


class StateLeaves(Sequence["PublicNode"]):
    """The value leaves of belief states, state by state: numbers and, on demand, nodes."""

    def __init__(self, layout: BatchLayout, trees: IntArray, boards: IntArray) -> None:
        counts = np.array([len(layout.value_leaves[tree]) for tree in trees], dtype=np.int64)
        self._layout = layout
        self.state: IntArray = np.repeat(np.arange(len(trees)), counts)
        """Per leaf the number of its belief state."""
        self.slot: IntArray = np.arange(len(self.state)) - np.repeat(np.cumsum(counts) - counts, counts)
        """Its number among the value leaves of its street tree."""
        self.tree, self.board = trees[self.state], boards[self.state]
        numbers = [np.array(layout.value_leaves[tree], dtype=np.int64) for tree in trees]
        self.leaf: IntArray = np.concatenate([np.zeros(0, dtype=np.int64), *numbers])
        """Its number among all leaves of its street tree."""
        flat = layout.game.arrays.trees
        at = flat.leaf_start[self.tree].astype(np.int64) + self.leaf
        start = np.concatenate(([0], np.cumsum(counts))).astype(np.uint64)
        self.arrays = LeafPlaces(start, flat.leaf_row[:, at].copy(), self.slot.astype(np.uint64), layout.places)
        """The leaves as kernels read them."""

    def __len__(self) -> int:
        return len(self.state)

    @overload
    def __getitem__(self, index: int) -> PublicNode: ...

    @overload
    def __getitem__(self, index: slice) -> list[PublicNode]: ...

    def __getitem__(self, index: int | slice) -> PublicNode | list[PublicNode]:
        from counterpoise.public.node import PublicNode

        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        layout = self._layout
        tree, leaf, board = (int(own[index]) for own in (self.tree, self.leaf, self.board))
        return PublicNode(layout.game, tree, ("leaf", leaf), layout.dealt[board])

    @cached_property
    def picks(self) -> list[Picks]:
        """The continuations that the players have chosen at each leaf."""
        trees = self._layout.game.street_trees
        return [trees[tree].leaves[leaf].picks for tree, leaf in zip(self.tree, self.leaf, strict=True)]
