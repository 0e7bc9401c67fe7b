"""The random numbers of one hand: independent streams, each reached directly from (seed, hand, stream).

Cards come from stream 0 of a hand, so that all rooms of a duplicate hand see the same cards whatever is played there;
an agent's numbers come from a stream of its room and seat (cards and actions never share a generator). A stream is
SplitMix64 (Steele, Lea and Flood 2014) from a start that mixes the three numbers; kernels have it too.
"""

from __future__ import annotations

from functools import lru_cache
from random import Random

MASK = 2**64 - 1
STEP, FIRST, SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
CARDS = 0
"""The stream of the cards."""


def scramble(number: int) -> int:
    """Return 64 well-mixed bits of a number."""
    number = ((number ^ (number >> 30)) * FIRST) & MASK
    number = ((number ^ (number >> 27)) * SECOND) & MASK
    return number ^ (number >> 31)


@lru_cache(maxsize=64)
def seed_start(seed: int) -> int:
    """Return 64 bits of a seed, which may be any whole number of at least 0."""
    start = scramble((seed + STEP) & MASK)
    while seed := seed >> 64:  # every digit of a long seed counts
        start = scramble((start + seed) & MASK)
    return start


def stream_start(seed: int, hand: int, stream: int) -> int:
    """Return where a stream starts."""
    return scramble((scramble((seed_start(seed) + hand * STEP) & MASK) + stream * STEP) & MASK)


def agent_stream(room: int, players: int, seat: int) -> int:
    """Return the stream of the agent at a seat of a room."""
    return 1 + room * players + seat


class HandRandom(Random):
    """A `random.Random` that can be put at the start of any stream in a microsecond."""

    def __init__(self) -> None:
        super().__init__(0)
        self._at = 0

    def begin(self, seed: int, hand: int, stream: int) -> None:
        """Go to the start of a stream."""
        self._at = stream_start(seed, hand, stream)
        self.gauss_next = None

    def random(self) -> float:
        """Return a number from 0 (included) to 1 (excluded)."""
        self._at = at = (self._at + STEP) & MASK
        at = ((at ^ (at >> 30)) * FIRST) & MASK
        at = ((at ^ (at >> 27)) * SECOND) & MASK
        return ((at ^ (at >> 31)) >> 11) * 2.0**-53

    def getrandbits(self, k: int, /) -> int:
        """Return a whole number of `k` random bits."""
        if k < 0:
            raise ValueError("number of bits must be non-negative")
        bits = 0
        for _ in range(-(-k // 64)):
            self._at = (self._at + STEP) & MASK
            bits = bits << 64 | scramble(self._at)
        return bits >> (-k % 64)
