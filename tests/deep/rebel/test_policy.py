"""Warm starts: from a good policy search begins well, and the weights of what is skipped are right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from counterpoise.deep.rebel.beliefs import Floats
from counterpoise.deep.rebel.learner import RebelLearner
from counterpoise.deep.rebel.liars_dice import liars_dice_beliefs
from counterpoise.deep.rebel.policy import PolicyNodes, PolicyReplay
from counterpoise.deep.rebel.subgames import Subgames
from counterpoise.games.liars_dice import LiarsDice

from .helpers import exact_solver, root_vectors
from .test_learner import SMALL


class Known:
    """A policy function that knows the answer."""

    def __init__(self, policy: Floats) -> None:
        self.policy = policy

    def policies(self, subgames: Subgames) -> Floats:
        """Return what is known."""
        return self.policy


def test_a_warm_start_from_a_solution_is_a_solution() -> None:
    """16 iterations from the average of 1,000 are far better than 16 from nothing, and weigh 1 to 15 as skipped."""
    game = liars_dice_beliefs(LiarsDice(faces=3), None)
    long, short = exact_solver(game, 1000), exact_solver(game, 24)
    states, prior = np.array([0]), game.prior

    def gap(policy: Floats) -> float:
        return float((root_vectors(short, policy, best=True)[0] * prior).sum() / 2)

    long.solve(states, prior[None])
    known = long.average()
    short.solve(states, prior[None])
    cold = gap(short.average())
    short.policy = Known(known)
    short.begin(states, prior[None])
    assert short.iteration == 15
    sums = short.traverser.layout.of_player(short.learning.average, 0)[0, :6, :3].sum(axis=0)
    assert 15 * sums == pytest.approx(120)  # 1 + ... + 15 at the root
    matched = short.policies(short.learning.regrets)
    assert np.abs(matched - known)[:, :6].max() < 0.1  # regret matching returns about what it began with
    assert short.policies(short.learning.matched) == pytest.approx(known)
    short.solve(states, prior[None])
    assert short.iteration == 24
    assert gap(short.average()) < cold / 3
    published = exact_solver(game, 24, firmness=0.0)
    published.policy = Known(known)
    published.begin(states, prior[None])
    assert published.learning.regrets.max() <= 1e-9
    published.solve(states, prior[None])
    assert gap(published.average()) > cold  # why that is not our default
    assert short.draw(np.random.default_rng(0), 500).min() == 16


def test_policies_are_kept_by_decision() -> None:
    """Examples of a solved subgame have one row per decision, whose policy comes back from 8 bits."""
    game = liars_dice_beliefs(LiarsDice(faces=3))
    nodes = PolicyNodes(game)
    solver = exact_solver(game, 1)
    solver.begin(np.array([4]), game.prior[None])
    examples = nodes.examples(solver, solver.average())
    assert len(examples.decisions) == 3
    replay = PolicyReplay(nodes, 100)
    replay.add(examples)
    drawn = replay.draw(2, 5, np.random.default_rng(1))
    shape = nodes.shape((8,))
    assert drawn.inputs.shape == (2, 5, shape.inputs)
    assert drawn.targets.shape == (2, 5, shape.outputs)
    per_hand = (drawn.targets * (drawn.mask > 0)).reshape(2, 5, nodes.most_actions, 3).sum(axis=2)
    assert per_hand == pytest.approx(1)


@pytest.mark.slow
def test_training_with_a_policy_network_resumes() -> None:
    """With a policy network too, a resumed run has the weights of one that was not interrupted."""
    pytest.importorskip("jax")
    settings = replace(SMALL, policy_hidden=(16,), search=replace(SMALL.search, iterations=20))
    game = liars_dice_beliefs(LiarsDice(faces=3))
    first, resumed = (RebelLearner(game, settings, seed=3) for _ in range(2))
    for _ in range(3):
        first.step()
    resumed.restore({name: array.copy() for name, array in first.state().items()})
    for _ in range(2):
        first.step()
        resumed.step()
    assert first.policy is not None
    assert resumed.policy is not None
    assert np.array_equal(first.network.flat(), resumed.network.flat())
    assert np.array_equal(first.policy.fitter.network.flat(), resumed.policy.fitter.network.flat())
    assert first.self_play.solver.skipped == 15
    learned = first.exploitability()
    first.network = first.network.with_flat(np.zeros(first.network.weight_count, dtype=np.float32))
    assert learned < 0.75 * first.exploitability()  # 0.25 against 0.50 without values
