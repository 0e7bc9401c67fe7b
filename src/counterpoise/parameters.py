"""Checks of rule-book parameters: each failure is one sentence with field, value and what is allowed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from counterpoise.errors import InputError


def require(condition: bool, sentence: str) -> None:
    """Raise `InputError` with the sentence unless the condition holds."""
    if not condition:
        raise InputError(sentence)


def require_whole(game: str, field: str, value: Any, low: int, high: int) -> None:
    """Insist on a whole number from `low` to `high`."""
    require(
        isinstance(value, int) and not isinstance(value, bool) and low <= value <= high,
        f"{game}: {field} must be a whole number from {low} to {high}, not {value!r}",
    )


def require_choice(game: str, field: str, value: Any, choices: Sequence[Any]) -> None:
    """Insist on one of a few values."""
    allowed = " or ".join(str(choice) for choice in choices)
    require(
        any(value is choice or (isinstance(value, str) and value == choice) for choice in choices),
        f"{game}: {field} must be {allowed}, not {value!r}",
    )


def is_number(value: Any) -> bool:
    """Whether `value` is a finite int or float (True and False are not)."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def are_positive(values: Any) -> bool:
    """Whether `values` is a list of one or more positive numbers."""
    return is_list(values) and len(values) > 0 and all(is_number(value) and value > 0 for value in values)


def is_list(values: Any) -> bool:
    """Whether `values` is a list or a tuple."""
    return isinstance(values, list | tuple)
