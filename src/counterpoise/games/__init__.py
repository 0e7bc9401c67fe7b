"""Rule books: who moves, what is possible, what is seen, what is paid.

Every game is a frozen dataclass registered under the name users type; `load` builds one from that name.
No file here knows an algorithm or an array layout.
"""

from counterpoise.games import bluff, coin_toss, goofspiel, kuhn, leduc, lemonade, liars_dice, matrix
from counterpoise.games.base import CHANCE, GAMES, TERMINAL, Game, game_name

__all__ = [
    "CHANCE",
    "GAMES",
    "TERMINAL",
    "Game",
    "bluff",
    "coin_toss",
    "game_name",
    "goofspiel",
    "kuhn",
    "leduc",
    "lemonade",
    "liars_dice",
    "load",
    "matrix",
]


def load(name: str, **parameters: object) -> Game:
    """The registered game `name`, with parameters in the string or as keywords.

    >>> load("kuhn_poker(players=3)").players
    3
    """
    game: Game = GAMES.build(name, **parameters)
    return game
