"""Hedge on public trees: exponential weights in the place of positive regrets, for the same traversals to play."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.kernels.options import KERNEL
from counterpoise.public.kernels.layouts import At
from counterpoise.public.kernels.rows import ZERO_F32, load_row, save_row
from counterpoise.public.kernels.street import place_of

_0, _1 = np.uint64(0), np.uint64(1)


class HedgeRates(NamedTuple):
    """The learning rate of every node, what a hand of a board counts, and the boards of each street.

    Boards of street s are ``first_board[s]`` to ``first_board[s + 1]``. ``rows`` is scratch for the rows of one node.
    """

    rate: NDArray[np.float64]
    likely: NDArray[np.float64]
    first_board: NDArray[np.uint64]
    rows: NDArray[np.float32]


@njit(**KERNEL)
def exponential_weights(game, player, regrets, weights, rates, scale):
    """Write exp(rate * scale * (R(a) - max R)) of a player's regrets, all nodes on all boards, into `weights`."""
    trees, boards = game.trees, game.boards
    for tree in range(np.uint64(trees.street.size)):
        street = trees.street[tree]
        for board in range(rates.first_board[street], rates.first_board[street + _1]):
            stored, number = place_of(game, At(np.uint64(tree), np.uint64(board), player, _0))
            stride, held, begin = boards.stride[player, board], boards.held[player, board], boards.begin[player, board]
            for node in range(trees.node_start[player, tree], trees.node_start[player, tree + _1]):
                first, actions = trees.first_row[node] - _1, trees.actions[node]
                # Regrets of a node's actions, for all hands.
                for a in range(actions):
                    at, row = stored + (first + a) * stride, number + first + a
                    load_row(regrets, at, row, stride, rates.rows[a * stride :])
                for k in range(stride):
                    if k >= held:
                        for a in range(actions):
                            rates.rows[a * stride + k] = ZERO_F32
                        continue
                    # Exponents relative to the largest regret of the hand.
                    best = rates.rows[k]
                    for a in range(_1, actions):
                        best = max(best, rates.rows[a * stride + k])
                    step = rates.rate[node] * scale * rates.likely[begin + k]
                    for a in range(actions):
                        behind = np.float64(rates.rows[a * stride + k]) - np.float64(best)
                        rates.rows[a * stride + k] = np.float32(np.exp(step * behind))
                # Stored where traversals match strategies from.
                for a in range(actions):
                    at, row = stored + (first + a) * stride, number + first + a
                    save_row(weights, rates.rows[a * stride :], at, row, stride)
