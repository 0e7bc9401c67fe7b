"""Limps and donk bets: the rules' own book-keeping as oracle, and shares of strategies that are known."""

from __future__ import annotations

import math

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.betting.rules import CALL
from counterpoise.blueprint.duels import packed_average, play_duel, play_visits
from counterpoise.blueprint.frequencies import Rate, donk_chances, donk_rate, leaders, limp_rates
from counterpoise.blueprint.settings import TrainSettings
from counterpoise.blueprint.train import TrainingRun
from counterpoise.games.base import CHANCE
from counterpoise.jobs.pieces import Work
from counterpoise.sampling import BettingTree, build_betting_tree

THREE = "no_limit_holdem(seats=3, ranks=4, stack=12, sizes=['100%', 'allin'], max_bets=2)"
TWO = "no_limit_holdem(ranks=4, stack=12, sizes=['100%', 'allin'], max_bets=2)"


@pytest.fixture(scope="module", params=[THREE, TWO])
def tree(request: pytest.FixtureRequest) -> BettingTree:
    return build_betting_tree(cp.load(request.param))


def states(tree: BettingTree) -> list[object]:
    """The state of the betting rules at every node, parents before children."""
    betting, found = tree.game.betting, [tree.game.betting.initial()]
    for node in range(1, tree.nodes):
        state = betting.apply(found[tree.parent[node]], int(tree.action[node]))
        while state.to_act == CHANCE:
            state = betting.deal(state)
        found.append(state)
    return found


def test_leaders_are_those_of_the_rules(tree: BettingTree) -> None:
    """Who leads and who bet last is what the rules keep in mind, at every decision after the first round."""
    leader, aggressor = leaders(tree)
    compared = 0
    for node, state in enumerate(states(tree)):
        if tree.decisions[node]:
            assert (leader[node], aggressor[node]) == (state.leader, state.aggressor), tree.line(node)
            compared += leader[node] >= 0
    assert compared > 50


def test_donk_chances_by_hand(tree: BettingTree) -> None:
    """A seat can donk only where it may bet first and the leader, with chips left, is still to act."""
    known = states(tree)
    for node in donk_chances(tree).tolist():
        state = known[node]
        assert state.round > 0
        assert state.to_call == 0
        assert state.leader in state.waiting, tree.line(node)
    raised = tree.node_after(("f", "b300", "c") if tree.players == 3 else ("b300", "c"))
    chances = set(donk_chances(tree).tolist())
    # Heads-up the big blind, seat 0, acts first and may donk; with three seats the small blind led and cannot.
    assert (raised in chances) == (tree.players == 2)
    limped = tree.node_after(("c", "c", "c") if tree.players == 3 else ("c", "c"))
    assert limped not in chances, "nobody led"


@pytest.mark.long
def test_rates_of_uniform_play(tree: BettingTree) -> None:
    """A strategy that plays all actions alike limps once in as many hands as there are actions (4 standard errors)."""
    cards = cp.abstraction("IR-PHS-PHS", buckets=(4, 3, 3, 3), deck=tree.game.deck, progress=False)
    run = TrainingRun(tree, (cards,), TrainSettings(), Work(1))
    uniform = np.zeros(run.layout.size, dtype=np.uint8)
    deals = 40_000
    visits = play_visits(run.walks, uniform, deals, seed=3)
    assert visits[0] == deals == visits[~tree.decisions].sum()
    inner = np.flatnonzero(tree.decisions)
    assert all(visits[node] == visits[list(tree.children(node))].sum() for node in inner[:500].tolist())
    rates = limp_rates(tree, visits)
    assert list(rates) == ([2, 0] if tree.players == 3 else [1])  # the big blind is seat 1, heads-up seat 0
    node = 0
    for rate in rates.values():
        expected = 1 / int(tree.arrays.actions[node])
        assert abs(rate.share - expected) <= 4 * rate.error
        node = tree.children(node)[0]
    chances = donk_chances(tree)
    bets = [np.mean(tree.action[list(tree.children(node))] != CALL) for node in chances.tolist()]
    expected = float(np.average(bets, weights=visits[chances]))
    rate = donk_rate(tree, visits)
    assert rate.opportunities > 1000
    assert abs(rate.share - expected) <= 4 * rate.error
    same = play_duel(run.walks, uniform, uniform, 5_000, seed=1)
    assert abs(same.won) <= 2 * same.ci95, "nothing is won from oneself"


def test_rates_add_up() -> None:
    both = Rate(1, 4) + Rate(3, 4)
    assert both == Rate(4, 8)
    assert both.share == 0.5
    assert math.isnan(Rate(0, 0).share)
    assert math.isnan(Rate(0, 0).error)


def test_advance_is_training() -> None:
    """Stepping a run to the same number of hands makes the table of `train`, whatever the steps."""
    game = cp.load("limit_holdem(board=[0, 3], ranks=4, max_bets=2)")
    cards = cp.abstraction("IR-PHS-PHS", buckets=(8, 10), deck=game.deck, progress=False)
    settings = TrainSettings(seed=2, period=70, batch=10)
    run = TrainingRun(build_betting_tree(game), (cards,), settings, Work(1))
    for hands in (30, 35, 200, 500):
        run.walk_until(hands)
    whole = cp.train(game, cards, iterations=500, settings=settings, progress=False)
    assert run.blueprint().digest == whole.blueprint.digest
    np.testing.assert_array_equal(packed_average(run.walks), whole.blueprint.packed().table)
