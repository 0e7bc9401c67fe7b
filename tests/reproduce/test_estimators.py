"""Johanson 2016, tables 7.1 to 7.4 and the analysis after matches."""

import math

import pytest

from counterpoise.reproduce.harness.published import published
from counterpoise.reproduce.johanson.estimators import LEDUC

pytestmark = pytest.mark.slow
SMALL = {"games": {"Leduc": LEDUC}, "iterations": 1000}


def test_rmse_of_the_tables():
    """RMSE(1000) = sqrt(bias^2 + SD^2 / 1000) reproduces all 39 entries of tables 7.1 and 7.3 within 1."""
    rows = [
        row
        for table in ("full", "partial")
        for part in published("estimators")[table].values()
        for row in part.values()
    ]
    assert len(rows) == 39
    for bias, sd, rmse in rows:
        assert math.sqrt(bias**2 + sd**2 / 1000) == pytest.approx(rmse, abs=1)


@pytest.mark.parametrize(
    ("id", "fails"),
    [
        ("johanson-7.1", {"leduc-almost-on-policy"}),
        ("johanson-7.2", set()),
        ("johanson-7.3", {"leduc-combined-better"}),
        ("johanson-7.4", set()),
    ],
)
def test_claims_in_leduc(perform, id, fails):
    report = perform(id, **SMALL)
    assert all(claim.holds is not None for claim in report.claims)
    assert {claim.id for claim in report.claims if not claim.holds} == fails


def test_after_a_match(perform):
    report = perform("johanson-8-io-divat", deals=500, **SMALL)
    assert report.claim("leduc-half-error").holds
    assert report.claim("leduc-same-mean").holds
    assert len(report.tables[0].rows) == 3
