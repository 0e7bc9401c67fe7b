"""k-means with bounds, against plain Lloyd iterations and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest

from counterpoise.abstraction.clusters import published_clusters
from counterpoise.abstraction.emd import cumulative
from counterpoise.abstraction.features import Ochs
from counterpoise.abstraction.kernels.kmeans import LANES
from counterpoise.abstraction.kmeans import KMeans, KMeansRuns, assign, different
from counterpoise.abstraction.strength import HoldemCards
from counterpoise.cards import STANDARD_DECK
from counterpoise.errors import InputError
from counterpoise.jobs.pieces import Work


def histograms(count: int, seed: int = 0) -> np.ndarray:
    generator = np.random.default_rng(seed)
    return cumulative(generator.gamma(0.5, size=(count, 20)).astype(np.float32))


def river_points(boards: int) -> np.ndarray:
    generator = np.random.default_rng(1)
    dealt = np.array([np.sort(generator.choice(52, 5, replace=False)) for _ in range(boards)], dtype=np.uint8)
    found = Ochs(HoldemCards(), 3, published_clusters()).on_boards(dealt)
    return np.concatenate([found[at][STANDARD_DECK.live_hands(board.tolist())] for at, board in enumerate(dealt)])


@pytest.mark.parametrize(("metric", "centroid"), [("l2", "mean"), ("emd", "mean"), ("emd", "median"), ("l2", "median")])
def test_bounds_change_nothing(metric: str, centroid: str) -> None:
    """Elkan's bounds give the result of plain Lloyd from the same seeds for any metric."""
    points, weights = histograms(3000), np.random.default_rng(3).integers(1, 12, 3000).astype(float)
    settings = {"metric": metric, "centroid": centroid, "restarts": 1, "iterations": 12, "tolerance": 0.0, "seed": 4}
    bounded = KMeans(40, **settings).fit(points, weights)
    plain = KMeans(40, **settings, bounds=False).fit(points, weights)
    assert (bounded.labels == plain.labels).all()
    assert bounded.objectives == plain.objectives
    assert bounded.blocks_met < plain.blocks_met


@pytest.mark.parametrize(("metric", "centroid"), [("l2", "mean"), ("emd", "median")])
def test_objective_never_rises(metric: str, centroid: str) -> None:
    """With L2 and means, and with EMD and medians, no Lloyd step raises the objective."""
    for seed in range(3):
        found = KMeans(25, metric, centroid, restarts=1, iterations=30, tolerance=0.0, seed=seed).fit(
            histograms(2000, seed), np.ones(2000)
        )
        trace = np.array(found.objectives)
        assert (np.diff(trace) <= 1e-6 * trace[:-1]).all()


@pytest.mark.parametrize("metric", ["l2", "emd"])
def test_as_many_buckets_as_points(metric: str) -> None:
    """k = number of distinct points gives 0; with fewer points there are fewer clusters."""
    points = np.repeat(histograms(30), 3, axis=0)
    found = KMeans(30, metric).fit(points, np.ones(90))
    assert found.objective == 0
    assert len(np.unique(found.labels)) == 30
    assert len(KMeans(50, metric).fit(points, np.ones(90)).centres) == 30


def test_threads_change_nothing() -> None:
    points, weights = histograms(40_000), np.ones(40_000)
    one, two = (KMeans(20, restarts=1, iterations=8).fit(points, weights, Work(threads=count)) for count in (1, 2))
    assert (one.labels == two.labels).all()
    assert (one.centres == two.centres).all()


def test_weights_are_repetitions() -> None:
    points = histograms(300)
    weights = np.random.default_rng(0).integers(1, 5, 300)
    found = KMeans(6, restarts=8, tolerance=0.0).fit(points, weights.astype(float))
    repeated = KMeans(6, restarts=8, tolerance=0.0).fit(np.repeat(points, weights, axis=0), np.ones(weights.sum()))
    assert found.objective == pytest.approx(repeated.objective, rel=0.02)


def test_assign_finds_the_nearest() -> None:
    points, centres = histograms(500, 1), histograms(37, 2)
    for metric, distance in (("emd", np.abs), ("l2", np.square)):
        everything = distance(points[:, None].astype(float) - centres).sum(axis=2)
        assert (assign(points, centres, metric) == everything.argmin(axis=1)).all()


