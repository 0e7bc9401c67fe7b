"""The best response to players of a game that is small enough to be enumerated."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.games.base import CHANCE, TERMINAL, game_name, is_observed
from counterpoise.games.known import Behaviour, KnownPlayer
from counterpoise.tree import Tree
from counterpoise.tree.strategy import improper_infosets

FloatArray = NDArray[np.float64]


def profile_of_players(tree: Tree, players: Sequence[KnownPlayer]) -> FloatArray:
    """Return the strategies of players at all seats of an enumerated game as one flat array.

    A player with `tabulate` returns a table; others are asked one public history at a time.
    """
    profile, table = np.ones(tree.table.size), tree.table
    missing: dict[tuple[int, str], int] = {}
    for seat, player in enumerate(players):
        own = np.flatnonzero(table.owner == seat).tolist()
        known: FloatArray | None = getattr(player, "tabulate", lambda tree: None)(tree)
        if known is None:
            missing |= {(seat, table.labels[number]): number for number in own}
            continue
        for number in own:
            block = slice(int(table.start[number]), int(table.start[number]) + len(table.actions[number]))
            profile[block] = known[block]
    if missing:
        _ask(tree, players, missing, profile)
    if len(improper := improper_infosets(table, profile)):
        raise InputError(f"the probabilities at infoset {table.labels[improper[0]]!r} must be >= 0 and sum to 1")
    return profile


def _ask(tree: Tree, players: Sequence[KnownPlayer], missing: dict[tuple[int, str], int], profile: FloatArray) -> None:
    """Fill in the infosets that are missing, walking through the game."""
    game = tree.game
    if not is_observed(game):
        raise InputError(f"{game_name(game)} does not say what is public and what is private")
    answers: dict[tuple[int, tuple[str, ...]], Behaviour] = {}
    stack = [game.initial()]
    while stack and missing:
        state = stack.pop()
        mover = game.player(state)
        if mover == TERMINAL:
            continue
        if mover == CHANCE:
            stack += [game.next(state, outcome) for outcome, _ in game.chance(state)]
            continue
        seen = game.observation(state, mover)
        number = missing.pop((mover, seen.infoset), None)
        if number is not None:
            if (mover, seen.public) not in answers:
                answers[mover, seen.public] = players[mover].probabilities(seen.public)
            found = answers[mover, seen.public]
            row = dict(zip(found.actions, found.table[found.hands.index(seen.private)].tolist(), strict=True))
            start, actions = int(tree.table.start[number]), tree.table.actions[number]
            profile[start : start + len(actions)] = [row.get(action, 0.0) for action in actions]
        stack += [game.next(state, action) for action in seen.actions]
