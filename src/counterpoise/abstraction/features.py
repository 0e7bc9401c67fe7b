"""Features of a hand on a board: expected strength, histograms of it, strength by opponent cluster.

See Johanson 2016, section 5.3.

A feature of one street computes *points*: hands ``hands[i]`` on canonical boards ``boards[i]``, boards in rising order.
Wins are whole numbers, and so are their sums: hands that suits make alike have bit for bit the same
moments and histograms.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from math import comb
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from counterpoise.abstraction.boards import BOARD_CARDS
from counterpoise.abstraction.config import BINS as BINS
from counterpoise.abstraction.emd import cumulative
from counterpoise.abstraction.kernels import features as kernels, strength as strength_kernels
from counterpoise.abstraction.kernels.features import Followers, Points
from counterpoise.abstraction.strength import HoldemCards
from counterpoise.cards import isomorphism, strength_tables
from counterpoise.jobs.pieces import Work, pieces

Numbers = NDArray[np.int64]
Table = NDArray[np.uint16]


class Feature(Protocol):
    """A vector for each hand on each board of a street."""

    def points(self, boards: Numbers, hands: Numbers) -> NDArray[Any]:
        """Return the vectors of hands on canonical boards, [point, component]."""
        ...


class _Sums:
    """A feature that adds up what follows; before the flop all hands alike share the sums of their class."""

    def __init__(self, cards: HoldemCards, street: int, later: int) -> None:
        self.cards, self.street, self.later = cards, street, later

    @cached_property
    def followers(self) -> Followers:
        return self.cards.boards(self.street).followers(self.cards.boards(self.later))

    def sums(self, boards: Numbers, hands: Numbers, width: int, kind: Any, add: Callable[..., None]) -> NDArray[Any]:
        """Return what `add(points, followers, out)` adds up for each point, an array of `width` columns."""
        if self.street > 0:
            out = np.zeros((len(hands), width), dtype=kind)
            add(by_board(boards, hands), self.followers, out)
            return out
        deck = self.cards.deck
        everything = np.arange(deck.hand_count)
        out = np.zeros((deck.hand_count, width), dtype=np.float64)
        add(by_board(np.zeros_like(everything), everything), self.followers, out)
        classes = isomorphism((2,), deck).index(deck.hands)
        whole = np.zeros((int(classes.max()) + 1, width))
        np.add.at(whole, classes, out)
        return (whole / np.bincount(classes)[:, None])[classes[hands]]


class Moments(_Sums):
    """E[HS] and E[HS^2]: expected final strength and its square over all completions of the board."""

    def __init__(self, cards: HoldemCards, street: int, wins: Table) -> None:
        super().__init__(cards, street, cards.last)
        self.wins = wins

    def points(self, boards: Numbers, hands: Numbers) -> NDArray[np.float64]:
        """Return E[HS] and E[HS^2] of each point; on the last street strength and its square."""
        if self.street == self.cards.last:
            value = self.wins[boards, hands] / self.cards.most_wins
            return np.stack([value, value**2], axis=1)
        sums = self.sums(boards, hands, 2, np.int64, lambda p, f, out: kernels.sum_after(p, f, self.wins, None, out))
        scale = np.array([self.cards.most_wins, self.cards.most_wins**2], dtype=np.float64)
        return np.asarray(sums / (scale * self.cards.completions(self.street)))


class Histogram(_Sums):
    """How many completions of the board end in each bin of final hand strength."""

    def __init__(self, cards: HoldemCards, street: int, wins: Table, bins: int = BINS) -> None:
        super().__init__(cards, street, cards.last)
        self.wins, self.bins = wins, bins
        self.bin_of = np.minimum(np.arange(cards.most_wins + 1) * bins // cards.most_wins, bins - 1).astype(np.uint16)

    def points(self, boards: Numbers, hands: Numbers) -> NDArray[np.floating]:
        """Return the counts of each bin."""
        if self.street == self.cards.last:
            return np.eye(self.bins, dtype=np.float32)[self.bin_of[self.wins[boards, hands]]]
        return self.sums(
            boards,
            hands,
            self.bins,
            np.float32,
            lambda p, f, out: kernels.sum_after(p, f, self.wins, self.bin_of, out),
        )


class Cumulative:
    """Histograms of final strength as cumulative shares, for earth mover's distance (see `emd`)."""

    def __init__(self, cards: HoldemCards, street: int, wins: Table, bins: int = BINS) -> None:
        self.histogram = Histogram(cards, street, wins, bins)

    def points(self, boards: Numbers, hands: Numbers) -> NDArray[np.float32]:
        """Return the cumulative histogram of each point."""
        return cumulative(self.histogram.points(boards, hands))


