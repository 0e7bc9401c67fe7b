"""Which group a hand belongs to before it is clustered: its earlier bucket, or the public bucket of its flop.

On turn and river this depends on the order in which the board was dealt. An *order* of a canonical board says at
which places its flop, its turn card and its river card stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.abstraction.boards import BOARD_CARDS, renamings
from counterpoise.abstraction.features import Moments
from counterpoise.abstraction.kmeans import KMeans
from counterpoise.abstraction.percentile import percentile_cuts
from counterpoise.abstraction.strength import HoldemCards
from counterpoise.abstraction.table import StreetBuckets
from counterpoise.cards import isomorphism
from counterpoise.jobs.pieces import Work

PUBLIC_CLASSES = 8
"""Percentiles of strength before and on the flop, between which a flop moves hands."""


class Grouping:
    """Looks up the groups of points of a street, given the finished streets before it or public buckets."""

    def __init__(
        self, cards: HoldemCards, earlier: Sequence[StreetBuckets], public: NDArray[np.int32] | None = None
    ) -> None:
        self.cards, self.earlier, self.public = cards, earlier, public

    def groups(self, street: int, dealt: NDArray[np.uint8], hands: NDArray[Any]) -> NDArray[np.int32]:
        """Return the group of hands (or [board, hand] of all hands, if `hands` has two axes) on boards as dealt."""
        if self.public is not None:
            found = self.public[self.cards.boards(1).locate(dealt[:, :3])[0]]
            return np.broadcast_to(found.reshape(-1, *[1] * (hands.ndim - 1)), hands.shape).astype(np.int32)
        before = dealt[:, : BOARD_CARDS[street - 1]]
        rows = self.earlier[street - 1].rows
        assert rows is not None
        classes = self.cards.boards(street - 1)
        at, renaming = classes.locate(before)
        at = at.astype(np.int64)
        maps = renamings(self.cards.deck)
        if len(rows) > classes.size:
            turned = maps.card_maps[renaming, before[:, -1]]
            at = at * classes.count + (classes.cards[at] == turned[:, None]).argmax(axis=1)
        if hands.ndim == 2:
            at, renaming = at[:, None], renaming[:, None]
        return np.asarray(rows[at, maps.hand_maps[renaming, hands]], dtype=np.int32)


def public_buckets(
    cards: HoldemCards, wins: NDArray[np.uint16], count: int, seed: int, work: Work
) -> NDArray[np.int32]:
    """Return the public bucket of every flop: k-means on how flops move hands between classes of strength.

    The feature of a flop is the share of hands that it takes from each percentile of E[HS] before the flop to each
    percentile on it (Johanson 2016 leaves the construction open; Tartanian7 clusters flops first).
    """
    hand_count, flops = cards.deck.hand_count, cards.boards(1)
    everything = np.arange(hand_count)
    before = Moments(cards, 0, wins).points(np.zeros_like(everything), everything)[:, 0]
    early = np.searchsorted(percentile_cuts(before, np.ones(hand_count), PUBLIC_CLASSES), before, side="right")
    boards, hands = np.nonzero(flops.representative >= 0)
    strength = Moments(cards, 1, wins).points(boards, hands)[:, 0]
    weights = flops.multiplicity[boards].astype(np.float64)
    late = np.searchsorted(percentile_cuts(strength, weights, PUBLIC_CLASSES), strength, side="right")
    features = np.zeros((flops.size, PUBLIC_CLASSES**2))
    np.add.at(features, (boards, early[hands] * PUBLIC_CLASSES + late), 1.0)
    features /= features.sum(axis=1, keepdims=True)
    settings = KMeans(count, seed=seed, restarts=10)
    return settings.fit(features.astype(np.float32), flops.multiplicity.astype(np.float64), work).labels


def canonical_rows(cards: HoldemCards, street: int) -> NDArray[np.int32]:
    """Return the lossless class of every hand on every canonical board, before the flop or on it; -1: dead."""
    deck, classes = cards.deck, cards.boards(street)
    rows = np.full((classes.size, deck.hand_count), -1, dtype=np.int32)
    index = isomorphism((2, 3) if street else (2,), deck)
    boards, hands = np.nonzero(classes.representative >= 0)
    deals = np.concatenate([deck.hands[hands], classes.cards[boards]], axis=1)
    rows[boards, hands] = index.index(deals)
    return rows
