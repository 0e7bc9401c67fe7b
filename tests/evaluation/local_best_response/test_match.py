"""Hands of a local best response against agents."""

import pytest

import counterpoise as cp
from counterpoise.errors import InputError
from counterpoise.evaluation import local_best_response


@pytest.mark.parametrize("game", ["no_limit_holdem", "limit_holdem"])
def test_always_fold_gives_up_every_blind(game):
    """1,000 mbb as small blind, 500 as big blind, 750 on average, with no luck at all."""
    found = local_best_response(game, "always-fold", 10, actions="pot", progress=False)
    assert (found.mean, found.money, found.deviation, found.seats) == (750, 750, 0, (500, 1000))
    assert found.lower_bound == 750


@pytest.mark.slow
def test_always_call_pays_the_better_hand():
    """Against always-call it is a best response, which wins 1163.48 mbb (table 2.1)."""
    found = local_best_response("limit_holdem", "always-call", 60, actions="pot", seed=4, progress=False)
    assert found.lower_bound > 0
    assert abs(found.mean - 1163.48) <= 1.5 * found.ci95
    assert found.to_json()["hands"] == 60


@pytest.mark.slow
def test_same_seed_same_result_over_processes():
    """Two processes play the hands of one; another seed plays others."""
    play = {"hands": 40, "actions": "f,c,100%", "progress": False}
    game = "no_limit_holdem(ranks=4, stack=20)"
    one, two = (local_best_response(game, "random", seed=1, processes=count, **play) for count in (1, 2))
    assert (one.mean, one.ci95, one.seats) == (two.mean, two.ci95, two.seats)
    assert local_best_response(game, "random", seed=2, **play).mean != one.mean


def test_cancelled_keeps_what_was_played():
    """A token that is set before the first block leaves none; a result without hands has no interval."""
    token = cp.CancelToken()
    token.cancel()
    found = local_best_response("limit_holdem(ranks=4)", "random", 10, progress=False, cancel=token)
    assert found.hands == 0
    assert found.interrupted
    assert found.to_json()["mean"] is None


def test_wrong_input():
    """Agents that are not known, plans that are none, and numbers that are wrong."""
    with pytest.raises(InputError, match="does not say what it would do with other hands"):
        local_best_response("limit_holdem", "human", 1, progress=False)
    with pytest.raises(InputError, match="actions: 'g' is not a bet size"):
        local_best_response("limit_holdem", "random", 1, actions="g", progress=False)
    with pytest.raises(InputError, match="hands must be a whole number"):
        local_best_response("limit_holdem", "random", 0, progress=False)


@pytest.mark.slow
def test_blueprints_and_bets_that_they_do_not_know(tmp_path):
    """A blueprint of random weights loses to bets of its menu, and answers others, which it translates."""
    import numpy as np

    from counterpoise.blueprint import Blueprint
    from counterpoise.cards import Deck

    game = cp.load("no_limit_holdem(ranks=6, stack=20)")
    cards = cp.abstraction("IR-PHS-PHS", buckets=(6, 5, 5, 5), deck=Deck(ranks=6), cache=tmp_path, progress=False)
    weights = np.random.default_rng(0).random(len(Blueprint.uniform(game, cards).table)).astype(np.float32)
    blueprint = Blueprint(game, cards, weights)
    found = local_best_response(game, blueprint, 60, seed=1, progress=False)
    assert found.lower_bound > 0
    unknown = local_best_response(game, blueprint, 4, actions="c / f,c,40%,170%", seed=1, progress=False)
    assert unknown.hands == 4
    assert abs(unknown.money) <= 20_000  # its stack
