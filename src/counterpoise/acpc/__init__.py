"""The Annual Computer Poker Competition's protocol 2.0.0: game files, a dealer, a client, and programs as agents.

`deal_match` lets programs that connect over TCP play each other, `play_at` lets an agent play at any dealer, and the
agent `acpc:HOST:PORT` is a program that sits down in `counterpoise match` and `counterpoise play`.
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.acpc.client import ClientResult as ClientResult, play_at as play_at
    from counterpoise.acpc.dealer import (
        DealerLimits as DealerLimits,
        DealerResult as DealerResult,
        deal_match as deal_match,
    )
    from counterpoise.acpc.gamefile import (
        format_game as format_game,
        load_rules as load_rules,
        parse_game as parse_game,
    )
    from counterpoise.acpc.program import ProgramAgent as ProgramAgent

__all__ = [
    "ClientResult",
    "DealerLimits",
    "DealerResult",
    "ProgramAgent",
    "deal_match",
    "format_game",
    "load_rules",
    "parse_game",
    "play_at",
]

import_lazily(__name__)
