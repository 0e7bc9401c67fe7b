"""The boards of a hold'em spot as arrays: which hands live on each, in which order, and how streets connect.

On the last street the hands of a board stand in order of strength, so that a showdown is one sweep; on earlier
streets they stand as in the ranges. Every row has at least one slot more than hands, which stays zero: blocked or
missing hands point there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from counterpoise.public.equity_kernels import count_wins
from counterpoise.public.simd_kernels import LANES
from counterpoise.public.street_kernels import Boards

Strengths = Callable[[tuple[int, ...], NDArray[np.uint8]], NDArray[np.int64]]
"""Strength of each hand (rows of two cards) on a full board; higher wins, equal ties."""


@dataclass(frozen=True)
class Table:
    """One board of the tree: its cards and, per player, the numbers of its hands in the ranges, in row order."""

    cards: tuple[int, ...]
    street: int
    hands: tuple[NDArray[np.int64], NDArray[np.int64]]


def row_length(count: int) -> int:
    """Slots of a row of so many hands: at least one more, and whole vectors."""
    return (count // LANES + 1) * LANES


def build_boards(
    board: tuple[int, ...], hands: tuple[NDArray[np.uint8], NDArray[np.uint8]], strengths: Strengths, runouts: set[int],
    deck: int = 52,
) -> tuple[list[Table], Boards]:  # fmt: skip
    """All boards from `board` (3 to 5 cards) on; `hands` are the live hands of each player, two cards a row.

    `runouts` names the streets (0: the first) on which somebody may be all-in before the last card: their boards
    get a matrix of exact equities.
    """
    streets = 5 - len(board) + 1
    tables = [Table(board, 0, (np.arange(len(hands[0])), np.arange(len(hands[1]))))]
    edges: list[tuple[int, int, float]] = []
    first_edge = [0]
    for number, table in enumerate(tables):  # grows while it is walked
        if table.street + 1 < streets:
            weight = 1 / (deck - len(table.cards) - 4)  # given both players' hands
            for card in range(deck):
                if card not in table.cards:
                    edges.append((number, len(tables), weight))
                    tables.append(Table((*table.cards, card), table.street + 1, tables[0].hands))
        first_edge.append(len(edges))
    parents = {child: parent for parent, child, _ in edges}
    last = streets - 1
    for number, table in enumerate(tables):
        alive = tuple(np.flatnonzero(~np.isin(cards, table.cards).any(axis=1)).astype(np.int64) for cards in hands)
        if table.street == last:
            alive = tuple(
                own[np.argsort(strengths(table.cards, cards[own]), kind="stable")]
                for own, cards in zip(alive, hands, strict=True)
            )
        elif number:
            alive = table.hands
        tables[number] = Table(table.cards, table.street, (alive[0], alive[1]))
    return tables, _flatten(tables, edges, first_edge, parents, hands, strengths, runouts, last, deck)


def _flatten(
    tables: list[Table],
    edges: list[tuple[int, int, float]],
    first_edge: list[int],
    parents: dict[int, int],
    hands: tuple[NDArray[np.uint8], NDArray[np.uint8]],
    strengths: Strengths,
    runouts: set[int],
    last: int,
    deck: int,
) -> Boards:
    count = np.array([[len(table.hands[p]) for table in tables] for p in range(2)], dtype=np.uint64)
    stride = np.array([[row_length(len(table.hands[p])) for table in tables] for p in range(2)], dtype=np.uint64)
    streets = np.array([table.street for table in tables])
    stored = np.zeros_like(stride)
    for street in range(last + 1):
        on = streets == street
        stored[:, on] = np.cumsum(stride[:, on], axis=1) - stride[:, on]
    begin = (np.cumsum(stride.ravel()) - stride.ravel()).reshape(2, -1).astype(np.uint64)
    size = int(stride.sum())
    parent_hand, same = np.zeros(size, dtype=np.uint16), np.zeros(size, dtype=np.uint16)
    card_a, card_b = np.zeros(size, dtype=np.uint16), np.zeros(size, dtype=np.uint16)
    tie_start, ties = [0], []
    index = [np.full((deck, deck), -1, dtype=np.int64) for _ in range(2)]
    for number, table in enumerate(tables):
        places = []
        for p in range(2):
            place = np.full(len(hands[p]), -1, dtype=np.int64)
            place[table.hands[p]] = np.arange(len(table.hands[p]))
            places.append(place)
            index[p][hands[p][:, 0], hands[p][:, 1]] = place
        for p in range(2):
            own = table.hands[p]
            at = slice(int(begin[p, number]), int(begin[p, number] + stride[p, number]))
            cards = hands[p][own].astype(np.int64)
            blocked = np.isin(cards, table.cards).any(axis=1)
            empty_slot = _slots(tables, parents, number, p)
            above = np.full(int(stride[p, number]), empty_slot, dtype=np.int64)
            above[: len(own)] = np.where(blocked, empty_slot, _place_above(tables, parents, number, p, own))
            parent_hand[at] = above
            twin = index[1 - p][cards[:, 0], cards[:, 1]]
            same[at][: len(own)] = np.where(twin < 0, len(table.hands[1 - p]), twin)
            card_a[at][: len(own)], card_b[at][: len(own)] = cards[:, 0] * LANES, cards[:, 1] * LANES
        if table.street == last:
            ties += _tie_groups([strengths(table.cards, hands[p][table.hands[p]]) for p in range(2)])
        tie_start.append(len(ties))
    runout, weights, equities = _equities(tables, hands, strengths, runouts, last, deck)
    child = np.array([edge[1] for edge in edges], dtype=np.uint64)
    return Boards(
        count, stride, stored, begin, parent_hand, card_a, card_b, same,
        np.array(tie_start, dtype=np.uint64), np.array(ties, dtype=np.uint16).ravel(),
        np.array(first_edge, dtype=np.uint64), child, np.array([edge[2] for edge in edges], dtype=np.float32),
        np.arange(len(edges) + 1, dtype=np.uint64), begin[:, child].copy(), parent_hand, runout, weights,
        equities,
    )  # fmt: skip


def _slots(tables: list[Table], parents: dict[int, int], number: int, player: int) -> int:
    """The zero slot of the parent's rows."""
    return len(tables[parents.get(number, 0)].hands[player])


