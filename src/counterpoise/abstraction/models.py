"""What turns features into buckets: cut points of a number, or centres of clusters; one set for each group.

A group is the bucket of the street before (perfect recall), a public bucket, or the only one. Bucket numbers are
``group * buckets per group + number within the group``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.abstraction.kernels.kmeans import FAR
from counterpoise.abstraction.kmeans import KMeans, Metric, assign
from counterpoise.abstraction.percentile import Cutter
from counterpoise.abstraction.work import Work

Groups = NDArray[np.int32]
Points = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Cuts:
    """Buckets of a number; each may be cut again by another number (nested, JOHANSON 2.5).

    `columns` are the components of a point for the first and for the second cut.
    """

    columns: tuple[int, int]
    outer: NDArray[np.float64]  # [group, cut]
    inner: NDArray[np.float64]  # [group, outer bucket, cut]

    @property
    def per_group(self) -> int:
        """Number of buckets of a group."""
        return int((self.outer.shape[1] + 1) * (self.inner.shape[2] + 1))

    def assign(self, points: Points, groups: Groups | None = None) -> NDArray[np.int32]:
        """Return the bucket of every point."""
        group = np.zeros(len(points), dtype=np.int32) if groups is None else groups
        first, second = points[:, self.columns[0]], points[:, self.columns[1]]
        if len(self.outer) == 1:
            found = np.searchsorted(self.outer[0], first, side="right")
        else:
            found = (self.outer[group] <= first[:, None]).sum(axis=1)
        if self.inner.shape[2]:
            within = (self.inner[group, found] <= second[:, None]).sum(axis=1)
            found = found * (self.inner.shape[2] + 1) + within
        return (group * self.per_group + found).astype(np.int32)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what a file keeps."""
        return {"columns": np.array(self.columns), "outer": self.outer, "inner": self.inner}


@dataclass(frozen=True, eq=False)
class Centres:
    """Buckets by the nearest of several centres."""

    centres: NDArray[np.float32]  # [group, bucket, component]
    metric: Metric

    @property
    def per_group(self) -> int:
        """Number of buckets of a group."""
        return int(self.centres.shape[1])

    def assign(self, points: Points, groups: Groups | None = None) -> NDArray[np.int32]:
        """Return the bucket of every point."""
        if len(self.centres) == 1:
            return assign(points, self.centres[0], self.metric)
        assert groups is not None
        found = np.zeros(len(points), dtype=np.int32)
        order = np.argsort(groups, kind="stable")
        different, start = np.unique(groups[order], return_index=True)
        for group, members in zip(different, np.split(order, start[1:]), strict=True):
            found[members] = group * self.per_group + assign(points[members], self.centres[group], self.metric)
        return found

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what a file keeps."""
        return {"centres": self.centres, "metric": np.array(self.metric)}


Model = Cuts | Centres


def model_from_arrays(arrays: dict[str, NDArray[Any]]) -> Model:
    """Return the model that `arrays` of a file describe."""
    if "centres" in arrays:
        return Centres(arrays["centres"], "emd" if str(arrays["metric"]) == "emd" else "l2")
    first, second = (int(column) for column in arrays["columns"])
    return Cuts((first, second), arrays["outer"], arrays["inner"])


def fit_centres(
    settings: KMeans, points: Points, weights: NDArray[np.float64], groups: Groups | None, count: int, work: Work
) -> tuple[Centres, float]:
    """Return the centres of every group, and the sum of their objectives."""
    centres = np.full((count, settings.buckets, points.shape[1]), FAR, dtype=np.float32)
    objective = 0.0
    for group in range(count):
        members = slice(None) if groups is None else np.flatnonzero(groups == group)
        if len(points[members]):
            found = settings.fit(points[members], weights[members], work)
            centres[group, : len(found.centres)] = found.centres
            objective += found.objective
    return Centres(centres, settings.metric), objective


def fit_cuts(cutter: Cutter, points: Points, weights: NDArray[np.float64], groups: Groups | None, count: int) -> Cuts:
    """Return the cut points of every group."""
    outer = np.full((count, cutter.buckets - 1), np.inf)
    inner = np.full((count, cutter.buckets, cutter.split - 1), np.inf)
    first, second = cutter.columns
    for group in range(count):
        members = slice(None) if groups is None else np.flatnonzero(groups == group)
        here, mass = points[members], weights[members]
        if len(here) == 0:
            continue
        outer[group] = cutter.cuts(here[:, first], mass)
        if cutter.split > 1:
            found = np.searchsorted(outer[group], here[:, first], side="right")
            for bucket in range(cutter.buckets):
                if (inside := found == bucket).any():
                    inner[group, bucket] = cutter.inner_cuts(here[inside, second], mass[inside])
    return Cuts(cutter.columns, outer, inner)