def test_seeds_are_those_of_plain_sums() -> None:
    """The triangle inequality skips points, and the draw that lowers the sum most is still the one that is taken."""
    points, weights = histograms(400), np.random.default_rng(5).integers(1, 9, 400).astype(float)
    for metric, distance in (("emd", np.abs), ("l2", np.square)):
        runs = KMeansRuns(KMeans(30, metric), points, weights, Work())
        own, mass = runs.points[:, : points.shape[1]].astype(float), runs.weights
        generator = np.random.default_rng(7)
        everything = distance(own[:, None] - own).sum(axis=2) ** (2 if metric == "emd" else 1)
        nearest, seeds = np.ones(len(own)), []
        for draws in [1] + [LANES] * 29:
            sums = np.cumsum(mass * nearest)
            drawn = np.searchsorted(sums, generator.random(draws) * sums[-1], side="right")
            left = np.minimum(nearest if seeds else np.inf, everything[drawn]) @ mass
            seeds.append(int(drawn[left.argmin()]))
            nearest = np.minimum(nearest if len(seeds) > 1 else np.inf, everything[seeds[-1]])
        found = runs._seeds(np.random.default_rng(7))
        np.testing.assert_array_equal(found, runs.points[seeds, : points.shape[1]])


def test_equal_points_are_found() -> None:
    points = np.ascontiguousarray(histograms(60)[np.random.default_rng(2).integers(60, size=500)])
    first, number = different(points)
    assert (points[first][number] == points).all()
    assert len(first) == len(np.unique(points, axis=0))
    assert all(number[:at].tolist().count(number[at]) == 0 for at in first)


def test_wrong_settings() -> None:
    for settings, word in (({"buckets": 0}, "buckets"), ({"buckets": 2, "metric": "l3"}, "metric")):
        with pytest.raises(InputError, match=word):
            KMeans(**settings)


@pytest.mark.parametrize(
    ("points", "weights", "sentence"),
    [
        ([[np.nan], [1], [2]], [1, 1, 1], r"points must be numbers from -1e\+08 to 1e\+08"),
        ([[1e20], [1], [2]], [1, 1, 1], r"points must be numbers from -1e\+08 to 1e\+08"),
        ([1, 2, 3], [1, 1, 1], r"points must be a table of numbers, one row per point, not of shape \(3,\)"),
        (np.zeros((3, 0)), [1, 1, 1], "points must be a table of numbers"),
        ([["a"], ["b"]], [1, 1], "points must be a table of numbers"),
        (np.zeros((0, 2)), [], "weights must be as many as points, 0, and at least one"),
        ([[1], [2]], [1], "weights must be as many as points, 2"),
        ([[1], [2]], [[1], [1]], "weights must be as many as points, 2"),
        ([[1], [2]], [0, 0], "weights must be numbers of at least 0, some above"),
        ([[1], [2], [3]], [-1, -1, 3], "weights must be numbers of at least 0, some above"),
        ([[1], [2]], [1, np.nan], "weights must be numbers of at least 0, some above"),
        ([[1], [2]], ["a", "b"], "weights must be numbers"),
    ],
)
def test_wrong_points_and_weights(points: object, weights: object, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        KMeans(2).fit(points, weights)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("points", "centres", "sentence"),
    [
        ([[np.nan], [1]], [[0], [1]], "points must be numbers from"),
        ([[0], [1]], [[np.nan], [1]], "centres must be numbers from"),
        (np.ones((3, 9)), np.ones((2, 2)), r"centres must have the 9 components of points, not 2"),
        (np.ones((3, 2)), np.ones((0, 2)), "centres must be one or more"),
    ],
)
def test_wrong_centres(points: object, centres: object, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        assign(points, centres, "l2")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="metric must be l2 or emd"):
        assign(np.ones((1, 1)), np.ones((1, 1)), "l3")  # type: ignore[arg-type]


@pytest.mark.slow
def test_objective_beside_scikit_learn() -> None:
    """The objective on OCHS of real rivers is at most one per cent above scikit-learn's with as many runs."""
    cluster = pytest.importorskip("sklearn.cluster")
    points = river_points(40)
    found = KMeans(200, restarts=2).fit(points, np.ones(len(points)))
    peer = cluster.KMeans(200, n_init=2, random_state=0).fit(points)
    assert found.objective <= 1.01 * peer.inertia_
    labels = assign(points, found.centres, "l2")
    own = ((points.astype(float) - found.centres[labels]) ** 2).sum()
    assert own == pytest.approx(found.objective, rel=1e-4)
