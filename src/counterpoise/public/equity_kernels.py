"""Who wins an all-in: counted pair by pair of hands, once per run-out, before any iteration."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def count_wins(first, second, first_strength, second_strength, first_cards, second_cards, matrix):
    """Add +1, -1 or 0 for every pair of hands that can meet on one full board."""
    for i in range(len(first)):
        a, b = first_cards[first[i], 0], first_cards[first[i], 1]
        for j in range(len(second)):
            c, d = second_cards[second[j], 0], second_cards[second[j], 1]
            if a != c and a != d and b != c and b != d:
                matrix[first[i], second[j]] += np.int16(
                    (first_strength[i] > second_strength[j]) - (first_strength[i] < second_strength[j])
                )
