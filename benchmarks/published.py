"""Figures of the fastest open hold'em solver, as published, and how they are carried over to another machine.

Origin: its DCFR with 32 bits (memory: 16 bits) on the spots of `examples/spots`, on 2 cores AMD EPYC (AVX2), shared and
noisy. Seconds are CPU seconds of all threads, exploitability is NashConv / 2 in per cent of the pot, looked at every 10
iterations. In the same minutes the two calibrations of `machine.py` gave `PYTHON_SECONDS` and `YARDSTICK_NANOSECONDS`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

PYTHON_SECONDS = (0.44, 0.60)
YARDSTICK_NANOSECONDS = (2.7, 2.9)


@dataclass(frozen=True)
class Reached:
    """Iterations and CPU seconds (lowest, highest) that a target took."""

    iterations: int
    seconds: tuple[float, float]


REACHED: dict[str, dict[float, Reached]] = {
    "river_srp": {0.5: Reached(90, (0.025, 0.038)), 0.1: Reached(220, (0.064, 0.092))},
    "turn_srp": {0.5: Reached(100, (5.0, 6.7)), 0.3: Reached(140, (7.0, 9.0)), 0.1: Reached(310, (15.0, 20.6))},
    "flop_3bet": {0.5: Reached(100, (78.0, 78.0)), 0.3: Reached(130, (100.0, 100.0))},
    "flop_srp": {0.5: Reached(80, (83.0, 83.0)), 0.3: Reached(100, (103.0, 103.0))},
}
"""By spot and target in per cent of the pot."""

MEGABYTES = {"turn_srp": 25.0, "flop_srp": 410.0}
"""Memory with 16 bits."""


def middle(low_high: tuple[float, float]) -> float:
    """The middle of a published range."""
    return sum(low_high) / 2


def slowness(python_seconds: float, yardstick_nanoseconds: float) -> tuple[float, float]:
    """How many times slower this machine is now by each of the calibrations; NaN for one that is missing."""
    return python_seconds / middle(PYTHON_SECONDS), yardstick_nanoseconds / middle(YARDSTICK_NANOSECONDS)


def expected_seconds(reached: Reached, slower: tuple[float, float]) -> float:
    """What the published solver would need here: by the calibration that is kinder to it."""
    factors = [factor for factor in slower if not math.isnan(factor)]
    return middle(reached.seconds) * min(factors, default=math.nan)
