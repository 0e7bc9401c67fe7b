"""Who wins an all-in: counted pair by pair of hands, for all run-outs, before any iteration."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def count_wins(first, second, matrix):
    """Add +1, -1 or 0 for every run-out and pair of hands by their strengths, [run-out, hand], int16; 0 is dead.

    Pairs that share a card are counted too; the caller drops them.
    """
    for row in range(len(first)):
        for i in range(first.shape[1]):
            own = first[row, i]
            if own > 0:
                for j in range(second.shape[1]):
                    other = second[row, j]
                    won = np.int16(own > other) - np.int16(own < other)
                    matrix[i, j] += won if other > 0 else np.int16(0)
