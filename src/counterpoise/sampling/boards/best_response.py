"""Best responses inside an abstraction: the winnings of a player who sees buckets instead of hands.

A bucket's best action depends on all its hands on all boards at once. Own nodes are therefore decided by their height,
the last ones first: one walk over all boards adds up the regrets of every bucket, and the nodes of that height take
their best action. A player who remembers its buckets (perfect recall) then has a best response; without, finding one
is NP-hard, and nothing is returned.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.public.traverser import Traverser
from counterpoise.sampling.boards.bucket_tables import BucketTables, FloatArray
from counterpoise.sampling.boards.walks import BoardWalks
from counterpoise.sampling.kernels.board_layouts import WalkTables
from counterpoise.sampling.kernels.board_walks import walk_all_boards


def abstract_best_response(walks: BoardWalks, player: int, table: FloatArray) -> FloatArray:
    """Return a table with a player's best strategy in its buckets against the other's in `table`, which is kept."""
    if not walks.perfect_recall:
        raise InputError("a best response inside an abstraction needs buckets that tell those of earlier streets")
    found, gained, unused = table.copy(), np.zeros(walks.entries), np.zeros(walks.entries)
    walk, heights = walks.board_walk(), own_heights(walks, player)
    for height in range(int(heights.max(initial=-1)) + 1):
        gained[:] = 0.0
        walk_all_boards(walk, np.uint64(player), 0.0, WalkTables(found, gained, unused))
        for street in range(walks.game.streets):
            part, chosen = walks.part(gained, player, street), walks.part(found, player, street)
            for node, columns in zip(_nodes_on(walks, player, street), walks.decisions(player, street), strict=True):
                if heights[node] == height:
                    best = part[:, columns].argmax(axis=1)
                    chosen[:, columns] = np.arange(columns.stop - columns.start) == best[:, None]
    return found


def abstract_response_values(tables: BucketTables, table: FloatArray, traverser: Traverser) -> NDArray[np.float64]:
    """Return the most that each player wins in its buckets against the other's strategy in a table, in chips.

    The game is that of the traverser: that of the tables, or the untilted one.
    """
    ready = isinstance(tables, BoardWalks) and tables.game is traverser.game
    walks = tables if ready else BoardWalks(traverser.game, tables.buckets)
    assert isinstance(walks, BoardWalks)
    profiles = [walks.profile(abstract_best_response(walks, player, table)) for player in range(2)]
    return np.array([traverser.root_values(profile)[player] for player, profile in enumerate(profiles)])


def own_heights(walks: BoardWalks, player: int, streets: tuple[int, int] | None = None) -> NDArray[np.int64]:
    """Return the most own nodes that may follow each of a player's nodes, in the order of the walk's nodes.

    With `streets` only nodes from the first to before the second of them count; the others have height -1.
    """
    paths = walks.paths
    first, last = int(paths.node_start[player]), int(paths.node_start[player + 1])
    owner = np.full(int(paths.rows[player]), -1)
    for node in range(first, last):
        owner[int(paths.first[node]) : int(paths.first[node] + paths.actions[node])] = node - first
    low, high = streets or (0, walks.game.streets)
    counted = (paths.street[first:last] >= low) & (paths.street[first:last] < high)
    heights = np.where(counted, 0, -1)
    for node in range(last - 1, first - 1, -1):  # parents come first
        above = int(owner[int(paths.parent[node])])
        if above >= 0 and counted[above]:
            heights[above] = max(heights[above], heights[node - first] + 1)
    return heights


def _nodes_on(walks: BoardWalks, player: int, street: int) -> NDArray[np.int64]:
    """Return a player's nodes on a street, in the order of `BucketTables.decisions`."""
    first, last = int(walks.paths.node_start[player]), int(walks.paths.node_start[player + 1])
    return np.flatnonzero(walks.paths.street[first:last] == street)
