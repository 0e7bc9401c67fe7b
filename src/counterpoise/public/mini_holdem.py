"""Hold'em cut to its first rounds: two cards each, a flop, perhaps a turn and a river, best five cards win.

- Limit (Johanson 2016, section 3.2.1): with 52 cards, two rounds and four bets per round this is [2-4] hold'em, with
  two [2-1] hold'em (one raise over the blind). Blinds are 1 and 2 chips, bets and raises 2 before the flop and 4 on it.
  With three or four rounds they are those of limit hold'em: 2 before the flop and on it, 4 on the turn and the river.
- No-limit (Brown 2020, section 5.1.8, "flop hold'em"): blinds of 50 and 100 chips and any bet sizes.

With fewer ranks they are the same games on a smaller deck. Seat 1 is the dealer: it posts the small blind, acts first
before the flop and last on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import comb, prod

import numpy as np

from counterpoise.betting.rules import Betting
from counterpoise.betting.sizes import BetSizes, limit_sizes
from counterpoise.cards import STANDARD_DECK, Deck, Range, isomorphism as suit_isomorphism
from counterpoise.errors import InputError
from counterpoise.parameters import is_list, is_whole, require_choice, require_whole, shown
from counterpoise.progress import CancelToken, Progress, as_progress
from counterpoise.public.boards import BuildWatch
from counterpoise.public.holdem import HoldemGame, build_holdem
from counterpoise.public.holdem_rules import HoldemRules, Start

BIG_BLIND = 2
NO_LIMIT_BLIND = 100
Words = tuple[str, ...] | tuple[tuple[str, ...], tuple[str, ...]]
_BETS = {2: (2, 4), 3: (2, 2, 4), 4: (2, 2, 4, 4)}
_DEALS = (3, 1, 1)
MOST_LINES = 100_000
MOST_BYTES, BYTES_PER_HAND = 4 * 10**9, 21
"""The most bytes of a game's boards, and the bytes of a hand on a board while they are built."""


def mini_holdem(
    ranks: int = 13,
    bets: tuple[int, ...] | None = None,
    *,
    rounds: int | None = None,
    isomorphism: bool = True,
    progress: Progress | bool | None = False,
    cancel: CancelToken | None = None,
) -> HoldemGame:
    """Return the public game of `rounds` rounds (two unless said), of the highest ranks of the deck.

    `bets` is the most bets of each round, the big blind being the first before the flop; four each unless given.
    Boards are built at some thousand a second, which `progress` shows if it is asked to (True); games whose boards
    would take more than 4 GB are refused.

    >>> len(mini_holdem(3, (1, 1, 1)).board_nodes), mini_holdem(3, rounds=3).streets
    (144, 3)
    """
    if rounds is not None:
        require_whole("rounds", rounds, min(_BETS), max(_BETS))
    require_choice("isomorphism", isomorphism, (True, False))
    given = (4,) * (rounds or 2) if bets is None else bets
    betting, deck = mini_betting(given), _deck(ranks)
    bets = tuple(given)
    if rounds is not None and len(bets) != rounds:
        raise InputError(f"bets must be one number for each of the {rounds} rounds, not {bets!r}")
    _require_size(deck, len(bets), isomorphism)
    everything = Range(np.ones(deck.hand_count), deck)
    sizes = limit_sizes(len(bets))
    deals = _DEALS[: len(bets) - 1]
    name = f"mini_holdem({ranks}, {bets})"
    rules = HoldemRules((), (everything, everything), betting, sizes, deck, deals, isomorphism, name=name)
    display = as_progress(progress)
    with display:
        display.begin(name)
        return build_holdem(rules, watch=BuildWatch(display, cancel or CancelToken()))


