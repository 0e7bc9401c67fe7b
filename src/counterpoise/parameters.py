"""Checks of what users give: each failure is one sentence with the field, the value and what is allowed.

`field` is what the user knows the value by, such as "iterations" or "kuhn_poker: players".
"""

from __future__ import annotations

import numbers
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from counterpoise.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SHOWN = 60
"""The most characters of a wrong value that a message repeats."""


def require(condition: bool, sentence: str) -> None:
    """Raise `InputError` with the sentence unless the condition holds."""
    if not condition:
        raise InputError(sentence)


def shown(value: Any) -> str:
    """Return a value as messages repeat it: on one line, and cut if it is long.

    >>> shown("leduc"), shown(list(range(100)))
    ("'leduc'", '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16...')
    """
    try:
        text = repr(value)
    except ValueError:  # Python refuses to write numbers of thousands of digits
        return "a number of thousands of digits"
    if "\n" in text:
        text = " ".join(text.split())
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."


def is_whole(value: Any) -> bool:
    """Return whether `value` is a whole number (True and False are not)."""
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Return whether `value` is a finite number that a float can hold (True and False are not numbers).

    >>> is_number(1e308), is_number(10**400), is_number(float("nan"))
    (True, False, False)
    """
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        return False
    most = sys.float_info.max
    return bool(-most <= value <= most)  # type: ignore[operator]  # isfinite refuses huge whole numbers


def is_amount(value: Any) -> bool:
    """Return whether `value` is a finite number of at least 0."""
    return is_number(value) and value >= 0


def is_list(values: Any) -> bool:
    """Return whether `values` is a list or a tuple."""
    return isinstance(values, list | tuple)


def are_positive(values: Any) -> bool:
    """Return whether `values` is a list of one or more positive numbers."""
    return is_list(values) and len(values) > 0 and all(is_number(value) and value > 0 for value in values)


def require_whole(field: str, value: Any, low: int = 1, high: int | None = None) -> None:
    """Insist on a whole number from `low` to `high` (None: without an upper end)."""
    if not is_whole(value) or value < low or (high is not None and value > high):
        raise InputError(f"{field} must be a whole number {_span(low, high)}, not {shown(value)}")


def require_number(field: str, value: Any, low: float | None = None, high: float | None = None) -> None:
    """Insist on a finite number from `low` to `high` (None: without that end)."""
    if not is_number(value) or (low is not None and value < low) or (high is not None and value > high):
        span = "" if low is None and high is None else f" {_span(low, high)}"
        raise InputError(f"{field} must be a number{span}, not {shown(value)}")


def require_choice(field: str, value: Any, choices: Sequence[Any]) -> None:
    """Insist on one of a few values."""
    if not any(value is choice or (isinstance(value, str) and value == choice) for choice in choices):
        raise InputError(f"{field} must be {either(choices)}, not {shown(value)}")


def either(choices: Sequence[Any]) -> str:
    """Return how a message lists what is allowed.

    >>> either(["png", "svg", "pdf"])
    'png, svg or pdf'
    """
    *others, last = map(str, choices)
    return f"{', '.join(others)} or {last}" if others else last


def require_seat(field: str, value: Any, players: int = 2) -> None:
    """Insist on the number of a seat."""
    if not is_whole(value) or not 0 <= value < players:
        seats = "seat 0 or 1" if players == 2 else f"a seat from 0 to {players - 1}"
        raise InputError(f"{field} must be {seats}, not {shown(value)}")


def require_training_limits(minutes: Any, iterations: Any, checkpoint_minutes: Any) -> None:
    """Refuse limits of a training that do not say when it ends, and minutes that are not above 0."""
    require(minutes is not None or iterations is not None, "minutes or iterations must say when training ends")
    for name, value in (("minutes", minutes), ("checkpoint_minutes", checkpoint_minutes)):
        if value is not None:
            require(is_number(value) and value > 0, f"{name} must be above 0, not {shown(value)}")
    if iterations is not None:
        require_whole("iterations", iterations, 1, 10**15)


def as_numbers(field: str, values: Any) -> NDArray[np.float64]:
    """Return an array of what is to be numbers; nan may stand for a missing one."""
    import numpy as np

    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{field} must be numbers, not {shown(values)}") from None


def _span(low: float | None, high: float | None) -> str:
    if low is None:
        return f"of at most {high}"
    return f"of at least {low}" if high is None else f"from {low} to {high}"
