import pytest

from counterpoise.reproduce.harness.published import published


@pytest.fixture(scope="module")
def report(perform):
    return perform("johanson-9-leduc")


def test_average_and_current_strategy_on_leduc(report):
    """Below 5e-4 antes at 1,000 iterations; the bracket contains the value."""
    found = report.data["measured"]["leduc_poker"]
    assert found[100]["average"] == pytest.approx(0.01318, rel=0.01)
    assert found[100]["current"] == pytest.approx(0.0482, rel=0.01)
    assert found[1_000]["average"] < 5e-4
    assert found[1_000]["current"] > 10 * found[1_000]["average"]
    for t, value in published("leduc_cfr_plus")["value"].items():
        assert found[t]["value"] == pytest.approx(value, abs=3e-5)
        low, high = found[t]["bracket"]
        assert low <= -0.0856064240780 <= high
        assert high - low == pytest.approx(2 * found[t]["average"], abs=1e-12)


def test_kuhn(report):
    found = report.data["measured"]["kuhn_poker"][2_000]
    assert found["average"] == pytest.approx(5.2e-5, rel=0.05)
    assert found["current"] == pytest.approx(0.0129, rel=0.05)


def test_the_last_iterate_claim_of_limit_holdem_is_not_one_of_leduc(report):
    assert report.claim("current-converges").holds
    assert report.claim("average-worse").holds is False
    assert report.claim("value-enclosed").holds
