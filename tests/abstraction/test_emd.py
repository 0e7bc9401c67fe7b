"""Earth mover's distance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import wasserstein_distance

from counterpoise.abstraction.emd import cumulative, emd

COUNTS = arrays(np.int64, (3, 12), elements=st.integers(0, 40)).filter(lambda rows: (rows.sum(axis=1) > 0).all())


@settings(max_examples=60, deadline=None)
@given(COUNTS)
def test_emd_is_the_metric_of_scipy(counts: np.ndarray) -> None:
    """Metric axioms, at least the difference of means, and SciPy's distance."""
    p, q, r = counts
    middles = (np.arange(12) + 0.5) / 12
    assert emd(p, q) == pytest.approx(wasserstein_distance(middles, middles, p, q), abs=1e-12)
    assert emd(p, p) == 0
    assert emd(p, q) == emd(q, p)
    assert emd(p, r) <= emd(p, q) + emd(q, r) + 1e-12
    means = [middles @ row / row.sum() for row in (p, q)]
    assert emd(p, q) >= abs(means[0] - means[1]) - 1e-12
    rows = cumulative(counts[:2].astype(np.float32))
    assert np.abs(rows[0] - rows[1]).sum() == pytest.approx(emd(p, q), abs=1e-6)


@given(st.integers(0, 11), st.integers(0, 11))
def test_impulses_are_as_far_as_they_stand_apart(first: int, second: int) -> None:
    """Equality for single impulses."""
    assert emd(np.eye(12)[first], np.eye(12)[second]) == pytest.approx(abs(first - second) / 12, abs=1e-12)
