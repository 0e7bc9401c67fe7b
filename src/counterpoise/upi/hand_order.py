"""The 1,326 hands in the order of UPI's answers, and from there to the order of our deck and back.

UPI numbers cards by rank, then by suit in the order c, d, h, s, and hands by their higher card, then by the lower one:
2d2c, 2h2c, 2h2d, 2s2c, ... AsAh.
"""

from __future__ import annotations

from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from counterpoise.cards import STANDARD_DECK, parse_hand
from counterpoise.cards.deck import RANKS

SUITS = "cdhs"

_CARDS = [rank + suit for rank in RANKS for suit in SUITS]

HANDS: Final = tuple(
    _CARDS[high] + _CARDS[low] for low, high in sorted(combinations(range(52), 2), key=lambda pair: pair[::-1])
)
"""The hands as UPI writes them, the higher card first.

>>> HANDS[:4], HANDS[-1]
(('2d2c', '2h2c', '2h2d', '2s2c'), 'AsAh')
"""

DECK_NUMBERS: Final[NDArray[np.intp]] = np.array([parse_hand(hand) for hand in HANDS])
"""The number in our deck of each hand of the order."""


def in_upi_order(by_deck: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return numbers by hand of our deck (last axis) in the order of UPI."""
    return np.asarray(by_deck[..., DECK_NUMBERS])


def in_deck_order(by_upi: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return numbers in the order of UPI (last axis) by hand of our deck."""
    found = np.empty((*by_upi.shape[:-1], STANDARD_DECK.hand_count))
    found[..., DECK_NUMBERS] = by_upi
    return found
