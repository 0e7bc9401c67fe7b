import math

import pytest

from counterpoise.reproduce.harness.published import published

SIMULTANEOUS, ALTERNATING = "CFR+ linear, simultaneous", "CFR+ linear, alternating"


@pytest.fixture(scope="module")
def report(perform):
    return perform("cfr-plus-rate")


@pytest.mark.parametrize("label", [SIMULTANEOUS, ALTERNATING])
def test_exploitability_times_iterations_grows(report, curve, label):
    """e T at 10^5 is at least 1.3 times e T at 10^3 for CFR+ in both update modes."""
    found = curve(report, "matrix", label)
    assert found[100_000] * 100_000 >= 1.3 * found[1_000] * 1_000


def test_simultaneous_slope(report, curve):
    """Simultaneous CFR+ falls no faster than T^-0.7 between 10^3 and 10^5."""
    found = curve(report, "matrix", SIMULTANEOUS)
    assert math.log(found[100_000] / found[1_000]) / math.log(100) >= -0.7


def test_claims_hold(report):
    assert report.claim("simultaneous-slower").holds
    assert report.claim("alternating-slower").holds


@pytest.mark.parametrize("label", [SIMULTANEOUS, ALTERNATING, "CFR+ quadratic, alternating"])
def test_figures_of_cfr_plus_are_those_of_the_reference(report, curve, label):
    found = curve(report, "matrix", label)
    reference = published("variants")["rate"][label]
    assert [found[t] for t in reference] == pytest.approx(list(reference.values()), rel=0.01)
