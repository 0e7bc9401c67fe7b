"""k-means clustering of weighted points with Euclidean or earth mover's distance (Johanson 2016, section 5.3).

Lloyd's iterations from k-means++ seeds, several times, keeping the lowest objective. The next seed is drawn with
probability in proportion to weight times squared distance to the nearest seed; of sixteen draws the one that lowers the
sum of squared distances most is taken. A cluster that becomes empty starts again at the point farthest from its centre.
Equal points are merged first, and the triangle inequality skips most distances. Nothing depends on the number of
threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from counterpoise.abstraction.kernels import kmeans as kernels
from counterpoise.abstraction.kernels.kmeans import ABSOLUTE, FAR, LANES, SQUARED
from counterpoise.errors import InputError
from counterpoise.jobs.pieces import Work, pieces
from counterpoise.parameters import as_numbers, require_choice, require_whole, shown

Metric = Literal["l2", "emd"]
Centroid = Literal["mean", "median"]
POINTS_AT_ONCE = 1 << 14
SEED_POINTS = 1 << 17
"""Seeds are drawn from at most this many points, drawn at random: more take long and change little."""
FEW = 200
"""Equal points are not looked for among fewer."""
MOST = 1e8
"""The largest component of a point: all are nearer to each other than to what fills blocks up (`FAR`)."""
METRICS = {"l2": SQUARED, "emd": ABSOLUTE}

FloatArray = NDArray[np.float32]
Labels = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Clustering:
    """Centres from weak to strong, the centre of each point, and the objective.

    The objective is the weighted sum of squared distances, with median centres of distances.
    """

    centres: FloatArray
    labels: Labels
    objective: float
    objectives: tuple[float, ...]
    blocks_met: int
    """How often sixteen distances at a time were computed after the first step of the best run."""


@dataclass(frozen=True)
class KMeans:
    """Settings of a clustering into `buckets` clusters."""

    buckets: int
    metric: Metric = "l2"
    centroid: Centroid = "mean"
    restarts: int = 3
    iterations: int = 100
    tolerance: float = 3e-5
    """Stop when an iteration improves the objective by less than this share."""
    seed: int = 0
    bounds: bool = True
    """Whether the triangle inequality skips distances; the result is the same without."""

    def __post_init__(self) -> None:
        require_whole("buckets", self.buckets)
        require_choice("metric", self.metric, tuple(METRICS))
        require_choice("centroid", self.centroid, ("mean", "median"))
        require_whole("restarts", self.restarts)
        require_whole("iterations", self.iterations)

    def fit(self, points: FloatArray, weights: NDArray[np.float64], work: Work | None = None) -> Clustering:
        """Return the best clustering of several runs; fewer clusters if there are fewer different points."""
        runs = KMeansRuns(self, points, weights, work or Work())
        return min((runs.run(restart) for restart in range(self.restarts)), key=lambda found: found.objective)


def assign(points: FloatArray, centres: FloatArray, metric: Metric) -> Labels:
    """Return the nearest centre of every point, the first of equals."""
    require_choice("metric", metric, tuple(METRICS))
    points, centres = _as_table("points", points, MOST), _as_table("centres", centres, float(FAR))
    if len(centres) == 0:
        raise InputError("centres must be one or more, not none")
    if centres.shape[1] != points.shape[1]:
        raise InputError(f"centres must have the {points.shape[1]} components of points, not {centres.shape[1]}")
    padded = _padded(points)
    if len(points) < FEW:
        first = number = np.arange(len(points))
    else:
        first, number = different(padded)
    labels = np.empty(len(first), dtype=np.int32)
    kernels.nearest(padded[first], np.ascontiguousarray(_padded(centres).T), METRICS[metric], labels)
    return labels[number]


def different(points: FloatArray) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the index of the first of each set of equal points, and for every point the number of its set."""
    words = points.view(np.uint32)
    keys = np.empty(len(points), dtype=np.uint64)
    number = np.empty(len(points), dtype=np.int64)
    kernels.hash_rows(words, keys)
    order = np.argsort(keys, kind="stable")
    first = np.empty(kernels.number_rows(words, order, number), dtype=np.int64)
    first[number[order[::-1]]] = order[::-1]
    return first, number


