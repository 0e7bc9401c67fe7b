"""What a layer of a network does after its matrix product: add a bias, normalise, activate, row by row in place.

The exponential is a polynomial, so that the innermost loops become vector instructions; its relative error is below
3e-7, as large as that of a rounded float.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from counterpoise.kernels.options import KERNEL, ONCE

RELU, GELU = 0, 1
SMALL = np.float32(1e-5)
"""Added to variances before their root is taken."""
_0, _1, _HALF = np.float32(0.0), np.float32(1.0), np.float32(0.5)
_LOG2_E = np.float32(1.4426950408889634)
_MOST = np.float32(126.0)
_SLOPE, _CUBE = np.float32(1.5957691216057308), np.float32(0.044715)  # 2 sqrt(2 / pi) and the cubic term of GELU
# 2^f on [-1/2, 1/2], from the highest power on.
_P6, _P5, _P4, _P3, _P2, _P1 = (
    np.float32(number)
    for number in (
        1.5403530393381609e-4,
        1.3333558146428443e-3,
        9.618129107628477e-3,
        5.550410866482158e-2,
        2.402265069591007e-1,
        6.931471805599453e-1,
    )
)


@njit(**ONCE)
def exponential(x):
    """Return e^x in float32; arguments beyond about +-87 are cut off there."""
    power = min(max(x * _LOG2_E, -_MOST), _MOST)
    whole = np.floor(power + _HALF)
    f = power - whole
    share = _1 + f * (_P1 + f * (_P2 + f * (_P3 + f * (_P4 + f * (_P5 + f * _P6)))))
    bits = np.int32((np.int32(whole) + np.int32(127)) << np.int32(23))  # 2^whole, as a float has it
    return share * bits.view(np.float32)


@njit(**ONCE)
def gelu(x):
    """Return x times the normal distribution function at x, by the formula with a hyperbolic tangent."""
    return x / (_1 + exponential(-_SLOPE * (x + _CUBE * x * x * x)))


@njit(**KERNEL)
def add_bias_and_activate(rows, bias, skipped, kind):
    """Add a bias and the rows of a skip connection (none if it has no rows), and apply the activation."""
    for r in range(rows.shape[0]):
        for k in range(rows.shape[1]):
            rows[r, k] += bias[k]
        if len(skipped):
            for k in range(rows.shape[1]):
                rows[r, k] += skipped[r, k]
        if kind == RELU:
            for k in range(rows.shape[1]):
                rows[r, k] = max(rows[r, k], _0)
        else:
            for k in range(rows.shape[1]):
                rows[r, k] = gelu(rows[r, k])


@njit(**KERNEL)
def normalise_and_activate(rows, bias, gain, offset, skipped, kind):
    """Add a bias, normalise each row to mean 0 and variance 1, scale and shift it, and apply the activation."""
    width = np.float32(rows.shape[1])
    for r in range(rows.shape[0]):
        total, squares = _0, _0
        for k in range(rows.shape[1]):
            rows[r, k] += bias[k]
        if len(skipped):
            for k in range(rows.shape[1]):
                rows[r, k] += skipped[r, k]
        for k in range(rows.shape[1]):
            total += rows[r, k]
        mean = total / width
        for k in range(rows.shape[1]):
            squares += (rows[r, k] - mean) * (rows[r, k] - mean)
        scale = _1 / np.sqrt(squares / width + SMALL)
        if kind == RELU:
            for k in range(rows.shape[1]):
                rows[r, k] = max((rows[r, k] - mean) * scale * gain[k] + offset[k], _0)
        else:
            for k in range(rows.shape[1]):
                rows[r, k] = gelu((rows[r, k] - mean) * scale * gain[k] + offset[k])


@njit(**KERNEL)
def normalise(rows):
    """Normalise each row to mean 0 and variance 1."""
    width = np.float32(rows.shape[1])
    for r in range(rows.shape[0]):
        total, squares = _0, _0
        for k in range(rows.shape[1]):
            total += rows[r, k]
        mean = total / width
        for k in range(rows.shape[1]):
            squares += (rows[r, k] - mean) * (rows[r, k] - mean)
        scale = _1 / np.sqrt(squares / width + SMALL)
        for k in range(rows.shape[1]):
            rows[r, k] = (rows[r, k] - mean) * scale
