"""The buckets of all hands on the boards of a street, which an abstraction looks up before the last street."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.abstraction.boards import orders
from counterpoise.abstraction.features import Feature
from counterpoise.abstraction.groups import Grouping
from counterpoise.abstraction.models import Model
from counterpoise.abstraction.strength import HoldemCards


class RowsOfBoards(NamedTuple):
    """What puts the hands of boards of a street into buckets, here or in another process."""

    cards: HoldemCards
    street: int
    feature: Feature
    model: Model
    grouping: Grouping | None
    kind: type[np.signedinteger[Any]]

    def make(self) -> Callable[[int, int], NDArray[Any]]:
        """Return what does pieces of boards."""
        return self.rows

    @property
    def ways(self) -> NDArray[Any]:
        """The orders of a board's cards that have rows of their own."""
        count = self.cards.boards(self.street).count
        return np.arange(count)[None] if self.grouping is None else orders(count)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows of a board and hands of a row."""
        return len(self.ways), self.cards.deck.hand_count

    def rows(self, begin: int, end: int) -> NDArray[Any]:
        """Return the buckets of boards from `begin` to `end`, [board, order, hand], -1 where a hand is dead."""
        classes, (_, hand_count) = self.cards.boards(self.street), self.shape
        rows = np.full((end - begin, *self.shape), -1, dtype=self.kind)
        represented = classes.representative[begin:end].astype(np.int64)
        boards, hands = np.nonzero(represented == np.arange(hand_count))
        points = self.feature.points(begin + boards, hands)
        live = np.nonzero(represented >= 0)
        number = np.zeros((end - begin, hand_count), dtype=np.int64)
        number[boards, hands] = np.arange(len(boards))
        own = number[live[0], represented[live]]
        if self.grouping is None:
            rows[live[0], 0, live[1]] = self.model.assign(points)[own]
            return rows
        for at, way in enumerate(self.ways):
            dealt = classes.cards[begin:end][:, way]
            groups = self.grouping.groups(self.street, dealt, np.broadcast_to(np.arange(hand_count), represented.shape))
            rows[live[0], at, live[1]] = self.model.assign(points[own], groups[live])
        return rows
