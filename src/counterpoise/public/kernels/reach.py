"""The reach of one player at every node of a public tree, in one pass from the root down."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.kernels.options import KERNEL, PART
from counterpoise.public.kernels.gadget import apply_entry
from counterpoise.public.kernels.layouts import At
from counterpoise.public.kernels.rows import ZERO_F32
from counterpoise.public.kernels.street import matched_reach

_1 = np.uint64(1)


class ReachLayout(NamedTuple):
    """Where the rows of a street tree on a board begin: ``start[player, tree]`` and then board by board.

    ``tree_above`` and ``leaf_above`` say from which deal of which street tree one follows; the boards of a street are
    ``first_board[street]`` to ``first_board[street + 1]``, and ``board_above`` is the one before each.
    """

    start: NDArray[np.uint64]
    tree_above: NDArray[np.uint64]
    leaf_above: NDArray[np.uint64]
    first_board: NDArray[np.uint64]
    board_above: NDArray[np.uint64]


@njit(**PART)
def _rows_at(game, layout, player, tree, board):
    rows = game.trees.rows[player, tree]
    return layout.start[player, tree] + rows * game.boards.stored[player, board]


@njit(**KERNEL)
def realisation(game, layout, player, store, root, window, work):
    """Write the realisation weights of a player's own actions into ``work.reach``, all street trees on all boards.

    ``root.reach`` is what arrives of its hands at the beginning of the root's street tree; strategies are matched from
    the rows of `store`. Rows of the root's street tree outside a non-empty window count as 0, as everything that is not
    below the root.
    """
    trees, boards = game.trees, game.boards
    for tree in range(np.uint64(trees.street.size)):
        street = trees.street[tree]
        for board in range(layout.first_board[street], layout.first_board[street + _1]):
            base, stride = _rows_at(game, layout, player, tree, board), boards.stride[player, board]
            at_root = tree == root.tree and board == root.board
            # At the root: what arrives of each hand.
            if at_root:
                for k in range(stride):
                    work.reach[base + k] = root.reach[player, k]
            # Not below the root: nothing.
            elif tree == 0 or street <= trees.street[root.tree]:
                for k in range(stride):
                    work.reach[base + k] = ZERO_F32
            else:
                # After a deal: the reach of the same hand on the board before.
                above, begin = layout.board_above[board], boards.begin[player, board]
                row = trees.leaf_row[player, layout.leaf_above[tree]] * boards.stride[player, above]
                source = _rows_at(game, layout, player, layout.tree_above[tree], above) + row
                for k in range(stride):
                    work.reach[base + k] = work.reach[source + np.uint64(boards.parent_hand[begin + k])]
            # Down the street tree by the player's own strategy.
            matched_reach(game, At(np.uint64(tree), np.uint64(board), player, base), store, work)
            # Outside the window nothing arrives.
            if at_root and window[1] > 0:
                for row in range(trees.rows[player, tree]):
                    if row < window[0] or row >= window[1]:
                        for k in range(stride):
                            work.reach[base + row * stride + k] = ZERO_F32


@njit(**KERNEL)
def entry_reach(gadget, out):
    """Write the reach with which the chooser of a gadget enters into `out`."""
    apply_entry(gadget, out, np.uint64(0))