@dataclass(frozen=True)
class FlopHoldem:
    """No-limit flop hold'em; chips, `stack` in big blinds.

    Sizes of bets and raises are words as in spots ("50%", "allin"): those of both seats, or a pair of those of each.

    >>> FlopHoldem(ranks=3).game().pair_mass
    2970.0
    """

    ranks: int = 13
    stack: int = 200
    preflop: Words = ("100%", "allin")
    flop: Words = ("100%", "allin")
    max_bets: tuple[int, int] | None = None
    """The most bets of each round, the big blind being the first one before the flop."""

    @cached_property
    def deck(self) -> Deck:
        """The highest ranks, four suits."""
        return _deck(self.ranks)

    @cached_property
    def betting(self) -> Betting:
        """Both seats have the same stack."""
        require_whole("flop hold'em: stack", self.stack, 1, 10_000)
        stack = self.stack * NO_LIMIT_BLIND
        blinds = (NO_LIMIT_BLIND // 2, NO_LIMIT_BLIND)
        return Betting((stack, stack), blinds=blinds, rounds=2, max_bets=self.max_bets)

    @cached_property
    def sizes(self) -> BetSizes:
        """The bets of both rounds."""
        tables = {}
        for street, words in (("preflop", self.preflop), ("flop", self.flop)):
            each: object = list(words)
            if words and not isinstance(words[0], str):
                each = {"oop": list(words[0]), "ip": list(words[1])}
            tables[street] = {"bet": each, "raise": each}
        return BetSizes.read(tables, rounds=2)

    def game(self, cards: tuple[int, ...] = (), start: Start | None = None) -> HoldemGame:
        """Return the public game, from the beginning or from a `start`, whose flop is `cards` if there is one."""
        everything = Range(np.ones(self.deck.hand_count), self.deck)
        deals = () if cards else (3,)
        return build_holdem(
            HoldemRules(cards, (everything, everything), self.betting, self.sizes, self.deck, deals=deals, start=start)
        )


def mini_betting(bets: tuple[int, ...] = (4, 4)) -> Betting:
    """Return limit betting of two to four rounds with at most `bets` bets; stacks never matter."""
    whole = is_list(bets) and all(is_whole(most) for most in bets)
    if not whole or len(bets) not in _BETS or bets[0] < 1 or min(bets) < 0:
        raise InputError(
            "bets must be the most bets before the flop (1 or more) and on each of one to three later streets "
            f"(0 or more), not {shown(bets)}"
        )
    lines = (2 * bets[0] - 1) * prod(2 * most + 1 for most in bets[1:])  # each bet called, by either player's opening
    if lines > MOST_LINES:
        raise InputError(f"bets must allow at most {MOST_LINES:,} ways to a showdown, not {shown(bets)} with {lines:,}")
    limit = _BETS[len(bets)]
    stack = BIG_BLIND + sum(size * most for size, most in zip(limit, bets, strict=True))
    blinds = (BIG_BLIND // 2, BIG_BLIND)
    return Betting((stack, stack), blinds=blinds, rounds=len(bets), limit=limit, max_bets=tuple(bets))


def millibigblinds(chips: float, big_blind: int = BIG_BLIND) -> float:
    """Return chips in the unit of published results: thousandths of a big blind (per game: mbb/g)."""
    return 1000 * chips / big_blind


def _require_size(deck: Deck, rounds: int, merged: bool) -> None:
    """Refuse a game whose boards, with their hands, would take more than `MOST_BYTES`; suits are `merged` or not."""
    boards, cards = [1], deck.size
    for number, dealt in enumerate(_DEALS[: rounds - 1], start=1):
        boards.append(suit_isomorphism(_DEALS[:number], deck).size if merged else boards[-1] * comb(cards, dealt))
        cards -= dealt
    if cards < 4:
        raise InputError(f"mini_holdem with {deck.ranks} ranks has too few cards for {rounds} rounds: take more ranks")
    hands = [deck.hand_count] * (rounds - 1) + [comb(cards, 2)]  # earlier boards keep the hands that they block
    needed = 2 * BYTES_PER_HAND * sum(count * held for count, held in zip(boards, hands, strict=True))
    if needed > MOST_BYTES:
        raise InputError(
            f"mini_holdem with {deck.ranks} ranks and {rounds} rounds has {sum(boards):,} boards, which take about "
            f"{needed / 1e9:,.0f} GB, and the most is {MOST_BYTES / 1e9:.0f} GB: take fewer ranks or rounds"
        )


def _deck(ranks: int) -> Deck:
    return STANDARD_DECK if ranks == STANDARD_DECK.ranks else Deck(ranks=ranks)
