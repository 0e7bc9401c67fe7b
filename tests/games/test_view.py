"""Views delegate what they do not change, on states of the game or on states of their own."""

from typing import NamedTuple

import pytest

from counterpoise.games import CoarseGame, GameView, check_game, game_name, is_observed, least_histories, load
from counterpoise.search import ActionAbstraction
from counterpoise.tree import enumerate_game


class Plain(GameView):
    name = "the same game"


class Counted(NamedTuple):
    state: object
    moves: int


class Counting(GameView):
    """Every state also knows how many moves led to it."""

    name = "counted"

    def inner(self, state):
        return state.state

    def initial(self):
        return Counted(self.game.initial(), 0)

    def next(self, state, action):
        return Counted(self.game.next(state.state, action), state.moves + 1)


@pytest.mark.parametrize("view", [Plain, Counting])
@pytest.mark.parametrize("name", ["kuhn_poker(players=3)", "leduc_poker", "goofspiel(cards=3)", "matching_pennies"])
def test_a_view_is_the_game(view, name):
    game = load(name)
    report, other = check_game(view(game)), check_game(game)
    assert report.infosets == other.infosets
    assert (report.nodes, report.depth, report.sum) == (other.nodes, other.depth, other.sum)
    assert is_observed(view(game))
    assert game_name(view(game)) == str(view(game)) == view.name


def test_observations_have_the_actions_of_the_view():
    game = load("leduc_poker")
    view = ActionAbstraction(game, ["r"])
    state = view.next(view.initial(), "QK")
    assert view.observation(state, 0) == game.observation(state.state, 0)._replace(actions=("c",))
    assert (view.public(state), view.private(state, 1)) == ((), "K")
    assert check_game(view).infosets == (12, 12)


def test_what_a_view_changes_is_not_passed_on():
    game = load("leduc_poker")
    coarse = CoarseGame(game, lambda label: label.replace("K", "Q"))
    assert not is_observed(coarse), "its infosets are others"
    with pytest.raises(AttributeError, match="'CoarseGame' object has no attribute 'public'"):
        _ = coarse.public
    large = load("limit_holdem")
    assert least_histories(Plain(large)) == least_histories(large) > 1e12
    assert least_histories(Counting(large)) == 0, "its tree may be another"
    assert callable(Counting(large).sample_chance)
    with pytest.raises(AttributeError, match="sample_chance"):
        _ = Plain(game).sample_chance


def test_views_are_enumerated_as_the_game():
    whole, same = enumerate_game("kuhn_poker"), enumerate_game(Counting(load("kuhn_poker")))
    assert list(whole.table) == list(same.table)
    assert (whole.form.values == same.form.values).all()
