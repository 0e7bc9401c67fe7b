"""Hold'em cut to its first two rounds (JOHANSON 3.2.1): two cards each, a flop, limit betting, best five cards win.

With 52 cards and four bets per round this is [2-4] hold'em, with two [2-1] hold'em (one raise over the blind); with
fewer ranks it is the same game for tests. Blinds are 1 and 2 chips, bets and raises 2 before the flop and 4 on it.
Seat 1 is the dealer: it posts the small blind, acts first before the flop and last on it.
"""

from __future__ import annotations

import numpy as np

from counterpoise.cards import STANDARD_DECK, Deck, Range
from counterpoise.errors import InputError
from counterpoise.games.bet_sizes import BetSizes
from counterpoise.games.betting import Betting
from counterpoise.public.holdem import HoldemTree

BIG_BLIND = 2
_BETS = (2, 4)
_ANY = {"bet": ["allin"], "raise": ["allin"]}  # limit betting leaves one legal size, to which all are cut


def mini_holdem(
    ranks: int = 13, bets: tuple[int, int] = (4, 4), *, bits: int = 32, isomorphism: bool = True
) -> HoldemTree:
    """The public tree; `bets` is the most bets of each round, the big blind being the first one before the flop."""
    deck = STANDARD_DECK if ranks == STANDARD_DECK.ranks else Deck(ranks=ranks)
    everything = Range(np.ones(deck.hand_count), deck)
    return HoldemTree(
        (), (everything, everything), mini_betting(bets), SIZES, deck, deals=(3,), bits=bits, isomorphism=isomorphism
    )


def mini_betting(bets: tuple[int, int] = (4, 4)) -> Betting:
    """Limit betting of the two rounds; stacks never matter."""
    if len(bets) != 2 or bets[0] < 1 or bets[1] < 0:
        raise InputError(f"bets must be the most bets before the flop (1 or more) and on it (0 or more), not {bets!r}")
    stack = BIG_BLIND + sum(size * most for size, most in zip(_BETS, bets, strict=True))
    return Betting((stack, stack), blinds=(BIG_BLIND // 2, BIG_BLIND), rounds=2, limit=_BETS, max_bets=bets)


SIZES = BetSizes.read({"preflop": _ANY, "flop": _ANY}, rounds=2)
"""The one size that limit betting allows, wherever it allows one."""


def millibigblinds(chips: float) -> float:
    """Chips in the unit of published results: thousandths of a big blind (per game: mbb/g)."""
    return 1000 * chips / BIG_BLIND
