from itertools import product

import pytest

from counterpoise.games import load

from .walk import outcome, tree


def _is_equilibrium(game, profile):
    spots = [str(spot) for spot in range(game.spots)]
    return all(
        game.payoffs((*profile[:seat], spot, *profile[seat + 1 :]))[seat] <= game.payoffs(profile)[seat] + 1e-12
        for seat in range(game.players)
        for spot in spots
    )


@pytest.mark.parametrize("spots", [6, 9, 12])
def test_pure_equilibria_of_three_sellers_are_the_equal_spacings(spots):
    """Brown 2020, section 2.2, figure 2.1."""
    game = load("lemonade_stand", spots=spots)
    for profile in product(map(str, range(spots)), repeat=3):
        first, second, third = sorted(map(int, profile))
        equal = second - first == third - second == spots // 3
        assert _is_equilibrium(game, profile) == equal


def test_equilibria_do_not_combine():
    """Each seller plays its part of another equilibrium; together they are in none."""
    game = load("lemonade_stand")
    chosen = [("0", "4", "8"), ("1", "5", "9"), ("2", "6", "10")]
    assert all(_is_equilibrium(game, profile) for profile in chosen)
    assert not _is_equilibrium(game, tuple(profile[seat] for seat, profile in enumerate(chosen)))


@pytest.mark.parametrize(
    ("scoring", "line", "payoffs"),
    [
        ("distance", ("0", "4", "8"), (0, 0, 0)),
        ("distance", ("0", "2", "9"), (2 - 7 / 3, 2 - 7 / 3, 3 - 7 / 3)),
        ("distance", ("0", "0", "6"), (-2, -2, 4)),
        ("distance", ("5", "5", "5"), (0, 0, 0)),
        ("customers", ("0", "4", "8"), (0, 0, 0)),
        ("customers", ("0", "1", "6"), (7 - 8, 6 - 8, 11 - 8)),
        ("customers", ("0", "0", "3"), (-2, -2, 4)),
        ("customers", ("5", "5", "5"), (0, 0, 0)),
    ],
)
def test_payoffs(scoring, line, payoffs):
    assert outcome(load("lemonade_stand", scoring=scoring), *line) == pytest.approx(payoffs)


def test_customers_allow_unequal_spacing():
    """A seller may move freely between its neighbours: every spacing without a gap above half the ring."""
    game = load("lemonade_stand(scoring=customers)")
    assert _is_equilibrium(game, ("0", "4", "8"))
    assert _is_equilibrium(game, ("0", "3", "8"))
    assert not _is_equilibrium(game, ("0", "1", "5"))


@pytest.mark.parametrize("scoring", ["distance", "customers"])
def test_zero_sum_and_size(scoring):
    game = tree(f"lemonade_stand(scoring={scoring}, spots=7)")
    assert (game.nodes, game.terminals, set(game.infosets)) == (1 + 7 + 49 + 343, 343, {"P1", "P2", "P3"})
