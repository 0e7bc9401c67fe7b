"""What was found in a part of a game, written into a profile of the whole game."""

import numpy as np
import pytest

from counterpoise.errors import InputError
from counterpoise.public import Profile, build_dense
from counterpoise.search import ActionAbstraction, build_pair, write_part

from .blueprints import random_strategy

POKER = "one_card_poker(ranks=3, fractions=((0.5, 0.75), (0.5, 0.75)), max_bets=(1, 1))"
HIDDEN = ["r0.75"]


def written(profile, place, part, player):
    """The profile with the part in it."""
    found = profile.copy()
    write_part(found, place, part, player)
    return found


@pytest.mark.parametrize("player", [0, 1])
def test_only_the_player_below_the_place_changes(player):
    whole = build_dense("leduc_poker")
    before, other = (whole.profile(random_strategy("leduc_poker", seed)) for seed in (1, 2))
    place = whole.find(["c", "r"])
    part = whole.subtree(place)
    found = written(before, place, part.profile(whole.strategy(other)), player)
    below = set(place.decisions_below())
    for node in whole.root.decisions_below():
        source = other if node.player == player and node in below else before
        np.testing.assert_allclose(node.strategy(found), node.strategy(source), atol=1e-6)


def test_actions_that_the_part_lacks_get_nothing():
    """A searcher may have found a strategy with fewer bets; the other's bets must all be answered."""
    whole, _ = build_pair(POKER, HIDDEN)
    seat_0 = build_dense(ActionAbstraction(POKER, HIDDEN, seat=0), whole.deals.hands, forced=True)
    before, part = whole.profile(random_strategy(POKER, 1)), seat_0.profile(random_strategy(seat_0.rules, 2))
    found = written(before, whole.root, part, 0)
    rows = whole.root.strategy(found)
    assert (rows[whole.root.actions.index("r0.75")] == 0).all()
    np.testing.assert_allclose(rows.sum(axis=0), 1, atol=1e-6)
    with pytest.raises(InputError, match=r"the actions of the part must be those of .*'r0.75' is not in both"):
        write_part(before, whole.root, part, 1)  # who would not know what to do against bets of 3/4


def test_bets_that_only_the_part_has_are_refused_for_the_player():
    whole, small = build_pair(POKER, HIDDEN)
    with pytest.raises(InputError, match=r"'r0.75' is not in both"):
        write_part(Profile(small), small.root, Profile(whole), 0)


@pytest.mark.parametrize("wrong", [2, -1, True, None], ids=repr)
def test_seats(wrong):
    game = build_dense("kuhn_poker")
    with pytest.raises(InputError, match="player must be seat 0 or 1, not "):
        write_part(Profile(game), game.root, Profile(game), wrong)
