"""The unit in which results of a game are told."""

from __future__ import annotations

import re

from counterpoise.games.base import Game
from counterpoise.games.holdem import Holdem


def unit_of(game: Game) -> tuple[str, float]:
    """Return the unit in which results are told, and how many of it are one unit of the game's payoffs.

    >>> import counterpoise as cp
    >>> unit_of(cp.load("no_limit_holdem")), unit_of(cp.load("kuhn_poker"))
    (('mbb', 10.0), ('antes', 1.0))
    """
    if isinstance(game, Holdem) and game.blinds[1]:
        return "mbb", 1000 / game.blinds[1]
    named = re.search(r"unit: (?:chips \()?([a-z$]+)", type(game).__doc__ or "")
    return named[1] if named else "points", 1.0
