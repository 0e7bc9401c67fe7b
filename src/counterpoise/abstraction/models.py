"""What turns features into buckets: cut points of a number, or centres of clusters; one set for each group.

A group is the bucket of the street before (perfect recall), a public bucket, or the only one. Bucket numbers are
``group * buckets per group + number within the group``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.abstraction.kernels.kmeans import FAR
from counterpoise.abstraction.kmeans import Clustering, KMeans, KMeansRuns, Metric, assign
from counterpoise.abstraction.percentile import Cutter
from counterpoise.jobs.pieces import Work, pieces

if TYPE_CHECKING:
    from counterpoise.abstraction.cache import Arrays, Check, Keep

GROUP_PARTS = 8
"""The number of parts in which the groups of a street are clustered; each is saved when it is done."""
Groups = NDArray[np.int32]
Points = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Cuts:
    """Buckets of a number; each may be cut again by another number (nested, Johanson 2016, section 2.5).

    `columns` are the components of a point for the first and for the second cut.
    """

    columns: tuple[int, int]
    outer: NDArray[np.float64]  # [group, cut]
    inner: NDArray[np.float64]  # [group, outer bucket, cut]

    @property
    def per_group(self) -> int:
        """Number of buckets of a group."""
        return int((self.outer.shape[1] + 1) * (self.inner.shape[2] + 1))

    @property
    def buckets(self) -> int:
        """Number of buckets of all groups."""
        return len(self.outer) * self.per_group

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

    def arrays(self) -> Arrays:
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

    @property
    def buckets(self) -> int:
        """Number of buckets of all groups."""
        return len(self.centres) * self.per_group

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

    def arrays(self) -> Arrays:
        """Return what a file keeps."""
        return {"centres": self.centres, "metric": np.array(self.metric)}


Model = Cuts | Centres


def model_from_arrays(arrays: Arrays) -> Model:
    """Return the model that `arrays` of a file describe."""
    if "centres" in arrays:
        return Centres(arrays["centres"], "emd" if str(arrays["metric"]) == "emd" else "l2")
    first, second = (int(column) for column in arrays["columns"])
    return Cuts((first, second), arrays["outer"], arrays["inner"])


@dataclass(frozen=True)
class Fitted:
    """A model, the objective of its clustering, and how many of its buckets hold any of the points it was made of."""

    model: Model
    objective: float
    filled: int


def fit_centres(
    settings: KMeans,
    points: Points,
    weights: NDArray[np.float64],
    groups: Groups | None,
    count: int,
    work: Work,
    keep: Keep,
    check: Callable[[int], Check],
) -> Fitted:
    """Return the centres of every group; `keep` keeps each run of k-means, or many groups at a time.

    The objective is the sum over groups. `check` returns the check of what was kept of some groups.
    """
    if groups is None:
        runs = KMeansRuns(settings, points, weights, work)
        found = [keep(f"run-{at}", partial(_run_arrays, runs, at), check(1)) for at in range(settings.restarts)]
        parts = [min(found, key=lambda run: float(run["objective"]))]
    else:
        members = _members(groups, count)
        parts = [
            keep(
                f"groups-{begin}",
                partial(_group_arrays, settings, points, weights, members[begin:end], work),
                check(end - begin),
            )
            for begin, end in pieces(count, -(-count // GROUP_PARTS))
        ]
    centres = np.concatenate([part["centres"] for part in parts])
    objective, filled = (sum(part[name].item() for part in parts) for name in ("objective", "filled"))
    return Fitted(Centres(centres, settings.metric), objective, filled)


def _members(groups: Groups, count: int) -> list[NDArray[np.int64]]:
    """Return the points of each group."""
    order = np.argsort(groups, kind="stable")
    return np.split(order, np.searchsorted(groups[order], np.arange(1, count)))


def _run_arrays(runs: KMeansRuns, restart: int) -> Arrays:
    return _clustering_arrays(runs.settings.buckets, runs.run(restart))


def _group_arrays(
    settings: KMeans, points: Points, weights: NDArray[np.float64], groups: list[NDArray[np.int64]], work: Work
) -> Arrays:
    """Return the centres of several groups, sum of objectives and number of filled buckets."""
    nothing = np.full((1, settings.buckets, points.shape[1]), FAR, dtype=np.float32)
    found: list[Arrays] = [
        _clustering_arrays(settings.buckets, settings.fit(points[members], weights[members], work))
        if len(members)
        else {"centres": nothing, "objective": np.array(0.0), "filled": np.array(0)}
        for members in groups
    ]
    sums = {name: np.array(sum(one[name] for one in found)) for name in ("objective", "filled")}
    return {"centres": np.concatenate([one["centres"] for one in found]), **sums}


def _clustering_arrays(buckets: int, found: Clustering) -> Arrays:
    """Return what is kept of the clustering of one group; centres that do not exist are far away."""
    centres = np.full((1, buckets, found.centres.shape[1]), FAR, dtype=np.float32)
    centres[0, : len(found.centres)] = found.centres
    filled = np.array(len(np.unique(found.labels)))
    return {"centres": centres, "objective": np.array(found.objective), "filled": filled}


def fit_cuts(cutter: Cutter, points: Points, weights: NDArray[np.float64], groups: Groups | None, count: int) -> Fitted:
    """Return the cut points of every group."""
    outer = np.full((count, cutter.buckets - 1), np.inf)
    inner = np.full((count, cutter.buckets, cutter.split - 1), np.inf)
    first, second = cutter.columns
    for group, members in enumerate([np.arange(len(points))] if groups is None else _members(groups, count)):
        here, mass = points[members], weights[members]
        if len(here) == 0:
            continue
        outer[group] = cutter.cuts(here[:, first], mass)
        if cutter.split > 1:
            found = np.searchsorted(outer[group], here[:, first], side="right")
            for bucket in range(cutter.buckets):
                if (inside := found == bucket).any():
                    inner[group, bucket] = cutter.inner_cuts(here[inside, second], mass[inside])
    model = Cuts(cutter.columns, outer, inner)
    return Fitted(model, 0.0, len(np.unique(model.assign(points, groups))))
