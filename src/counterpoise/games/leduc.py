"""Leduc hold'em (Southey et al. 2005), its five-size form Leduc-5 and pot-fraction one-card poker.

The rules they share are in `counterpoise.games.two_round_poker`; here is only what differs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from counterpoise.games.base import register
from counterpoise.games.cards import RANKS, SUITS
from counterpoise.games.two_round_poker import BettingRound, TwoRoundPoker
from counterpoise.parameters import are_positive, is_list, require, require_choice, require_whole, shown


@register("leduc_poker")
@dataclass(frozen=True)
class LeducPoker(TwoRoundPoker):
    """Leduc hold'em: ante 1, bets of 2 then 4, two bets per round; unit: chips (antes). Brown 2020, section 2.4.1.

    `bets` is the bet size of each round and `max_raises` the bets and raises allowed per round. The deck is
    `ranks` (J, Q, K) times `suits`; `merge_suits=False` tells suits apart ("Ks"), as OpenSpiel does, whose
    three-player game is `leduc_poker(players=3, ranks=4, merge_suits=False)`. Value for the first of two
    players: -0.0856064. Infosets read "Q:rc/K:c": own card, first betting, public card, second betting.
    """

    ranks: int = 3
    suits: int = 2
    bets: tuple[float, float] = (2, 4)
    max_raises: int = 2
    players: int = 2
    merge_suits: bool = True

    def __post_init__(self) -> None:
        require_whole("leduc_poker: ranks", self.ranks, 1, len(RANKS))
        require_whole("leduc_poker: suits", self.suits, 1, len(SUITS))
        require_whole("leduc_poker: max_raises", self.max_raises, 0, 20)
        require_whole("leduc_poker: players", self.players, 2, 6)
        require(
            self.ranks * self.suits > self.players,
            f"leduc_poker: players must be fewer than the {self.ranks * self.suits} cards of the deck"
            f" (ranks x suits), not {shown(self.players)}",
        )
        require(
            are_positive(self.bets) and len(self.bets) == 2,
            f"leduc_poker: bets must be two positive numbers, one per round, not {shown(self.bets)}",
        )
        require_choice("leduc_poker: merge_suits", self.merge_suits, (True, False))
        object.__setattr__(self, "bets", tuple(self.bets))

    @cached_property
    def rounds(self) -> tuple[BettingRound, BettingRound]:
        first, second = self.bets
        return BettingRound((first,), self.max_raises), BettingRound((second,), self.max_raises)


@register("leduc5")
@dataclass(frozen=True)
class Leduc5(TwoRoundPoker):
    """Leduc with five sizes for every bet and raise: 0.5 to 8 chips, then 1 to 16; unit: chips.

    Any size may follow any size. 34,224 information sets; infosets read "Q:r0.5c/K:cr16".
    See Brown 2020, section 2.4.1.
    """

    ranks = 3
    suits = 2
    players = 2
    merge_suits = True

    @cached_property
    def rounds(self) -> tuple[BettingRound, BettingRound]:
        return BettingRound((0.5, 1, 2, 4, 8), 2), BettingRound((1, 2, 4, 8, 16), 2)


@register("one_card_poker")
@dataclass(frozen=True)
class OneCardPoker(TwoRoundPoker):
    """Two-round poker whose bets are fractions of the pot after the call; two suits, unit: antes.

    `fractions` lists the sizes of each round and `max_bets` how many bets and raises each round allows:
    L(R; f1; f2; n1; n2), the bench game for search. If `opening` is given, it is the size of the first round's first
    bet, by whichever seat. With a `stack`, nobody pays more: what is bet beyond it changes no
    payoff, and the same actions remain.
    Infosets read "Q:r0.5c/K:c", or "Q:rc/K:c" where a round has one size.
    """

    ranks: int = 6
    fractions: tuple[tuple[float, ...], tuple[float, ...]] = ((1,), (1,))
    max_bets: tuple[int, int] = (2, 2)
    opening: float | None = None
    stack: float | None = None

    suits = 2
    players = 2
    merge_suits = True

    def __post_init__(self) -> None:
        require_whole("one_card_poker: ranks", self.ranks, 2, len(RANKS))
        require(
            is_list(self.fractions)
            and len(self.fractions) == 2
            and all(are_positive(sizes) and len(set(sizes)) == len(sizes) for sizes in self.fractions),
            "one_card_poker: fractions must be two lists of different positive numbers, one per round,"
            f" not {shown(self.fractions)}",
        )
        require(
            is_list(self.max_bets) and len(self.max_bets) == 2,
            f"one_card_poker: max_bets must be two whole numbers, one per round, not {shown(self.max_bets)}",
        )
        for limit in self.max_bets:
            require_whole("one_card_poker: max_bets of a round", limit, 0, 20)
        for name, number in (("opening", self.opening), ("stack", self.stack)):
            require(
                number is None or are_positive([number]),
                f"one_card_poker: {name} must be a positive number, not {shown(number)}",
            )
        require(
            self.opening is None or len(self.fractions[0]) == 1,
            "one_card_poker: opening takes the place of the first round's only size, not of several",
        )
        object.__setattr__(self, "fractions", tuple(tuple(sizes) for sizes in self.fractions))
        object.__setattr__(self, "max_bets", tuple(self.max_bets))

    @cached_property
    def rounds(self) -> tuple[BettingRound, BettingRound]:
        first, second = (
            BettingRound(sizes, limit, of_pot=True) for sizes, limit in zip(self.fractions, self.max_bets, strict=True)
        )
        return first, second
