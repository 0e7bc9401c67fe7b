"""The boards and payoff matrices of a small game: private deals one by one, summed by the hands of both players."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.public.boards import lay_out_boards
from counterpoise.public.game import FloatArray
from counterpoise.public.kernels.layouts import Boards

Names = tuple[str, ...]
"""Outcomes of successive chance nodes, or actions."""
HandOf = NDArray[np.int64]
"""Per deal the number of a player's hand."""


class PrivateDeals(NamedTuple):
    """Private deals one by one: each player's hand, per street the probabilities [board of the street, deal] (nothing
    if actions change them) and the different payoffs of its ends [player, board of the street, deal], chance included.
    Players have hands up to the last that is dealt, and at least `fewest`, of which some are then never dealt.
    """

    hands: list[HandOf]
    chances: list[FloatArray]
    ends: list[list[FloatArray]]
    fewest: int = 0

    @property
    def counts(self) -> tuple[int, int]:
        """The number of hands of each player."""
        first, second = (max(int(own.max()) + 1, self.fewest) for own in self.hands)
        return first, second

    def by_hands(self, player: int, numbers: FloatArray, width: int = 0) -> FloatArray:
        """Return numbers per deal summed by hands, [other player's hand, own hand], in rows of at least `width`."""
        counts = self.counts
        found = np.zeros((counts[1 - player], max(width, counts[player])))
        np.add.at(found, (self.hands[1 - player], self.hands[player]), numbers)
        return found


def every_hand(boards: Boards) -> NDArray[np.float32]:
    """Return the ranges in which every hand has the weight 1."""
    ranges = np.zeros((2, int(boards.stride.max())), dtype=np.float32)
    for player in range(2):
        ranges[player, : int(boards.held[player, 0])] = 1.0
    return ranges


def dense_boards(street_of: Sequence[int], children: Sequence[Mapping[Names, int]], deals: PrivateDeals) -> Boards:
    """Return the boards of a game, all with the same rows of hands, and a payoff matrix for each end and player.

    `street_of` is the street of each board and `children` the boards after it, by the outcomes of chance.
    """
    count, counts = len(street_of), deals.counts
    held = np.repeat(np.array(counts, dtype=np.uint64)[:, None], count, axis=1)
    above = np.repeat(np.arange(count), [len(after) for after in children])
    boards = lay_out_boards(held, street_of, [-1, *above.tolist()])
    lengths = boards.stride[:, 0].tolist()
    rows = [np.minimum(np.arange(length), own) for own, length in zip(counts, lengths, strict=True)]
    place = np.concatenate([np.tile(row, count) for row in rows]).astype(np.uint16)
    matrix, parts, size = np.zeros((2, count), dtype=np.uint64), [np.zeros(0, dtype=np.float32)], 0
    for board, street in enumerate(street_of):
        for player in range(2):
            matrix[player, board] = size
            for payoffs in deals.ends[street]:
                part = deals.by_hands(player, payoffs[player, int(boards.ordinal[board])], lengths[player])
                parts.append(part.astype(np.float32).ravel())
                size += part.size
    return boards._replace(parent_hand=place, image_hand=place, matrix=matrix, payoffs=np.concatenate(parts))
