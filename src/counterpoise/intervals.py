"""Means and their 95 % intervals (V14): SE = SD / sqrt(n), plus or minus 1.96 SE; Student's t for few samples.

A sample is a *group*: one hand, or in a duplicate match all rooms of one deal, whose mean is the sample. Rooms share
their cards, so that an interval over single hands would be wrong.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

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
    def ci95(self) -> float:
        """Half the width of the 95 % interval of the mean; nan below two samples."""
        if self.count < 2:
            return math.nan
        return quantile(self.count) * self.deviation / math.sqrt(self.count)


def quantile(samples: int) -> float:
    """Return how many standard errors the 95 % interval extends to each side.

    >>> round(quantile(5), 3), quantile(1000)
    (2.776, 1.96)
    """
    if samples >= FEW:
        return NORMAL
    from scipy.special import stdtrit

    return float(stdtrit(samples - 1, 0.975))
