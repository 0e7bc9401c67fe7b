"""Leaf values by rollouts against the table."""

import math

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.errors import InputError
from counterpoise.public import DenseTree
from counterpoise.search import search
from counterpoise.search.continuations import bias_approach, presampled
from counterpoise.search.depth_limited import depth_limited
from counterpoise.search.leaves import LeafTable
from counterpoise.search.maxmargin_lp import maxmargin_lp
from counterpoise.search.rollouts import Rollouts
from counterpoise.search.subgame import private_deals

GAME = "one_card_poker(ranks=3, fractions=[[0.5, 1], [0.5, 1]], max_bets=[1, 1])"


@pytest.fixture(scope="module")
def sets():
    blueprint = cp.solve(GAME, "cfr+", iterations=50).strategy
    return [bias_approach(blueprint), [blueprint]]


@pytest.mark.slow
def test_18_rollouts_converge_to_the_table(sets):
    """Check 18: the mean of n rollouts is the table's entry within 4 standard errors, for every choice."""
    table, rollouts = LeafTable(GAME, sets), Rollouts(GAME, sets, count=600, seed=5)
    for deal in private_deals(cp.load(GAME))[:3]:
        path = (*deal.path, "r1", "c")
        samples = rollouts.samples(path)
        error = samples.std(axis=0, ddof=1) / math.sqrt(rollouts.count)
        assert (error > 0).any()
        assert (np.abs(samples.mean(axis=0) - table.values(path)) < 4 * error + 1e-12).all()
        np.testing.assert_allclose(rollouts.values(path), samples.mean(axis=0))


def test_the_order_of_leaves_does_not_matter(sets):
    first, second = (Rollouts(GAME, sets, seed=1) for _ in range(2))
    paths = [(*deal.path, "c", "c") for deal in private_deals(cp.load(GAME))]
    forwards = [first.values(path) for path in paths]
    backwards = [second.values(path) for path in reversed(paths)]
    np.testing.assert_array_equal(forwards, backwards[::-1])
    other = Rollouts(GAME, sets, seed=2)
    assert any((other.values(path) != values).any() for path, values in zip(paths, forwards, strict=True))


def test_payoffs_add_up(sets):
    path = (*private_deals(cp.load(GAME))[0].path, "c", "c")
    np.testing.assert_allclose(Rollouts(GAME, sets, count=20).samples(path).sum(axis=-1), 0, atol=1e-12)


def test_a_subgame_with_rollouts_at_its_leaves(sets):
    """A pick is worth the mean of its rollouts, summed by hand; the subgame is solved like any other, as an LP says."""
    whole, blueprint = DenseTree(GAME), sets[1][0]
    drawn = [[presampled(one, seed) for seed, one in enumerate(own)] for own in sets]
    game, hands = cp.load(GAME), whole.deals.hands
    for given in (sets, drawn):
        leaves = Rollouts(GAME, given, count=3)
        found = depth_limited(whole, ("r0.5",), blueprint, 1, leaves)
        for pick in range(4):
            found.play(
                {
                    key: {f"continuation {pick}": 1.0} if "goes on" in key[1] else blueprint[key]
                    for key in found.tree.table
                }
            )
            worth, met = np.zeros(3), np.zeros(3)
            for deal, (path, state, chance) in enumerate(private_deals(game)):
                facing = game.next(state, "r0.5")
                called = blueprint[1, game.infoset(facing)]["c"]
                folded = game.payoffs(game.next(facing, "f"))[0]
                worth[hands[0][deal]] += chance * (
                    called * leaves.values((*path, "r0.5", "c"))[pick, 0, 0] + (1 - called) * folded
                )
                met[hands[0][deal]] += chance
            np.testing.assert_allclose(found.values(), worth / met, atol=1e-5)
        result = search(found, "maxmargin", alternative=np.zeros(3), iterations=2_000)
        assert result.margins.min() == pytest.approx(maxmargin_lp(found, np.zeros(3)).margin, abs=5e-3)


@pytest.mark.parametrize("path", [("KQ", "x"), ("KQ", "r0.5", "f", "c"), ("nothing",)], ids=["action", "over", "deal"])
def test_histories_that_do_not_exist_are_refused(sets, path):
    with pytest.raises(InputError, match="no leaf values after"):
        Rollouts(GAME, sets).values(path)


def test_wrong_counts_are_refused(sets):
    with pytest.raises(InputError, match="count must be a whole number of at least 1"):
        Rollouts(GAME, sets, count=0)
