"""Exact means and deviations of estimators: every end of a game with its probability."""

from __future__ import annotations

from functools import cache

import numpy as np

import counterpoise as cp
from counterpoise.agents import make_agent
from counterpoise.evaluation.estimators.enumerated import EnumeratedHands
from counterpoise.evaluation.estimators.enumerated_judge import EnumeratedJudge
from counterpoise.evaluation.estimators.exact import ExactSeat, ProfilePlayer
from counterpoise.evaluation.estimators.settings import JudgeSettings
from counterpoise.tree import Strategy, enumerate_game


@cache
def hands_of(game: str = "leduc_poker") -> EnumeratedHands:
    return EnumeratedHands(enumerate_game(game))


@cache
def equilibrium(game: str = "leduc_poker", iterations: int = 3000) -> np.ndarray:
    return cp.solve(game, "cfr+", iterations=iterations, progress=False).strategy.on(hands_of(game).tree)


@cache
def uniform(game: str = "leduc_poker") -> np.ndarray:
    return Strategy.uniform(hands_of(game).tree).probabilities


@cache
def trivial(name: str, game: str = "leduc_poker") -> np.ndarray:
    return make_agent(name).tabulate(hands_of(game).tree)


@cache
def by_card() -> np.ndarray:
    """Weights fold (.8, .3, .05), call 1, raise (.1, .5, 2) for J, Q, K, normalised over the legal actions."""
    tree = hands_of().tree
    fold, raise_ = {"J": 0.8, "Q": 0.3, "K": 0.05}, {"J": 0.1, "Q": 0.5, "K": 2.0}
    weights = {}
    for label, actions in zip(tree.table.labels, tree.table.actions, strict=True):
        card = label[0]
        each = {"f": fold[card], "c": 1.0, "r": raise_[card]}
        total = sum(each[action] for action in actions)
        weights[label] = {action: each[action] / total for action in actions}
    return Strategy.from_mapping(tree, weights).probabilities


Flat = ProfilePlayer


class Exact(ExactSeat):
    """Estimators of one seat of a game by its name; `tables` as in `parts`."""

    def __init__(self, seat, played, opponent, evaluated=None, game="leduc_poker", known=(), **settings) -> None:
        judge = EnumeratedJudge(hands_of(game), JudgeSettings(**settings))
        super().__init__(judge, seat, played, opponent, None if evaluated is played else evaluated, known)
        self.tables = self.parts
