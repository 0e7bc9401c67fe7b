import pytest

from counterpoise.reproduce.brown.fictitious_play import FLOP, GAMES, LCFR, LFP


@pytest.fixture(scope="module")
def report(perform):
    return perform("brown-5.10-fictitious-play", dice=("1x4", "1x5"))


@pytest.mark.slow
@pytest.mark.parametrize("dice", ["1x4", "1x5"])
def test_flop_between_linear_fp_and_linear_cfr(report, curve, dice):
    """At 256 iterations FLOP is ahead of linear FP and behind linear CFR, by 2 times or more."""
    flop, linear, cfr = (curve(report, GAMES[dice], label)[256] for label in (FLOP, LFP, LCFR))
    assert 2 * cfr <= flop < linear


@pytest.mark.parametrize("label", ["FP", "optimistic FP", LFP, FLOP])
@pytest.mark.parametrize("dice", ["1x4", "1x5"])
def test_alternating_updates_beat_simultaneous_ones(report, curve, dice, label):
    together = curve(report, GAMES[dice], f"{label}, simultaneous")
    assert curve(report, GAMES[dice], label)[1_024] < together[1_024]


@pytest.mark.parametrize(
    ("dice", "low", "high", "published"), [("1x4", 3e-4, 8e-4, 0.012), ("1x5", 1e-3, 1.7e-3, 0.024)]
)
def test_table_57(report, curve, dice, low, high, published):
    """1,024 published iterations are 512 of ours, for linear CFR and for linear FP (within 25 %)."""
    assert low <= curve(report, GAMES[dice], LCFR)[512] <= high
    assert curve(report, GAMES[dice], LFP)[512] == pytest.approx(published, rel=0.25)


def test_the_report_says_the_same(report):
    for id in ("flop-beats-linear-fp", "flop-behind-linear-cfr", "table-5.7-cfr", "table-5.7-fp"):
        assert report.claim(id).holds
