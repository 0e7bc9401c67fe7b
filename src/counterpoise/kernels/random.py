"""Random numbers inside kernels: xoshiro256++ (Blackman and Vigna 2019), its four words in an array of the caller.

The array is part of a solver's state, so that a run that is saved and resumed draws the same numbers as one that is
not, whatever the batches. `scramble` is the mixing function of SplitMix64 (Steele, Lea and Flood 2014), for streams
that are found from a few numbers at once: their k-th number is scrambled from the start plus k times `STEP`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import config, njit
from numpy.typing import NDArray

STEP, _FIRST, _SECOND = (np.uint64(k) for k in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
_U27, _U30, _U31 = (np.uint64(k) for k in (27, 30, 31))
_TO_UNIT = 1.0 / 9007199254740992.0
_U11, _U17, _U23, _U41, _U45, _U19 = (np.uint64(k) for k in (11, 17, 23, 41, 45, 19))


def seeded(seed: int, stream: int = 0) -> NDArray[np.uint64]:
    """Return the state of a generator; other seeds and streams make independent ones."""
    sequence = np.random.SeedSequence(seed, spawn_key=(stream,))
    return np.asarray(sequence.generate_state(4, np.uint64), dtype=np.uint64)


@njit(cache=True, nogil=True, inline="always")
def next_bits(state):
    """Return 64 random bits."""
    first, second, third, fourth = state[0], state[1], state[2], state[3]
    total = first + fourth
    bits = ((total << _U23) | (total >> _U41)) + first
    third ^= first
    fourth ^= second
    state[1] = second ^ third
    state[0] = first ^ fourth
    state[2] = third ^ (second << _U17)
    state[3] = (fourth << _U45) | (fourth >> _U19)
    return bits


@njit(cache=True, nogil=True, inline="always")
def scramble(number):
    """Return 64 well-mixed bits of a number."""
    number = (number ^ (number >> _U30)) * _FIRST
    number = (number ^ (number >> _U27)) * _SECOND
    return number ^ (number >> _U31)


def wrapping(kernel: Any) -> Any:
    """Return a kernel that without the JIT does not warn where machine words wrap around, as NumPy's scalars do."""
    return np.errstate(over="ignore")(kernel) if getattr(config, "DISABLE_JIT", False) else kernel


next_bits = wrapping(next_bits)


@njit(cache=True, nogil=True, inline="always")
def as_unit(bits):
    """Return random bits as a float64 from 0 (included) to 1 (excluded)."""
    return np.float64(bits >> _U11) * _TO_UNIT


@njit(cache=True, nogil=True, inline="always")
def uniform(state):
    """Return a float64 from 0 (included) to 1 (excluded)."""
    return as_unit(next_bits(state))
