"""Turn endgame hold'em (Brown 2020, sections 2.4.4 and 5.3.7; Brown et al. 2020, section 6) and a small form of it.

Two players of no-limit hold'em have checked and called until the turn, with 1,000 chips each in the pot and 19,000
behind, and may still hold any hand. The first bet of a street is half a pot, a pot or all-in, a raise three quarters of
a pot or all-in. The published experiments use one turn board; any other may be given.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from counterpoise.betting.sizes import STREETS, BetSizes
from counterpoise.games.base import register
from counterpoise.games.holdem_spot import HoldemSpot

TURN_SIZES = {"bet": ["50%", "100%", "allin"], "raise": ["75%", "allin"]}


@register("turn_holdem")
@dataclass(frozen=True)
class TurnHoldem(HoldemSpot):
    """Turn endgame hold'em on the published board 3s 7h Td Ks, with any two hands; unit: chips.

    Fields are those of `holdem_spot`. Infosets read "AsKh:3s7hTdKs:c:b1000": own cards, the board, then actions and
    cards.
    """

    stack: int = 19_000
    cards: str = "3s7hTdKs"
    oop: str = "random"
    ip: str = "random"
    pot: int = 2_000
    min_bet: int = 100

    def __hash__(self) -> int:
        return hash(self.name)

    @cached_property
    def bet_sizes(self) -> BetSizes:
        """The bets on the menu of each street."""
        streets = STREETS[self.first_round :]
        return BetSizes.read(dict.fromkeys(streets, TURN_SIZES) if self.sizes is None else self.sizes, self.first_round)


@register("mini_turn_holdem")
@dataclass(frozen=True)
class MiniTurnHoldem(TurnHoldem):
    """Turn endgame hold'em with the 24 cards from 7 to ace of three suits: 190 hands and 20 rivers; unit: chips.

    Fields are those of `holdem_spot`. Infosets read "AsKh:7d9hJsKd:c:b1000": own cards, the board, then actions and
    cards.
    """

    ranks: int = 8
    suits: int = 3
    cards: str = "7d9hJsKd"

    def __hash__(self) -> int:
        return hash(self.name)
