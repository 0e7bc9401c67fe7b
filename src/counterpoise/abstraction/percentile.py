"""Buckets of a single number: percentiles, given cut points, or a threshold between neighbours.

See Johanson 2016, section 2.5.

A cut point is the lowest value of the bucket above it, so equal values are never parted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError

FloatArray = NDArray[np.float64]


def percentile_cuts(values: FloatArray, weights: FloatArray, buckets: int) -> FloatArray:
    """Return the cut points of `buckets` buckets of about equal weight; inf where a bucket is empty.

    A value belongs where the middle of its weight falls: no bucket exceeds its share by more than one value's weight.

    >>> percentile_cuts(np.array([1.0, 2, 3, 4]), np.ones(4), 2)
    array([3.])
    """
    different, inverse = np.unique(values, return_inverse=True)
    mass = np.bincount(inverse, weights=weights)
    middle = np.cumsum(mass) - mass / 2
    bucket = np.minimum((middle * buckets / mass.sum()).astype(np.int64), buckets - 1)
    first = np.searchsorted(bucket, np.arange(1, buckets))
    return np.append(different, np.inf)[first]


def threshold_cuts(values: FloatArray, threshold: float) -> FloatArray:
    """Return cut points where sorted neighbours differ by at least the threshold.

    >>> threshold_cuts(np.array([0.1, 0.15, 0.4, 0.41]), 0.1)
    array([0.4])
    """
    different = np.unique(values)
    return different[1:][np.diff(different) >= threshold]


@dataclass(frozen=True)
class Cutter:
    """How numbers are cut: into `buckets`, each again into `split` by the second column.

    `given` are an expert's cut points; `threshold` merges neighbours that differ by less.
    """

    buckets: int
    split: int = 1
    columns: tuple[int, int] = (1, 0)
    given: tuple[float, ...] | None = None
    threshold: float | None = None

    def cuts(self, values: FloatArray, weights: FloatArray) -> FloatArray:
        """Return one cut point less than buckets, inf where there are fewer."""
        if self.given is not None:
            found = np.asarray(self.given, dtype=np.float64)
        elif self.threshold is not None:
            found = threshold_cuts(values, self.threshold)
            if len(found) >= self.buckets:
                raise InputError(
                    f"threshold {self.threshold} makes {len(found) + 1:,} buckets; at most {self.buckets:,} are allowed"
                )
        else:
            return percentile_cuts(values, weights, self.buckets)
        return np.append(found, np.full(self.buckets - 1 - len(found), np.inf))

    def inner_cuts(self, values: FloatArray, weights: FloatArray) -> FloatArray:
        """Return the percentile cut points inside a bucket."""
        return percentile_cuts(values, weights, self.split)
