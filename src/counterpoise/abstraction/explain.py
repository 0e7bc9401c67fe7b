"""What a bucket holds, and how two abstractions differ: for people who look at one."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.abstraction.boards import BOARD_CARDS, renamings
from counterpoise.abstraction.features import BINS, Histogram
from counterpoise.abstraction.kernels import strength as kernels
from counterpoise.abstraction.strength import last_street_wins
from counterpoise.abstraction.table import CardAbstraction
from counterpoise.cards import Card, format_cards, strength_tables
from counterpoise.errors import InputError
from counterpoise.jobs.pieces import Work
from counterpoise.parameters import require_whole
from counterpoise.store.json import JsonResult

FEW = 4
"""Hands of the same bucket that are drawn beside a hand."""


@dataclass(frozen=True)
class BucketContent(JsonResult):
    """The bucket of a hand on a board, and the other hands of that board in it."""

    hand: str
    board: str
    street: str
    bucket: int
    buckets: int
    others: tuple[str, ...]


def look_up(table: CardAbstraction, hand: int | str, board: Sequence[Card] | str) -> BucketContent:
    """Return the bucket of a hand on a board and what else of that board is in it; both may be text."""
    number, cards, names = table.read_hand(hand), table.read_board(board), table.deck.hand_names
    bucket, street = table.bucket(number, cards), table.street(cards)
    others = tuple(names[other] for other in np.flatnonzero(table.row(cards) == bucket) if other != number)
    return BucketContent(
        names[number], format_cards(cards), table.cards.names[street], bucket, table.buckets[street], others
    )


def strength_histograms(
    table: CardAbstraction, board: Sequence[Card] | str, bins: int = BINS, work: Work | None = None
) -> NDArray[np.float64]:
    """Return how final hand strength is spread for every hand on a board, as shares of bins, [hand, bin]."""
    dealt = table.read_board(board)
    cards, deck, street = table.cards, table.deck, table.street(dealt)
    everything = np.arange(deck.hand_count)
    if street == 0:
        wins = last_street_wins(cards, work or Work())
        counts = Histogram(cards, 0, wins, bins).points(np.zeros_like(everything), everything).astype(np.float64)
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))
    classes = cards.boards(street)
    number, renaming = classes.locate_one(dealt)
    full = classes.completed(np.array([number]), BOARD_CARDS[cards.last])[0]
    wins = np.empty((len(full), deck.hand_count), dtype=np.uint16)
    kernels.strength_table(full, deck.hands, strength_tables(deck.ranking), wins)
    bin_of = np.append(Histogram(cards, cards.last, wins, bins).bin_of, bins)  # dead hands come last
    binned = bin_of[np.minimum(wins, cards.most_wins + 1)]
    counts = np.stack([(binned == at).sum(axis=0) for at in range(bins)], axis=1).astype(np.float64)
    renamed = counts[renamings(deck).hand_maps[renaming]]
    return np.asarray(renamed / np.maximum(renamed.sum(axis=1, keepdims=True), 1))


def plot_histograms(
    table: CardAbstraction,
    hand: int | str,
    board: Sequence[Card] | str,
    path: str | os.PathLike[str],
    work: Work | None = None,
) -> Path:
    """Draw the histograms of final strength of a hand, of hands of its bucket and of their mean.

    See Johanson 2016, section 5.2.
    """
    from counterpoise.plots import Curve, Panel, panels

    number, cards = table.read_hand(hand), table.read_board(board)
    found, bucket = strength_histograms(table, cards, work=work), table.bucket(number, cards)
    mates = np.flatnonzero(table.row(cards) == bucket)
    middles = ((np.arange(found.shape[1]) + 0.5) / found.shape[1]).tolist()
    few = [int(other) for other in mates if other != number][:: max(1, len(mates) // FEW)][:FEW]
    curves = {table.deck.hand_names[which]: Curve(middles, found[which].tolist()) for which in (number, *few)}
    curves["mean of the bucket"] = Curve(middles, found[mates].mean(axis=0).tolist())
    title = f"bucket {bucket} of {table.buckets[table.street(cards)]:,}"
    panel = Panel(curves, title, "final hand strength", "share of boards", "linear", "linear")
    return panels([panel], path, title=format_cards(cards) or "before the flop")


class StreetComparison(NamedTuple):
    """Two sets of buckets on random boards: bits of information about the hand, shared bits, adjusted Rand index."""

    street: str
    buckets: tuple[int, int]
    bits: tuple[float, float]
    shared_bits: float
    rand_index: float


@dataclass(frozen=True)
class AbstractionComparison(JsonResult):
    """How two abstractions of one deck differ, street by street."""

    boards: int
    streets: tuple[StreetComparison, ...]


def compare(first: CardAbstraction, second: CardAbstraction, boards: int = 200, seed: int = 0) -> AbstractionComparison:
    """Compare two abstractions of the same deck on random boards.

    The adjusted Rand index is 1 for equal partitions and about 0 for unrelated ones.
    """
    require_whole("boards", boards)
    if first.cards != second.cards:
        raise InputError(
            f"abstractions of different cards cannot be compared: {first.deck.size} cards in {first.cards.streets} "
            f"streets, and {second.deck.size} in {second.cards.streets}"
        )
    generator = np.random.default_rng(seed)
    found = []
    for street, name in enumerate(first.cards.names):
        dealt = [
            generator.choice(first.deck.cards, BOARD_CARDS[street], replace=False).tolist()
            for _ in range(boards if street else 1)
        ]
        rows = [np.concatenate([table.row(board) for board in dealt]) for table in (first, second)]
        live = rows[0] >= 0
        bits, shared, index = _agreement(rows[0][live], rows[1][live])
        found.append(StreetComparison(name, (first.buckets[street], second.buckets[street]), bits, shared, index))
    return AbstractionComparison(boards, tuple(found))


def _agreement(first: NDArray[Any], second: NDArray[Any]) -> tuple[tuple[float, float], float, float]:
    total = len(first)
    _, one, one_counts = np.unique(first, return_inverse=True, return_counts=True)
    _, two, two_counts = np.unique(second, return_inverse=True, return_counts=True)
    both = np.unique(one.astype(np.int64) * len(two_counts) + two, return_counts=True)[1]
    entropies = [-float(np.sum(counts / total * np.log2(counts / total))) for counts in (one_counts, two_counts, both)]
    pairs = [float(np.sum(counts * (counts - 1.0)) / 2) for counts in (both, one_counts, two_counts)]
    expected = pairs[1] * pairs[2] / (total * (total - 1) / 2)
    most = (pairs[1] + pairs[2]) / 2
    index = 1.0 if most == expected else (pairs[0] - expected) / (most - expected)
    return (entropies[0], entropies[1]), entropies[0] + entropies[1] - entropies[2], index
