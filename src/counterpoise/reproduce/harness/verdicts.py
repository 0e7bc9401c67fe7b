"""Verdicts on claims, and numbers in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

Verdict = tuple[bool, str]
"""Whether a claim holds and the numbers that say so."""


def short(number: float | None) -> str:
    """Return three significant digits; whole numbers from 1,000 on.

    >>> short(0.01341), short(0.000016534), short(41194.6), short(None)
    ('0.0134', '1.65e-5', '41,195', '-')
    """
    if number is None:
        return "-"
    if abs(number) >= 1_000:
        return f"{number:,.0f}"
    if number == 0 or abs(number) >= 1e-3:
        return f"{number:.3g}"
    digits, exponent = f"{number:.2e}".split("e")
    return f"{digits}e{int(exponent)}"


def listed(numbers: Iterable[float], form: str = "") -> str:
    """Return numbers separated by commas, shortened or in a format of their own.

    >>> listed([1.5, 2000]), listed([1.5, 2], ".2f")
    ('1.5, 2,000', '1.50, 2.00')
    """
    return ", ".join(format(number, form) if form else short(number) for number in numbers)


def named(read: Callable[[str], float], *labels: str) -> str:
    """Return labels with their numbers: "CFR 0.0118, CFR+ 2.42e-4"."""
    return ", ".join(f"{label} {short(read(label))}" for label in labels)


def less(read: Callable[[str], float], low: str, *high: str, factor: float = 1.0) -> Verdict:
    """Judge whether the number of `low` is less than `factor` times the number of every other label."""
    return read(low) < factor * min(read(label) for label in high), named(read, low, *high)


def within(low: float, high: float, ratio: Callable[..., float], *key: Any) -> Verdict:
    """Judge whether a ratio lies between two numbers."""
    return low <= ratio(*key) <= high, times(ratio(*key))


def at_least(wanted: float, ratio: Callable[..., float], *key: Any) -> Verdict:
    """Judge whether a ratio is as large as a claim says."""
    return within(wanted, math.inf, ratio, *key)


def times(ratio: float) -> str:
    """Return a ratio in words.

    >>> times(1.234)
    '1.23 times'
    """
    return f"{ratio:.3g} times"
