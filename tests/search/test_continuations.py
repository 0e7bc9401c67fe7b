"""Continuations below leaves: bias, and best responses to what was found so far (Brown 2020, section 5.2)."""

import math

import pytest

import counterpoise as cp
from counterpoise.errors import InputError
from counterpoise.public import build_dense
from counterpoise.search import search_subgame
from counterpoise.search.continuations import bias_approach, biased, poker_class, self_generated
from counterpoise.search.depth_limited import depth_limited
from counterpoise.search.limited_rules import joined, values_of_histories
from counterpoise.search.subgame_strategies import with_part, write_part
from counterpoise.tree import enumerate_game

GAME = "one_card_poker(ranks=3, fractions=[[0.5, 1], [0.5, 1]], max_bets=[1, 1])"


@pytest.fixture(scope="module")
def whole():
    return build_dense(GAME)


@pytest.fixture(scope="module")
def blueprint(whole):
    return whole.profile(cp.solve(GAME, "cfr+", iterations=50).strategy)


def test_17_bias(whole, blueprint):
    """Factor 1 is the identity, probabilities sum to 1, zero stays zero, and odds change by the factor."""
    four = [whole.strategy(one) for one in bias_approach(blueprint)]
    assert whole.strategy(biased(blueprint, "fold", 1.0)) == four[0]
    blueprint = four[0]
    for chosen, strategy in zip(("fold", "call", "raise"), four[1:], strict=True):
        for key in blueprint:
            before, after = blueprint[key], strategy[key]
            assert sum(after.values()) == pytest.approx(1, abs=1e-12)
            assert all(after[action] == 0 for action in before if before[action] == 0)
            if not any(poker_class(action) == chosen and before[action] > 0 for action in before):
                assert after == pytest.approx(before, abs=1e-6)
                continue
            total = sum(before[action] * (10 if poker_class(action) == chosen else 1) for action in before)
            for action in before:
                factor = 10 if poker_class(action) == chosen else 1
                assert after[action] == pytest.approx(factor * before[action] / total, abs=1e-6)


@pytest.mark.parametrize("factor", [0, -1, math.inf, math.nan])
def test_wrong_factors_are_refused(blueprint, factor):
    with pytest.raises(InputError, match="factor must be a positive number"):
        biased(blueprint, "fold", factor)


def test_actions_of_no_class_are_refused(blueprint):
    with pytest.raises(InputError, match="'heads' is neither fold, call nor raise"):
        poker_class("heads")


def test_generated_continuations(whole, blueprint):
    """Each is a best response to the strategy found above the leaves and the blueprint below (double oracle)."""
    searcher = 1
    found = self_generated(whole, blueprint, searcher, 4, iterations=100)
    assert found.leaves.continuations[0][0] is blueprint
    assert [found.leaves.counts, len(found.won)] == [(4, 1), 3]
    assert found.won[-1] < found.won[0]
    above = search_subgame(
        depth_limited(whole.root, blueprint, searcher, found.leaves.take(0, 2)), "unsafe", iterations=100
    )
    played = blueprint.copy()
    write_part(played, whole.root, above.average, searcher)
    target = whole.strategy(played)
    assert target.distance(with_part(whole.strategy(blueprint), above.strategy, searcher)) < 1e-6
    for key in target.table:
        player, label = key
        source = above.strategy if player == searcher and "/" not in label else whole.strategy(blueprint)
        assert target[key] == pytest.approx(source[key], abs=1e-6)
    response = cp.best_response(GAME, target, 0)
    assert found.won[1] == pytest.approx(response.value, abs=1e-6)
    made = whole.strategy(found.leaves.continuations[0][2])
    against = joined(enumerate_game(GAME), [made, target])
    assert values_of_histories(enumerate_game(GAME), against)[0, 0] == pytest.approx(response.value, abs=1e-6)


def test_generated_continuations_of_the_first_seat_as_searcher(whole, blueprint):
    found = self_generated(whole, blueprint, 0, 3, iterations=100)
    assert found.won[1] < found.won[0]


def test_nothing_to_generate(whole, blueprint):
    assert self_generated(whole, blueprint, 1, 1).leaves.continuations == [[blueprint], [blueprint]]
    with pytest.raises(InputError, match="count must be a whole number of at least 1"):
        self_generated(whole, blueprint, 1, 0)


@pytest.mark.parametrize("wrong", [2, -1, True, None], ids=repr)
def test_seats(whole, blueprint, wrong):
    with pytest.raises(InputError, match="searcher must be seat 0 or 1, not "):
        self_generated(whole, blueprint, wrong, 2)


def test_parts_with_other_actions_are_refused(whole, blueprint):
    other = cp.solve(GAME.replace("[[0.5, 1]", "[[0.5, 0.75, 1]"), "cfr+", iterations=1).strategy
    with pytest.raises(InputError, match="the actions at"):
        with_part(whole.strategy(blueprint), other, 0)
