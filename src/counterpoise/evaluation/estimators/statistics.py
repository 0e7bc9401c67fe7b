"""Statistics of the samples of a match: errors, sample sizes, paired differences, one-sided tests, bootstrap intervals.

Means and intervals themselves are `counterpoise.intervals.Tally`. A sample is a hand, or in a duplicate match the mean
over all rooms of a deal; every function here takes samples, never single hands of a duplicate match.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from counterpoise.intervals import CONFIDENCE, NORMAL, Tally, normal_quantile, quantile
from counterpoise.parameters import require, require_number, require_whole, shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

RESAMPLES = 2000
"""The number of resamples of a bootstrap."""
MOST_RESAMPLED = 4000
"""With more samples, this many groups of neighbours are averaged and resampled instead."""


def rmse(bias: float, deviation: float, hands: int) -> float:
    """Return the root mean squared error of the mean of `hands` hands: sqrt(bias^2 + SD^2 / n).

    >>> round(rmse(200, 62543, 1000))  # Johanson 2016, table 7.1, Basic, CFR8
    1988
    """
    require_whole("hands", hands)
    return math.hypot(bias, deviation / math.sqrt(hands))


def interval_of(deviation: float, hands: float, confidence: float = CONFIDENCE) -> float:
    """Return half the width of the interval of a mean, from the standard deviation of a sample and their number.

    >>> round(interval_of(1800, 10_000_000), 2)  # ten million duplicate pairs
    1.12
    """
    require(hands > 0, f"hands must be above 0, not {shown(hands)}")
    return _errors(confidence) * deviation / math.sqrt(hands)


def hands_needed(deviation: float, difference: float, confidence: float = CONFIDENCE) -> int:
    """Return how many samples resolve a difference: (1.96 SD / difference)^2, rounded up.

    >>> hands_needed(6000, 10)
    1382976
    """
    require(difference > 0, f"difference must be above 0, not {shown(difference)}")
    return math.ceil(round((_errors(confidence) * deviation / difference) ** 2, 6))


def implied_deviation(half_width: float, hands: int, confidence: float = CONFIDENCE) -> float:
    """Return the standard deviation of a sample that a printed interval implies: half width * sqrt(n) / 1.96.

    >>> round(implied_deviation(14, 563_461))  # Johanson 2016, table 11.5
    5362
    """
    require_whole("hands", hands)
    return half_width * math.sqrt(hands) / _errors(confidence)


def paired_difference(first: ArrayLike, second: ArrayLike) -> Tally:
    """Return the tally of differences, sample by sample, between two estimators on the same hands.

    >>> paired_difference([3, 5, 7], [2, 4, 6]).deviation
    0.0
    """
    import numpy as np

    own, other = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    require(own.shape == other.shape, f"paired samples must be as many, not {own.size:,} and {other.size:,}")
    return Tally.of((own - other).ravel().tolist())


def effective_samples(weights: ArrayLike) -> float:
    """Return (sum w)^2 / sum w^2: the number of samples of equal weight that are worth as much as these.

    >>> effective_samples([1, 1, 1, 1]), effective_samples([4, 0, 0, 0])
    (4.0, 1.0)
    """
    import numpy as np

    values = np.asarray(weights, dtype=float)
    squares = float((values**2).sum())
    return float(values.sum()) ** 2 / squares if squares else 0.0


class OneSided(NamedTuple):
    """A one-sided test of whether a mean is above a threshold."""

    z: float
    """The mean above the threshold, in standard errors."""
    p: float
    """How likely a mean at the threshold would look this high by luck."""
    significant: bool


def one_sided(
    mean: float, deviation: float, samples: int, threshold: float = 0.0, confidence: float = CONFIDENCE
) -> OneSided:
    """Test mean > threshold: it is significant if it exceeds it by 1.645 standard errors (Johanson 2016, chapter 8;
    Student's t for few).

    >>> test = one_sided(62, 617, 500)  # IO-DIVAT in match 2 of 2007
    >>> round(test.z, 2), test.significant
    (2.25, True)
    """
    require_whole("samples", samples, 2)
    require_number("deviation", deviation, 0)
    error = deviation / math.sqrt(samples)
    gap = mean - threshold
    z = gap / error if error else math.copysign(math.inf, gap) if gap else 0.0
    from scipy.special import stdtr

    p = float(stdtr(samples - 1, -z)) if math.isfinite(z) else float(z < 0)
    return OneSided(z, p, z > quantile(samples, confidence, sides=1))


def bootstrap(
    samples: Sequence[float] | ArrayLike,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> tuple[float, float]:
    """Return the percentile bootstrap interval of the mean (Efron 1979), which need not be symmetric.

    Off-policy estimators have heavy tails, for which normal intervals are too short; this one is too short as well if
    the rare large weights have not been seen at all. Both ends are nan with fewer than two samples.
    """
    import numpy as np

    values = np.asarray(samples, dtype=float).ravel()
    require_whole("resamples", resamples, 10)
    if len(values) < 2:
        return math.nan, math.nan
    sizes = np.ones(len(values))
    if len(values) > MOST_RESAMPLED:
        groups = np.array_split(values, MOST_RESAMPLED)
        values, sizes = np.array([group.sum() for group in groups]), np.array([float(len(group)) for group in groups])
    drawn = np.random.default_rng(seed)
    means = np.empty(resamples)
    for number in range(resamples):
        places = drawn.integers(len(values), size=len(values))
        means[number] = values[places].sum() / sizes[places].sum()
    outside = (1 - confidence) / 2
    low, high = np.quantile(means, [outside, 1 - outside])
    return float(low), float(high)


def _errors(confidence: float) -> float:
    """Return the number of standard errors of an interval: 1.96 at 95 %, as printed tables have it."""
    return NORMAL if confidence == CONFIDENCE else normal_quantile(confidence)
