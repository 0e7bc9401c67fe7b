"""The experiments with tilted games and with what CFR-BR costs in play, at a reduced size."""

import pytest

from counterpoise.reproduce.johanson.competition import AVERAGE, CFR, CURRENT, FAMILIES, PERFECT
from counterpoise.reproduce.johanson.tilts import POLARIS


@pytest.mark.slow
def test_polaris(perform, curve):
    """Six players of two abstractions; tilts change what is found."""
    report = perform("johanson-2.3-polaris", ranks=3, large=6, small=3, iterations=48)
    found = {label: curve(report, "mini hold'em, 3 ranks", label)[48] for label in POLARIS}
    assert len(set(found.values())) == len(POLARIS)
    assert [row[0] for row in report.tables[0].rows] == list(POLARIS)
    assert report.tables[0].rows[1][1] == "7, 0, 0, 7"
    assert report.claim("larger-better").holds is not None


@pytest.mark.slow
def test_sweep(perform):
    """Large tilts are clearly worse than none."""
    report = perform("johanson-2.5", ranks=3, counts=(2, 2), flop=6, tilts=(-50, 0, 50), iterations=64)
    assert [row[0] for row in report.tables[0].rows] == ["-50", "0", "50"]
    assert any(report.claim(f"{family}-large-worse").holds for family in ("pr-3x3", "ir-25-20"))
    assert len(report.claims) == 4


@pytest.mark.slow
def test_cfr_br_wins_no_more_than_the_abstract_exploitability(perform, curve):
    """With perfect recall, exact play, both seats [1e-6]; it loses to CFR of the same abstraction."""
    report = perform("johanson-4.8", ranks=3, iterations=1_024)
    bound = report.data["abstract_exploitability"][PERFECT]
    for label in (AVERAGE, CURRENT):
        won = report.data["runs"]["mini hold'em, 3 ranks"][f"{PERFECT}, {label}"]["trace"]
        assert all(point["value"] <= bound + 1e-6 for point in won)
    assert report.claim("bounded").holds
    assert report.claim("pr-3x3-loses").holds


@pytest.mark.slow
def test_larger_abstraction(perform):
    """Strategies of the small abstraction lose to one that knows far more."""
    report = perform("johanson-4.9", ranks=3, iterations=1_024, large=50)
    assert report.data["opponent_infosets"] > 2 * report.data[f"{PERFECT}_infosets"]
    rows = {tuple(row[:2]): float(row[-1]) for row in report.tables[0].rows}
    assert set(rows) == {(family, label) for family in FAMILIES for label in (CFR, AVERAGE)}
    assert max(rows[PERFECT, CFR], rows[PERFECT, AVERAGE]) < 0