def _place_above(
    tables: list[Table], parents: dict[int, int], number: int, player: int, own: NDArray[np.int64]
) -> NDArray[np.int64]:
    above = tables[parents.get(number, 0)].hands[player]
    place = np.full(int(max(own.max(initial=0), above.max(initial=0))) + 1, len(above), dtype=np.int64)
    place[above] = np.arange(len(above))
    return place[own]


def _tie_groups(strengths: list[NDArray[np.int64]]) -> list[tuple[int, int, int, int]]:
    """From weakest to strongest: the ranges of both players' hands (already in order) of each strength."""
    levels = np.unique(np.concatenate(strengths))
    bounds = [np.searchsorted(own, levels, side) for own in strengths for side in ("left", "right")]
    return list(zip(*(bound.tolist() for bound in bounds), strict=True))


def _equities(
    tables: list[Table],
    hands: tuple[NDArray[np.uint8], NDArray[np.uint8]],
    strengths: Strengths,
    runouts: set[int],
    last: int,
    deck: int,
) -> tuple[NDArray[np.uint64], NDArray[np.float32], NDArray[np.int16]]:
    """Per board with run-outs the matrix of wins minus losses over all of them, hand by hand."""
    runout, parts, size = np.zeros(len(tables), dtype=np.uint64), [np.zeros(1, dtype=np.int16)], 1
    weights = np.zeros(len(tables), dtype=np.float32)
    for number, table in enumerate(tables):
        if table.street not in runouts or table.street == last:
            continue
        matrix = np.zeros((len(table.hands[0]), len(table.hands[1])), dtype=np.int16)
        own = [hands[p][table.hands[p]] for p in range(2)]
        left = [card for card in range(deck) if card not in table.cards]
        for cards in combinations(left, last - table.street):
            full = (*table.cards, *cards)
            alive = [np.flatnonzero(~np.isin(own[p], full).any(axis=1)) for p in range(2)]
            strong = [strengths(full, own[p][alive[p]]) for p in range(2)]
            count_wins(alive[0], alive[1], strong[0], strong[1], own[0], own[1], matrix)
        runout[number], weights[number] = size, 1 / comb(len(left) - 4, last - table.street)
        parts.append(matrix.ravel())
        size += matrix.size
    return runout, weights, np.concatenate(parts)
