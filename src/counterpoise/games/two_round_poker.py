"""The rules of Leduc, Leduc-5 and one-card poker: one private card, one public card, two betting rounds.

1. Everybody antes 1 and receives one card of a deck of `ranks` x `suits`.
2. A betting round, first seat first: call (or check), raise (or bet) one of the round's sizes on top of the
   call, or fold when facing a bet. A round allows a fixed number of bets and raises in total; there is no
   minimum raise and no stack limit.
3. One public card, then a second betting round that starts again with the first seat still in.
4. Whoever pairs the public card wins, otherwise the highest card; equal hands share the pot.

With `merge_suits` chance draws ranks with their weights (suits never matter for the payoff), which is the
same game with fewer information sets; without it every card is told apart.

Actions are "f", "c" and "r", with the size when a round has several: "r0.5". Infosets read "Q:rc/K:c": own
card, betting of the first round, public card, betting of the second.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product
from typing import NamedTuple

from counterpoise.games.base import CHANCE, TERMINAL, RuleBook
from counterpoise.games.cards import RANKS, SUITS, top_ranks

_FOLD, _CALL = "f", "c"


@dataclass(frozen=True)
class BettingRound:
    """What may be bet in one round."""

    sizes: tuple[float, ...]  # what a bet or a raise adds to the call
    max_bets: int  # bets and raises together
    of_pot: bool = False  # sizes are fractions of the pot after the call, not chips

    @cached_property
    def raises(self) -> dict[str, float]:
        """The size of each raise by its label."""
        return {f"r{size:g}" if len(self.sizes) > 1 else "r": size for size in self.sizes}


class PokerState(NamedTuple):
    """A hand in progress; `story` is the public part of the infoset strings, piece by piece."""

    to_act: int
    cards: tuple[str, ...] = ()
    board: str = ""
    story: tuple[str, ...] = ()
    paid: tuple[float, ...] = ()
    live: tuple[int, ...] = ()  # seats that have not folded
    bets: int = 0  # bets and raises so far in this round
    waiting: int = 0  # seats that must still act before the round is over


class TwoRoundPoker(RuleBook):
    """Base of the rule books in `counterpoise.games.leduc`; a subclass says deck, seats and bet sizes."""

    ranks: int
    suits: int
    players: int
    merge_suits: bool
    opening: float | None = None  # the size of the first bet of the first round
    stack: float | None = None  # nobody pays more

    @property
    @abstractmethod
    def rounds(self) -> tuple[BettingRound, BettingRound]:
        """The two betting rounds."""

    def initial(self) -> PokerState:
        return PokerState(CHANCE)

    def player(self, state: PokerState) -> int:
        return state.to_act

    def chance(self, state: PokerState) -> Sequence[tuple[str, float]]:
        if not state.cards:
            return self._deals()
        left = {card: self._deck[card] - state.cards.count(card) for card in self._deck}
        total = sum(left.values())
        return [(card, copies / total) for card, copies in left.items() if copies]

    def actions(self, state: PokerState) -> tuple[str, ...]:
        rules = self.rounds[1 if state.board else 0]
        fold = (_FOLD,) if state.bets else ()
        return (*fold, _CALL, *(rules.raises if state.bets < rules.max_bets else ()))

    def next(self, state: PokerState, action: str) -> PokerState:
        to_act, cards, board, story, paid, live, bets, waiting = state
        if to_act == CHANCE:
            return self._begin_round(state, action)
        story = (*story, action)
        waiting -= 1
        if action == _FOLD:
            remaining = tuple(seat for seat in live if seat != to_act)
        else:
            remaining = live
            stake = max(paid)
            if action != _CALL:
                rules = self.rounds[1 if board else 0]
                size = rules.raises[action] if self.opening is None or board or bets else self.opening
                stake += size * (sum(paid) - paid[to_act] + stake if rules.of_pot else 1)
                stake = stake if self.stack is None else min(stake, self.stack)
                bets += 1
                waiting = len(live) - 1
            paid = (*paid[:to_act], stake, *paid[to_act + 1 :])
        if len(remaining) == 1:
            after = TERMINAL
        elif waiting:
            after = live[(live.index(to_act) + 1) % len(live)]
        else:
            after = TERMINAL if board else CHANCE
        return PokerState(after, cards, board, story, paid, remaining, bets, waiting)

    def infoset(self, state: PokerState) -> str:
        return f"{state.cards[state.to_act]}:{''.join(state.story)}"

    def public(self, state: PokerState) -> tuple[str, ...]:
        """Return actions and the public card, and after a showdown the hands."""
        events = tuple([piece.strip("/:") for piece in state.story])
        if state.to_act != TERMINAL or len(state.live) == 1:
            return events
        return (*events, *[f"seat {seat} shows {state.cards[seat]}" for seat in state.live])

    def private(self, state: PokerState, seat: int) -> str:
        return state.cards[seat] if state.cards else ""

    def payoffs(self, state: PokerState) -> tuple[float, ...]:
        paid, live = state.paid, state.live
        winners = live if len(live) == 1 else self._best_hands(state)
        share = sum(paid) / len(winners)
        return tuple([share - cost if seat in winners else -cost for seat, cost in enumerate(paid)])

    def _begin_round(self, state: PokerState, dealt: str) -> PokerState:
        if state.cards:
            first, story = state.live[0], (*state.story, f"/{dealt}:")
            return PokerState(first, state.cards, dealt, story, state.paid, state.live, 0, len(state.live))
        width = len(dealt) // self.players
        cards = tuple(dealt[start : start + width] for start in range(0, len(dealt), width))
        ante, everybody = (1.0,) * self.players, tuple(range(self.players))
        return PokerState(0, cards, "", (), ante, everybody, 0, self.players)

    def _best_hands(self, state: PokerState) -> list[int]:
        strength = self._strength
        public = strength[state.board]
        hands = [strength[state.cards[seat]] for seat in state.live]
        best = public if public in hands else max(hands)
        return [seat for seat, hand in zip(state.live, hands, strict=True) if hand == best]

    def _deals(self) -> list[tuple[str, float]]:
        if not self.merge_suits:
            deals = ["".join(deal) for deal in permutations(self._deck, self.players)]
            return [(deal, 1 / len(deals)) for deal in deals]
        weighted = []
        for deal in product(self._deck, repeat=self.players):
            probability = 1.0
            for seat, card in enumerate(deal):
                probability *= (self.suits - deal[:seat].count(card)) / (self.ranks * self.suits - seat)
            if probability:
                weighted.append(("".join(deal), probability))
        return weighted

    @cached_property
    def _deck(self) -> dict[str, int]:
        """Names of the cards and how many there are of each."""
        ranks = top_ranks(self.ranks)
        if self.merge_suits:
            return dict.fromkeys(ranks, self.suits)
        return {rank + suit: 1 for rank in ranks for suit in SUITS[: self.suits]}

    @cached_property
    def _strength(self) -> dict[str, int]:
        return {card: RANKS.index(card[0]) for card in self._deck}
