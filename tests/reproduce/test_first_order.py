import pytest

from counterpoise.reproduce.brown.thresholding import EGT, PLAIN_HEDGE as HEDGE
from counterpoise.reproduce.harness.published import published

from ..solvers.helpers import EGT_TOLERANCE, HEDGE_TOLERANCE

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def report(perform):
    return perform("brown-3.16-first-order", leduc5_iterations=20)


@pytest.mark.long
@pytest.mark.parametrize(("label", "tolerance"), [(EGT, EGT_TOLERANCE), (HEDGE, HEDGE_TOLERANCE)])
def test_figures_on_leduc(report, curve, label, tolerance):
    """The figures of EGT (at most 0.004 at 1,000) and of Hedge with the variance rule."""
    found = curve(report, "leduc_poker", label)
    reference = published("first_order")["reference"][label]
    assert [found[t] for t in reference] == pytest.approx(list(reference.values()), rel=tolerance)
    assert label == HEDGE or found[1_000] <= 0.004


def test_what_needs_a_longer_run_is_not_judged(report):
    assert report.claim("egt-rate").holds is True
    assert report.claim("cfr-plus-ahead").holds is None
