"""The chance-sampling experiments at a reduced size."""

import pytest

from counterpoise.reproduce.johanson.mini_holdem import VARIANTS


@pytest.mark.long
def test_mini_holdem(perform, curve):
    """Three ranks, two seeds: all variants are measured, PCS is ahead by iterations, and claims name numbers."""
    report = perform("johanson-3.2", ranks=3, marks=(128, 1_024, 4_096), seeds=2)
    found = {label: curve(report, "mini hold'em, 3 ranks", label) for label in VARIANTS}
    assert all(found["PCS"][t] < min(found[label][t] for label in VARIANTS if label != "PCS") for t in (1_024, 4_096))
    assert max(found["CS"]) > 4_096  # it goes on until it has had the time of PCS
    assert len(report.claims) == 4
    assert report.claim("order-by-iterations").holds
    assert [len(table.rows) for table in report.tables] == [4, 4, 4]


@pytest.mark.slow
def test_bluff(perform):
    """Figures 3.5 and 3.6."""
    report = perform("johanson-3.5", cpu_seconds=0.3)
    assert report.claim("pcs-ahead").holds
    assert report.claim("against-the-last-strategy-of-pcs-ahead-of-cs").holds
    assert report.tables[0].rows[0][0] == "PCS"


@pytest.mark.slow
def test_fixed_opponent(perform):
    """Figure 3.4 at a reduced size."""
    report = perform("johanson-3.4", ranks=3, flop=40, opponent=36, strong=512, cpu_seconds=0.3)
    assert report.data["opponent_exploitability"] > 0
    assert len(report.data["won from a fixed opponent"]["CS"]) > 3
    assert report.claims[0].holds is not None
