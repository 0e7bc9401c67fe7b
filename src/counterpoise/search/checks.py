"""Checks of the numbers that searches are given: each failure is one sentence with field, value and what is allowed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError


def require_whole(field: str, value: Any, low: int = 1) -> None:
    """Insist on a whole number of at least `low`."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < low:
        raise InputError(f"{field} must be a whole number of at least {low}, not {value!r}")


def require_seat(field: str, value: Any, players: int = 2) -> None:
    """Insist on the number of a seat."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or not 0 <= value < players:
        seats = "seat 0 or 1" if players == 2 else f"a seat from 0 to {players - 1}"
        raise InputError(f"{field} must be {seats}, not {value!r}")


def is_amount(value: Any) -> bool:
    """Whether `value` is a finite number of at least 0 (True and False are not)."""
    number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    return number and math.isfinite(value) and value >= 0


def as_numbers(field: str, values: Any) -> NDArray[np.float64]:
    """An array of what is to be numbers; they may be missing (nan) still."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{field} must be numbers, not {values!r}") from None
