"""AIVAT in hold'em: each seat's winnings without the luck of cards and of the known players' choices.

See Burch et al. 2018.

Between two known players of which one has values of hands (`ValuesOfHands`), `holdem_public` walks with the ranges of
both. For all others this module has a guess that needs nothing but the cards.

Seat by seat, the hands of a known player are imagined while the others hold what they held; steps of all known seats
are corrected. The guess is the share of the pot that a hand wins over all run-outs from the hands it really meets,
times the pot after what is owed is called and a little more is bet (`LATER`). It is exact for folds, all-ins and
showdowns, and rough for later bets. At the end the seats' estimates are moved together so that they sum to what the
seats won in all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from counterpoise.betting.rules import BettingState
from counterpoise.cards.deck import STANDARD_DECK, Card
from counterpoise.cards.equity import preflop_shares
from counterpoise.errors import InputError
from counterpoise.evaluation.estimators.holdem_hands import HoldemHands, new_layer
from counterpoise.evaluation.estimators.holdem_line import HoldemLine, LineStep, first_stake, future_stake
from counterpoise.evaluation.estimators.holdem_luck import shares_after
from counterpoise.evaluation.estimators.holdem_public import PublicAivat
from counterpoise.evaluation.estimators.layers import FloatArray, Guess, Layer, aivat_values
from counterpoise.evaluation.estimators.value_functions import GuessLike
from counterpoise.games.base import CHANCE, TERMINAL
from counterpoise.games.events import read_action
from counterpoise.games.holdem import Holdem
from counterpoise.games.known import KnownPlayer, hand_values_of
from counterpoise.logs.record import HandRecord
from counterpoise.parameters import shown

Players = Sequence[KnownPlayer | None]
GUESSES = ("own", "equity", "zero")
LATER = 0.25
"""The share of one bet and call in every later round that the guess expects; the best of 0 to 0.5 on mini hold'em."""


