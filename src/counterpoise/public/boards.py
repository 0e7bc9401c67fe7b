"""The boards of a poker game as arrays: which hands live on each, in which order, and how streets connect.

On the last street the hands of a board stand in order of strength, so that a showdown is one sweep; on earlier
streets they stand as in the ranges. Every row has at least one slot more than hands, which stays zero: blocked or
missing hands point there.

Deals that a suit symmetry of board and ranges makes alike are expanded once (JOHANSON 2.4.3): the values after the
other members of such an orbit are the representative's with hands renamed, one *image* each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from counterpoise.cards import Deck, SuitSymmetry, disjoint_hands
from counterpoise.errors import InputError
from counterpoise.public.kernels.equity import count_wins
from counterpoise.public.kernels.layouts import Boards
from counterpoise.public.kernels.simd import LANES

Hands = tuple[NDArray[np.uint16], NDArray[np.uint16]]
"""Per player hand numbers: of the deck, or places in a range."""
Strengths = Callable[[list[tuple[int, ...]], NDArray[np.uint8]], NDArray[np.int16]]
"""Strengths on full boards, [board, hand]; hands are rows of two cards. Higher wins, 0 shares a card with the board."""

MOST_RUNOUTS = np.iinfo(np.int16).max


@dataclass
class BoardNode:
    """One board of the tree: its cards and, per player, the places of its hands in the ranges, in row order."""

    cards: tuple[int, ...]
    street: int
    symmetry: SuitSymmetry
    parent: int = -1
    hands: Hands = field(default_factory=lambda: (np.zeros(0, np.uint16), np.zeros(0, np.uint16)))
    children: dict[tuple[int, ...], tuple[int, int]] = field(default_factory=dict)
    """Cards dealt next, in rising order -> (board, number of the permutation that makes them the board's)."""
    images: list[int] = field(default_factory=list)
    """Permutations (of the parent's symmetry) that take the members of this board's orbit to it."""


def row_length(count: int) -> int:
    """Return the slots of a row of `count` hands: at least one more, and whole vectors."""
    return (count // LANES + 1) * LANES


def deal_boards(symmetry: SuitSymmetry, deals: tuple[int, ...], streets: int | None = None) -> list[BoardNode]:
    """Return all boards from that of `symmetry` on, parents first; `deals` is the number of cards of each later street.

    `streets` is how many streets to deal, the first one included; by default all.
    """
    last = len(deals) if streets is None else streets - 1
    nodes = [BoardNode(tuple(card for part in symmetry.board for card in part), 0, symmetry)]
    for number, node in enumerate(nodes):  # grows while it is walked
        if node.street == last:
            break
        orbits = node.symmetry.orbits(deals[node.street])
        for orbit, cards in enumerate(orbits.representatives.tolist()):
            child = BoardNode((*node.cards, *cards), node.street + 1, node.symmetry.deal(cards), number)
            for row in range(int(orbits.first[orbit]), int(orbits.first[orbit + 1])):
                image = int(orbits.maps[row])
                node.children[tuple(orbits.members[row].tolist())] = (len(nodes), image)
                child.images.append(image)
            nodes.append(child)
    return nodes


def build_boards(
    deck: Deck,
    nodes: list[BoardNode],
    deals: tuple[int, ...],
    hands: Hands,
    strengths: Strengths,
    runouts: set[int],
) -> Boards:
    """Return the arrays of boards that `deal_boards` dealt, and order the hands of each.

    `hands` are the live hands of each player, as numbers of the deck. `runouts` names the streets (0: the first) on
    which somebody may be all-in before the last card: their boards get a matrix of exact equities.
    """
    return _Flattener(deck, nodes, deals, hands, strengths, runouts).boards()


class _Flattener:
    def __init__(
        self,
        deck: Deck,
        nodes: list[BoardNode],
        deals: tuple[int, ...],
        hands: Hands,
        strengths: Strengths,
        runouts: set[int],
    ) -> None:
        self.deck, self.nodes, self.deals, self.hands = deck, nodes, deals, hands
        self.strengths, self.runouts, self.last = strengths, runouts, len(deals)
        self.cards = tuple(deck.hands[own] for own in hands)
        self.apart = disjoint_hands(*self.cards)
        self.place = []  # of a deck's hand in the range
        for own in hands:
            place = np.full(deck.hand_count, len(own), dtype=np.int64)
            place[own] = np.arange(len(own))
            self.place.append(place)

    def boards(self) -> Boards:
        nodes, last = self.nodes, self.last
        everybody = (np.arange(len(self.hands[0]), dtype=np.uint16), np.arange(len(self.hands[1]), dtype=np.uint16))
        strong = []
        full = [node.cards for node in nodes if node.street == last]
        rows = [iter(self.strengths(full, cards)) if full else iter(()) for cards in self.cards]
        for node in nodes:
            if node.street < last:
                node.hands = everybody
                continue
            order, ranked = [], []
            for player in range(2):
                strength = next(rows[player])
                by_strength = np.argsort(strength, kind="stable")[np.count_nonzero(strength == 0) :]
                order.append(by_strength.astype(np.uint16))
                ranked.append(strength[by_strength])
            node.hands = (order[0], order[1])
            strong.append(ranked)
        held = np.array([[len(node.hands[p]) for node in nodes] for p in range(2)], dtype=np.uint64)
        stride = (held // LANES + 1) * LANES
        streets = np.array([node.street for node in nodes])
        stored, ordinal = np.zeros_like(stride), np.zeros(len(nodes), dtype=np.uint64)
        for street in range(int(streets.max()) + 1):
            on = streets == street
            stored[:, on] = np.cumsum(stride[:, on], axis=1) - stride[:, on]
            ordinal[on] = np.arange(on.sum())
        begin = (np.cumsum(stride.ravel()) - stride.ravel()).reshape(2, -1).astype(np.uint64)
        size = int(stride.sum())
        parent_hand, same = np.zeros(size, dtype=np.uint16), np.zeros(size, dtype=np.uint16)
        card_a, card_b = np.zeros(size, dtype=np.uint16), np.zeros(size, dtype=np.uint16)
        ties: list[NDArray[np.uint16]] = [np.zeros((0, 4), dtype=np.uint16)]
        tie_start = [0] * (len(nodes) + 1)
        number_of_last = 0
        for number, node in enumerate(nodes):
            slots = []
            for p in range(2):
                slot = np.full(len(self.hands[p]) + 1, len(node.hands[p]), dtype=np.int64)
                slot[node.hands[p]] = np.arange(len(node.hands[p]))
                slots.append(slot)
            for p in range(2):
                own = node.hands[p]
                at = slice(int(begin[p, number]), int(begin[p, number] + stride[p, number]))
                cards = self.cards[p][own].astype(np.int64)
                # On streets before the last a row has the range's order, blocked hands included.
                blocked = np.isin(cards, node.cards).any(axis=1) if node.street < last else np.zeros(len(own), bool)
                empty = len(nodes[node.parent].hands[p]) if node.parent >= 0 else len(own)
                parent_hand[at] = empty
                parent_hand[at][: len(own)] = np.where(blocked, empty, own)
                same[at][: len(own)] = slots[1 - p][self.place[1 - p][self.hands[p][own]]]
                card_a[at][: len(own)], card_b[at][: len(own)] = cards[:, 0] * LANES, cards[:, 1] * LANES
            if node.street == last:
                ties.append(_tie_groups(strong[number_of_last]))
                number_of_last += 1
            tie_start[number + 1] = tie_start[number] + (len(ties[-1]) if node.street == last else 0)
        image_start, image_begin, image_hand = self._images(begin, stride, parent_hand)
        mirror, twin = self._twins()
        runout, weights, equities = self._equities()
        edges = [number for number, node in enumerate(nodes) if node.parent >= 0]
        first_edge = np.searchsorted([nodes[child].parent for child in edges], np.arange(len(nodes) + 1))
        dealt = [self.deals[nodes[child].street - 1] for child in edges]
        left = [self.deck.size - len(nodes[nodes[child].parent].cards) - 4 for child in edges]  # given both hands
        return Boards(
            held=held,
            stride=stride,
            stored=stored,
            ordinal=ordinal,
            begin=begin,
            parent_hand=parent_hand,
            card_a=card_a,
            card_b=card_b,
            same=same,
            tie_start=np.array(tie_start, dtype=np.uint64),
            ties=np.concatenate(ties).ravel(),
            child_start=first_edge.astype(np.uint64),
            child=np.array(edges, dtype=np.uint64),
            child_weight=np.array([1 / comb(n, k) for n, k in zip(left, dealt, strict=True)], dtype=np.float32),
            image_start=image_start,
            image_begin=image_begin,
            image_hand=image_hand,
            mirror=mirror,
            twin=twin,
            runout=runout,
            runout_weight=weights,
            equities=equities,
            matrix=np.zeros((2, len(nodes)), dtype=np.uint64),
            payoffs=np.zeros(1, dtype=np.float32),
        )

    def _images(
        self, begin: NDArray[np.uint64], stride: NDArray[np.uint64], parent_hand: NDArray[np.uint16]
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint16]]:
        """Per deal and member of its orbit: where the child's hands stand in the parent's rows."""
        starts, begins, parts, size = [0], [], [parent_hand], len(parent_hand)
        for number, node in enumerate(self.nodes):
            if node.parent < 0:
                continue
            maps = self.nodes[node.parent].symmetry.hand_maps
            for image in node.images:
                if image == 0:  # the identity
                    begins.append(begin[:, number].tolist())
                    continue
                back = np.argsort(maps[image])  # the inverse permutation of the deck's hands
                begins.append([size, size + int(stride[0, number])])
                for p in range(2):
                    part = np.full(int(stride[p, number]), len(self.hands[p]), dtype=np.uint16)
                    own = node.hands[p]
                    part[: len(own)] = self.place[p][back[self.hands[p][own]]]
                    if node.street < self.last:
                        blocked = np.isin(self.cards[p][own], node.cards).any(axis=1)
                        part[: len(own)][blocked] = len(self.hands[p])
                    parts.append(part)
                    size += len(part)
            starts.append(len(begins))
        return (
            np.array(starts, dtype=np.uint64),
            np.array(begins, dtype=np.uint64).reshape(-1, 2).T.copy(),
            np.concatenate(parts),
        )

    def _twins(self) -> tuple[NDArray[np.uint64], NDArray[np.uint16]]:
        mirror = np.zeros((2, len(self.nodes)), dtype=np.uint64)
        parts, size = [np.zeros(1, dtype=np.uint16)], 1
        for number, node in enumerate(self.nodes):
            if node.street == self.last or len(node.symmetry) == 1:
                continue
            for p in range(2):
                alike = self.place[p][node.symmetry.hand_maps[:, self.hands[p]]]
                parts.append(alike.min(axis=0).astype(np.uint16))
                mirror[p, number] = size + 1
                size += len(parts[-1])
        return mirror, np.concatenate(parts)

    def _equities(self) -> tuple[NDArray[np.uint64], NDArray[np.float32], NDArray[np.int16]]:
        """Per board with run-outs the matrix of wins minus losses over all of them, hand by hand."""
        runout, parts, size = np.zeros(len(self.nodes), dtype=np.uint64), [np.zeros(1, dtype=np.int16)], 1
        weights = np.zeros(len(self.nodes), dtype=np.float32)
        for number, node in enumerate(self.nodes):
            if node.street not in self.runouts or node.street == self.last:
                continue
            left = [card for card in self.deck.cards.tolist() if card not in node.cards]
            due = sum(self.deals[node.street :])
            if comb(len(left), due) > MOST_RUNOUTS:
                raise InputError(f"an all-in with {due} cards to come has too many run-outs to count hand by hand")
            matrix = np.zeros((len(self.hands[0]), len(self.hands[1])), dtype=np.int16)
            full = [(*node.cards, *cards) for cards in combinations(left, due)]
            first, second = (self.strengths(full, own) for own in self.cards)
            count_wins(first, second, matrix)
            runout[number], weights[number] = size, 1 / comb(len(left) - 4, due)
            parts.append((matrix * self.apart).ravel())
            size += matrix.size
        return runout, weights, np.concatenate(parts)


def _tie_groups(strengths: list[NDArray[np.int16]]) -> NDArray[np.uint16]:
    """From weakest to strongest: the ranges of both players' hands (already in order) of each strength."""
    levels = np.unique(np.concatenate(strengths))
    bounds = [np.searchsorted(own, levels, side) for own in strengths for side in ("left", "right")]
    return np.stack(bounds, axis=1).astype(np.uint16)
