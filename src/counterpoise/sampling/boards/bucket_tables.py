"""Tables with one entry per bucket, own node and action: the order of entries, and strategies of hands from them.

All entries of a bucket on a street stand side by side, node after node. All walks with buckets use this order, so that
their strategies can be read, judged and joined in the same way.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from counterpoise.public.buckets import BucketsLike, as_buckets
from counterpoise.public.game import PublicGame
from counterpoise.public.profile import Profile
from counterpoise.sampling.kernels.bucket_tables import write_strategies

FloatArray = NDArray[np.float64]


class BucketTables:
    """The order of tables of a game whose hands share `buckets` (default: only those that suits make alike)."""

    def __init__(self, game: PublicGame, buckets: BucketsLike | None = None) -> None:
        self.game, self.buckets = game, as_buckets(game, buckets)
        count = self.buckets.count
        self.columns, self.widths = self._columns()
        starts = np.cumsum(count * self.widths)
        self.entries = int(starts[-1])
        """Numbers of a table."""
        self._base = (starts - (count * self.widths).ravel()).reshape(2, -1)

    @cached_property
    def infosets(self) -> int:
        """Own nodes x buckets, both players together."""
        nodes = np.zeros((2, self.game.streets), dtype=np.int64)
        for tree in self.game.street_trees:
            for decision in tree.decisions:
                nodes[decision.player, tree.street] += 1
        return int((nodes * self.buckets.count).sum())

    @cached_property
    def perfect_recall(self) -> bool:
        """Whether each bucket determines those of earlier streets, so that the abstract game has equilibria to converge
        to.

        It is the condition of every guarantee, and of a best response inside the abstraction."""
        return self.buckets.remember(self.game)

    def places(self, player: int, street: int, hands: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return where the entries of hands begin, `hands` being their places among all hands of the boards."""
        bucket = self.buckets.bucket_of_hand[hands].astype(np.int64)
        return np.asarray(self._base[player, street] + bucket * self.widths[player, street])

    @cached_property
    def places_of_hands(self) -> NDArray[np.uint64]:
        """Where the entries of every hand of every board begin."""
        boards, found = self.game.boards, np.zeros(int(self.game.boards.stride.sum()), dtype=np.uint64)
        for player in range(2):
            for board, street in enumerate(self.game.street_of.tolist()):
                hands = int(boards.begin[player, board]) + np.arange(int(boards.stride[player, board]))
                found[hands] = self.places(player, street, hands)
        return found

    def decisions(self, player: int, street: int) -> list[slice]:
        """Return, for each decision of a player on a street, its entries among those of a bucket."""
        return [
            slice(first := int(self.columns[player, number]) + decision.first_row - 1, first + len(decision.actions))
            for number, tree in enumerate(self.game.street_trees)
            if tree.street == street
            for decision in tree.decisions
            if decision.player == player
        ]

    def part(self, table: FloatArray, player: int, street: int) -> FloatArray:
        """Return a view of the entries of a player on a street, [bucket, action of any decision]."""
        width, count = int(self.widths[player, street]), int(self.buckets.count[player, street])
        first = int(self._base[player, street])
        return table[first : first + width * count].reshape(count, width)

    def expand_to_hands(self, table: FloatArray) -> FloatArray:
        """Return a table in the order of the game's entries, where every hand has those of its bucket."""
        game, boards, streets = self.game, self.game.boards, self.game.street_of
        out = np.zeros(game.entries)
        for number, tree in enumerate(game.street_trees):
            for player in range(2):
                rows = int(game.arrays.trees.rows[player, number]) - 1
                columns = int(self.columns[player, number]) + np.arange(rows)[:, None]
                for board in np.flatnonzero(streets == tree.street):
                    stride, begin = int(boards.stride[player, board]), int(boards.begin[player, board])
                    at = self.places(player, tree.street, begin + np.arange(stride)) + columns
                    first = int(game.arrays.trees.store[player, number]) + rows * int(boards.stored[player, board])
                    out[first : first + rows * stride] = table[at].ravel()
        return out

    def joined(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """Return a table with the first player's entries of one and the second player's of another."""
        begin = int(self._base[1, 0])  # player 1's entries stand after player 0's
        return np.concatenate((first[:begin], second[begin:]))

    def profile(self, table: FloatArray) -> Profile:
        """Return the strategies proportional to a table's positive entries as a profile of the game."""
        found, game = Profile(self.game), self.game
        streets, columns = game.street_of.astype(np.uint64), self.columns.astype(np.uint64)
        write_strategies(game.arrays, streets, table, self.places_of_hands, columns, found.store.wide)
        return found

    def _columns(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Per player and tree where its rows begin among the columns of its street; and per street their number."""
        columns = np.zeros((2, len(self.game.street_trees)), dtype=np.int64)
        widths = np.zeros((2, self.game.streets), dtype=np.int64)
        for number, tree in enumerate(self.game.street_trees):
            columns[:, number] = widths[:, tree.street]
            widths[:, tree.street] += self.game.arrays.trees.rows[:, number].astype(np.int64) - 1
        return columns, widths
