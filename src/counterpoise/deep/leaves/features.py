"""What a network is told about a pair of hands at the end of the flop's betting: 34 numbers.

See Brown et al. 2018, section 6.

The text names their number and no more. Ours, all between about -1 and 1, for the seat that picks a continuation
("own") and the other:

- 0 to 7, betting: stack behind in pots (log(1 + s) / 5), and as a share of stacks and pot; the share of the pot that
  came in on the flop; bets on the flop / 4; whether own or the other bet last on the flop, and before it.
- 8 to 13, board: its three ranks, high to low; how paired it is (0, 1/2, 1); how many cards it has of one suit (0, 1/2,
  1); how often a hand has a straight after the next card.
- 14 to 22, own hand: the share of hands that it beats now, and after the next card, the mean and the spread of it; its
  category; how often the next card makes a straight, and a flush; its two ranks; whether it is a pair.
- 23 to 31, the other's hand: the same.
- 32 and 33, both: how much more often own wins than the other if all cards to come are shown; who is ahead now.

Which seat picks is not among them: it has a network of its own. No number depends on the names of suits. Bets of other
sizes than the blueprint's need no similar line: pot and stack are inputs, and values are shares of the pot.
"""

from __future__ import annotations

from functools import cached_property
from itertools import combinations
from math import comb, log1p

import numpy as np
from numpy.typing import NDArray

from counterpoise.abstraction.kernels.strength import DEAD, strength_table
from counterpoise.betting.rules import Betting, BettingState
from counterpoise.cards import Deck, board_strengths, category_names, category_numbers, strength_tables

FloatRows = NDArray[np.float32]
BETTING, BOARD, HAND, PAIR = 8, 6, 9, 2
FEATURES = BETTING + BOARD + 2 * HAND + PAIR
OWN = BETTING + BOARD
OTHER = OWN + HAND
BOTH = OTHER + HAND
PICKS = 4
"""Outputs: one for each continuation of the bias approach, the blueprint included."""
MANY_BETS = 4.0
DEEP = 5.0


def betting_features(betting: Betting, state: BettingState, own: int) -> FloatRows:
    """Return the numbers of an end of the flop's betting, seen from a seat."""
    pot = float(betting.total_pot(state))
    behind = float(min(stack - paid for stack, paid in zip(betting.stacks, state.paid, strict=True)))
    added = sum(state.paid) - 2.0 * state.round_stake
    return np.array(
        [
            log1p(behind / pot) / DEEP,
            2 * behind / (pot + 2 * behind),
            added / pot,
            state.bets / MANY_BETS,
            state.aggressor == own,
            state.aggressor == 1 - own,
            state.leader == own,
            state.leader == 1 - own,
        ],
        dtype=np.float32,
    )


