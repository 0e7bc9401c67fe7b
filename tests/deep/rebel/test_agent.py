"""The player at the table: what it plays is what the exact evaluation says it plays."""

from __future__ import annotations

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.deep.rebel.agent import RebelPlayer
from counterpoise.deep.rebel.evaluation import play_through
from counterpoise.deep.rebel.liars_dice import liars_dice_beliefs
from counterpoise.deep.rebel.rounds import round_beliefs
from counterpoise.deep.rebel.search import BeliefSolver, SearchSettings
from counterpoise.deep.rebel.turn_holdem import turn_beliefs, with_bet
from counterpoise.deep.rebel.values import ZeroValues
from counterpoise.deep.rebel.whole import WholeGame
from counterpoise.errors import InputError
from counterpoise.games.holdem_spot import HoldemSpot
from counterpoise.games.liars_dice import LiarsDice


def player(unsafe: bool = False, seed: int = 0, iterations: int = 8) -> RebelPlayer:
    """Return a player of Liar's Dice with three faces and no network."""
    game = liars_dice_beliefs(LiarsDice(faces=3))
    search = SearchSettings(iterations=iterations)
    return RebelPlayer(game, ZeroValues(game), search, np.random.default_rng(seed), unsafe=unsafe)


def test_the_unsafe_player_plays_what_its_evaluation_says() -> None:
    """On every history the policies of the player are those of the unsafe play-through."""
    agent = player(unsafe=True)
    whole = WholeGame(agent.game)
    solver = BeliefSolver(agent.game, agent.values, agent.search, 64)
    table = play_through(whole, solver, 1, np.random.default_rng(0), unsafe=True)
    compared = 0
    for decision in whole.decisions():
        agent.begin()
        for label in decision.path:
            agent.observe(agent.labels.index(label))
        assert agent.actor == decision.actor
        reached = table[decision.rows].sum(axis=0) > 1e-6
        shares = table[decision.rows] / np.where(reached, table[decision.rows].sum(axis=0), 1)
        assert agent.policy()[:, reached] == pytest.approx(shares[:, reached], abs=1e-4)
        compared += int(reached.sum())
    assert compared > 50


def test_one_iteration_is_drawn_per_subgame() -> None:
    """Policies within a subgame are those of one iteration; other draws give other policies."""
    found = []
    for seed in range(12):
        agent = player(seed=seed)
        found.append(agent.policy())
        assert agent.policy().sum(axis=0) == pytest.approx(1, abs=1e-5)
    assert max(np.abs(found[0] - other).max() for other in found) > 0.05


def test_the_same_root_is_solved_once() -> None:
    """A new game finds the solutions of an earlier one that has drawn the same iteration."""
    agent = player(unsafe=True)
    assert agent.solved == 1
    agent.begin()
    assert agent.solved == 1
    agent.observe(0)
    agent.observe(0)
    assert agent.solved == 2


def test_an_action_that_is_missing_is_added() -> None:
    """The subgame is solved again from its root with the action in it, and play continues after it."""

    def spot(bets: list[str]) -> HoldemSpot:
        table = {"bet": bets, "raise": []}
        return HoldemSpot(cards="Ks7d4cJd", oop="AA,KQs", ip="QQ,KJs", sizes={"turn": table, "river": table})

    search, random = SearchSettings(iterations=16), np.random.default_rng(1)
    few, full = turn_beliefs(spot(["50%"])), turn_beliefs(spot(["50%", "75%"]))
    agent, whole = (RebelPlayer(game, ZeroValues(game), search, random, unsafe=True) for game in (few, full))
    before = spot(["50%"]).betting_after(("Ks7d4cJd", "c"))
    agent.observe(agent.labels.index("c"))
    assert "b75" not in agent.labels
    agent.offer(with_bet(few, before, 75))
    assert agent.solved == 2
    agent.observe(agent.labels.index("b75"))
    assert agent.actor == 0
    # What the whole game lacks here is the same bet at its first decision.
    for label in ("c", "b75"):
        whole.observe(whole.labels.index(label))
    assert agent.labels == whole.labels
    assert agent.policy().shape == whole.policy().shape
    agent.observe(agent.labels.index("c"))
    assert agent.waits_for_card
    assert agent.game.unit[agent.root.state] * 100 == 100 + 2 * 75


def test_public_cards_and_impossible_actions() -> None:
    """Play follows actions of no probability and public cards; beliefs stay distributions of possible hands."""
    game = round_beliefs(cp.load("leduc_poker(merge_suits=False)"))
    agent = RebelPlayer(game, ZeroValues(game), SearchSettings(iterations=6), np.random.default_rng(2))
    while agent.actor >= 0:
        agent.observe(agent.labels.index("c"))
    assert agent.waits_for_card
    with pytest.raises(InputError, match="nobody is to act"):
        agent.act(0)
    agent.deal(3)
    assert agent.root.beliefs.sum(axis=1) == pytest.approx(1)
    assert (agent.root.beliefs > 0).sum(axis=1).max() <= 5
    assert 0 <= agent.act(int(agent.root.beliefs[agent.actor].argmax())) < len(agent.labels)
    with pytest.raises(InputError, match="no card"):
        agent.deal(0)
