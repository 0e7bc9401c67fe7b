"""Duplicate matches: exact moments, simulated ones, and pairs of pure strategies."""

import pytest

import counterpoise as cp
from counterpoise.evaluation.duplicate import duplicate_moments, full_deals


@pytest.fixture(scope="module")
def leduc():
    return cp.load("leduc_poker")


@pytest.fixture(scope="module")
def uniform(leduc):
    return cp.Strategy.uniform(cp.enumerate_game(leduc))


@pytest.fixture(scope="module")
def nash():
    return cp.solve("leduc_poker", "cfr+", iterations=2000, progress=False).strategy


def test_full_deals_are_all_deals():
    """Kuhn has six deals; Leduc with suits told apart 6 x 5 x 4."""
    assert len(full_deals(cp.load("kuhn_poker"))) == 6
    deals = full_deals(cp.load("leduc_poker(merge_suits=False)"))
    assert len(deals) == 120
    assert sum(share for _, share in deals) == pytest.approx(1)


def test_uniform_duplicate_deviation_is_exact(leduc, uniform):
    """Uniform self-play in Leduc, SD of a pair 2.851256 and of an independent pair 3.191063 antes."""
    found = duplicate_moments(leduc, uniform, uniform)
    assert found.mean == pytest.approx(0, abs=1e-12)
    assert found.deviation == pytest.approx(2.851256, abs=1e-5)
    assert found.independent_deviation == pytest.approx(3.191063, abs=1e-5)
    assert found.variance_ratio == pytest.approx(1.253, abs=1e-3)


def test_nash_duplicate_deviations(leduc, uniform, nash):
    """Equilibrium self-play has mean exactly 0 and SD 1.466 (2.472 independent); against uniform play 2.497."""
    found = duplicate_moments(leduc, nash, nash)
    assert found.mean == pytest.approx(0, abs=1e-12)
    assert found.deviation == pytest.approx(1.466, abs=2e-3)
    assert found.independent_deviation == pytest.approx(2.472, abs=2e-3)
    beats = duplicate_moments(leduc, nash, uniform)
    assert beats.mean == pytest.approx(0.7071, abs=1e-3)
    assert beats.deviation == pytest.approx(2.497, abs=5e-3)
    assert beats.independent_deviation == pytest.approx(3.093, abs=5e-3)


@pytest.mark.slow
def test_simulated_deviation(leduc, uniform, nash):
    """A simulated duplicate match has these SDs within 2 %, and both agents' means cancel exactly."""
    for first, second, deviation in ((uniform, uniform, 2.851256), (nash, nash, 1.466)):
        found = cp.match(leduc, [first, second], 100_000, duplicate=True, seed=3, progress=False)
        assert found.agents[0].deviation == pytest.approx(deviation, rel=0.02)
        assert found.agents[0].mean == -found.agents[1].mean
        assert abs(found.agents[0].mean) <= 2 * found.agents[0].ci95


def test_identical_pure_strategies_win_nothing():
    """Two copies of a pure strategy win exactly 0 in a duplicate match; mixed ones only in expectation."""
    for agent in ("always-call", "always-raise"):
        found = cp.match("limit_holdem", [agent, agent], 30, duplicate=True, progress=False)
        assert [one.mean for one in found.agents] == [0, 0]
        assert found.agents[0].deviation == 0
    mixed = cp.match("leduc_poker", ["random", "random"], 2000, duplicate=True, progress=False)
    assert mixed.agents[0].deviation > 0
    assert abs(mixed.agents[0].mean) <= 2 * mixed.agents[0].ci95


def test_duplicate_has_less_variance(leduc, uniform, nash):
    """The SD of a duplicate pair is below that of two hands with cards of their own, exactly and as played."""
    for first, second in ((uniform, uniform), (nash, uniform), (nash, nash)):
        found = duplicate_moments(leduc, first, second)
        assert found.deviation < found.independent_deviation
    pairs = cp.match("limit_holdem", ["probe", "always-call"], 300, duplicate=True, progress=False)
    plain = cp.match("limit_holdem", ["probe", "always-call"], 600, progress=False)
    assert pairs.agents[0].deviation < plain.agents[0].deviation / 2**0.5
