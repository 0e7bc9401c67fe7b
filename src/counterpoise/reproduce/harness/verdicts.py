"""How claims are judged, and numbers in words.

A claim holds, does not hold, or is not decided, for one of the reasons in `Reason`. Figures without chance are judged
as they are, figures of random runs only by an `Interval`, and figures that stand for a limit only once settled.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from typing import Any, NamedTuple


class Reason(StrEnum):
    """Why a claim is not decided."""

    ACROSS = "the interval lies across the border"
    UNSETTLED = "not converged"
    ANOTHER_GAME = "another game than the source's"
    NO_INTERVAL = "random runs without an interval"
    NOT_MEASURED = "not measured"


class IntervalVerdict(NamedTuple):
    """What an interval says of a claim (None: it lies across the border), with the numbers."""

    holds: bool | None
    detail: str


PlainVerdict = tuple[bool, str]
"""Whether figures without chance show a claim, and the numbers that say so."""
Verdict = PlainVerdict | IntervalVerdict
"""What a condition returns."""

SETTLED = 0.02
"""A figure counts as settled when doubling the work moves it by less than this share."""


class NotMeasured(LookupError):
    """A number that the experiment would have measured, had it not been stopped, or one too inexact to judge by."""

    reason = Reason.NOT_MEASURED


class NotSettled(NotMeasured):
    """A figure that was to stand for a limit and that doubling the work still moves by 2 % or more."""

    reason = Reason.UNSETTLED


def settled(half: float, whole: float, what: str) -> float:
    """Return the figure after all the work if it is settled, given the one after half of it; else raise `NotSettled`.

    >>> settled(1.01, 1.0, "CFR")
    1.0
    """
    moved = abs(whole - half) / abs(whole) if whole else math.inf * abs(half) if half else 0.0
    if moved >= SETTLED:
        raise NotSettled(f"doubling the work of {what} moved {short(half)} to {short(whole)}, by {100 * moved:.2g} %")
    return whole


class Interval(NamedTuple):
    """The mean of a random figure and half the width of its 95 % interval, of `size` runs or hands."""

    mean: float
    half: float
    size: int
    of: str = "seeds"

    @property
    def low(self) -> float:
        """The lower end."""
        return self.mean - self.half

    @property
    def high(self) -> float:
        """The upper end."""
        return self.mean + self.half

    def __str__(self) -> str:
        return f"{short(self.mean)} ± {short(self.half)} ({self.size:,} {self.of})"


def mean_interval(values: Sequence[float], of: str = "seeds") -> Interval:
    """Return the mean of independent values with its 95 % interval by Student's t; at least two are needed.

    >>> str(mean_interval([1.0, 2.0, 3.0]))
    '2 ± 2.48 (3 seeds)'
    """
    from scipy.special import stdtrit

    count = len(values)
    if count < 2:
        raise NotMeasured(f"an interval needs two {of} or more, not {count}")
    mean = math.fsum(values) / count
    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    return Interval(mean, float(stdtrit(count - 1, 0.975)) * math.sqrt(variance / count), count, of)


def difference(first: Sequence[float], second: Sequence[float], factor: float = 1.0, of: str = "seeds") -> Interval:
    """Return the interval of first - factor * second, paired seed by seed."""
    return mean_interval([a - factor * b for a, b in zip(first, second, strict=True)], of)


def below(found: Interval, border: float, detail: str = "") -> IntervalVerdict:
    """Decide whether a figure is below a border: not if its interval lies across it."""
    holds = True if found.high < border else False if found.low >= border else None
    return IntervalVerdict(holds, detail or str(found))


def above(found: Interval, border: float, detail: str = "") -> IntervalVerdict:
    """Decide whether a figure is above a border: not if its interval lies across it."""
    holds = True if found.low > border else False if found.high <= border else None
    return IntervalVerdict(holds, detail or str(found))


def inside(found: Interval, low: float, high: float, detail: str = "") -> IntervalVerdict:
    """Decide whether a figure lies between two borders: not if its interval lies across one of them."""
    return all_of(above(found, low), below(found, high), detail=detail or str(found))


def all_of(*parts: IntervalVerdict, detail: str = "") -> IntervalVerdict:
    """Decide a claim of several parts: it fails with one of them, and holds with all of them."""
    known = [part.holds for part in parts]
    holds = False if False in known else None if None in known else True
    return IntervalVerdict(holds, detail or "; ".join(part.detail for part in parts))


def less_by_seed(read: Callable[[str], Sequence[float]], low: str, *high: str, factor: float = 1.0) -> IntervalVerdict:
    """Decide whether `low` is less than `factor` times every other label, by the figures of the same seeds."""
    names = ", ".join(f"{label} {mean_interval(read(label))}" for label in (low, *high))
    parts = [below(difference(read(low), read(label), factor), 0.0) for label in high]
    return all_of(*parts, detail=names)


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


def less(read: Callable[[str], float], low: str, *high: str, factor: float = 1.0) -> PlainVerdict:
    """Judge whether the number of `low` is less than `factor` times the number of every other label."""
    return read(low) < factor * min(read(label) for label in high), named(read, low, *high)


def within(low: float, high: float, ratio: Callable[..., float], *key: Any) -> PlainVerdict:
    """Judge whether a ratio lies between two numbers."""
    return low <= ratio(*key) <= high, times(ratio(*key))


def at_least(wanted: float, ratio: Callable[..., float], *key: Any) -> PlainVerdict:
    """Judge whether a ratio is as large as a claim says."""
    return within(wanted, math.inf, ratio, *key)


def times(ratio: float) -> str:
    """Return a ratio in words.

    >>> times(1.234)
    '1.23 times'
    """
    return f"{ratio:.3g} times"
