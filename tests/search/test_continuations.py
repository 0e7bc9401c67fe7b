"""Continuations below leaves: bias, best responses to what was found so far, and how they are stored (BROWN 5.2)."""

import math

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.errors import InputError
from counterpoise.public import DenseTree
from counterpoise.search import search
from counterpoise.search.continuations import (
    bias_approach,
    biased,
    bits,
    in_bytes,
    poker_class,
    presampled,
    self_generated,
)
from counterpoise.search.depth_limited import depth_limited
from counterpoise.search.leaves import LeafTable, history_values, joined
from counterpoise.search.subgame import with_part
from counterpoise.tree import Strategy, enumerate_game

GAME = "one_card_poker(ranks=3, fractions=[[0.5, 1], [0.5, 1]], max_bets=[1, 1])"


@pytest.fixture(scope="module")
def blueprint():
    return cp.solve(GAME, "cfr+", iterations=50).strategy


def test_17_bias(blueprint):
    """Check 17: factor 1 is the identity, probabilities sum to 1, zero stays zero, and odds change by the factor."""
    assert biased(blueprint, "fold", 1.0) == blueprint
    for chosen, strategy in zip(("fold", "call", "raise"), bias_approach(blueprint)[1:], strict=True):
        for key in blueprint:
            before, after = blueprint[key], strategy[key]
            assert sum(after.values()) == pytest.approx(1, abs=1e-12)
            assert all(after[action] == 0 for action in before if before[action] == 0)
            if not any(poker_class(action) == chosen and before[action] > 0 for action in before):
                assert after == before
                continue
            total = sum(before[action] * (10 if poker_class(action) == chosen else 1) for action in before)
            for action in before:
                factor = 10 if poker_class(action) == chosen else 1
                assert after[action] == pytest.approx(factor * before[action] / total, abs=1e-12)


@pytest.mark.parametrize("factor", [0, -1, math.inf, math.nan])
def test_wrong_factors_are_refused(blueprint, factor):
    with pytest.raises(InputError, match="factor must be a positive number"):
        biased(blueprint, "fold", factor)


def test_actions_of_no_class_are_refused(blueprint):
    with pytest.raises(InputError, match="'heads' is neither fold, call nor raise"):
        poker_class("heads")


def test_generated_continuations(blueprint):
    """Each is a best response to the strategy found above the leaves and the blueprint below (double oracle)."""
    whole, searcher = DenseTree(GAME), 1
    found = self_generated(whole, blueprint, searcher, 4, iterations=100)
    assert found.continuations[0] == blueprint
    assert [len(found.continuations), len(found.won)] == [4, 3]
    assert found.won[-1] < found.won[0]
    leaves = LeafTable(GAME, [found.continuations[:2], [blueprint]])
    above = search(depth_limited(whole, (), blueprint, searcher, leaves), "unsafe", iterations=100).strategy
    target = with_part(blueprint, above, searcher)
    for key in target.table:
        player, label = key
        assert target[key] == (above if player == searcher and "/" not in label else blueprint)[key]
    response = cp.best_response(GAME, target, 0)
    assert found.won[1] == pytest.approx(response.value, abs=1e-12)
    against = joined(enumerate_game(GAME), [found.continuations[2], target])
    assert history_values(enumerate_game(GAME), against)[0, 0] == pytest.approx(response.value, abs=1e-12)


def test_generated_continuations_of_the_first_seat_as_searcher(blueprint):
    found = self_generated(DenseTree(GAME), blueprint, 0, 3, iterations=100)
    assert found.won[1] < found.won[0]


def test_nothing_to_generate(blueprint):
    assert self_generated(DenseTree(GAME), blueprint, 1, 1).continuations == [blueprint]
    with pytest.raises(InputError, match="count must be a whole number of at least 1"):
        self_generated(DenseTree(GAME), blueprint, 1, 0)


def test_parts_with_other_actions_are_refused(blueprint):
    other = cp.solve(GAME.replace("[[0.5, 1]", "[[0.5, 0.75, 1]"), "cfr+", iterations=1).strategy
    with pytest.raises(InputError, match="the actions at"):
        with_part(blueprint, other, 0)


def test_19_presampled_continuations_are_unbiased():
    """Check 19: over 1,000 tables the mean value of a history is that of the strategy, within 4 standard errors."""
    tree, blueprint = enumerate_game("kuhn_poker"), cp.solve("kuhn_poker", "cfr", iterations=10).strategy
    after = 1  # the first deal
    exact = history_values(tree, blueprint.on(tree))[after, 0]
    values = np.empty(1_000)
    for seed in range(len(values)):
        drawn = presampled(blueprint, seed)
        if seed == 0:
            assert set(np.unique(drawn.probabilities)) == {0.0, 1.0}
            assert (drawn.probabilities[blueprint.probabilities == 0] == 0).all()
        values[seed] = history_values(tree, drawn.on(tree))[after, 0]
    assert values.std() > 0.01
    assert abs(values.mean() - exact) < 4 * values.std(ddof=1) / math.sqrt(len(values))


def test_presampled_continuations_depend_on_the_seed_only(blueprint):
    assert presampled(blueprint, 3) == presampled(blueprint, 3)
    assert presampled(blueprint, 3) != presampled(blueprint, 4)


def test_one_byte_for_each_action(blueprint):
    stored = in_bytes(blueprint)
    assert stored.distance(blueprint) < 1 / 128
    assert (stored.probabilities[blueprint.probabilities == 0] == 0).all()
    pure = Strategy.from_mapping(enumerate_game("rps_plus"), {"P1": {"R": 1.0}, "P2": {"S": 1.0}})
    assert in_bytes(pure) == pure


def test_bits():
    """Three actions take 2 bits drawn beforehand, 24 in bytes, 96 as floats of four bytes."""
    table = enumerate_game("rps_plus").table
    assert [bits(table, stored) for stored in ("presampled", "bytes", "floats")] == [4, 48, 192]
    with pytest.raises(InputError, match="stored must be floats, bytes or presampled"):
        bits(table, "words")
