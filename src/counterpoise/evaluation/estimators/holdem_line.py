"""A hand of hold'em as it was played, step by step, and the values of each seat's hands at every step.

Shares of the pot are exact, over all run-outs against the hands that the others really held. Before the flop with more
than two seats there are too many run-outs to count, and no luck is measured.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from counterpoise.betting.rules import CALL, BettingState
from counterpoise.cards.deck import STANDARD_DECK, Card, disjoint_hands, parse_cards, parse_hand
from counterpoise.cards.equity import BOARD, RunOuts, count_run_outs, preflop_shares, run_outs
from counterpoise.cards.evaluator import strengths
from counterpoise.evaluation.estimators.layers import FloatArray
from counterpoise.games.base import CHANCE, TERMINAL
from counterpoise.games.events import DealEvent, PublicEvent, read_event
from counterpoise.games.holdem import Holdem
from counterpoise.games.holdem_spot import HoldemSpot
from counterpoise.logs.record import HandRecord

POT_BET = 0.5
"""The bet of every round that BC-DIVAT assumes in no-limit games, as a share of the pot."""


class LineStep(NamedTuple):
    """One public event of a hand."""

    event: PublicEvent
    public: tuple[PublicEvent, ...]
    """The events before it."""
    mover: int
    """Who made it: a seat, or `CHANCE`."""
    before: BettingState
    after: BettingState
    board: tuple[Card, ...]
    """The public cards before it."""
    cards: tuple[Card, ...]
    """Those that it deals."""


@dataclass(frozen=True, eq=False)
class HoldemLine:
    """A hand of hold'em; `held` are the hands of the seats by index, None where one was not seen."""

    game: Holdem
    held: tuple[int | None, ...]
    steps: tuple[LineStep, ...]
    payoffs: tuple[float, ...]

    @classmethod
    def read(cls, game: Holdem, record: HandRecord) -> HoldemLine:
        """Return the hand of a record."""
        deck, start = game.deck, game.initial()
        betting, told = game.betting_after(start.events), tuple(start.events)
        held = tuple([parse_hand(text, deck) if text else None for text in record.history[: game.seats]])
        events = tuple(map(read_event, record.history[game.seats :]))
        steps, board = [], tuple(parse_cards("".join(start.board), deck))
        for place, event in enumerate(events):
            dealt = isinstance(event, DealEvent)
            cards = tuple(parse_cards(event, deck)) if dealt else ()
            after = game.betting_next(betting, event)
            public, mover = (*told, *events[:place]), CHANCE if dealt else betting.to_act
            steps.append(LineStep(event, public, mover, betting, after, board, cards))
            betting, board = after, (*board, *cards)
        return cls(game, held, tuple(steps), record.payoffs)

    @property
    def end(self) -> BettingState:
        """The betting when the hand was over."""
        return self.steps[-1].after

    @property
    def board(self) -> tuple[Card, ...]:
        """All public cards."""
        return (*self.steps[-1].board, *self.steps[-1].cards)

    def seen(self, seats: Sequence[int]) -> bool:
        """Return whether the hands of all these seats are known."""
        return all(self.held[seat] is not None for seat in seats)

    def weights(self, seat: int) -> FloatArray:
        """Return how likely chance deals each hand to a seat, up to a factor, given the others' hands.

        In a spot hands have the weights of a range. If the other's hand was not seen, a hand is also weighted by how
        much of that range it and the public cards of the whole line leave.
        """
        deck, game = self.game.deck, self.game
        others = [hand for other, hand in enumerate(self.held) if other != seat and hand is not None]
        free = np.asarray(~np.isin(deck.hands, deck.hands[others]).any(axis=1), dtype=np.float64)
        if not isinstance(game, HoldemSpot):
            return free
        own, met = game.ranges[seat].weights, game.ranges[1 - seat].weights
        if others:
            return np.asarray(own * free)
        return np.asarray(own * (disjoint_hands(deck.hands, deck.hands) @ (met * deck.live_hands(self.board))))

    @property
    def stake(self) -> float:
        """What each seat has put in before the hand began, half of the pot in a spot."""
        return 0.0 if self.game.from_the_deal else self.game.betting.pot / 2

    def shares(self, seat: int, state: BettingState, board: tuple[Card, ...]) -> RunOuts | None:
        """Return what every hand of a seat wins from the others that are in; None if that cannot be counted."""
        others = tuple([other for other in state.live if other != seat])
        if seat not in state.live or not self.seen(others):
            return None
        deck = self.game.deck
        hands = tuple([hand for other in others if (hand := self.held[other]) is not None])
        gone = [
            hand for other, hand in enumerate(self.held) if other != seat and other not in others and hand is not None
        ]
        dead = tuple(deck.hands[gone].ravel().tolist())
        due = sum(self.game.board) - len(board)
        if count_run_outs(deck, board, hands, dead, due):
            return run_outs(deck, board, hands, dead, due)
        if deck == STANDARD_DECK and due == BOARD and len(hands) == 1 and self.game.seats == 2:
            nothing = np.empty((0, deck.hand_count))
            return RunOuts(preflop_shares(hands[0]), (), nothing, nothing.astype(np.bool_))
        return None

    def showdown(self, seat: int, state: BettingState, board: tuple[Card, ...]) -> FloatArray:
        """Return what every hand of a seat wins at the end, in chips; no hand of the others matters after a fold."""
        game, live = self.game, state.live
        if len(live) == 1 or seat not in live:
            strength = [0] * self.game.seats
            if seat not in live and len(live) > 1 and not self.seen(live):
                return np.full(self.game.deck.hand_count, -float(state.paid[seat]))
            if len(live) > 1:
                strength = self._strengths(live, board)
            return np.full(self.game.deck.hand_count, float(game.settle(state, strength)[seat]))
        others = [other for other in live if other != seat]
        met = self._strengths(others, board)
        own = strengths(board, deck=self.game.deck).astype(np.int64)
        levels = np.unique([met[other] for other in others])
        below = np.searchsorted(levels, own)
        equal = levels[np.minimum(below, len(levels) - 1)] == own
        place = {level: 2 * k + 1 for k, level in enumerate(levels.tolist())}
        won = []
        for kind in range(2 * len(levels) + 1):  # odd: as strong as a level, even: between two
            each = [kind if other == seat else place.get(met[other], 0) for other in range(self.game.seats)]
            won.append(float(game.settle(state, each)[seat]))
        return np.asarray(np.array(won)[2 * below + equal])

    def called(self, seat: int, state: BettingState, board: tuple[Card, ...]) -> FloatArray | None:
        """Return what every hand of a seat wins on average if it ends the hand by a call, None if that is not known.

        After an all-in the public cards that are due are run out; that is counted for two players whose ties split
        the pot evenly.
        """
        after = self.game.betting.apply(state, CALL)
        while after.to_act == CHANCE:  # rounds in which nobody may bet
            after = self.game.betting.deal(after)
        if after.to_act != TERMINAL or not self.seen([other for other in after.live if other != seat]):
            return None
        if len(board) == sum(self.game.board):
            return self.showdown(seat, after, board)
        return self._settled(seat, after, board)

    def _settled(self, seat: int, state: BettingState, board: tuple[Card, ...]) -> FloatArray | None:
        """Return what every hand of a seat wins on average when the betting is over; None if it cannot be counted."""
        found = self.shares(seat, state, board)
        if found is None or len(state.live) > 2:
            return None
        low, tie, high = (self._outcome(seat, state, own) for own in (-1, 0, 1))
        if not math.isclose(2 * tie, low + high, abs_tol=1e-9):
            return None
        return np.asarray(low + (high - low) * found.before)

    def all_in(self, seat: int, payoff: float) -> float:
        """Return the mean of what a seat won over the public cards after an all-in, if they can be counted."""
        own = self.held[seat]
        for step in self.steps:
            if step.mover == CHANCE and step.before.to_act == TERMINAL and own is not None:
                found = self._settled(seat, step.before, step.board) if seat in step.before.live else None
                return payoff if found is None else float(found[own])
        return payoff

    def _outcome(self, seat: int, state: BettingState, own: int) -> float:
        return float(self.game.settle(state, [own if other == seat else 0 for other in range(self.game.seats)])[seat])

    def _strengths(self, seats: Sequence[int], board: tuple[Card, ...]) -> list[int]:
        """Return the strengths of some seats' hands on the whole board, 0 for the others."""
        found = [0] * self.game.seats
        all_hands = strengths(board, deck=self.game.deck)
        for seat in seats:
            hand = self.held[seat]
            assert hand is not None
            found[seat] = int(all_hands[hand])
        return found


