"""Leaf values by rollouts against the table, and how continuations are kept for them."""

import math

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.errors import InputError
from counterpoise.public import Profile, build_dense
from counterpoise.public.histories import private_deals
from counterpoise.search import search_subgame, subgame
from counterpoise.search.continuations import bias_approach
from counterpoise.search.depth_limited import depth_limited
from counterpoise.search.limited_rules import HistoryTable, LimitedRules, values_of_histories
from counterpoise.search.maxmargin_lp import maxmargin_lp
from counterpoise.search.rollouts import Rollouts, bits, in_bytes, presampled
from counterpoise.tree import Strategy, enumerate_game

GAME = "one_card_poker(ranks=3, fractions=[[0.5, 1], [0.5, 1]], max_bets=[1, 1])"


@pytest.fixture(scope="module")
def whole():
    return build_dense(GAME)


@pytest.fixture(scope="module")
def sets(whole):
    blueprint = whole.profile(cp.solve(GAME, "cfr+", iterations=50).strategy)
    four = [whole.strategy(one) for one in bias_approach(blueprint)]
    return [four, four[:1]]


@pytest.mark.slow
def test_18_rollouts_converge_to_the_table(sets):
    """The mean of n rollouts is the table's entry within 4 standard errors, for every choice."""
    table, rollouts = HistoryTable(GAME, sets), Rollouts(GAME, sets, count=600, seed=5)
    for deal in private_deals(cp.load(GAME))[:3]:
        path = (*deal.path, "r1", "c")
        samples = rollouts.samples(path)
        error = samples.std(axis=0, ddof=1) / math.sqrt(rollouts.count)
        assert (error > 0).any()
        assert (np.abs(samples.mean(axis=0) - table.history_values(path)) < 4 * error + 1e-12).all()
        np.testing.assert_allclose(rollouts.history_values(path), samples.mean(axis=0))


def test_the_order_of_leaves_does_not_matter(sets):
    first, second = (Rollouts(GAME, sets, seed=1) for _ in range(2))
    paths = [(*deal.path, "c", "c") for deal in private_deals(cp.load(GAME))]
    forwards = [first.history_values(path) for path in paths]
    backwards = [second.history_values(path) for path in reversed(paths)]
    np.testing.assert_array_equal(forwards, backwards[::-1])
    other = Rollouts(GAME, sets, seed=2)
    assert any((other.history_values(path) != values).any() for path, values in zip(paths, forwards, strict=True))


def test_payoffs_add_up(sets):
    path = (*private_deals(cp.load(GAME))[0].path, "c", "c")
    np.testing.assert_allclose(Rollouts(GAME, sets, count=20).samples(path).sum(axis=-1), 0, atol=1e-12)


@pytest.mark.parametrize("stored", ["floats", "presampled"])
def test_a_subgame_with_rollouts_at_its_leaves(whole, sets, stored):
    """A pick is worth the mean of its rollouts, summed by hand; the subgame is solved like any other, as an LP says."""
    blueprint = sets[1][0]
    game, hands = cp.load(GAME), whole.deals.hands
    leaves = Rollouts(GAME, sets, count=3, stored=stored)
    found = depth_limited(whole.find(["r0.5"]), whole.profile(blueprint), 1, leaves)
    for pick in range(4):
        played = Profile(found.game)
        for node in found.game.root.decisions_below():
            rows = np.zeros((len(node.actions), 3))
            if node.decision.choice:
                rows[pick] = 1.0
            else:
                rows = whole.find(["r0.5", *node.steps]).strategy(whole.profile(blueprint))
            node.set_strategy(played, rows)
        worth, met = np.zeros(3), np.zeros(3)
        for deal, (path, state, chance) in enumerate(private_deals(game)):
            facing = game.next(state, "r0.5")
            called = blueprint[1, game.infoset(facing)]["c"]
            folded = game.payoffs(game.next(facing, "f"))[0]
            worth[hands[0][deal]] += chance * (
                called * leaves.history_values((*path, "r0.5", "c"))[pick, 0, 0] + (1 - called) * folded
            )
            met[hands[0][deal]] += chance
        np.testing.assert_allclose(found.root_values(played), worth / met, atol=1e-5)
    result = search_subgame(found, "maxmargin", alternative=np.zeros(3), iterations=2_000)
    rules = LimitedRules(game, hands, leaves)
    spelled = subgame(build_dense(rules, hands, hidden=True), ["r0.5"], _below(rules, blueprint), 1, hidden=True)
    assert result.margins.min() == pytest.approx(maxmargin_lp(spelled, np.zeros(3)).margin, abs=5e-3)


