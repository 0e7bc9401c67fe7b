"""Rule books: who moves, what is possible, what is seen, what is paid.

Every game is a frozen dataclass registered under the name users type; `load` builds one from that name.
No file here knows an algorithm or an array layout.
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.games import (
        bluff as bluff,
        coin_toss as coin_toss,
        goofspiel as goofspiel,
        holdem as holdem,
        kuhn as kuhn,
        leduc as leduc,
        lemonade as lemonade,
        liars_dice as liars_dice,
        matrix as matrix,
    )
    from counterpoise.games.base import (
        CHANCE as CHANCE,
        GAMES as GAMES,
        TERMINAL as TERMINAL,
        Game as Game,
        Observation as Observation,
        ObservedGame as ObservedGame,
        ObservedRules as ObservedRules,
        draw_chance as draw_chance,
        game_name as game_name,
        is_observed as is_observed,
        least_histories as least_histories,
        refuse_large as refuse_large,
        register as register,
    )
    from counterpoise.games.check import GameReport as GameReport, check_game as check_game
    from counterpoise.games.efg import from_efg as from_efg, to_efg as to_efg, write_efg as write_efg
    from counterpoise.games.openspiel import from_openspiel as from_openspiel
    from counterpoise.games.registry import as_game as as_game, load as load
    from counterpoise.games.view import CoarseGame as CoarseGame, FixedStrategy as FixedStrategy, GameView as GameView

import_lazily(__name__)
