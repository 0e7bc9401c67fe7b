"""How exploitable a blueprint is in the real game, exactly, where the game is small enough to enumerate."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from counterpoise.blueprint.blueprint import Blueprint
from counterpoise.errors import InputError
from counterpoise.games.holdem import Holdem
from counterpoise.sampling.betting_tree import BettingTree
from counterpoise.tree import Tree, enumerate_game
from counterpoise.tree.evaluation import evaluate

MOST_HISTORIES = 1_500_000
"""Ways to deal all cards times betting nodes, up to which the real game is enumerated."""


def is_small(game: Holdem, tree: BettingTree) -> bool:
    """Return whether the real game is small enough for exact best responses."""
    return game.least_histories * tree.nodes <= MOST_HISTORIES


def exact_exploitability(blueprint: Blueprint) -> float:
    """Return NashConv / seats of a blueprint in the real game, in chips per hand, by exact best responses."""
    if not is_small(blueprint.game, blueprint.tree):
        raise InputError(f"{blueprint.game.name} is too large for an exact best response: judge it by local ones")
    tree = enumerate_game(blueprint.game)
    return float(evaluate(tree, tabulate(blueprint, tree)).exploitability)


def tabulate(blueprint: Blueprint, tree: Tree) -> NDArray[np.float64]:
    """Return the strategies of all seats of an enumerated game as one flat array."""
    table, names = tree.table, {name: place for place, name in enumerate(blueprint.game.deck.hand_names)}
    found, behaviour = np.ones(table.size), lru_cache(maxsize=None)(blueprint.probabilities)
    for label, actions, first in zip(table.labels, table.actions, table.start.tolist(), strict=True):
        hand, *public = label.split(":")
        known = behaviour(tuple(public))
        row = known.table[names[hand]]
        found[first : first + len(actions)] = [row[known.actions.index(action)] for action in actions]
    return found
