"""Johanson 2016, table 2.1 and section 2.4: best responses in whole limit hold'em."""

import pytest

TABLE, SPEED = "johanson-2.1", "johanson-2.4-speed"


def test_two_rounds(perform) -> None:
    """What table 2.1 says holds in [2-4] hold'em, but there Always-Call loses less than Always-Fold."""
    report = perform(TABLE, rounds=2)
    assert {claim.id for claim in report.claims if not claim.holds} == {"order"}
    assert report.claim("order").detail.startswith("always-call, always-fold")


@pytest.mark.long
def test_whole_game(perform) -> None:
    """Table 2.1 to the printed digit, by seats to three more, and Always-Call by its closed form.

    Always-Fold loses its blinds, 500 and 1,000 mbb/g, on average 750.
    """
    report = perform(TABLE)
    assert [claim.holds for claim in report.claims] == [True] * 4
    found = report.data["mbb_per_game"]
    assert found["always-fold"] == pytest.approx([500, 1000], abs=1e-9)
    for agent, printed, digits in (
        ("always-call", 1163.48, 1163.4757),
        ("always-raise", 3697.69, 3697.6929),
        ("probe", 2406.55, 2406.5509),
    ):
        mean = sum(found[agent]) / 2
        assert round(mean, 2) == printed
        assert mean == pytest.approx(digits, abs=1e-4)
    assert found["probe"] == pytest.approx([2214.990, 2598.112], abs=1e-3)  # seat 1 is the small blind
    for agent in ("always-call", "always-raise"):
        assert found[agent][0] == pytest.approx(found[agent][1], abs=1e-6)


@pytest.mark.slow
def test_factors(perform) -> None:
    """Questions and boards are counted; 21.5 is not what orbits of deals give (20.3), times are only measured."""
    report = perform(SPEED, decks=(5, 8), repeats=3)
    assert report.claim("fewer-questions").holds
    assert report.claim("flops").holds
    assert report.claim("parts").holds
    assert report.claim("public-tree-size").holds is False
    assert "20.3 times" in report.claim("public-tree-size").detail
    assert report.claim("sorted-showdowns").holds is not None
    assert 0 < report.data["core_days"] < 1000