def _below(rules, blueprint):
    """A strategy as one for the rules to a depth limit, where every pick is as likely."""
    table = enumerate_game(rules).table
    return {
        key: blueprint[key] if key in blueprint else dict.fromkeys(actions, 1 / len(actions))
        for key, actions in zip(table, table.actions, strict=True)
    }


@pytest.mark.parametrize("path", [("KQ", "x"), ("KQ", "r0.5", "f", "c"), ("nothing",)], ids=["action", "over", "deal"])
def test_histories_that_do_not_exist_are_refused(sets, path):
    with pytest.raises(InputError, match="no leaf values after"):
        Rollouts(GAME, sets).history_values(path)


def test_wrong_counts_are_refused(sets):
    with pytest.raises(InputError, match="count must be a whole number of at least 1"):
        Rollouts(GAME, sets, count=0)
    with pytest.raises(InputError, match="stored must be floats, bytes or presampled, not 'words'"):
        Rollouts(GAME, sets, stored="words")


def test_19_presampled_continuations_are_unbiased():
    """Over 1,000 tables the mean value of a history is that of the strategy, within 4 standard errors."""
    tree, blueprint = enumerate_game("kuhn_poker"), cp.solve("kuhn_poker", "cfr", iterations=10).strategy
    after = 1  # the first deal
    exact = values_of_histories(tree, blueprint.on(tree))[after, 0]
    values = np.empty(1_000)
    for seed in range(len(values)):
        drawn = presampled(blueprint, seed)
        if seed == 0:
            assert set(np.unique(drawn.probabilities)) == {0.0, 1.0}
            assert (drawn.probabilities[blueprint.probabilities == 0] == 0).all()
        values[seed] = values_of_histories(tree, drawn.on(tree))[after, 0]
    assert values.std() > 0.01
    assert abs(values.mean() - exact) < 4 * values.std(ddof=1) / math.sqrt(len(values))


def test_presampled_continuations_depend_on_the_seed_only(sets):
    blueprint = sets[1][0]
    assert presampled(blueprint, 3) == presampled(blueprint, 3)
    assert presampled(blueprint, 3) != presampled(blueprint, 4)


def test_one_byte_for_each_action(sets):
    blueprint = sets[1][0]
    stored = in_bytes(blueprint)
    assert stored.distance(blueprint) < 1 / 128
    assert (stored.probabilities[blueprint.probabilities == 0] == 0).all()
    pure = Strategy.from_mapping(enumerate_game("rps_plus"), {"P1": {"R": 1.0}, "P2": {"S": 1.0}})
    assert in_bytes(pure) == pure
    near, exact = (
        Rollouts(GAME, sets, count=200, stored=kept).history_values(("KQ", "c", "c")) for kept in ("bytes", "floats")
    )
    np.testing.assert_allclose(near, exact, atol=0.2)


def test_bits(sets):
    """Three actions take 2 bits drawn beforehand, 24 in bytes, 96 as floats of four bytes."""
    table = enumerate_game("rps_plus").table
    assert [bits(table, stored) for stored in ("presampled", "bytes", "floats")] == [4, 48, 192]
    assert Rollouts(GAME, sets, stored="bytes").bits == 5 * bits(sets[1][0].table, "bytes")
    with pytest.raises(InputError, match="stored must be floats, bytes or presampled"):
        bits(table, "words")
