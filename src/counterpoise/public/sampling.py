"""What walks for one set of public cards need of a public game: betting as sequences, full boards, tables of buckets.

See `kernels.sampling` for the walk. All public cards are drawn at once, from their true distribution; the hands of a
walk are those that live on the full board, on every street (JOHANSON 3.2). A table has one entry per bucket, own node
and action; `lossless` buckets make it as fine as the game. Bucket maps treat suits alike, so one board stands for all
that a renaming of suits makes it.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.public.buckets import Buckets, lossless
from counterpoise.public.dense import DenseGame
from counterpoise.public.full_boards import full_boards, hands_before
from counterpoise.public.game import PublicGame
from counterpoise.public.kernels.sampling import BoardWalk, FullBoards, HandSelection, Paths, scratch_rows
from counterpoise.public.kernels.street import DEAL
from counterpoise.public.profile import Profile
from counterpoise.tree.strategy import proportional

FloatArray = NDArray[np.float64]


class BucketTraversal:
    """The arrays of walks on a game whose infosets are gathered by `buckets` (default: none are)."""

    def __init__(self, game: PublicGame, buckets: Buckets | None = None) -> None:
        if game.locks or game.value_leaves:
            raise InputError("sampled walks keep to no locked strategies and know no value leaves: leave both out")
        self.game = game
        self.buckets = buckets or lossless(game)
        if self.buckets.count.shape != (2, game.streets) or self.buckets.bucket_of_hand.shape != (
            int(game.boards.stride.sum()),
        ):
            raise InputError("these buckets are for another game")
        self.boards: FullBoards = full_boards(game)
        self._columns, self._widths = self._table_columns()
        starts = np.cumsum(self.buckets.count * self._widths)
        self.entries = int(starts[-1])
        """Numbers of a table."""
        self._base = (starts - (self.buckets.count * self._widths).ravel()).reshape(2, -1)
        self.paths = self._paths()

    @cached_property
    def infosets(self) -> int:
        """Own nodes x buckets, both players together."""
        nodes = np.zeros((2, self.game.streets), dtype=np.int64)
        for tree in self.game.street_trees:
            for decision in tree.decisions:
                nodes[decision.player, tree.street] += 1
        return int((nodes * self.buckets.count).sum())

    @cached_property
    def nodes(self) -> int:
        """Public nodes of one walk: decisions and ends, each on one board."""
        return sum(len(tree.decisions) for tree in self.game.street_trees) + self.paths.leaf_wins.size

    def board_walk(self) -> BoardWalk:
        """Return what the kernels of walks need, with hand selections and rows of its own."""
        seen, longest = hands_before(self.game), int(self.boards.held.max())
        places = np.zeros(seen.shape, dtype=np.uint64)
        for player in range(2):
            first, last = self.boards.begin[player, 0], self.boards.begin[player, -1] + self.boards.held[player, -1]
            for street in range(self.game.streets):
                bucket = self.buckets.bucket_of_hand[seen[street, first:last]].astype(np.int64)
                places[street, first:last] = self._base[player, street] + bucket * self._widths[player, street]
        hands = HandSelection(places, np.zeros((2, longest), dtype=np.uint64), np.zeros(2, dtype=np.uint64))
        return BoardWalk(self.paths, self.boards, hands, scratch_rows(int(self.paths.rows.max()), longest))

    def spread(self, table: FloatArray) -> FloatArray:
        """A table in the order of the game's own: every hand takes the entries of its bucket."""
        game, boards, streets = self.game, self.game.boards, self.game.street_of
        out = np.zeros(game.entries)
        for number, tree in enumerate(game.street_trees):
            for player in range(2):
                rows = int(game.arrays.trees.rows[player, number]) - 1
                columns = int(self._columns[player, number]) + np.arange(rows)[:, None]
                for board in np.flatnonzero(streets == tree.street):
                    stride, begin = int(boards.stride[player, board]), int(boards.begin[player, board])
                    bucket = self.buckets.bucket_of_hand[begin : begin + stride].astype(np.int64)
                    at = self._base[player, tree.street] + bucket * self._widths[player, tree.street] + columns
                    first = int(game.arrays.trees.store[player, number]) + rows * int(boards.stored[player, board])
                    out[first : first + rows * stride] = table[at].ravel()
        return out

    def profile(self, table: FloatArray) -> Profile:
        """Return the strategies proportional to a table's positive entries as a profile of the game."""
        found = Profile(self.game)
        found.store.wide[:] = self.spread(self.normalised(table))
        return found

    def normalised(self, table: FloatArray) -> FloatArray:
        """The strategy proportional to the positive entries of every bucket and node; uniform where there are none."""
        positive = np.maximum(table, 0.0)
        out = np.empty_like(positive)
        for player in range(2):
            for street in range(self.game.streets):
                width, count = int(self._widths[player, street]), int(self.buckets.count[player, street])
                first = int(self._base[player, street])
                part = positive[first : first + width * count].reshape(count, width)
                done = out[first : first + width * count].reshape(count, width)
                nodes = np.arange(*self.paths.node_start[player : player + 2].tolist())
                for node in nodes[self.paths.street[nodes] == street]:
                    columns = slice(
                        int(self.paths.column[node]), int(self.paths.column[node] + self.paths.actions[node])
                    )
                    total = part[:, columns].sum(axis=1, keepdims=True)
                    done[:, columns] = proportional(part[:, columns], total, 1 / int(self.paths.actions[node]))
        return out

    def _table_columns(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Per player and tree where its rows begin among the columns of its street; and per street their number."""
        columns = np.zeros((2, len(self.game.street_trees)), dtype=np.int64)
        widths = np.zeros((2, self.game.streets), dtype=np.int64)
        for number, tree in enumerate(self.game.street_trees):
            columns[:, number] = widths[:, tree.street]
            widths[:, tree.street] += self.game.arrays.trees.rows[:, number].astype(np.int64) - 1
        return columns, widths

    def _paths(self) -> Paths:
        flat, trees = self.game.arrays.trees, self.game.street_trees
        before, rows = np.zeros((2, len(trees)), dtype=np.int64), np.ones(2, dtype=np.int64)
        start = np.zeros((2, len(trees)), dtype=np.int64)
        for number, tree in enumerate(trees):  # a tree's row 0 is the row that leads to it
            if number:
                leaf = int(flat.leaf_start[tree.path[0]]) + tree.path[1]
                for player in range(2):
                    start[player, number] = _row(int(flat.leaf_row[player, leaf]), player, tree.path[0], start, before)
            before[:, number] = rows - 1
            rows += flat.rows[:, number].astype(np.int64) - 1
        nodes: list[tuple[int, int, int, int, int]] = []
        node_start = [0]
        for player in range(2):
            for number, tree in enumerate(trees):
                for decision in tree.decisions:
                    if decision.player == player:
                        parent = _row(decision.parent_row, player, number, start, before)
                        column = int(self._columns[player, number]) + decision.first_row - 1
                        first = int(before[player, number]) + decision.first_row
                        nodes.append((parent, first, len(decision.actions), tree.street, column))
            node_start.append(len(nodes))
        parents, firsts, actions, streets, columns = np.array(nodes, dtype=np.uint64).reshape(-1, 5).T.copy()
        ends = [(n, tree.street, leaf) for n, tree in enumerate(trees) for leaf in tree.leaves if leaf.kind != DEAL]
        leaf_row = np.array(
            [[_row(leaf.rows[p], p, number, start, before) for number, _, leaf in ends] for p in range(2)],
            dtype=np.uint64,
        )
        first_matrix = [0] * self.game.streets
        if isinstance(self.game, DenseGame):
            sizes = [len(parts) for parts in self.game.deals.ends]
            first_matrix = np.concatenate(([0], np.cumsum(sizes)))[:-1].tolist()
        return Paths(
            rows.astype(np.uint64),
            np.array(node_start, dtype=np.uint64),
            parents,
            firsts,
            actions,
            streets,
            columns,
            np.stack([np.argsort(leaf_row[1 - p], kind="stable") for p in range(2)]).astype(np.uint64),
            leaf_row,
            np.array([leaf.wins for _, _, leaf in ends]),
            np.array([leaf.mass for _, _, leaf in ends]).reshape(-1, 2).T.copy(),
            np.array([first_matrix[street] + leaf.number for _, street, leaf in ends], dtype=np.uint64),
        )


def _row(row: int, player: int, tree: int, start: NDArray[np.int64], before: NDArray[np.int64]) -> int:
    """The row of the whole betting game that is a row of a tree."""
    return int(start[player, tree]) if row == 0 else int(before[player, tree]) + row
