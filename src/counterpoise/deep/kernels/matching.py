"""Regret matching on predicted advantages, row by row (Brown 2020, section 4.1.3)."""

from __future__ import annotations

import numpy as np
from numba import njit

from counterpoise.kernels.options import LEAN


@njit(**LEAN, error_model="numpy")
def match_rows(advantages, legal, argmax, strategies):
    """Write the strategies in proportion to the positive advantages of legal actions; illegal ones get 0.

    Where none is positive, all weight is on the largest (`argmax`), shared by those that tie, or on all legal actions
    alike: the second applies too where a network is still zero everywhere, because then all tie. Advantages that have
    overflown are no reason to act: an infinite sum counts as none, and where no advantage is a number all are alike.
    """
    rows, columns = advantages.shape
    for row in range(rows):
        total, largest, count = 0.0, -np.inf, 0
        for k in range(columns):
            strategies[row, k] = 0.0
            if legal[row, k]:
                value = np.float64(advantages[row, k])
                count += 1
                if value > 0.0:
                    strategies[row, k] = value
                    total += value
                largest = max(largest, value)
        if 0.0 < total < np.inf:
            for k in range(columns):
                strategies[row, k] /= total
            continue
        best = 0
        for k in range(columns):
            best += legal[row, k] and advantages[row, k] == largest
        only_best = argmax and best > 0
        share = 1.0 / np.float64(best if only_best else count)
        for k in range(columns):
            chosen = legal[row, k] and (not only_best or advantages[row, k] == largest)
            strategies[row, k] = share if chosen else 0.0
