"""Action translation: the exact strategy it makes of a solution."""

import pytest

import counterpoise as cp
from counterpoise.search import translated
from counterpoise.search.abstraction import ActionAbstraction
from counterpoise.search.action_translation import bet_size

SMALL = "one_card_poker(ranks=3, fractions=((0.5, 1), (0.5, 1)), max_bets=(1, 1))"
LARGE = "one_card_poker(ranks=3, fractions=((0.5, 0.75, 1), (0.5, 0.75, 1)), max_bets=(1, 1))"


def test_refuses_wrong_words():
    with pytest.raises(cp.InputError, match="'all-in' names no size"):
        bet_size("all-in")
    with pytest.raises(cp.InputError, match="player must be seat 0 or 1, not 2"):
        translated(LARGE, SMALL, {}, 2)


def test_nothing_to_translate_changes_nothing():
    solved = cp.solve(SMALL, "cfr+", iterations=20, progress=False).strategy
    for player in range(2):
        found = translated(SMALL, SMALL, solved, player)
        assert len(found) == sum(owner == player for owner, _ in solved.table)
        for key, chosen in found.items():
            assert chosen == pytest.approx(solved[key])


def test_mixes_shadows_by_translation_and_own_reach():
    """Facing 3/4 of the pot: 3/7 of the answer to 1/2. After the call, weighted by how often either was called."""
    solved = cp.solve(SMALL, "cfr+", iterations=200, progress=False).strategy
    found = translated(LARGE, SMALL, solved, 1)
    half, pot = solved["Q:r0.5"], solved["Q:r1"]
    for action in ("f", "c"):
        assert found[1, "Q:r0.75"][action] == pytest.approx(3 / 7 * half[action] + 4 / 7 * pot[action])
    weights = 3 / 7 * half["c"], 4 / 7 * pot["c"]
    later = [solved[f"Q:{bet}c/K:c"] for bet in ("r0.5", "r1")]
    for action in ("c", "r0.5", "r1"):
        expected = sum(w * one[action] for w, one in zip(weights, later, strict=True)) / sum(weights)
        assert found[1, "Q:r0.75c/K:c"][action] == pytest.approx(expected)
    assert found[1, "Q:r0.75c/K:c"]["r0.75"] == 0


def test_a_bet_taken_for_a_check_is_called():
    """A tenth of the pot is nothing to a player who knows a pot-size bet only and rounds."""
    large = "one_card_poker(ranks=3, fractions=((0.1, 1), (0.1, 1)), max_bets=(1, 1))"

    small = ActionAbstraction(large, ["r0.1"])
    solved = cp.solve(small, "cfr+", iterations=100, progress=False).strategy
    found = translated(large, small, solved, 1, "nearest")
    assert found[1, "Q:r0.1"] == {"f": 0, "c": pytest.approx(1)}
    assert found[1, "Q:r0.1c/K:c"] == pytest.approx(
        {"c": solved["Q:cc/K:c"]["c"], "r0.1": 0, "r1": solved["Q:cc/K:c"]["r1"]}
    )
    first = translated(large, small, solved, 0, "nearest")
    assert first[0, "Q:cr0.1"] == {"f": 0, "c": 1}
    assert first[0, "Q:cr0.1c/K:"]["r1"] == pytest.approx(solved["Q:cc/K:"]["r1"])
