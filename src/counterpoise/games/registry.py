"""From what a user names or passes to the rules of a game."""

from __future__ import annotations

from counterpoise.errors import InputError
from counterpoise.games.base import GAMES, Game
from counterpoise.games.efg import from_efg
from counterpoise.games.openspiel import PREFIX as OPENSPIEL_PREFIX, from_openspiel
from counterpoise.parameters import shown


def load(name: str, **parameters: object) -> Game:
    """Return the registered game `name`, with parameters in the string or as keywords.

    ``openspiel:NAME`` loads any game of OpenSpiel, and a path that ends in ``.efg`` a Gambit file.

    >>> load("kuhn_poker(players=3)").players
    3
    """
    if name.startswith(OPENSPIEL_PREFIX) or name.endswith(".efg"):
        if parameters:
            raise InputError(f"the parameters of {name} must be written in its name")
        return from_openspiel(name) if name.startswith(OPENSPIEL_PREFIX) else from_efg(name)
    game: Game = GAMES.build(name, **parameters)
    return game


def as_game(game: Game | str) -> Game:
    """Return the rules that a caller means: a game of that name, or the object if it has the methods of a `Game`."""
    if isinstance(game, str):
        return load(game)
    if isinstance(game, type):
        raise InputError(f"a game is an object: write {game.__name__}() instead of {game.__name__}")
    for method in ("players", "initial", "player", "actions", "next", "infoset", "payoffs"):
        if not hasattr(game, method):
            raise InputError(
                f"a game is a name or an object with the methods of Game, but {shown(game)} has no {shown(method)}"
            )
    return game
