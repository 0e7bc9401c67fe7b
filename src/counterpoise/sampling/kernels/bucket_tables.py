"""What a table of buckets says of every hand, in one pass over the boards."""

from __future__ import annotations

import numpy as np
from numba import njit

from counterpoise.kernels.options import LEAN

_1 = np.uint64(1)


@njit(**LEAN | {"error_model": "numpy"})
def write_strategies(game, street_of, table, places, columns, out):
    """Write every hand's strategy, proportional to the positive entries of its bucket, in the order of a `Store`.

    Uniform where no entry is positive. A hand's entries begin at ``places[hand]``, those of a street tree at
    ``columns[player, tree]`` from there. Shares are float64 until they are written: small sums beside large ones would
    vanish in float32.
    """
    trees, boards = game.trees, game.boards
    for board in range(np.uint64(len(street_of))):
        for player in range(np.uint64(2)):
            stride, begin = boards.stride[player, board], boards.begin[player, board]
            for tree in range(np.uint64(len(trees.street))):
                if trees.street[tree] != street_of[board]:
                    continue
                store = trees.store[player, tree] + (trees.rows[player, tree] - _1) * boards.stored[player, board]
                for node in range(trees.node_start[player, tree], trees.node_start[player, tree + _1]):
                    row, actions = trees.first_row[node] - _1, trees.actions[node]
                    for hand in range(stride):
                        first = places[begin + hand] + columns[player, tree] + row
                        total = 0.0
                        for action in range(actions):
                            total += max(table[first + action], 0.0)
                        for action in range(actions):
                            share = max(table[first + action], 0.0) / total if total > 0 else 1 / actions
                            out[store + (row + action) * stride + hand] = share
