"""The square of kinds of hands that players know: pairs on the diagonal, suited hands above it, offsuit below."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from counterpoise.cards.deck import RANKS, Deck


def kinds_of_hands(deck: Deck) -> Iterator[Iterator[tuple[str, NDArray[np.intp]]]]:
    """Yield the name of each kind and the numbers of its hands, row by row.

    >>> rows = [[name for name, _ in row] for row in kinds_of_hands(Deck(ranks=2))]
    >>> rows
    [['AA', 'AKs'], ['AKo', 'KK']]
    """
    letters = RANKS[::-1][: deck.ranks]
    top = len(RANKS) - 1
    low, high = (top - deck.hands.astype(np.intp) // 4).T  # 0 is the ace
    suited = deck.hands[:, 0] % 4 == deck.hands[:, 1] % 4

    def kind(row: int, column: int) -> tuple[str, NDArray[np.intp]]:
        first, second = sorted((row, column))
        name = letters[first] + letters[second] + ("" if row == column else "s" if column > row else "o")
        return name, np.flatnonzero((high == first) & (low == second) & (suited == (column > row)))

    return ((kind(row, column) for column in range(deck.ranks)) for row in range(deck.ranks))
