"""Rule books: who moves, what is possible, what is seen, what is paid.

Every game is a frozen dataclass registered under the name users type; `load` builds one from that name.
No file here knows an algorithm or an array layout.
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.games import bluff, coin_toss, goofspiel, holdem, kuhn, leduc, lemonade, liars_dice, matrix
    from counterpoise.games.base import (
        CHANCE,
        GAMES,
        TERMINAL,
        Game,
        Observation,
        ObservedGame,
        ObservedRules,
        draw_chance,
        game_name,
        is_observed,
        least_histories,
        refuse_large,
    )
    from counterpoise.games.check import GameReport, check_game
    from counterpoise.games.coarse import CoarseGame
    from counterpoise.games.efg import from_efg, to_efg, write_efg
    from counterpoise.games.fixed import FixedStrategy
    from counterpoise.games.openspiel import from_openspiel
    from counterpoise.games.registry import as_game, load
    from counterpoise.games.view import GameView

__all__ = [
    "CHANCE",
    "GAMES",
    "TERMINAL",
    "CoarseGame",
    "FixedStrategy",
    "Game",
    "GameReport",
    "GameView",
    "Observation",
    "ObservedGame",
    "ObservedRules",
    "as_game",
    "bluff",
    "check_game",
    "coin_toss",
    "draw_chance",
    "from_efg",
    "from_openspiel",
    "game_name",
    "goofspiel",
    "holdem",
    "is_observed",
    "kuhn",
    "least_histories",
    "leduc",
    "lemonade",
    "liars_dice",
    "load",
    "matrix",
    "refuse_large",
    "to_efg",
    "write_efg",
]

import_lazily(__name__)
