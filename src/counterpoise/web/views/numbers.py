"""Arrays as lists for JSON, which has no nan."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Figures = list[float | None]


def figures(array: NDArray[Any]) -> Figures:
    """Return the numbers of an array, None for what is not known."""
    found: list[float] = np.asarray(array, dtype=np.float64).tolist()
    return [number if math.isfinite(number) else None for number in found]


def figure(number: float) -> float | None:
    """Return a number, None for what is not known."""
    return float(number) if math.isfinite(number) else None
