"""Blueprints for tests of search: bad ones, and better ones."""

from functools import lru_cache

import numpy as np

import counterpoise as cp
from counterpoise.tree import Strategy, enumerate_game


def random_strategy(game, seed):
    """Every infoset's probabilities drawn evenly from all that there are."""
    tree, draw = enumerate_game(game), np.random.default_rng(seed)
    strategy = Strategy.uniform(tree)
    for start, actions in zip(tree.table.start.tolist(), tree.table.actions, strict=True):
        strategy.probabilities[start : start + len(actions)] = draw.dirichlet(np.ones(len(actions)))
    return strategy


def noisy_solution(game, seed, noise=0.2):
    """An equilibrium, mixed with a random strategy at every infoset."""
    tree, solved = enumerate_game(game), _solved(game)
    mixed = (1 - noise) * solved.on(tree) + noise * random_strategy(game, seed).probabilities
    return Strategy(tree.name, tree.table, mixed)


@lru_cache(maxsize=8)
def _solved(game):
    return cp.solve(game, "cfr+", iterations=300).strategy
