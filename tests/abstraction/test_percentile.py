"""Cutting a single number into buckets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from counterpoise.abstraction.models import fit_cuts
from counterpoise.abstraction.percentile import Cutter, percentile_cuts, threshold_cuts
from counterpoise.errors import InputError

VALUES = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 9)), min_size=1, max_size=80)


@settings(max_examples=80, deadline=None)
@given(VALUES, st.integers(1, 9))
def test_percentiles_have_equal_mass(points: list[tuple[int, int]], buckets: int) -> None:
    """Each mass within the target plus or minus the largest atom, monotone, equal values together."""
    values, weights = np.array(points, dtype=float).T
    bucket = np.searchsorted(percentile_cuts(values, weights, buckets), values, side="right")
    atoms = np.bincount(values.astype(int), weights=weights)
    mass = np.bincount(bucket, weights=weights, minlength=buckets)
    assert len(mass) == buckets
    assert (np.abs(mass - weights.sum() / buckets) <= atoms.max() + 1e-9).all()
    order = np.argsort(values, kind="stable")
    assert (np.diff(bucket[order]) >= 0).all()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_nested_cuts_respect_the_outer_buckets(seed: int) -> None:
    """Nested inner cuts lie inside outer buckets, group by group."""
    generator = np.random.default_rng(seed)
    points, weights = generator.random((300, 2)), np.ones(300)
    groups = generator.integers(2, size=300).astype(np.int32)
    model = fit_cuts(Cutter(5, 2), points, weights, groups, 2).model
    found = model.assign(points, groups)
    assert model.per_group == 10
    assert (found // 10 == groups).all()
    outer = found // 2
    for group in range(2):
        for bucket in range(5):
            inside = outer == group * 5 + bucket
            low, high = (points[inside & (found % 2 == half), 0] for half in range(2))
            assert low.max() < high.min()
            assert abs(len(low) - len(high)) <= 1
    columns = [points[(outer == bucket), 1] for bucket in range(5)]
    assert all(columns[at].max() < columns[at + 1].min() for at in range(4))


def test_threshold_and_given_cuts() -> None:
    assert threshold_cuts(np.array([0.0, 0.05, 0.3, 0.9, 0.95]), 0.2).tolist() == [0.3, 0.9]
    points = np.array([[0.0, 0.1], [0.0, 0.5], [0.0, 0.9]])
    given_cuts = fit_cuts(Cutter(3, given=(0.4, 0.8)), points, np.ones(3), None, 1)
    assert given_cuts.model.assign(points).tolist() == [0, 1, 2]
    assert given_cuts.filled == 3
    assert fit_cuts(Cutter(9), points, np.ones(3), None, 1).filled == 3
    with pytest.raises(InputError, match="at most 2"):
        fit_cuts(Cutter(2, threshold=0.1), points, np.ones(3), None, 1)