class KMeansRuns:
    """Runs of k-means on the same points; each draws seeds of its own."""

    def __init__(self, settings: KMeans, points: FloatArray, weights: NDArray[np.float64], work: Work) -> None:
        points, weights = _as_table("points", points, MOST), as_numbers("weights", weights)
        if weights.shape != (len(points),) or len(points) == 0:
            raise InputError(f"weights must be as many as points, {len(points)}, and at least one, not {weights.size}")
        if not (weights.min() >= 0 and 0 < weights.sum() < np.inf):
            raise InputError(f"weights must be numbers of at least 0, some above, not {shown(weights.tolist()[:20])}")
        self.settings, self.work = settings, work
        self.metric = METRICS[settings.metric]
        self.width = points.shape[1]
        padded = _padded(points)
        first, self.number = different(padded)
        self.points = padded[first]
        self.weights: NDArray[np.float64] = np.bincount(self.number, weights=weights).astype(np.float64)
        self.pieces = pieces(len(self.points), POINTS_AT_ONCE)
        self.power = 2 if settings.centroid == "mean" else 1

    def run(self, restart: int) -> Clustering:
        """Return the best step of one run of Lloyd's iterations."""
        generator = np.random.default_rng((self.settings.seed, restart))
        centres = _neighbours_together(self._seeds(generator))
        labels = np.zeros(len(self.points), dtype=np.int32)
        distances = np.empty(len(self.points), dtype=np.float32)
        drift = np.zeros(len(_blocks(centres)), dtype=np.float32)
        lower = np.zeros((len(self.points), len(drift)), dtype=np.float32)
        best: tuple[float, FloatArray, Labels] | None = None
        trace: list[float] = []
        met = 0
        for step in range(self.settings.iterations):
            if not self.settings.bounds:
                lower[:] = 0
            changed, now_met = self._step(_blocks(centres), drift, labels, distances, lower)
            met += now_met if step else 0
            trace.append(float(self.weights @ distances.astype(np.float64) ** self.power))
            if best is None or trace[-1] < best[0]:
                best = trace[-1], centres, labels.copy()
            before = trace[-2] if step else np.inf
            self._show(restart, step, trace[-1])
            if trace[-1] == 0 or (step and (changed == 0 or before - trace[-1] < self.settings.tolerance * before)):
                break
            moved = self._centres(centres, labels, distances)
            drift = self._drift(centres, moved)
            centres = moved
        assert best is not None
        return self._sorted(best, tuple(trace), met)

    def _seeds(self, generator: np.random.Generator) -> FloatArray:
        """Return k-means++ seeds; fewer than asked for if there are not as many different points."""
        if len(self.points) > SEED_POINTS:
            some = np.sort(generator.choice(len(self.points), SEED_POINTS, replace=False))
            fewer = KMeansRuns(self.settings, self.points[some, : self.width], self.weights[some], self.work)
            return fewer._seeds(generator)
        seeds = np.zeros((self.settings.buckets, self.points.shape[1]), dtype=np.float32)
        labels = np.zeros(len(self.points), dtype=np.int32)
        distances = np.full(len(self.points), np.inf, dtype=np.float32)
        share, count = self.weights, 0
        while count < self.settings.buckets and share.sum() > 0:
            drawn = _draw(share, generator, LANES if count else 1)
            block = _blocks(self.points[drawn, : self.width])
            half = np.zeros((max(count, 1), LANES), dtype=np.float32)
            kernels.halfway(seeds[:count], block, self.metric, half)
            lane = self._best_lane(block, half, labels, distances) if count else 0
            seeds[count] = self.points[drawn[lane]]
            chosen = block, lane, count, half, self.metric

            def do(begin: int, end: int, chosen: tuple[Any, ...] = chosen) -> None:
                kernels.add_seed(self.points[begin:end], *chosen, labels[begin:end], distances[begin:end])

            self.work.run(self.pieces, do)
            count += 1
            share = self.weights * distances.astype(np.float64) ** 2
        return seeds[:count, : self.width].copy()

    def _best_lane(self, block: FloatArray, half: FloatArray, labels: Labels, distances: FloatArray) -> int:
        """Return the lane whose place as one more seed leaves the least sum of squared distances."""
        gain = np.zeros((len(self.pieces), LANES))
        least = half.min(axis=1)

        def do(begin: int, end: int) -> None:
            here, at = slice(begin, end), begin // POINTS_AT_ONCE
            kernels.try_seeds(
                self.points[here],
                self.weights[here],
                block,
                least,
                self.metric,
                labels[here],
                distances[here],
                gain[at],
            )

        self.work.run(self.pieces, do)
        return int(gain.sum(axis=0).argmax())

    def _step(
        self, blocks: FloatArray, drift: FloatArray, labels: Labels, distances: FloatArray, lower: FloatArray
    ) -> tuple[int, int]:
        counts = np.zeros((len(self.pieces), 2), dtype=np.int64)

        def do(begin: int, end: int) -> None:
            here = slice(begin, end)
            counts[begin // POINTS_AT_ONCE] = kernels.lloyd_step(
                self.points[here], blocks, drift, self.metric, labels[here], distances[here], lower[here]
            )

        self.work.run(self.pieces, do)
        return int(counts[:, 0].sum()), int(counts[:, 1].sum())

    def _centres(self, centres: FloatArray, labels: Labels, distances: FloatArray) -> FloatArray:
        """Return the mean or median of each cluster; an empty one starts again at the farthest point."""
        moved = centres.copy()
        if self.settings.centroid == "median":
            order = np.argsort(labels, kind="stable")
            start = np.searchsorted(labels[order], np.arange(len(centres) + 1))
            kernels.medians(self.points[:, : self.width], self.weights, order, start, moved)
            empty = np.flatnonzero(np.diff(start) == 0)
        else:
            sums, mass = self._sums(labels, len(centres))
            filled = mass > 0
            moved[filled] = (sums[filled] / mass[filled, None]).astype(np.float32)
            empty = np.flatnonzero(~filled)
        if len(empty):
            farthest = np.argsort(-distances, kind="stable")[: len(empty)]
            moved[empty] = self.points[farthest, : self.width]
        return moved

    def _sums(self, labels: Labels, count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        larger = pieces(len(self.points), POINTS_AT_ONCE * 16)
        sums = np.zeros((len(larger), count, self.width))
        mass = np.zeros((len(larger), count))

        def do(begin: int, end: int) -> None:
            here, at = slice(begin, end), begin // (POINTS_AT_ONCE * 16)
            kernels.add_up(self.points[here, : self.width], self.weights[here], labels[here], sums[at], mass[at])

        self.work.run(larger, do)
        return sums.sum(axis=0), mass.sum(axis=0)

    def _drift(self, before: FloatArray, after: FloatArray) -> FloatArray:
        """Return how far any centre of each block has moved, rounded up."""
        difference = after.astype(np.float64) - before
        moved = np.sqrt((difference**2).sum(axis=1)) if self.metric == SQUARED else np.abs(difference).sum(axis=1)
        filled = np.zeros(-(-len(moved) // LANES) * LANES)
        filled[: len(moved)] = moved
        return np.asarray(filled.reshape(-1, LANES).max(axis=1) * (1 + 1e-6), dtype=np.float32)

    def _sorted(self, best: tuple[float, FloatArray, Labels], trace: tuple[float, ...], met: int) -> Clustering:
        objective, centres, labels = best
        sign = -1 if self.settings.metric == "emd" else 1  # weak hands have high cumulative histograms
        order = np.argsort(sign * (centres @ (1 + np.arange(self.width) / self.width)), kind="stable")
        ranks = np.argsort(order).astype(np.int32)
        return Clustering(centres[order], ranks[labels][self.number], objective, trace, met)

    def _show(self, restart: int, step: int, objective: float) -> None:
        share = (restart + (step + 1) / self.settings.iterations) / self.settings.restarts
        self.work.progress.show(share, f"run {restart + 1}, iteration {step + 1}, objective {objective:.5g}")


def _draw(share: NDArray[np.float64], generator: np.random.Generator, count: int) -> NDArray[np.int64]:
    """Return `count` places, each drawn in proportion to its share."""
    cumulative = np.cumsum(share)
    return np.asarray(np.searchsorted(cumulative, generator.random(count) * cumulative[-1], side="right"))


def _as_table(name: str, given: Any, most: float) -> FloatArray:
    """Return rows of components between -most and most; kernels neither check bounds nor know nan."""
    try:
        found = np.ascontiguousarray(given, dtype=np.float32)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be a table of numbers, not {shown(given)}") from None
    if found.ndim != 2 or found.shape[1] == 0:
        raise InputError(f"{name} must be a table of numbers, one row per point, not of shape {found.shape}")
    if not (found.min(initial=0) >= -most and found.max(initial=0) <= most):
        raise InputError(f"{name} must be numbers from {-most:g} to {most:g}, not nan or others")
    return found


def _padded(points: FloatArray) -> FloatArray:
    """Return points with components in fours, as the kernels read them."""
    missing = -points.shape[1] % 4
    return np.pad(points, ((0, 0), (0, missing))) if missing else points


def _blocks(centres: FloatArray) -> FloatArray:
    """Return centres in blocks of sixteen, [block, component, lane]; far ones fill the last block up."""
    count, width = centres.shape
    filled = np.full((-(-count // LANES) * LANES, width + -width % 4), FAR, dtype=np.float32)
    filled[:count, width:] = 0
    filled[:count, :width] = centres
    return np.ascontiguousarray(filled.reshape(-1, LANES, filled.shape[1]).transpose(0, 2, 1))


def _neighbours_together(centres: FloatArray) -> FloatArray:
    """Return centres sorted along their longest axis, so that a block holds neighbours and bounds are tight."""
    spread = centres - centres.mean(axis=0)
    axis = np.linalg.eigh(spread.T.astype(np.float64) @ spread)[1][:, -1]
    return np.ascontiguousarray(centres[np.argsort(spread @ axis, kind="stable")])
