"""Exact equilibria by linear programming."""

import pytest

import counterpoise as cp

VALUES = [
    ("kuhn_poker", -1 / 18),
    ("leduc_poker", -0.0856064240780),
    ("leduc_poker(merge_suits=False)", -0.0856064240780),
    ("goofspiel(cards=4)", 0.0),
    ("liars_dice(dice=1, faces=4)", 0.0625),
    ("liars_dice(dice=1, faces=5)", 0.008),
    ("matrix(row_payoffs=[[1, 0.9], [-0.7, 1]])", 1.63 / 1.8),
    ("matrix(row_payoffs=[[1, 0], [0, 2]])", 2 / 3),
    ("rps_plus", 0.0),
    ("coin_toss", 0.0),
    ("matching_pennies", 0.0),
]


@pytest.mark.parametrize(("name", "value"), VALUES)
def test_values(name, value):
    """Values of the small games [1e-9]; the equilibrium found is one, by exact best response."""
    game = cp.load(name)
    solution = cp.exact(game)
    assert solution.value[0] == pytest.approx(value, abs=1e-9)
    assert solution.value[1] == pytest.approx(-value, abs=1e-9)
    assert cp.exploitability(game, solution.strategy) < 1e-8


@pytest.mark.slow
def test_goofspiel_of_five_cards_is_fair():
    """Goofspiel-5 is symmetric, value 0 [1e-9]."""
    assert cp.exact(cp.load("goofspiel")).value[0] == pytest.approx(0.0, abs=1e-9)


def test_known_equilibria():
    """RPS+ has the unique equilibrium (0.4, 0.4, 0.2); in the coin toss P2 guesses tails three in four.

    See Brown 2020, section 5.2.1.
    """
    rps = cp.exact(cp.load("rps_plus")).strategy
    for distribution in rps.values():
        assert list(distribution.values()) == pytest.approx([0.4, 0.4, 0.2], abs=1e-9)
    coin = cp.exact(cp.load("coin_toss")).strategy
    guess = next(coin[key] for key in coin if len(coin[key]) == 3)
    assert list(guess.values()) == pytest.approx([0.25, 0.75, 0.0], abs=1e-9)


def test_refuses_other_games():
    with pytest.raises(
        cp.InputError, match="needs a two-player zero-sum game; kuhn_poker\\(players=3\\) has 3 players"
    ):
        cp.exact(cp.load("kuhn_poker(players=3)"))
    prisoners = "matrix(row_payoffs=[[3, 0], [5, 1]], column_payoffs=[[3, 5], [0, 1]])"
    with pytest.raises(cp.InputError, match="zero-sum"):
        cp.exact(cp.load(prisoners))
