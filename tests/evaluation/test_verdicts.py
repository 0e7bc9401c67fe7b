"""Verdict rules, the essentially-solved threshold and value brackets, against what the sources print."""

import pytest

import counterpoise as cp
from counterpoise.errors import InputError
from counterpoise.evaluation.solved import (
    LIFETIME,
    bracket_value,
    chance_not_to_lose,
    solved_threshold,
    value_bracket,
)
from counterpoise.evaluation.verdicts import MatchScore, VerdictRule, verdict_table

MATCH_2 = {"Money": MatchScore(91, 1976, 500), "DIVAT": MatchScore(81, 1451, 500), "IO-DIVAT": MatchScore(62, 617, 500)}


def test_verdicts_of_match_2():
    """z = 1.03, 1.25, 2.25 and flags 0, 0, 1; by the margin rule 1, 1, 1 whether rooms are summed or averaged."""
    assert [round(score.test().z, 2) for score in MATCH_2.values()] == [1.03, 1.25, 2.25]
    for rooms in ("sum", "mean"):
        rule = VerdictRule(rooms=rooms)
        assert [rule.significant(score) for score in MATCH_2.values()] == [0, 0, 1]
        assert [rule.outcome(score) for score in MATCH_2.values()] == [1, 1, 1]
    assert VerdictRule().big_blinds(MATCH_2["Money"]) == pytest.approx(91)


def test_margin_and_signs():
    """A loss mirrors a win, the margin itself is a tie, and rooms change what counts as one."""
    assert [VerdictRule().outcome(MatchScore(mean, 1, 500)) for mean in (25, 25.1, -25, -25.1)] == [0, 1, 0, -1]
    assert VerdictRule(rooms="mean").outcome(MatchScore(30, 1, 500)) == 0
    assert VerdictRule().verdict(MatchScore(-62, 617, 500)) == (-1, -1)
    with pytest.raises(InputError, match="rooms must be sum or mean, not 'both'"):
        VerdictRule(rooms="both")


def test_table_of_verdicts():
    """Rows have totals, matches that could not be analysed a dash."""
    scores = {"Money": [MatchScore(91, 1976, 500), MatchScore(-91, 1976, 500), MatchScore(91, 1976, 500)]}
    table = verdict_table(["1", "2", "3"], scores | {"IO-DIVAT": [None, *[MATCH_2["IO-DIVAT"]] * 2]})
    assert table.cells()[1] == [["Money", "1/0", "-1/0", "1/0", "1/0"], ["IO-DIVAT", "-", "1/1", "1/1", "2/2"]]
    assert table.record("Money") == (2, 1, 0)
    assert table.winner("Money") == 1
    assert table.to_json()["rows"]["IO-DIVAT"][0] is None


def test_essentially_solved():
    """1.64 * 5 / sqrt(61,320,000) = 1.0472e-3; Cepheus is below, with a chance above 1 in 20."""
    assert LIFETIME == 61_320_000
    assert solved_threshold(errors=1.64) == pytest.approx(1.0472e-3, abs=5e-8)
    assert solved_threshold() == pytest.approx(1.05e-3, abs=5e-6)
    assert 0.05 < chance_not_to_lose(0.986e-3) < 0.07
    assert chance_not_to_lose(solved_threshold()) == pytest.approx(0.05)


@pytest.mark.parametrize("game", ["kuhn_poker", "leduc_poker"])
def test_value_bracket_holds_the_value(game):
    """The bounds hold the value of the linear programme, and their width is twice the exploitability."""
    run = cp.solve(game, "cfr+", iterations=50, progress=False)
    bracket = value_bracket(game, run.strategy)
    assert bracket.holds(cp.exact(game).value[0])
    assert bracket.width == pytest.approx(2 * run.exploitability, abs=1e-12)
    assert bracket_value([89.7, -87.7]).width == pytest.approx(2.0)