class Potential(_Sums):
    """Shares of the next street's buckets among the cards to come (potential-aware; Gilpin et al. 2007)."""

    def __init__(self, cards: HoldemCards, street: int, next_rows: Table, buckets: int) -> None:
        super().__init__(cards, street, street + 1)
        self.rows, self.same = next_rows, np.arange(buckets, dtype=np.uint16)

    def points(self, boards: Numbers, hands: Numbers) -> NDArray[np.float32]:
        """Return the share of each bucket of the next street."""
        counts = self.sums(
            boards,
            hands,
            len(self.same),
            np.float32,
            lambda p, f, out: kernels.sum_after(p, f, self.rows, self.same, out),
        )
        return np.asarray(counts / counts.sum(axis=1, keepdims=True), dtype=np.float32)


class Ochs:
    """Opponent cluster hand strength: the chance of winning against each cluster of starting hands, ties half.

    On the last street it is computed when it is asked for; `table` holds averages over all completions before.
    """

    def __init__(self, cards: HoldemCards, street: int, cluster_of: NDArray[np.uint8], table: Any = None) -> None:
        self.cards, self.street, self.cluster_of, self.table = cards, street, cluster_of, table
        self.clusters = int(cluster_of.max()) + 1

    def points(self, boards: Numbers, hands: Numbers) -> NDArray[np.float32]:
        """Return the chance of winning against each cluster."""
        if self.table is not None:
            return np.asarray(self.table[boards, hands])
        points = by_board(boards, hands)
        found = self.on_boards(self.cards.boards(self.street).cards[points.boards])
        return np.asarray(found[np.repeat(np.arange(len(points.boards)), np.diff(points.start)), hands])

    def on_boards(self, boards: NDArray[np.uint8], rows: int | None = None) -> NDArray[np.float32]:
        """Return sums over the consecutive full boards of each row (by default one board), [row, hand, cluster]."""
        deck = self.cards.deck
        out = np.zeros((len(boards) if rows is None else rows, deck.hand_count, self.clusters), dtype=np.float32)
        tables = strength_tables(deck.ranking)
        boards = np.ascontiguousarray(boards)
        strength_kernels.cluster_strengths(boards, deck.hands, tables, self.cluster_of, self.clusters, out)
        return out


def ochs_tables(
    cards: HoldemCards, first: int, cluster_of: NDArray[np.uint8], work: Work
) -> dict[int, NDArray[np.float32]]:
    """Return average OCHS of every hand on every board for the streets from `first` to the last but one."""
    tables: dict[int, NDArray[np.float32]] = {}
    for street in range(cards.last - 1, first - 1, -1):
        size = cards.boards(street).size
        out = np.zeros((size, cards.deck.hand_count, int(cluster_of.max()) + 1), dtype=np.float32)
        fill = _from_full_boards if street == cards.last - 1 and street > 0 else _from_next_street
        work.run(pieces(size, 16), fill(cards, street, cluster_of, tables.get(street + 1), out), "cluster strength")
        tables[street] = out
    return tables


def _from_full_boards(
    cards: HoldemCards, street: int, cluster_of: NDArray[np.uint8], after: Any, out: NDArray[np.float32]
) -> Callable[[int, int], None]:
    last = Ochs(cards, cards.last, cluster_of)

    def do(begin: int, end: int) -> None:
        boards = cards.boards(street).completed(np.arange(begin, end), BOARD_CARDS[cards.last])
        out[begin:end] = last.on_boards(boards.reshape(-1, boards.shape[2]), end - begin) / cards.completions(street)

    return do


def _from_next_street(
    cards: HoldemCards, street: int, cluster_of: NDArray[np.uint8], after: Any, out: NDArray[np.float32]
) -> Callable[[int, int], None]:
    hand_count = cards.deck.hand_count
    steps = _Sums(cards, street, street + 1)
    if after is None:  # the flop is the last street
        after = Ochs(cards, cards.last, cluster_of).on_boards(cards.boards(cards.last).cards)
    counted = comb(cards.deck.size - 2 - BOARD_CARDS[street], BOARD_CARDS[street + 1] - BOARD_CARDS[street])

    def do(begin: int, end: int) -> None:
        boards = np.repeat(np.arange(begin, end), hand_count)
        hands = np.tile(np.arange(hand_count), end - begin)
        width = out.shape[2]
        sums = steps.sums(boards, hands, width, np.float32, lambda p, f, o: kernels.sum_after(p, f, after, None, o))
        out[begin:end] = (sums / counted).reshape(end - begin, hand_count, width)

    return do


def by_board(boards: Numbers, hands: Numbers) -> Points:
    """Return points grouped by board; boards must be in rising order."""
    different, start = np.unique(boards, return_index=True)
    limits = np.append(start, len(boards))
    return Points(*(np.ascontiguousarray(one, dtype=np.int64) for one in (different, limits, hands)))
