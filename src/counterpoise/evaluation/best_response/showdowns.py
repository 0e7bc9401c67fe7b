"""Hands of a board in order of strength, and what they win at a showdown (Johanson 2016, section 2.4.2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from counterpoise.cards import Deck, board_strengths, strength_count
from counterpoise.evaluation.best_response.kernels.lanes import LANES, TABLE
from counterpoise.evaluation.best_response.kernels.rounds import LiveHands, order_hands, pair_showdown, sweep_showdown

FloatArray = NDArray[np.float64]


def live_hands(deck: Deck, board: tuple[int, ...], strengths: NDArray[np.uint16] | None = None) -> LiveHands:
    """Return the hands of a deck that live on a board, by their strength if that is given."""
    if strengths is None:
        order, ties = np.flatnonzero(deck.live_hands(board)).astype(np.uint64), np.zeros(1, dtype=np.uint64)
    else:
        order, ties = (np.empty(deck.hand_count + 1, dtype=np.uint64) for _ in range(2))
        first = np.empty(strength_count(deck.ranking) + 3, dtype=np.uint64)
        live, groups = order_hands(strengths, first, (order, ties))
        order, ties = order[:live].copy(), ties[: groups + 1].copy()
    place = np.full(deck.hand_count, order.size, dtype=np.uint64)
    place[order] = np.arange(order.size, dtype=np.uint64)
    cards = deck.hands[order].astype(np.uint64) * np.uint64(LANES)
    return LiveHands(order, place, cards[:, 0].copy(), cards[:, 1].copy(), ties)


class Showdowns:
    """The showdowns of one full board, for `lanes` ranges of the opponent at once."""

    lanes = LANES

    def __init__(self, deck: Deck, board: tuple[int, ...]) -> None:
        self.hands = live_hands(deck, board, board_strengths([board], deck=deck)[0])
        self._size = deck.hand_count

    def sweep(self, reach: FloatArray) -> FloatArray:
        """Return how much more of a reach, [hand of the deck, lane], each hand beats than it loses to."""
        rows, out = self._rows(reach), np.empty(len(self.hands.order) * LANES)
        met, worth = np.arange(len(self.hands.order), dtype=np.uint64), np.repeat([1.0, 0.0], LANES)
        sweep_showdown(self.hands, met, rows, worth, (np.empty(TABLE), np.empty_like(out)), out)
        return self._by_hand(out)

    def all_pairs(self, reach: FloatArray) -> FloatArray:
        """Return what `sweep` returns, computed from all pairs of hands."""
        out = np.empty(len(self.hands.order) * LANES)
        pair_showdown(self.hands, self._rows(reach), out)
        return self._by_hand(out)

    def _rows(self, reach: FloatArray) -> FloatArray:
        return np.ascontiguousarray(reach[self.hands.order], dtype=np.float64).ravel()

    def _by_hand(self, rows: FloatArray) -> FloatArray:
        found = np.zeros((self._size, LANES))
        found[self.hands.order] = rows.reshape(-1, LANES)
        return found
