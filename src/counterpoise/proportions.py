"""Weights as shares of their totals: how whole tables of regrets or counts become strategies at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def proportional(weights: FloatArray, totals: FloatArray, even: FloatArray | float) -> FloatArray:
    """Return weights of at least 0 as shares of their totals, and `even` shares where a total is 0.

    >>> proportional(np.array([[1.0, 3.0], [0.0, 0.0]]), np.array([[4.0], [0.0]]), 1 / 2)
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    return np.asarray(np.where(totals > 0, weights / np.where(totals > 0, totals, 1), even))
