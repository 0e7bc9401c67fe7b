import math

import pytest

from counterpoise.reproduce.goofspiel import goofspiel
from counterpoise.reproduce.race import log_spaced
from counterpoise.reproduce.variants import CFR_PLUS_QUADRATIC, DCFR, DCFR_PRUNABLE, LCFR

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("goofspiel")]  # one worker runs it once


@pytest.fixture(scope="module")
def report(perform):
    return perform(goofspiel, iterations=1_000)


@pytest.fixture(scope="module")
def mean(report, curve):
    def read(label):
        found = curve(report, "goofspiel", label)
        window = [found[t] for t in log_spaced(1_000) if t >= 100]
        return math.exp(sum(map(math.log, window)) / len(window))

    return read


def test_discounting_on_goofspiel(report, curve, mean):
    """Check 16: DCFR like quadratic CFR+, LCFR poor, DCFR(3/2,1/2,2) noticeably worse (BROWN figure 3.5)."""
    assert 0.5 <= mean(DCFR) / mean(CFR_PLUS_QUADRATIC) <= 1.5
    assert curve(report, "goofspiel", LCFR)[1_000] >= 2 * curve(report, "goofspiel", DCFR)[1_000]
    assert mean(DCFR_PRUNABLE) >= 1.1 * mean(DCFR)


def test_the_report_says_the_same(report):
    verdicts = {claim.text.split(" (")[0]: claim.holds for claim in report.claims}
    assert verdicts["DCFR is essentially identical to quadratic CFR+"]
    assert verdicts["LCFR does poorly"]
    assert verdicts["DCFR(3/2,1/2,2) does noticeably worse than DCFR"]


def test_the_first_iteration_is_uniform(report, curve):
    """Check 3: uniform play of Goofspiel-5 is exploitable for 4 points."""
    assert curve(report, "goofspiel", DCFR)[1] == pytest.approx(4.0, abs=1e-6)
