"""Find the rules of a game by what a user names or passes."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path

from counterpoise.errors import InputError
from counterpoise.games.base import GAMES, Game
from counterpoise.parameters import shown

OPENSPIEL_PREFIX = "openspiel:"
_SPOT = "counterpoise.spots.table.rules:load_spot_game"
FILES = {".efg": "counterpoise.games.efg:from_efg", ".toml": _SPOT, ".json": _SPOT, ".cpz": _SPOT}
"""What reads files that describe a game, by their ending; imported when such a file is named."""


def load(name: str, **parameters: object) -> Game:
    """Return the registered game `name`, with parameters in the string or as keywords.

    ``openspiel:NAME`` loads any game of OpenSpiel, a path that ends in ``.efg`` a Gambit file, and one that ends in
    ``.toml``, ``.json`` or ``.cpz`` the spot that is described or solved there.

    >>> load("kuhn_poker(players=3)").players
    3
    """
    if not isinstance(name, str):
        raise InputError(f"a game is named by a text such as kuhn_poker, not {shown(name)}")
    suffix = Path(name).suffix.lower()
    if name.startswith(OPENSPIEL_PREFIX) or suffix in FILES:
        if parameters:
            raise InputError(f"the parameters of {name} must be written in its name")
        if name.startswith(OPENSPIEL_PREFIX):
            from counterpoise.games.openspiel import from_openspiel

            return from_openspiel(name)
        module, reader = FILES[suffix].split(":")
        found: Game = getattr(import_module(module), reader)(name)
        return found
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


def load_saved_game(file: str | os.PathLike[str] | None, name: str) -> Game:
    """Return the game that a saved file names; a user's own class is not known by name."""
    try:
        return load(name)
    except InputError as error:
        raise InputError(
            f"{file or 'the strategy'} is for the game {name!r}, which cannot be loaded by that name ({error}): "
            "name the game, or load the file that registers it (--load FILE.py)"
        ) from None
