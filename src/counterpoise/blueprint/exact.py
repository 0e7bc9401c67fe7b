"""The exact exploitability of a blueprint in the real game, if the game is small enough.

The smallest games are enumerated, history by history. Those of two seats that are larger are walked through as a public
tree, with all hands of a board at once, which takes a hundredth of the time but needs kernels that must be loaded
first.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from counterpoise.blueprint.blueprint import Blueprint, BlueprintPlayer
from counterpoise.errors import InputError
from counterpoise.games.holdem import Holdem
from counterpoise.jobs import announce_compiling
from counterpoise.progress import CancelToken, Progress, SilentProgress
from counterpoise.sampling.betting_tree import BettingTree
from counterpoise.search.tabulated_players import has_public_tree, small_rules, tabulate_on
from counterpoise.solvers.public.base import PublicGameSolver
from counterpoise.tree import Tree, enumerate_game
from counterpoise.tree.evaluation import evaluate

MOST_ENUMERATED, MOST_HISTORIES = 50_000, 1_500_000
"""The most deals x betting nodes for which a game is enumerated, and for which it is walked through as a public
tree."""


def is_small(game: Holdem, tree: BettingTree) -> bool:
    """Return whether the real game is small enough for exact best responses, which take seconds at most."""
    return _histories(game, tree) <= (MOST_HISTORIES if has_public_tree(game) else MOST_ENUMERATED)


def exact_exploitability(blueprint: Blueprint, progress: Progress | None = None) -> float:
    """Return NashConv / seats of a blueprint in the real game, in chips per hand, by exact best responses."""
    game, display = blueprint.game, progress or SilentProgress()
    if not is_small(game, blueprint.tree):
        raise InputError(f"{game.name} is too large for an exact best response: judge it by local ones")
    display.show(None, f"exact best responses in {game.name}")
    rules = small_rules(game) if _histories(game, blueprint.tree) > MOST_ENUMERATED else None
    if rules is not None:
        announce_compiling(PublicGameSolver.kernels, PublicGameSolver.compile_seconds, display)
        players = [BlueprintPlayer(blueprint, seat) for seat in range(2)]
        expected, best = tabulate_on(rules, game, players, display, CancelToken()).values()
        return float((best - expected).mean())
    tree = enumerate_game(game, progress=display)
    return float(evaluate(tree, tabulate(blueprint, tree)).exploitability)


def _histories(game: Holdem, tree: BettingTree) -> float:
    return game.least_histories * tree.nodes


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
