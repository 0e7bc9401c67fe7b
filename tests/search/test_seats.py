"""Safe search does not care which seat the searcher has."""

import numpy as np
import pytest

from counterpoise.games import as_game
from counterpoise.public import build_dense
from counterpoise.search import search_subgame, subgame
from counterpoise.tree import Strategy, enumerate_game
from tests.search.blueprints import random_strategy

GAME = "one_card_poker(ranks=3,fractions=[[1],[1]],max_bets=[2,2])"
HISTORY = ("c", "r", "c", "Q")


class Swapped:
    """A game in which the players have changed their numbers, and nothing else."""

    def __init__(self, game):
        self.game, self.players, self.name = as_game(game), 2, f"{game}, seats swapped"
        self.initial, self.actions, self.chance = self.game.initial, self.game.actions, self.game.chance
        self.next, self.infoset = self.game.next, self.game.infoset

    def player(self, state):
        seat = self.game.player(state)
        return 1 - seat if seat >= 0 else seat

    def payoffs(self, state):
        return self.game.payoffs(state)[::-1]


def swapped_strategy(game, strategy):
    return Strategy.from_mapping(
        enumerate_game(game), {(1 - seat, label): strategy[seat, label] for seat, label in strategy.table}
    )


@pytest.mark.parametrize("searcher", [0, 1])
@pytest.mark.parametrize("method", ["resolve", "maxmargin", "distributional"])
def test_seats_may_be_swapped(method, searcher):
    """The same subgame with other numbers of the seats has the same answer, and that after few iterations."""
    game, blueprint = Swapped(GAME), random_strategy(GAME, 3)
    other = swapped_strategy(game, blueprint)
    alternative = np.array([-0.5, 0.3, 0.8])
    settings = {"alternative": alternative, "spread": 0.3 if method == "distributional" else 0.0, "iterations": 7}
    one = search_subgame(subgame(build_dense(GAME), HISTORY, blueprint, searcher), method, **settings)
    two = search_subgame(subgame(build_dense(game), HISTORY, other, 1 - searcher), method, **settings)
    np.testing.assert_allclose(one.values, two.values, atol=1e-5)
    for seat, label in one.strategy.table:
        assert one.strategy[seat, label] == pytest.approx(two.strategy[1 - seat, label], abs=1e-5), label


def test_the_searcher_is_first():
    """Coin toss by hand: against both coins alike the searcher's first answer is (1/2, 1/2, 0), worth 0 to either.

    Heads then is indifferent to its alternative 0 and goes on to enter with 1/2, Tails takes 1/2 instead of 0. Were the
    opponent first, it would meet the even strategy, worth 1/3 to either coin, and Heads would enter.
    """
    tree = build_dense("coin_toss")
    found = subgame(tree, ("play",), Strategy.uniform(enumerate_game("coin_toss")), 1)
    entry = search_subgame(found, "resolve", alternative=np.array([0.0, 0.5]), iterations=2).entry
    np.testing.assert_allclose(entry, [1 / 2, 1 / 6], atol=1e-6)
