"""What one searcher wins at a table of blueprints, exactly but for the flops that are drawn.

For a flop all hands of all seats and all lines of betting are summed up, with arrays that have one axis for each seat.
It is for limit hold'em of one board on small decks, where nobody is all-in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.rules import BettingState
from counterpoise.cards.deck import parse_cards
from counterpoise.cards.evaluator import evaluate
from counterpoise.games.base import CHANCE, TERMINAL
from counterpoise.games.holdem import Holdem
from counterpoise.games.known import Behaviour

Play = Callable[[tuple[str, ...]], Behaviour]


class OnFlop:
    """Values of all seats if the flop will be this one."""

    def __init__(self, game: Holdem, flop: str) -> None:
        self.game, self.flop = game, flop
        board = parse_cards(flop, game.deck)
        live = game.deck.live_hands(board)
        self.hands = np.flatnonzero(live)
        cards = game.deck.hands[self.hands]
        self.strength = np.asarray(evaluate([[*hand, *board] for hand in cards], game.ranking), dtype=np.int64)
        apart = ~(cards[:, None, :, None] == cards[None, :, None, :]).any(axis=(2, 3))
        deals = np.ones((len(cards),) * game.players, dtype=np.bool_)
        for first in range(game.players):
            for second in range(first):
                deals &= self._axes(apart, second, first)
        self.weights = deals / deals.sum()

    def values(self, play: Sequence[Play]) -> list[float]:
        """Return what each seat wins on average, in chips, if seat s plays by ``play[s]``."""
        return [float((self.weights * one).sum()) for one in self._visit((), play)]

    def _visit(self, public: tuple[str, ...], play: Sequence[Play]) -> list[Any]:
        state = self.game.betting_after(public)
        if state.to_act == CHANCE:
            return self._visit((*public, self.flop), play)
        if state.to_act == TERMINAL:
            return self._paid(state)
        seat = state.to_act
        known = play[seat](public)
        total = [np.zeros(()) for _ in range(self.game.players)]
        for column, action in enumerate(known.actions):
            share = self._axis(known.table[self.hands, column], seat)
            if share.any():
                for place, one in enumerate(self._visit((*public, action), play)):
                    total[place] = total[place] + share * one
        return total

    def _paid(self, state: BettingState) -> list[Any]:
        """Return what each seat wins: the pot goes to the best of the live hands."""
        pot = sum(state.paid)
        best = np.max(np.broadcast_arrays(*[self._axis(self.strength, seat) for seat in state.live]), axis=0)
        wins = {seat: self._axis(self.strength, seat) == best for seat in state.live}
        winners = np.sum(np.broadcast_arrays(*wins.values()), axis=0)
        return [
            -float(paid) + (pot * wins[seat] / winners if seat in wins else 0.0) for seat, paid in enumerate(state.paid)
        ]

    def _axis(self, values: NDArray[Any], seat: int) -> NDArray[Any]:
        return values.reshape([-1 if one == seat else 1 for one in range(self.game.players)])

    def _axes(self, values: NDArray[Any], first: int, second: int) -> NDArray[Any]:
        shape = [len(values) if one in (first, second) else 1 for one in range(self.game.players)]
        return values.reshape(shape)
