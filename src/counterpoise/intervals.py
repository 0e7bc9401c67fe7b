"""Means and their intervals: SE = SD / sqrt(n), plus or minus 1.96 SE for 95 %; Student's t for few samples.

A sample is a *group*: one hand, or in a duplicate match all rooms of one deal, whose mean is the sample. Rooms share
their cards, so that an interval over single hands would be wrong.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Self

from counterpoise.errors import InputError

CONFIDENCE = 0.95
"""The share of intervals that hold the true mean, where nothing else is said."""
NORMAL = 1.96
"""How many standard errors an interval of 95 % reaches to either side."""
FEW = 30
"""Samples below which Student's t takes the place of the normal distribution."""


@dataclass
class Tally:
    """Count, sum and sum of squares of samples, which add up exactly in any order if payoffs are whole chips."""

    count: int = 0
    total: float = 0.0
    squares: float = 0.0

    @classmethod
    def of(cls, samples: Iterable[float]) -> Self:
        """Return the tally of samples.

        >>> Tally.of([1, 2, 3]).mean
        2.0
        """
        values = [float(sample) for sample in samples]
        return cls(len(values), math.fsum(values), math.fsum([value * value for value in values]))

    def add(self, count: int, total: float, squares: float) -> None:
        """Add samples that were summed up elsewhere."""
        self.count, self.total, self.squares = self.count + count, self.total + total, self.squares + squares

    @property
    def mean(self) -> float:
        """The mean of the samples; nan without any."""
        return self.total / self.count if self.count else math.nan

    @property
    def deviation(self) -> float:
        """The standard deviation of one sample; nan below two."""
        if self.count < 2:
            return math.nan
        return math.sqrt(max(self.squares - self.total**2 / self.count, 0.0) / (self.count - 1))

    @property
    def standard_error(self) -> float:
        """The standard deviation of the mean; nan below two samples."""
        return self.deviation / math.sqrt(self.count) if self.count > 1 else math.nan

    @property
    def ci95(self) -> float:
        """Half the width of the 95 % interval of the mean; nan below two samples."""
        return self.half_width()

    def half_width(self, confidence: float = CONFIDENCE) -> float:
        """Return half the width of the interval of the mean at some confidence; nan below two samples."""
        return quantile(self.count, confidence) * self.standard_error if self.count > 1 else math.nan


def quantile(samples: int, confidence: float = CONFIDENCE, sides: int = 2) -> float:
    """Return how many standard errors an interval extends to each side, or a one-sided bound (`sides=1`) to its side.

    >>> round(quantile(5), 3), quantile(1000), round(quantile(1000, 0.99), 3), round(quantile(1000, sides=1), 3)
    (2.776, 1.96, 2.576, 1.645)
    """
    if samples >= FEW:
        return NORMAL if (confidence, sides) == (CONFIDENCE, 2) else normal_quantile(confidence, sides)
    from scipy.special import stdtrit

    return float(stdtrit(samples - 1, _upper_share(confidence, sides)))


@cache
def normal_quantile(confidence: float, sides: int = 2) -> float:
    """Return the same for the normal distribution, exactly: 1.959964 for 95 % to both sides.

    >>> round(normal_quantile(0.95), 6), round(normal_quantile(0.95, sides=1), 6)
    (1.959964, 1.644854)
    """
    from scipy.special import ndtri

    return float(ndtri(_upper_share(confidence, sides)))


def _upper_share(confidence: float, sides: int) -> float:
    """Return the share of the distribution below the upper end of an interval."""
    if not 0 < confidence < 1:
        raise InputError(f"confidence must be a number between 0 and 1, not {confidence}")
    return 1 - (1 - confidence) / sides


def rounded(value: float, digits: int, sign: str = "") -> str:
    """Return a figure rounded to `digits` significant digits, whole numbers in full; with `sign` "+" always signed.

    >>> rounded(0.12345, 2), rounded(2654.3, 2, "+"), rounded(982.4, 2), rounded(99.7, 2)
    ('0.12', '+2,654', '982', '100')
    """
    whole = abs(value) >= min(1000, 10**digits - 0.5)
    return format(value, f"{sign},.0f" if whole else f"{sign}.{digits}g")
