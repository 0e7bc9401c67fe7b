"""Neural fictitious self-play: what it remembers, resuming, and how it compares with Deep CFR."""

from __future__ import annotations

import numpy as np
import pytest

from counterpoise.deep.deep_cfr import DeepCFRSettings
from counterpoise.deep.enumerated import EnumeratedGame, even
from counterpoise.deep.files import load_networks
from counterpoise.deep.nfsp import NFSPSettings
from counterpoise.deep.playing import strategy_of
from counterpoise.kernels.random import seeded
from counterpoise.tree import enumerate_game, evaluate

SMALL = {"episodes": 64, "updates": 4, "batch": 16, "hidden": (8,), "transitions": 1000, "memory": 200, "copy_every": 6}


@pytest.fixture(scope="module")
def kuhn():
    return EnumeratedGame(enumerate_game("kuhn_poker"))


@pytest.fixture(scope="module")
def leduc():
    return EnumeratedGame(enumerate_game("leduc_poker"))


def run(game, steps, seed=0, **settings):
    learner = NFSPSettings(**settings).on(game, seed)
    for _ in range(steps):
        learner.step()
    return learner


def test_episodes_are_games(leduc):
    """Rewards have the mean that the profile is worth, links stay in an episode, and shares of policies are kept."""

    def policy(player, keys):
        return even(leduc.legal(keys))

    found = leduc.play(40_000, (policy, policy), 0.25, seeded(1))
    expected = evaluate(leduc.tree, leduc.profile(policy)).expected / leduc.unit
    for player in (0, 1):
        own = found.seat == player
        ended = own & (found.following < 0)
        error = found.reward[ended].std() / np.sqrt(ended.sum())
        assert abs(found.reward[own].sum() / 40_000 - expected[player]) < 5 * error
        assert not found.reward[own & ~ended].any()
        linked = np.flatnonzero(own & ~ended)
        assert (found.seat[found.following[linked]] == player).all()
        assert (found.learning[found.following[linked]] == found.learning[linked]).all()
        assert found.learning[ended].mean() == pytest.approx(0.25, abs=0.02)
    assert leduc.legal(found.keys)[np.arange(len(found.keys)), found.action].all()


@pytest.mark.slow
def test_memories_hold_what_was_played(kuhn):
    learner = run(kuhn, 3, anticipatory=1.0, **SMALL)
    for player in (0, 1):
        assert set(kuhn.tree.table.owner[learner.transitions[player].keys.ravel()]) == {player}
        assert (learner.responses[player].targets.sum(axis=1) == 1).all()
        assert learner.responses[player].seen == learner.transitions[player].seen


def test_resumes_bit_for_bit(kuhn):
    whole, first, second = run(kuhn, 6, 2, **SMALL), run(kuhn, 3, 2, **SMALL), run(kuhn, 0, 2, **SMALL)
    second.restore({name: np.array(array) for name, array in first.state().items()})
    for _ in range(3):
        second.step()
    for name, array in whole.state().items():
        np.testing.assert_array_equal(second.state()[name], array, err_msg=name)


def test_saved_networks_play_the_same(kuhn, tmp_path):
    learner = run(kuhn, 2, **SMALL)
    learner.result().save(tmp_path / "kuhn.cpz")
    strategy = strategy_of(load_networks(tmp_path / "kuhn.cpz"), kuhn)
    np.testing.assert_array_equal(strategy.probabilities, kuhn.profile(learner.average_policy))


@pytest.mark.long
def test_learns_kuhn(kuhn):
    """After 50,000 episodes of Kuhn the average is far better than playing at random (0.458)."""
    assert run(kuhn, 200, episodes=256).exploitability() < 0.25


@pytest.mark.long
def test_deep_cfr_is_better_at_equal_nodes(leduc):
    """On Leduc, at a million nodes touched, Deep CFR has a lower exploitability than NFSP."""
    deep, self_play = DeepCFRSettings(policy_steps=2000).on(leduc, 1), NFSPSettings().on(leduc, 1)
    for learner in (deep, self_play):
        while learner.nodes_touched < 1_000_000:
            learner.step()
    assert deep.exploitability() < self_play.exploitability()
