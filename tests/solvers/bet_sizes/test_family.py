"""Families of games: their parameters, their payoffs as affine functions, and what is refused."""

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.solvers.bet_sizes import enumerate_family, make_family
from counterpoise.tree import solve_lp

LEDUC_VALUES = {
    (2.1, 4.1): 0.0864359,
    (2, 9.75): 0.1607337,
    (1.69, 8.56): 0.1640476,
    (1.66019, 8.39552): 0.1644199,
}


@pytest.fixture(scope="module")
def leduc():
    return enumerate_family(make_family("leduc_poker", ["bets[0]", "bets[1]"]), ((1.0, 4.0), (2.0, 12.0)))


@pytest.mark.parametrize("bets", LEDUC_VALUES)
def test_leduc_has_the_known_values_by_its_bets(leduc, bets):
    """LP values to the second actor, of the game itself and of the affine form of the family."""
    assert cp.exact(cp.load("leduc_poker", bets=bets)).value[1] == pytest.approx(LEDUC_VALUES[bets], abs=1e-6)
    assert solve_lp(leduc.at(bets)).value[1] == pytest.approx(LEDUC_VALUES[bets], abs=1e-6)


def test_affine_payoffs_are_those_of_the_enumerated_game(leduc):
    bets = (2.37, 7.91)
    ours, rules = leduc.at(bets), cp.enumerate_game(cp.load("leduc_poker", bets=bets))
    np.testing.assert_allclose(ours.histories.payoffs, rules.histories.payoffs, atol=1e-12)
    np.testing.assert_allclose(ours.form.values, rules.form.values, atol=1e-14)
    assert ours.name == rules.name
    assert ours.table.same_as(rules.table)


def test_leduc_pays_an_ante_and_at_most_two_bets_of_each_round(leduc):
    """Every payoff is 0 or +-(1 + k1 theta1 + k2 theta2) with k1, k2 in {0, 1, 2}."""
    constant, first, second = np.abs(leduc.payoffs)
    assert set(np.unique(constant.round(9))) == {0, 1}
    assert set(np.unique(first.round(9))) == set(np.unique(second.round(9))) == {0, 1, 2}


@pytest.mark.slow
def test_exact_sweep_of_the_second_bet():
    """Of 41 bets from 3 to 13, 9.75 is worth most to the second actor."""
    sweep = cp.sweep_parameters("leduc_poker", {"bets[1]": np.linspace(3, 13, 41)}, seat=1, progress=False)
    assert sweep.best == {"bets[1]": 9.75}
    assert max(sweep.values) == pytest.approx(0.160734, abs=1e-6)
    assert sweep.values[0] == pytest.approx(0.070879, abs=1e-6)
    assert sweep.values[-1] == pytest.approx(0.124410, abs=1e-6)


def test_other_games_with_numbers_in_their_fields():
    """One bet of a fraction of the pot is affine in the fraction, although the name of the game changes."""
    family = make_family("one_card_poker(ranks=3, max_bets=(1, 0))", ["fractions[0][0]"])
    game = enumerate_family(family, ((0.25, 2.0),))
    played = cp.load("one_card_poker(ranks=3, max_bets=(1, 0))", fractions=((0.8,), (1,)))
    assert solve_lp(game.at([0.8])).value == pytest.approx(cp.exact(played).value, abs=1e-9)


def test_function_of_named_parameters_is_a_family():
    def game(stake, bonus):
        return cp.load("matrix", row_payoffs=((stake, -bonus), (-stake, 2 * stake + bonus)))

    pennies = enumerate_family(make_family(game, ["stake", "bonus"]), ((1.0, 2.0), (0.0, 1.0)))
    assert pennies.names == ("stake", "bonus")
    np.testing.assert_allclose(pennies.at([1.5, 0.5]).histories.payoffs[:, 0], [1.5, -0.5, -1.5, 3.5])


@pytest.mark.parametrize(
    ("game", "parameters", "sentence"),
    [
        ("leduc_poker", ["bets"], r"bets must hold a number: name one of bets\[0\], bets\[1\]"),
        ("leduc_poker", ["bet[0]"], r"has no parameter 'bet\[0\]': did you mean bets\?"),
        ("leduc_poker", ["bets[2]"], r"has no parameter 'bets\[2\]': name one of bets\[0\], bets\[1\]"),
        ("leduc_poker", ["merge_suits"], "merge_suits must hold a number, not True"),
        ("leduc_poker", [], "parameters must name at least one parameter"),
        ("leduc_poker", ["bets(1)"], r"a parameter is named like bets or bets\[1\], not 'bets\(1\)'"),
        ("kuhn_poker", ["ante"], "kuhn_poker has no parameter 'ante'"),
    ],
)
def test_parameters_that_a_game_has_not_are_refused(game, parameters, sentence):
    with pytest.raises(cp.InputError, match=sentence):
        make_family(game, parameters)


def test_payoffs_that_are_not_affine_are_refused():
    family = make_family("one_card_poker(ranks=2)", ["fractions[0][0]"])  # a raise is a fraction of what was bet
    with pytest.raises(cp.InputError, match=r"^the payoffs must be affine in fractions\[0\]\[0\]: "):
        enumerate_family(family, ((0.5, 1.0),))


def test_products_of_parameters_are_refused():
    def game(a, b):
        return cp.load("matrix", row_payoffs=((a * b, 0), (0, 1)))

    with pytest.raises(cp.InputError, match=r"^the payoffs must be affine in a, b: "):
        enumerate_family(make_family(game, ["a", "b"]), ((0.0, 1.0), (0.0, 1.0)))


def test_structure_that_changes_is_refused():
    def game(raises):
        return cp.load("leduc_poker", ranks=2, max_raises=int(raises))

    with pytest.raises(cp.InputError, match=r"^raises must change nothing but payoffs: "):
        enumerate_family(make_family(game, ["raises"]), ((0.0, 2.0),))
