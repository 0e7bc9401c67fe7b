"""A state of every information set, for experiments that put information sets into groups of their own."""

from __future__ import annotations

from typing import Any

from counterpoise.games import CHANCE, TERMINAL, Game


def states_by_infoset(game: Game) -> dict[tuple[int, str], Any]:
    """Return by player and label the first state of every information set that a walk through the game meets."""
    found, waiting = dict[tuple[int, str], Any](), [game.initial()]
    while waiting:
        state = waiting.pop()
        player = game.player(state)
        if player == CHANCE:
            waiting += [game.next(state, outcome) for outcome, _ in game.chance(state)]
        elif player != TERMINAL:
            found.setdefault((player, game.infoset(state)), state)
            waiting += [game.next(state, action) for action in game.actions(state)]
    return found