class FlopCards:
    """The features of all hands on a flop after which `due` more cards are dealt."""

    def __init__(self, deck: Deck, flop: tuple[int, ...], due: int) -> None:
        self.deck, self.flop, self.due = deck, flop, due
        self.live = deck.live_hands(list(flop))
        self._left = [card for card in deck.cards.tolist() if card not in flop]

    @cached_property
    def hands(self) -> FloatRows:
        """[hand of the deck, feature]; 0 for hands that the flop blocks."""
        deck, lowest, top = self.deck, 13 - self.deck.ranks, max(self.deck.ranks - 1, 1)
        next_boards = np.array([(*self.flop, card) for card in self._left], dtype=np.uint8)
        now, later = self._beaten(np.array([self.flop], dtype=np.uint8)), self._beaten(next_boards)
        # The next card is one that the hand does not hold.
        can_come = later >= 0
        count = np.maximum(can_come.sum(axis=0), 1)
        mean = np.where(can_come, later, 0).sum(axis=0) / count
        spread = np.sqrt((np.where(can_come, later - mean, 0) ** 2).sum(axis=0) / count)
        names = category_names(deck.ranking)
        made = category_numbers(self._strengths, deck.ranking)
        next_made = category_numbers(board_strengths(next_boards, deck=deck), deck.ranking)
        makes = [
            np.where((made != kind) & can_come, next_made == kind, False).sum(axis=0) / count
            for kind in (names.index("straight"), names.index("flush"))
        ]
        ranks = np.sort(deck.hands.astype(np.int64) // 4, axis=1)[:, ::-1]
        high, low = ((ranks - lowest) / top).T
        columns = [now[0], mean, spread, made / (len(names) - 1), *makes, high, low, ranks[:, 0] == ranks[:, 1]]
        return np.where(self.live[:, None], np.stack(columns, axis=1), 0.0).astype(np.float32)

    @cached_property
    def board(self) -> FloatRows:
        """The numbers of the flop itself."""
        ranks = np.sort(np.array(self.flop) // 4)[::-1]
        suits = np.bincount(np.array(self.flop) % 4)
        straights = category_names(self.deck.ranking).index("straight") / (len(category_names(self.deck.ranking)) - 1)
        own = self.hands[self.live]
        connected = np.where(np.isclose(own[:, 3], straights), 1.0, own[:, 4]).mean()
        scaled = (ranks - (13 - self.deck.ranks)) / max(self.deck.ranks - 1, 1)
        paired = (3 - len(np.unique(ranks))) / 2
        return np.array([*scaled, paired, (suits.max() - 1) / 2, connected], dtype=np.float32)

    def pairs(self, own: NDArray[np.int64], other: NDArray[np.int64]) -> FloatRows:
        """Return the numbers of pairs of hands, [pair, 2], which must not share a card."""
        boards = np.array([(*self.flop, *later) for later in combinations(self._left, self.due)], dtype=np.uint8)
        first, second = (board_strengths(boards, self.deck.hands[hands], self.deck) for hands in (own, other))
        met = (first > 0) & (second > 0)  # a strength of 0 is that of a hand that the board blocks
        won = (met & (first > second)).sum(axis=0) - (met & (first < second)).sum(axis=0)
        return np.stack([won / comb(len(self._left) - 4, self.due), self.ahead(own, other)], axis=1).astype(np.float32)

    def ahead(self, own: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return whether own hands are ahead of the other's now: 1, 0 or -1; arrays of hands are broadcast."""
        return np.asarray(np.sign(self._strengths[own].astype(np.int32) - self._strengths[other]))

    def rows(self, own: NDArray[np.int64], other: NDArray[np.int64], betting: FloatRows, pairs: FloatRows) -> FloatRows:
        """Return the inputs of a network for pairs of hands, [pair, 34]; `betting` has one row, or one for each pair.

        `pairs` are what `pairs` returns for them.
        """
        found = np.empty((len(own), FEATURES), dtype=np.float32)
        found[:, :BETTING], found[:, BETTING:OWN] = betting, self.board
        found[:, OWN:OTHER], found[:, OTHER:BOTH] = self.hands[own], self.hands[other]
        found[:, BOTH:] = pairs
        return found

    def fill(
        self, out: FloatRows, own: NDArray[np.int64], other: NDArray[np.int64], margin: NDArray[np.float32]
    ) -> None:
        """Write the features of cards for all pairs of two lists of hands into ``out[own, other, 34]``.

        ``margin[own, other]`` says how much more often the first wins if all cards are shown.
        """
        out[..., BETTING:OWN] = self.board
        out[..., OWN:OTHER] = self.hands[own][:, None]
        out[..., OTHER:BOTH] = self.hands[other]
        out[..., BOTH] = margin
        out[..., BOTH + 1] = self.ahead(own[:, None], other)

    @cached_property
    def _strengths(self) -> NDArray[np.uint16]:
        return np.asarray(board_strengths([self.flop], deck=self.deck)[0])

    def _beaten(self, boards: NDArray[np.uint8]) -> NDArray[np.float64]:
        """Return the share of other hands that each hand beats on each board, ties half; -1 for blocked hands."""
        wins = np.empty((len(boards), self.deck.hand_count), dtype=np.uint16)
        strength_table(boards, self.deck.hands, strength_tables(self.deck.ranking), wins)
        met = comb(self.deck.size - boards.shape[1] - 2, 2)
        return np.where(wins == DEAD, -1.0, wins / (2 * met))
