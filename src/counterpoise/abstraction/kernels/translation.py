"""The pseudo-harmonic mapping between sizes of bets: written once, for kernels and for Python."""

from __future__ import annotations

from numba import njit

from counterpoise.kernels.options import PART


def share_below(size: float, low: float, high: float) -> float:
    """Return f(size) = (high - size)(1 + low) / ((high - low)(1 + size)), the share that is taken for `low`."""
    return (high - size) * (1 + low) / ((high - low) * (1 + size))


def middle(low: float, high: float) -> float:
    """Return the size whose share is 1/2."""
    return (low + high + 2 * low * high) / (low + high + 2)


pseudo_harmonic = njit(**PART)(share_below)
even_size = njit(**PART)(middle)
