"""Rows of hands as they are stored: 32-bit floats, or 16-bit roots with a scale per row."""

from __future__ import annotations

import numpy as np
from numba import njit

from counterpoise.kernels.options import PART
from counterpoise.public.kernels.simd import largest

ZERO_F32, HALF_F32, ONE_F32 = np.float32(0.0), np.float32(0.5), np.float32(1.0)
LEAST_F32 = np.float32(1e-37)
"""Sums are divided by no less."""
_LARGEST = np.float32(32767.0)
_SMALLEST = np.float32(1e-28)
"""Rows of smaller numbers are stored as zeros in 16 bits: their scale would not be a number."""


@njit(**PART)
def load_row(store, at, number, count, out):
    """Write a stored row as float32 into `out`."""
    if store.narrow.size > 0:
        scale = store.scale[number]
        for k in range(count):
            root = np.float32(store.narrow[at + k])
            out[k] = root * abs(root) * scale
    else:
        for k in range(count):
            out[k] = store.wide[at + k]


@njit(**PART)
def save_row(store, row, at, number, count):
    """Store a row of float32; in 16 bits as signed square roots relative to the largest entry.

    Roots spread the whole numbers towards zero, where small probabilities and regrets are: at equal iterations 16
    bits are then as good as 32.
    """
    if store.narrow.size > 0:
        most: np.float32 = largest(row, count)
        some = most > _SMALLEST
        store.scale[number] = most / (_LARGEST * _LARGEST) if some else ZERO_F32
        scale = _LARGEST * _LARGEST / most if some else ZERO_F32
        for k in range(count):
            root = np.sqrt(abs(row[k]) * scale) + HALF_F32
            store.narrow[at + k] = np.int16(np.int32(root if row[k] > ZERO_F32 else -root))
    else:
        for k in range(count):
            store.wide[at + k] = row[k]


@njit(**PART)
def positive_rows(store, at, number, actions, stride, out, begin, total):
    """Write the positive parts of the rows of a node from ``out[begin]`` on, and per hand their sum into `total`."""
    for k in range(stride):
        total[k] = ZERO_F32
    for a in range(actions):
        row = begin + a * stride
        source = at + a * stride
        if store.narrow.size > 0:
            scale = store.scale[number + a]
            for k in range(stride):
                root = max(np.float32(store.narrow[source + k]), ZERO_F32)
                entry = root * root * scale
                out[row + k] = entry
                total[k] += entry
        else:
            for k in range(stride):
                entry = max(store.wide[source + k], ZERO_F32)
                out[row + k] = entry
                total[k] += entry
