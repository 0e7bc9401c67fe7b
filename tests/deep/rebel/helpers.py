"""What the tests of belief subgames share: random policies, small belief games, and programmes that check them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linprog

from counterpoise.deep.rebel.games import BeliefGame
from counterpoise.deep.rebel.kernels import subgame as kernels
from counterpoise.deep.rebel.kernels.layouts import Floats, IntArray, Payoffs
from counterpoise.deep.rebel.solver import BeliefSolver, SearchSettings
from counterpoise.deep.rebel.trees import Choice, End, Tree

Array = Floats


def random_policy(game: BeliefGame, trees: IntArray, random: np.random.Generator) -> Array:
    """Return random policies for the rows of trees, [subgame, row, hand]."""
    weights = random.random((len(trees), game.largest()[1], game.hands)) ** 3
    found = np.zeros_like(weights)
    kernels.average(game.forest, trees, weights, found)
    return found


def root_vectors(solver: BeliefSolver, policy: Array, best: bool = False) -> Array:
    """Return counterfactual values at the roots of a solver's batch, [subgame, player, hand]."""
    kernels.spread(solver.forest, solver.batch, policy)
    found = []
    for player in range(2):
        kernels.gather(solver.forest, solver.payoffs, solver.batch, policy, player, best)
        found.append(solver.batch.value[:, 0].copy())
    return np.stack(found, axis=1)


def small_game(trees: tuple[Choice, ...], matrices: Array, meet: Array | None = None) -> BeliefGame:
    """Return a belief game of some trees, one per public state, with payoff matrices [matrix, hand, hand]."""
    hands = matrices.shape[1]
    meet = np.ones((hands, hands)) if meet is None else meet
    won = matrices * meet
    payoffs = Payoffs(
        np.stack([won.transpose(0, 2, 1), -won]), meet, bool((meet == 0).any()), np.full((2, hands), 1 / hands)
    )
    states = len(trees)
    return BeliefGame("small", trees, np.arange(states), {}, payoffs, np.eye(states), np.ones(states))


def signalling_game(actions: int, replies: int, hands: int, random: np.random.Generator) -> tuple[BeliefGame, Array]:
    """Return a game in which player 1 acts, player 2 sees it and replies, with random payoffs [action, reply, ...]."""
    payoff = random.normal(size=(actions, replies, hands, hands))
    after: tuple[Tree, ...] = tuple(
        Choice(1, tuple(End(a * replies + b, 1.0) for b in range(replies))) for a in range(actions)
    )
    return small_game((Choice(0, after),), payoff.reshape(-1, hands, hands)), payoff


def signalling_value(payoff: Array, beliefs: Array) -> float:
    """Return player 1's value of a signalling game at independent beliefs, by linear programming."""
    actions, replies, hands, _ = payoff.shape
    chances = np.outer(beliefs[0], beliefs[1])
    columns = hands * actions + hands * actions  # x[h1, a], then w[a, h2]
    rows, bounds = [], []
    for a in range(actions):
        for h2 in range(hands):
            for b in range(replies):
                row = np.zeros(columns)
                row[hands * actions + a * hands + h2] = 1
                row[[h1 * actions + a for h1 in range(hands)]] = -chances[:, h2] * payoff[a, b, :, h2]
                rows.append(row)
                bounds.append(0.0)
    sums = np.zeros((hands, columns))
    for h1 in range(hands):
        sums[h1, h1 * actions : (h1 + 1) * actions] = 1
    goal = np.concatenate([np.zeros(hands * actions), -np.ones(hands * actions)])
    limits = [(0, None)] * (hands * actions) + [(None, None)] * (hands * actions)
    found = linprog(goal, A_ub=rows, b_ub=bounds, A_eq=sums, b_eq=np.ones(hands), bounds=limits)
    assert found.fun is not None
    return -float(found.fun)


def no_values(inputs: Array, states: IntArray) -> Array:
    """Refuse every question: these subgames reach the end of the game."""
    raise AssertionError("no leaf of this subgame has a value")


def exact_solver(game: BeliefGame, iterations: int, capacity: int = 1, **settings: Any) -> BeliefSolver:
    """Return a solver in double precision for subgames that reach the end of the game."""
    return BeliefSolver(game, no_values, SearchSettings(iterations=iterations, **settings), capacity, np.float64)
