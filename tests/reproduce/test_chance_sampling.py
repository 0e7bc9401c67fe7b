"""The chance-sampling experiments at a reduced size."""

import pytest

from counterpoise.reproduce.chance_sampling import VARIANTS, bluff, chance_sampling


def test_mini_holdem(perform, curve):
    """Three ranks, two seeds: all variants are measured, PCS is ahead by iterations, and claims name numbers."""
    report = perform(chance_sampling, ranks=3, marks=(128, 1_024, 4_096), seeds=2)
    found = {label: curve(report, "mini hold'em, 3 ranks", label) for label in VARIANTS}
    assert all(found["PCS"][t] < min(found[label][t] for label in VARIANTS if label != "PCS") for t in (1_024, 4_096))
    assert max(found["CS"]) > 4_096  # it goes on until it has had the time of PCS
    assert len(report.claims) == 4
    assert report.claims[0].holds
    assert [len(table.rows) for table in report.tables] == [4, 4, 4]


def test_bluff(perform):
    report = perform(bluff, seconds=0.3)
    (claim,) = report.claims
    assert claim.holds
    assert report.tables[0].rows[0][0] == "PCS"


@pytest.mark.parametrize("body", [chance_sampling, bluff])
def test_registered(body):
    from counterpoise.reproduce import EXPERIMENTS

    assert any(experiment.body is body for experiment in EXPERIMENTS.values())