class HoldemAivat:
    """AIVAT for hands of one game of hold'em; the guess is "own", "equity" or "zero".

    "own" are the values of hands (`ValuesOfHands`) of the first seat that has some, between two known players without
    rake, and "equity" everywhere else.
    """

    def __init__(self, game: Holdem, guess: GuessLike = "own") -> None:
        if guess not in GUESSES:
            raise InputError(f"the value function of hold'em is own, equity or zero, not {shown(guess)}")
        self._game, self._zero = game, guess == "zero"
        self._by_values = guess == "own" and game.seats == 2 and game.from_the_deal and not game.betting.rake.percent
        self._public: dict[int, PublicAivat] = {}

    def hand(self, record: HandRecord, players: Players) -> FloatArray:
        """Return what each seat won without luck, given the known player in each seat; the payoffs if none plays so."""
        won = self.line(HoldemLine.read(self._game, record), players)
        return np.array(record.payoffs) if won is None else won

    def line(self, line: HoldemLine, players: Players) -> FloatArray | None:
        """Return the values of `hand` for a hand that was read; None if a hand was not seen or known players cannot
        play so."""
        both = [player for player in players if player is not None]
        values = next(filter(None, map(hand_values_of, both)), None)
        if self._by_values and values is not None and len(both) == len(players):
            if id(values) not in self._public:
                self._public[id(values)] = PublicAivat(self._game, values)
            return self._public[id(values)].line(line, both)
        if not line.seen(range(line.game.seats)):
            return None
        won = np.array([self._seat(line, seat, players) for seat in range(line.game.seats)])
        if np.isnan(won).any():
            return None
        total = sum(line.payoffs)
        return np.asarray(won + (total - won.sum()) / len(won))

    def _seat(self, line: HoldemLine, seat: int, players: Players) -> float:
        """Return what one seat won without luck; nan if the known players cannot have played so."""
        imagined = players[seat] is not None
        hands = HoldemHands(line, seat, None if imagined else line.held[seat])
        layers = hands.first_layers(1)
        guesses = [self._deal(hands)]
        last = len(line.steps) - 1
        for place, step in enumerate(line.steps):
            layer, guess = self._step(hands, step, players)
            if place == last:
                worth = line.showdown(seat, line.end, line.board)[hands.pick, None]
                layer = layer._replace(over=np.ones(len(worth), dtype=np.bool_), values=worth)
            layers.append(layer)
            guesses.append(guess)
        return float(aivat_values(layers, guesses)[0, 0])

    def _deal(self, hands: HoldemHands) -> Guess:
        """Return the guess after the deal; between two seats its mean is 0."""
        line, seat = hands.line, hands.seat
        even = line.game.seats == 2 and line.game.from_the_deal and not self._zero
        found = line.shares(seat, line.game.betting_after(()), ()) if even else None
        if found is None:
            return _no_guess(len(hands.start), 1)
        after = (found.before[hands.pick] - 0.5) * first_stake(line.game, LATER).pot
        return Guess(after[:, None], np.zeros((1, 1)))

    def _step(self, hands: HoldemHands, step: LineStep, players: Players) -> tuple[Layer, Guess]:
        """Return the layer after an event and the guess of its value."""
        line, seat, size = hands.line, hands.seat, len(hands.start)
        above = np.arange(size)
        if step.mover == CHANCE:
            layer = new_layer(above, hands.alive(step), 1)
            before = None if self._zero else line.shares(seat, step.before, step.board)
            if before is None:
                return layer, _no_guess(size, size)
            pot = future_stake(line.game, step.before, weight=LATER).pot
            after, expected = (
                pot * own[hands.pick, None] for own in (shares_after(line, seat, step, before), before.before)
            )
            return layer, Guess(after, expected)
        player = players[step.mover]
        if player is None:
            return new_layer(above, np.ones(size), 1, known=False), _no_guess(size, size)
        told = player.probabilities(step.public)
        held = line.held[step.mover]
        table = told.table[hands.pick] if step.mover == seat else np.tile(told.table[held], (size, 1))
        taken = told.actions.index(step.event) if step.event in told.actions else None
        played = np.zeros(size) if taken is None else table[:, taken]
        layer = new_layer(above, np.ones(size), 1, played=played)
        if self._zero or taken is None:
            return layer, _no_guess(size, size)
        worth = [
            self._worth(line, seat, line.game.betting.apply(step.before, read_action(action).bet), step.board)[
                hands.pick
            ]
            if table[:, column].any()
            else np.zeros(size)
            for column, action in enumerate(told.actions)
        ]
        mean = (table * np.stack(worth, axis=1)).sum(axis=1)
        return layer, Guess(worth[taken][:, None], mean[:, None])

    def _worth(self, line: HoldemLine, seat: int, state: BettingState, board: tuple[Card, ...]) -> FloatArray:
        """Return the guessed winnings of every hand of a seat after an action."""
        live = state.live
        if seat not in live or len(live) == 1:
            back = 0.0 if seat not in live else float(sum(state.paid)) + line.game.betting.pot
            return np.full(line.game.deck.hand_count, back - float(state.paid[seat]) - line.stake)
        if state.to_act == TERMINAL and len(board) == sum(line.game.board):
            return line.showdown(seat, state, board)
        found = line.shares(seat, state, board)
        stake = future_stake(line.game, state, weight=LATER)
        shares = _rough_shares(line, seat, live) if found is None else found.before
        return np.asarray(shares * stake.pot - stake.paid[seat] - line.stake)


def _rough_shares(line: HoldemLine, seat: int, live: Sequence[int]) -> FloatArray:
    """Return roughly the share every hand wins from several others before the flop: the product of its shares
    against each."""
    if line.game.deck != STANDARD_DECK:
        return np.full(line.game.deck.hand_count, 1 / len(live))
    return np.asarray(
        np.prod(
            [preflop_shares(hand) for other in live if other != seat and (hand := line.held[other]) is not None], axis=0
        )
    )


def _no_guess(size: int, before: int) -> Guess:
    return Guess(np.zeros((size, 1)), np.zeros((before, 1)))
