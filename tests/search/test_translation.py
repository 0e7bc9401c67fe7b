"""Action translation: closed values, its limits, and the exact strategy it makes of a solution."""

import pytest
from hypothesis import given, strategies as st

import counterpoise as cp
from counterpoise.search import translate, translated
from counterpoise.search.abstraction import ActionAbstraction
from counterpoise.search.translation import bet_size, midpoint, share_of_smaller

SMALL = "one_card_poker(ranks=3, fractions=((0.5, 1), (0.5, 1)), max_bets=(1, 1))"
LARGE = "one_card_poker(ranks=3, fractions=((0.5, 0.75, 1), (0.5, 0.75, 1)), max_bets=(1, 1))"

fraction = st.floats(0.01, 20)


def test_11_share_and_midpoints():
    """The share of 1/2-pot in a bet of 3/4, and the midpoints that become new sizes in BROWN 4.3.6."""
    assert share_of_smaller(0.75, 0.5, 1) == pytest.approx(3 / 7, abs=1e-12)
    for low, high, between in ((0, 1, 1 / 3), (0, 1 / 3, 1 / 7), (1 / 3, 1, 3 / 5)):
        assert midpoint(low, high) == pytest.approx(between, abs=1e-12)


@given(fraction, fraction, st.floats(0, 1), st.floats(0, 1))
def test_11_share_falls_from_1_to_0(one, other, first, second):
    low, high = sorted((one, other))
    if high - low < 1e-3:
        return
    assert share_of_smaller(low, low, high) == pytest.approx(1, abs=1e-12)
    assert share_of_smaller(high, low, high) == 0
    assert share_of_smaller(midpoint(low, high), low, high) == pytest.approx(0.5, abs=1e-9)
    nearer, further = sorted((first, second))
    shares = [share_of_smaller(low + part * (high - low), low, high) for part in (nearer, further)]
    assert shares[0] >= shares[1] - 1e-12


def test_11_half_at_the_midpoint():
    """To the last digits, for the sizes of the text."""
    for low, high in ((0, 1), (0, 1 / 3), (1 / 3, 1), (0.5, 1)):
        assert share_of_smaller(midpoint(low, high), low, high) == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize(
    ("size", "translation", "taken"),
    [
        (0.5, "pseudo-harmonic", {0.5: 1.0}),
        (0.25, "midpoint", {0.5: 1.0}),  # above 1/5, the midpoint of 0 and 1/2
        (0.19, "midpoint", {0.0: 1.0}),
        (0.24, "nearest", {0.0: 1.0}),
        (0.75, "midpoint", {1.0: 1.0}),  # above 5/7
        (0.74, "nearest", {0.5: 1.0}),
        (0.7, "midpoint", {0.5: 1.0}),
        (7, "nearest", {1.0: 1.0}),
        (7, "pseudo-harmonic", {1.0: 1.0}),
    ],
)
def test_sizes_below_between_and_above(size, translation, taken):
    assert translate(size, [0.5, 1.0], translation) == taken


def test_below_the_smallest_is_a_check_in_part():
    taken = translate(0.25, [0.5, 1])
    assert taken == {0.0: pytest.approx(0.25 / (0.5 * 1.25)), 0.5: pytest.approx(1 - 0.25 / (0.5 * 1.25))}


@pytest.mark.parametrize("size", [-1, float("nan"), float("inf"), "big", True])
def test_refuses_what_is_no_size(size):
    with pytest.raises(cp.InputError, match="fractions of the pot"):
        translate(size, [0.5, 1])


def test_refuses_wrong_words():
    with pytest.raises(cp.InputError, match="pseudo-harmonic, midpoint or nearest, not 'best'"):
        translate(1, [0.5], "best")
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
