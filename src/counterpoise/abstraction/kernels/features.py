"""Features of earlier streets as sums over the boards that may follow.

`after[b, j]` is the class of the j-th board that may follow board b, `renaming[b, j]` the renaming of suits that takes
it to the board of its class, and `weight[j]` how many boards it stands for. Points are hands on boards: those of
board ``boards[i]`` are ``hands[start[i]:start[i + 1]]``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.abstraction.kernels.strength import DEAD, OPTIONS


class Followers(NamedTuple):
    """Which boards of a later street may follow each board of an earlier one (see the module docstring)."""

    after: NDArray[np.int32]  # [board, number]
    renaming: NDArray[np.uint8]  # [board, number]
    weight: NDArray[np.int64]  # [number]
    hand_maps: NDArray[np.uint16]  # [renaming, hand]


class Points(NamedTuple):
    """Hands on boards, board by board."""

    boards: NDArray[np.int64]
    start: NDArray[np.int64]
    hands: NDArray[np.int64]


@njit(**OPTIONS)
def sum_after(points, followers, table, bin_of, out):
    """Add up in out[point] what `table` holds for the point after all following boards.

    A table of vectors, [board, hand, component], adds its vectors; dead hands hold zeros there. One of numbers, [board,
    hand], adds to the column ``bin_of[number]`` how many boards there are, or, where `bin_of` is None, the number and
    its square to columns 0 and 1. Branches on the kind of table are decided when the kernel is compiled.
    """
    for i in range(len(points.boards)):
        b = points.boards[i]
        for j in range(followers.after.shape[1]):
            values = table[followers.after[b, j]]
            renamed = followers.hand_maps[followers.renaming[b, j]]
            weight = followers.weight[j]
            for p in range(points.start[i], points.start[i + 1]):
                value = values[renamed[points.hands[p]]]
                if table.ndim == 3:
                    for k in range(len(value)):
                        out[p, k] += weight * value[k]
                elif value != DEAD:
                    if bin_of is None:
                        number = np.int64(value)
                        out[p, 0] += weight * number
                        out[p, 1] += weight * number * number
                    else:
                        out[p, bin_of[value]] += weight


@njit(**OPTIONS)
def representatives(boards, hands, card_maps, hand_maps, out):
    """Write for every hand of every board the first hand that a renaming which keeps the board makes of it; or -1."""
    for b in range(len(boards)):
        cards = np.uint64(0)
        for card in boards[b]:
            cards |= np.uint64(1) << np.uint64(card)
        for h in range(len(hands)):
            taken = (cards >> np.uint64(hands[h, 0]) | cards >> np.uint64(hands[h, 1])) & np.uint64(1)
            out[b, h] = -1 if taken else h
        for g in range(len(card_maps)):
            renamed = np.uint64(0)
            for card in boards[b]:
                renamed |= np.uint64(1) << np.uint64(card_maps[g, card])
            if renamed == cards:
                for h in range(len(hands)):
                    if out[b, h] >= 0:
                        out[b, h] = min(out[b, h], hand_maps[g, h])
