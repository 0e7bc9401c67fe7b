"""A public game prepared for walks of one set of public cards: betting as sequences, full boards, places in tables.

See `sampling.kernels.board_walks` for the walk. All public cards are drawn at once, from their true distribution; the
hands of a walk are those that live on the full board, on every street (Johanson 2016, section 3.2). Tables are those of
`BucketTables`. Bucket maps treat suits alike, so one board stands for all that a renaming of suits makes it.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.public.buckets import BucketsLike, hands_before
from counterpoise.public.dense import DenseGame
from counterpoise.public.game import PublicGame
from counterpoise.public.kernels.street import DEAL
from counterpoise.sampling.boards.bucket_tables import BucketTables
from counterpoise.sampling.boards.full_boards import full_boards
from counterpoise.sampling.kernels.board_layouts import BoardWalk, FullBoards, HandSelection, Paths, scratch_rows


class BoardWalks(BucketTables):
    """The arrays of walks on a game whose infosets are gathered by `buckets` (default: none are)."""

    def __init__(self, game: PublicGame, buckets: BucketsLike | None = None) -> None:
        if game.locks or game.value_leaves:
            raise InputError("sampled walks keep to no locked strategies and know no value leaves: leave both out")
        super().__init__(game, buckets)
        self.boards: FullBoards = full_boards(game)
        self.paths = self._paths()

    @cached_property
    def nodes(self) -> int:
        """Public nodes of one walk: decisions and ends, each on one board."""
        return sum(len(tree.decisions) for tree in self.game.street_trees) + self.paths.leaf_wins.size

    def board_walk(self) -> BoardWalk:
        """Return the arrays of the kernels of walks, with hand selections and rows of its own."""
        seen, longest = hands_before(self.game), int(self.boards.held.max())
        places = np.zeros(seen.shape, dtype=np.uint64)
        for player in range(2):
            first, last = self.boards.begin[player, 0], self.boards.begin[player, -1] + self.boards.held[player, -1]
            for street in range(self.game.streets):
                places[street, first:last] = self.places(player, street, seen[street, first:last])
        hands = HandSelection(places, np.zeros((2, longest), dtype=np.uint64), np.zeros(2, dtype=np.uint64))
        return BoardWalk(self.paths, self.boards, hands, scratch_rows(int(self.paths.rows.max()), longest))

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
                        column = int(self.columns[player, number]) + decision.first_row - 1
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
            np.array([leaf.decided for _, _, leaf in ends]),
            np.array([first_matrix[street] + leaf.number for _, street, leaf in ends], dtype=np.uint64),
        )


def _row(row: int, player: int, tree: int, start: NDArray[np.int64], before: NDArray[np.int64]) -> int:
    """The row of the whole betting game that is a row of a tree."""
    return int(start[player, tree]) if row == 0 else int(before[player, tree]) + row
