import pytest

from counterpoise.reproduce.first_order import EGT, HEDGE, REFERENCE, first_order

from ..solvers.helpers import EGT_TOLERANCE, HEDGE_TOLERANCE

pytestmark = pytest.mark.xdist_group("first_order")  # one worker runs it once


@pytest.fixture(scope="module")
def report(perform):
    return perform(first_order, leduc5_iterations=20)


@pytest.mark.parametrize(("label", "tolerance"), [(EGT, EGT_TOLERANCE), (HEDGE, HEDGE_TOLERANCE)])
def test_figures_on_leduc(report, curve, label, tolerance):
    """The figures of EGT (check 35: at most 0.004 at 1,000) and of Hedge with the variance rule."""
    found = curve(report, "leduc_poker", label)
    assert [found[t] for t in REFERENCE[label]] == pytest.approx(list(REFERENCE[label].values()), rel=tolerance)
    assert label == HEDGE or found[1_000] <= 0.004


def test_what_needs_a_longer_run_is_not_judged(report):
    verdicts = {claim.text: claim.holds for claim in report.claims}
    assert verdicts["EGT converges like 1/T"] is True
    assert verdicts["CFR+ exceeds CFR with Hedge and CFR with regret matching on Leduc-5"] is None
