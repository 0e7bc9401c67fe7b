"""Exact evaluation of agents that play a drawn iteration."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.deep.networks import MlpShape, new_network
from counterpoise.deep.rebel.evaluation import agent_exploitability, play_through
from counterpoise.deep.rebel.learner import network_values
from counterpoise.deep.rebel.liars_dice import dice_strategy, liars_dice_beliefs
from counterpoise.deep.rebel.search import BeliefSolver, SearchSettings
from counterpoise.deep.rebel.values import ZeroValues
from counterpoise.deep.rebel.whole import WholeGame
from counterpoise.games.liars_dice import LiarsDice


def agent(rules: LiarsDice, updates: int = 128) -> tuple[WholeGame, BeliefSolver]:
    """Return the whole game and an agent without a network."""
    game = liars_dice_beliefs(rules)
    return WholeGame(game), BeliefSolver(game, ZeroValues(game), SearchSettings(iterations=updates // 2), 256)


def test_an_agent_without_a_network() -> None:
    """With zero values 128 updates leave 0.608 (unsafe) and 0.60 (drawn iterations) in 1x4, 0.624 in 1x6."""
    whole, solver = agent(LiarsDice(faces=4))
    assert agent_exploitability(whole, solver, 1, np.random.default_rng(0), unsafe=True) == pytest.approx(
        0.608, abs=1e-3
    )
    assert agent_exploitability(whole, solver, 64, np.random.default_rng(0)) == pytest.approx(0.60, abs=0.02)
    whole, solver = agent(LiarsDice(faces=6))
    assert agent_exploitability(whole, solver, 1, np.random.default_rng(0), unsafe=True) == pytest.approx(
        0.624, abs=1e-3
    )


def test_the_bound_falls_with_play_throughs() -> None:
    """The mean of policies is at most as exploitable as they are on average, and less so the more there are."""
    whole, solver = agent(LiarsDice(faces=3), 8)
    random = np.random.default_rng(1)
    tables = np.array([play_through(whole, solver, 16, random) for _ in range(16)])
    means = []
    for count in (1, 4, 16):  # of 16 play-throughs each
        sums = tables.reshape(-1, count, *tables.shape[1:]).sum(axis=1)
        means.append(np.mean([whole.exploitability(table) for table in sums]))
    assert all(more <= fewer + 1e-9 for fewer, more in pairwise(means))
    assert means[-1] < means[0]


def test_play_throughs_are_a_strategy() -> None:
    """The policy of play-throughs as a strategy of the rule book is as exploitable by best responses of its tree."""
    rules = LiarsDice(dice=2, faces=2)
    whole, solver = agent(rules, 16)
    table = play_through(whole, solver, 3, np.random.default_rng(2))
    strategy = dice_strategy(rules, whole, table)
    assert cp.exploitability(rules, strategy) == pytest.approx(whole.exploitability(table), abs=1e-9)


def test_the_end_of_the_game_needs_no_network() -> None:
    """A subgame that reaches the end of the game has the same solution with any network, bit for bit."""
    game = liars_dice_beliefs(LiarsDice(faces=3), None)
    shape = MlpShape(inputs=game.inputs, hidden=(16,), outputs=game.outputs, activation="gelu")
    found = []
    for seed in range(2):
        network = new_network(shape, np.random.default_rng(seed))
        solver = BeliefSolver(game, network_values(network), SearchSettings(iterations=20), 1)
        solver.solve(np.array([0]), game.prior[None])
        found.append(solver.average())
    assert np.array_equal(found[0], found[1])
