"""The CFR-BR experiments on mini hold'em at a reduced size."""

import pytest

from counterpoise.reproduce import EXPERIMENTS
from counterpoise.reproduce.johanson.mini_holdem import AVERAGE, CFR, CURRENT, OPEN

GAME = "mini hold'em, 3 ranks"


@pytest.mark.slow
def test_unabstracted(perform, curve):
    report = perform("johanson-4.3", ranks=3, last=2_048)
    average, current = (curve(report, GAME, label) for label in (AVERAGE, CURRENT))
    assert average[2_048] < average[10] / 10
    assert current[2_048] < current[10] / 3
    assert report.claim("converges").holds


@pytest.mark.slow
def test_21_gap_with_perfect_recall(perform, curve):
    """CFR-BR is well below CFR A-vs-A, and A-vs-U comes down to its level."""
    report = perform("johanson-4.4", ranks=3, counts=(2, 2), full=128, last=4_096)
    assert report.data["infosets"] == 2 * 8 + 4 * 70
    found = {label: curve(report, GAME, label) for label in (CFR, OPEN, AVERAGE, CURRENT)}
    assert found[AVERAGE][4_096] <= 0.75 * found[CFR][128]
    assert found[OPEN][64] < found[OPEN][18]
    assert found[OPEN][64] > 0.97 * found[AVERAGE][4_096]  # nothing in these buckets is better than CFR-BR's limit
    assert report.claim("average-does-not-rise").holds


@pytest.mark.long
def test_21_gap_with_imperfect_recall(perform, curve):
    report = perform("johanson-4.5", ranks=4, flop=8, full=64, last=4_096)
    found = {label: curve(report, "mini hold'em, 4 ranks", label) for label in (CFR, AVERAGE)}
    assert found[AVERAGE][4_096] <= 0.5 * found[CFR][64]


@pytest.mark.parametrize("key", ["johanson-4.3", "johanson-4.4", "johanson-4.5"])
def test_registered(key):
    assert EXPERIMENTS[key].source.startswith("Johanson 2016, section 4.4")
