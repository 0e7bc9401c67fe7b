"""What is asked of the players that a best response answers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.evaluation.best_response.betting import LimitBetting
from counterpoise.games.known import Behaviour, KnownPlayer

FloatArray = NDArray[np.float64]
Players = tuple[KnownPlayer, KnownPlayer]
"""The player that is answered, at each of the two seats."""


def ignores_cards(players: Players) -> bool:
    """Return whether a player says that its play does not depend on any card."""
    return all(bool(getattr(player, "ignores_cards", False)) for player in players)


def by_menu(player: KnownPlayer, behaviour: Behaviour, menu: Sequence[str]) -> FloatArray:
    """Return what a player does by hand and by action of the menu; refuse what the menu does not have."""
    table = np.zeros((len(behaviour.hands), len(menu)))
    for column, action in enumerate(behaviour.actions):
        if action in menu:
            table[:, menu.index(action)] = behaviour.table[:, column]
        elif behaviour.table[:, column].any():
            raise InputError(f"{player} plays {action}, which is not legal: {', '.join(menu)} are")
    return table


def shared_play(betting: LimitBetting, player: KnownPlayer, tree: int, decision: int) -> FloatArray:
    """Return the probabilities of the actions at a decision of a player who ignores cards; refuse one who does not."""
    board = betting.game.deck.cards[::-1][: betting.dealt[betting.trees[tree].street]].tolist()
    public = betting.public(betting.line(tree, ("decision", decision)), board)
    found = player.probabilities(public)
    table = by_menu(player, found, betting.menu(betting.trees[tree].decisions[decision]))
    live = table[betting.game.deck.live_hands(board)]
    if (live != live[0]).any():
        raise InputError(
            f"{player} says that it ignores its cards, but plays hands differently after {':'.join(public)}"
        )
    return np.asarray(live[0])
