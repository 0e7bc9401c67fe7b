import math

import pytest

from counterpoise.reproduce.brown.variants import CFR_PLUS_QUADRATIC, DCFR, DCFR_PRUNABLE, LCFR
from counterpoise.reproduce.harness.runs import log_spaced

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def report(perform):
    return perform("brown-3.5-goofspiel", iterations=1_000)


@pytest.fixture(scope="module")
def mean(report, curve):
    def read(label):
        found = curve(report, "goofspiel", label)
        window = [found[t] for t in log_spaced(1_000) if t >= 100]
        return math.exp(sum(map(math.log, window)) / len(window))

    return read


@pytest.mark.long
def test_discounting_on_goofspiel(report, curve, mean):
    """DCFR like quadratic CFR+, LCFR poor, DCFR(3/2,1/2,2) noticeably worse (Brown 2020, figure 3.5)."""
    assert 0.5 <= mean(DCFR) / mean(CFR_PLUS_QUADRATIC) <= 1.5
    assert curve(report, "goofspiel", LCFR)[1_000] >= 2 * curve(report, "goofspiel", DCFR)[1_000]
    assert mean(DCFR_PRUNABLE) >= 1.1 * mean(DCFR)


def test_the_report_says_the_same(report):
    for id in ("dcfr-like-quadratic", "lcfr-poor", "prunable-worse"):
        assert report.claim(id).holds


def test_the_first_iteration_is_uniform(report, curve):
    """Uniform play of Goofspiel-5 is exploitable for 4 points."""
    assert curve(report, "goofspiel", DCFR)[1] == pytest.approx(4.0, abs=1e-6)
