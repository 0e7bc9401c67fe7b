"""Championships and competitions: printed figures against each other, and the same analysis on matches of our own."""

import pytest

ARITHMETIC = ["johanson-7-arithmetic", "johanson-8.2", "johanson-11.5"]


@pytest.mark.parametrize("id", ARITHMETIC)
def test_arithmetic(perform, id):
    """Every claim about printed figures holds."""
    report = perform(id)
    assert report.claims
    assert all(claim.holds for claim in report.claims), report.claims


@pytest.mark.slow
def test_first_championship(perform):
    """The verdicts of match 2 are the printed ones; in our matches IO-DIVAT halves the standard error."""
    report = perform("johanson-8.1", matches=2)
    for id in ("match-2", "totals", "duplicate", "imaginary", "own-halved"):
        assert report.claim(id).holds, report.claim(id)
    assert report.claim("own-significant").holds is not None
    assert len(report.data["matches"]) == 2


@pytest.mark.slow
def test_competitions(perform):
    """Orders by exploitability and by winnings differ, as printed and among agents of ours."""
    report = perform("johanson-2.2", iterations=400)
    assert all(claim.holds for claim in report.claims), report.claims


@pytest.mark.slow
def test_essentially_solved(perform):
    """The threshold of a lifetime; Leduc is not essentially solved after 300 iterations, and is after 2,000."""
    report = perform("johanson-9-solved", steps=(300, 2000))
    assert all(claim.holds for claim in report.claims), report.claims
    assert [row[-1] for row in report.tables[0].rows] == ["no", "yes"]
