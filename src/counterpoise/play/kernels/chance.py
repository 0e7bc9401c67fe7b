"""The random numbers of `counterpoise.play.chance`, compiled."""

from __future__ import annotations

import numpy as np
from numba import config, njit

STEP, _FIRST, _SECOND = (np.uint64(k) for k in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
_U27, _U30, _U31, _U11 = (np.uint64(k) for k in (27, 30, 31, 11))
_TO_UNIT = 1.0 / 9007199254740992.0


@njit(cache=True, nogil=True, inline="always")
def scramble(number):
    """Return 64 well-mixed bits of a number."""
    number = (number ^ (number >> _U30)) * _FIRST
    number = (number ^ (number >> _U27)) * _SECOND
    return number ^ (number >> _U31)


@njit(cache=True, nogil=True, inline="always")
def unit(at):
    """Return the number from 0 (included) to 1 (excluded) at a place of a stream."""
    return np.float64(scramble(at) >> _U11) * _TO_UNIT


def wrapping(kernel):
    """Return a kernel that, without the JIT, does not warn where machine words wrap around."""
    return np.errstate(over="ignore")(kernel) if getattr(config, "DISABLE_JIT", False) else kernel