class Stake(NamedTuple):
    """What is at stake at the end, in chips."""

    pot: float
    paid: FloatArray
    """What each seat will have put in."""


def future_stake(game: Holdem, state: BettingState, first_bets: int = 1, weight: float = 1.0) -> Stake:
    """Return the stake if what is owed is called, the next round has `first_bets` bets, and every later one (BC-DIVAT;
    Johanson 2016, section 7.2.3).

    Bets are those of the round in limit games, else `POT_BET` of the pot, and never more than a seat has; `weight`
    scales what they add.
    """
    betting, live = game.betting, list(state.live)
    paid = np.array(state.paid, dtype=np.float64)
    if state.to_act == TERMINAL:
        seat, back = betting.uncalled(state)
        paid[seat] -= back
        return Stake(betting.pot + float(paid.sum()), paid)
    stacks = np.array(betting.stacks, dtype=np.float64)
    paid[live] = np.maximum(paid[live], np.minimum(paid.max(), stacks[live]))
    owed, bets = paid.copy(), first_bets
    for round_ in range(state.round + 1, betting.rounds):
        pot = betting.pot + float(paid.sum())
        one = float(betting.limit[round_]) if betting.limit else POT_BET * pot
        made = bets if betting.max_bets is None else min(bets, betting.max_bets[round_])
        paid[live] += min(made * one, float((stacks - paid)[live].min()))
        bets = 1
    paid = owed + weight * (paid - owed)
    return Stake(betting.pot + float(paid.sum()), paid)


def first_stake(game: Holdem, weight: float = 1.0) -> Stake:
    """Return the stake before any action: the first round has a bet beyond the blinds as well."""
    betting = game.betting
    state = game.betting_after(())
    whole = future_stake(game, state, weight=weight)
    one = float(betting.limit[0]) if betting.limit else POT_BET * 2 * max(state.paid)
    one = 0.0 if betting.max_bets is not None and state.bets >= betting.max_bets[0] else one
    return Stake(whole.pot + weight * one * len(state.live), whole.paid + weight * one)
