import pytest

from counterpoise.reproduce import EXPERIMENTS
from counterpoise.reproduce.brown.variants import (
    CFR,
    CFR_LINEAR,
    CFR_PLUS,
    CFR_PLUS_QUADRATIC,
    DCFR,
    DCFR_FLOORED,
    DCFR_PRUNABLE,
    LCFR,
    LCFR_PLUS,
    TOLERANCE,
    Spread,
)
from counterpoise.reproduce.harness.published import published

VARIANTS = EXPERIMENTS["leduc-benchmark"].algorithms

# Cells in which runs on payoffs that differ in the last bit lie on both sides of the tolerance, so that neither a
# pass nor a failure of the plain run says anything: (game, variant, iterations): 20 or 12 runs against the reference.
DECIDED_BY_ROUNDING = {
    ("leduc_poker", LCFR_PLUS, 100): "-23 % to +24 %, plain run -15.1 %: outside 5 %",
    ("leduc_poker", CFR_PLUS_QUADRATIC, 1_000): "-15 % to +39 %, plain run +18.4 %",
    ("leduc_poker", LCFR, 1_000): "-14 % to +40 %, plain run +9.2 %",
    ("leduc_poker", LCFR_PLUS, 1_000): "-9 % to +96 %, plain run -3.8 %",
    ("leduc_poker", DCFR, 1_000): "-10 % to +34 %, plain run +2.1 %",
    ("leduc_poker", DCFR_FLOORED, 1_000): "-17 % to +26 %, plain run +13.8 %",
    ("leduc_poker", DCFR_PRUNABLE, 1_000): "-21 % to +75 %, plain run -20.9 %",
    ("leduc5", CFR_PLUS, 100): "-6 % to +1 %, plain run -5.2 %: outside 5 %",
    ("leduc5", CFR_PLUS_QUADRATIC, 100): "-10 % to +1 %, plain run -8.3 %: outside 5 %",
    ("leduc5", LCFR_PLUS, 100): "-2 % to +11 %, plain run +3.7 %",
    ("leduc5", DCFR, 100): "-12 % to +11 %, plain run -3.2 %",
    ("leduc5", DCFR_FLOORED, 100): "-8 % to +1 %, plain run -0.2 %",
    ("leduc5", DCFR_PRUNABLE, 100): "-5 % to +15 %, plain run -4.8 %",
    ("leduc5", CFR_LINEAR, 100): "-11 % to 0 %, plain run +0.1 %",
    ("leduc5", DCFR_PRUNABLE, 512): "+1 % to +59 %, plain run +59 %: outside 25 %",
}


@pytest.fixture(scope="module")
def on_leduc(perform):
    return perform("leduc-benchmark")


@pytest.fixture(scope="module")
def on_leduc5(perform):
    return perform("leduc5-benchmark", iterations=512)


def check_reference(report, found, game, label, reference):
    """Our figures are the reference's within the tolerance, or, where rounding decides, within what it does to ours."""
    for t, figure in reference.items():
        spread = Spread(**report.data["rounding"][label][t])
        # Processors round differently: a cell that rounding does not decide on this one keeps to the tolerance.
        if (game, label, t) in DECIDED_BY_ROUNDING and spread.high / spread.low - 1 > TOLERANCE[t] / 2:
            assert spread.holds(figure, TOLERANCE[t])
        else:
            assert found[t] == pytest.approx(figure, rel=TOLERANCE[t]), f"{label} at {t:,}; rounding gives {spread}"


def test_the_tolerances():
    """2 % at 10, 5 % at 100, 25 % at 512 and at 1,000 iterations."""
    assert TOLERANCE == {10: 0.02, 100: 0.05, 512: 0.25, 1_000: 0.25}
    games = {"leduc_poker": (10, 100, 1_000), "leduc5": (100, 512)}
    assert all(label in VARIANTS and t in games[game] for game, label, t in DECIDED_BY_ROUNDING)


@pytest.mark.slow
@pytest.mark.parametrize("label", VARIANTS)
def test_leduc_figures(on_leduc, curve, label):
    """Every variant within 2 % at 10, 5 % at 100 and 25 % at 1,000 iterations."""
    reference = {t: published("variants")["leduc"][label][t] for t in (10, 100, 1_000)}
    check_reference(on_leduc, curve(on_leduc, "leduc_poker", label), "leduc_poker", label, reference)


@pytest.mark.parametrize("label", VARIANTS)
def test_the_first_iteration_is_uniform(on_leduc, curve, label):
    """After iteration 1 the average is uniform play, 2.373611 on Leduc."""
    assert curve(on_leduc, "leduc_poker", label)[1] == pytest.approx(2.3736111, abs=1e-6)


def test_alternating_updates_beat_simultaneous_ones(on_leduc, curve):
    """At 1,000 iterations on Leduc, CFR by 2 and CFR+ by 10 times or more."""
    for label, factor in ((CFR, 2), (CFR_PLUS, 10)):
        alternating = curve(on_leduc, "leduc_poker", label)[1_000]
        assert curve(on_leduc, "leduc_poker", f"{label}, simultaneous")[1_000] >= factor * alternating
    assert on_leduc.claim("alternating-better").holds


def test_leduc_claims(on_leduc):
    assert on_leduc.claim("reference").holds
    assert on_leduc.claim("cfr-plus-faster").holds
    assert on_leduc.claim("dcfr-no-worse").holds
    assert not on_leduc.claim("lcfr-plus-worse").holds  # as on hold'em in the source, but not on Leduc


@pytest.mark.long
@pytest.mark.parametrize("label", VARIANTS)
def test_leduc5_figures(on_leduc5, curve, label):
    """On Leduc-5 every variant within 5 % at 100 and 25 % at 512 iterations."""
    known = published("variants")["leduc5"][label]
    reference = {t: known[t] for t in (100, 512)}
    check_reference(on_leduc5, curve(on_leduc5, "leduc5", label), "leduc5", label, reference)
    assert Spread(**on_leduc5.data["rounding"][label][10]).holds(known[10], TOLERANCE[10])


@pytest.mark.long
def test_leduc5_order(on_leduc5, curve):
    """At 512 DCFR <= CFR+ linear / 1.5, quadratic <= linear CFR+, CFR >= 7 DCFR."""
    at_512 = {label: curve(on_leduc5, "leduc5", label)[512] for label in VARIANTS}
    assert at_512[DCFR] <= at_512[CFR_PLUS] / 1.5
    assert at_512[CFR_PLUS_QUADRATIC] <= at_512[CFR_PLUS]
    assert at_512[CFR] >= 7 * at_512[DCFR]


@pytest.mark.long
def test_leduc5_starts_uniform(on_leduc5, curve):
    """8.4954129 after iteration 1."""
    assert curve(on_leduc5, "leduc5", CFR)[1] == pytest.approx(8.4954129, abs=1e-6)
