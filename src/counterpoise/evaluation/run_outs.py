"""How often a hand of hold'em wins against every other hand if no more is bet: exactly, or over drawn boards."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from counterpoise.cards import Deck, board_strengths

FloatArray = NDArray[np.float64]

MOST_EXACT = 2_000_000
"""Boards times hands up to which all run-outs are counted: from the flop on in the full deck."""


def win_shares(deck: Deck, hand: int, board: Sequence[int], due: int, *, drawn: int, seed: int = 0) -> FloatArray:
    """Return the share of the pot that a hand wins from each hand of the deck on average, after `due` more cards.

    A tie is half the pot. All run-outs are counted where they are few, else `drawn` of them, which follow from (seed,
    hand, board). 0 for hands that share a card with this one or with the board.
    """
    own = deck.hands[hand]
    left = np.array([card for card in deck.cards.tolist() if card not in {*own.tolist(), *board}], dtype=np.uint8)
    if math.comb(len(left), due) * deck.hand_count <= MOST_EXACT:
        dealt = left[_places(len(left), due)]
    else:
        chance = np.random.default_rng([seed, hand, *board])
        dealt = left[np.argsort(chance.random((drawn, len(left))), axis=1)[:, :due]]
    boards = np.concatenate([np.tile(np.array(board, dtype=np.uint8), (len(dealt), 1)), dealt], axis=1)
    met = board_strengths(boards, deck=deck)
    mine = met[:, hand : hand + 1]
    alive = met > 0
    won = ((mine > met) & alive).sum(axis=0) + 0.5 * (mine == met).sum(axis=0)
    counts = alive.sum(axis=0)
    apart = ~np.isin(deck.hands, own).any(axis=1) & (counts > 0)
    return np.where(apart, won / np.maximum(counts, 1), 0.0)


@lru_cache(maxsize=64)
def _places(items: int, chosen: int) -> NDArray[np.int64]:
    """Return all ways to choose from `items` places, one per row."""
    rows = list(combinations(range(items), chosen))
    return np.array(rows, dtype=np.int64).reshape(len(rows), chosen)
