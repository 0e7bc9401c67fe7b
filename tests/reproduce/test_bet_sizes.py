"""Brown 2020, figures 4.5 to 4.7: regret transfer and optimal bet sizes on Leduc."""

import pytest

from counterpoise.reproduce.brown.bet_sizes import PRINTED, SCRATCH, TOTAL, UNWEIGHTED
from counterpoise.reproduce.harness.published import published

REFERENCE = published("bet_sizes")


def check_transfer(report, last):
    """Every entry of the table up to `last` new iterations.

    The reference is a single run, and payoffs that differ in the thirteenth digit move a run by a tenth and more once
    it has a thousand iterations: it is compared with the range of our runs, widened by 15 %.
    """
    copies = report.data["copies"]
    for label, figures in REFERENCE["transfer"].items():
        for t, figure in figures.items():
            if t <= last:
                found = [figure_at(run[label], t) for run in copies["runs"]]
                assert min(found) / 1.15 <= figure <= 1.15 * max(found), (label, t)
    for name, figure in (REFERENCE["switch"] | REFERENCE["weights"]).items():
        found = [weights[name] for weights in copies["weights"]]
        assert min(found) / 1.15 <= figure <= 1.15 * max(found), name


def figure_at(run, iteration):
    return next(point["exploitability"] for point in run["trace"] if point["iteration"] == iteration)


@pytest.fixture(scope="module")
def short(perform):
    return perform("brown-4.5", iterations=1_000)


@pytest.mark.slow
def test_transfer_follows_the_reference(short, curve):
    """Up to 1,000 iterations; from scratch there are few enough of them for a tight bound."""
    check_transfer(short, 1_000)
    scratch = curve(short, "leduc_poker", SCRATCH)
    assert [scratch[10], scratch[100]] == pytest.approx([0.911, 0.0990], rel=1e-3)
    assert scratch[1_000] == pytest.approx(0.0131, rel=0.1)


@pytest.mark.slow
def test_what_needs_a_longer_run_is_not_judged(short):
    assert short.claim("transfer-ahead").holds is True
    assert short.claim("unweighted-hurts").holds is None
    for weights in short.data["copies"]["weights"]:
        assert max(weights["potential ratio"], weights["change, payoff range"]) <= weights["largest valid"]


@pytest.mark.long
def test_transfer_in_the_long_run(perform, curve):
    """The whole table; w = 1 is at least 1.5 times worse than scratch from 10^4 on, the potential ratio not 1.3."""
    report = perform("brown-4.5")
    check_transfer(report, 100_000)
    runs = {label: curve(report, "leduc_poker", label) for label in (SCRATCH, UNWEIGHTED, TOTAL, PRINTED)}
    for t in (10_000, 30_000, 100_000):
        assert runs[UNWEIGHTED][t] >= 1.5 * runs[SCRATCH][t]
        assert runs[TOTAL][t] <= 1.3 * runs[SCRATCH][t]
    held = {claim.id: claim.holds for claim in report.claims}
    assert held == {
        "transfer-ahead": True,
        "weighted-as-good-early": True,
        "worth-weight-times-iterations": True,
        "unweighted-hurts": True,
        "w-0-125-weighted-harmless": False,
        "w-by-total-potential-weighted-harmless": True,
    }


@pytest.mark.slow
def test_second_bet_in_a_short_run(perform):
    report = perform("brown-4.6", starts=(8,), iterations=5_000, points=5)
    assert report.claim("starts-agree").holds is True
    assert report.claim("best-of-grid").holds is False  # 10.5 is the best of five
    assert report.claim("cheaper-than-restarting").holds is None


@pytest.mark.long
def test_second_bet(perform):
    """|theta - 9.75| at most 0.15 and an exact value of at least 0.160 from three starts."""
    report = perform("brown-4.6")
    assert len(report.data["ends"]) == 3
    for end in report.data["ends"].values():
        assert end["parameters"]["bets[1]"] == pytest.approx(9.75, abs=0.15)
        assert end["value"] >= 0.160
    held = {claim.id: claim.holds for claim in report.claims}
    assert held == {
        "best-of-grid": True,
        "value": True,
        "starts-converge": False,
        "starts-agree": True,
        "cheaper-than-restarting": True,
    }


@pytest.mark.slow
def test_first_bet_in_a_short_run(perform):
    report = perform("brown-4.8", starts=(0.5, 1.0), iterations=3_000, points=3)
    assert report.claim("starts-agree").holds is False
    assert report.claim("best-of-grid").holds is not None
    assert set(report.data["sweep"]) == {0.1, 0.2, 0.3}


@pytest.mark.long
def test_both_bets(perform):
    """An exact value of at least 0.159 from (2, 4) and from (4, 8)."""
    report = perform("brown-4.7", starts=((2, 4), (4, 8)))
    for start in ("(2, 4)", "(4, 8)"):
        assert report.data["ends"][start]["value"] >= 0.159
    assert report.claim("value").holds is True
    assert report.claim("improves-on-one").holds is True
    assert report.claim("starts-converge").holds is False
