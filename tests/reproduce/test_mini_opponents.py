"""Figures 6.1 and 6.2 on mini hold'em, at a reduced size."""

import pytest


@pytest.mark.long
def test_models_by_bucket(perform):
    """With 30 games RNR loses what it thinks to win, and 0-10 Linear does not; with many both win."""
    found = perform("johanson-6-mini", iterations=60, grid=(0.5, 0.99), games=(30, 10_000))
    assert all(claim.holds for claim in found.claims)
    figures = found.data["figures"]
    assert len(figures) == 12
    for at in figures.values():  # nobody wins more than a best response could
        assert at["true"] < 200
    many = figures["10,000 games, RNR, 0.99"]
    assert many["true"] == pytest.approx(many["model"], abs=15)
