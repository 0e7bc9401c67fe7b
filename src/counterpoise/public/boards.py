"""The boards of a poker game as arrays: the live hands of each in order, and the connections between streets.

On the last street the hands of a board stand in order of strength, so that a showdown is one sweep; on earlier
streets they stand as in the ranges. Every row has at least one slot more than hands, which stays zero: blocked or
missing hands point there.

Deals that a suit symmetry of board and ranges makes alike are expanded once (Johanson 2016, section 2.4.3): the values
after the other members of such an orbit are the representative's with hands renamed, one *image* each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise
from math import comb

import numpy as np
from numpy.typing import NDArray

from counterpoise.cards import Deck, SuitSymmetry, board_strengths, disjoint_hands
from counterpoise.cards.kernels.equity import count_wins
from counterpoise.errors import InputError
from counterpoise.progress import CancelToken, Progress, SilentProgress
from counterpoise.public.kernels.layouts import Boards
from counterpoise.public.kernels.simd import LANES

Hands = tuple[NDArray[np.uint16], NDArray[np.uint16]]
"""Per player hand numbers: of the deck, or places in a range."""
MOST_RUNOUTS = np.iinfo(np.int16).max
BOARDS_BETWEEN = 500
"""The number of boards between two updates of the progress display."""


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


@dataclass(frozen=True)
class BuildWatch:
    """The progress display and cancel token of building boards."""

    progress: Progress = field(default_factory=SilentProgress)
    cancel: CancelToken = field(default_factory=CancelToken)

    def show(self, done: int, total: int | None = None) -> None:
        """Show the number of boards done, now and then."""
        if done % BOARDS_BETWEEN == 0:
            self.cancel.check()
            share = None if total is None else done / total
            told = f"{done:,} boards dealt" if total is None else f"{done:,} of {total:,} boards"
            self.progress.show(share, told)


NOBODY_WATCHES = BuildWatch()


def deal_boards(
    symmetry: SuitSymmetry,
    deals: tuple[int, ...],
    streets: int | None = None,
    watch: BuildWatch = NOBODY_WATCHES,
    first: Sequence[int] | None = None,
) -> list[BoardNode]:
    """Return all boards from that of `symmetry` on, parents first; `deals` is the number of cards of each later street.

    `streets` is the number of streets to deal, including the first one; by default all. `first` are the numbers of
    those first deals, among all that suits tell apart, which are dealt; by default all.
    """
    last = len(deals) if streets is None else streets - 1
    nodes = [BoardNode(tuple(card for part in symmetry.board for card in part), 0, symmetry)]
    for number, node in enumerate(nodes):  # grows while it is walked
        if node.street == last:
            break
        orbits = node.symmetry.orbits(deals[node.street])
        wanted = None if node.street or first is None else frozenset(first)
        for orbit, cards in enumerate(orbits.representatives.tolist()):
            if wanted is not None and orbit not in wanted:
                continue
            child = BoardNode((*node.cards, *cards), node.street + 1, node.symmetry.deal(cards), number)
            for row in range(int(orbits.first[orbit]), int(orbits.first[orbit + 1])):
                image = int(orbits.maps[row])
                node.children[tuple(orbits.members[row].tolist())] = (len(nodes), image)
                child.images.append(image)
            nodes.append(child)
            watch.show(len(nodes))
    return nodes


def lay_out_boards(held: NDArray[np.uint64], street_of: Sequence[int], parents: Sequence[int]) -> Boards:
    """Return boards with `held[player, board]` hands: where their rows stand and which follow which, and blanks.

    A board's `parents` entry is the board before it, -1 for the first; boards after one board stand side by side.
    """
    count, stride, streets = len(street_of), (held // LANES + 1) * LANES, np.array(street_of)
    stored, ordinal = np.zeros_like(stride), np.zeros(count, dtype=np.uint64)
    for street in range(int(streets.max()) + 1):
        on = streets == street
        stored[:, on] = np.cumsum(stride[:, on], axis=1) - stride[:, on]
        ordinal[on] = np.arange(on.sum())
    begin = (np.cumsum(stride.ravel()) - stride.ravel()).reshape(2, -1).astype(np.uint64)
    blank, nothing = np.zeros(int(stride.sum()), dtype=np.uint16), np.zeros(1, dtype=np.uint16)
    no_boards = np.zeros((2, count), dtype=np.uint64)
    return Boards(
        held=held,
        stride=stride,
        stored=stored,
        ordinal=ordinal,
        begin=begin,
        parent_hand=blank,
        card_a=blank,
        card_b=blank,
        same=blank,
        tie_start=np.zeros(count + 1, dtype=np.uint64),
        ties=nothing,
        child_start=np.searchsorted(parents[1:], np.arange(count + 1)).astype(np.uint64),
        child=np.arange(1, count, dtype=np.uint64),
        child_weight=np.ones(count - 1, dtype=np.float32),
        image_start=np.arange(count, dtype=np.uint64),
        image_begin=begin[:, 1:].copy(),
        image_hand=blank,
        mirror=no_boards,
        twin=nothing,
        runout=no_boards[0],
        runout_weight=np.zeros(count, dtype=np.float32),
        equities=np.zeros(1, dtype=np.int16),
        matrix=no_boards,
        payoffs=np.zeros(1, dtype=np.float32),
    )


def build_boards(
    deck: Deck,
    dealt: Sequence[BoardNode],
    deals: tuple[int, ...],
    hands: Hands,
    runouts: set[int],
    watch: BuildWatch = NOBODY_WATCHES,
) -> tuple[list[BoardNode], Boards]:
    """Return boards that `deal_boards` dealt, as copies with the hands of each in order, and their arrays.

    `hands` are the live hands of each player, as numbers of the deck. `runouts` are the streets (0: the first) on which
    a player may be all-in before the last card: their boards get a matrix of exact equities.
    """
    nodes = [replace(node) for node in dealt]
    return nodes, _Flattener(deck, nodes, deals, hands, runouts, watch).boards()


def strength_levels(boards: Boards) -> NDArray[np.uint16]:
    """Return, per hand of every board, the number of weaker strengths there; 0 on streets before the last."""
    found = np.zeros(int(boards.stride.sum()), dtype=np.uint16)
    for board, (first, last) in enumerate(pairwise(boards.tie_start.tolist())):
        groups = boards.ties[4 * first : 4 * last].reshape(-1, 4).astype(np.int64)
        for player in range(2):
            begin, counts = int(boards.begin[player, board]), groups[:, 2 * player + 1] - groups[:, 2 * player]
            found[begin : begin + int(counts.sum())] = np.repeat(np.arange(len(groups)), counts)
    return found


@dataclass
class _Flattener:
    deck: Deck
    nodes: list[BoardNode]
    deals: tuple[int, ...]
    hands: Hands
    runouts: set[int]
    watch: BuildWatch

    def __post_init__(self) -> None:
        self.last = len(self.deals)
        self.cards = tuple(self.deck.hands[own] for own in self.hands)
        self.place = []  # of a deck's hand in the range
        for own in self.hands:
            place = np.full(self.deck.hand_count, len(own), dtype=np.int64)
            place[own] = np.arange(len(own))
            self.place.append(place)

    def boards(self) -> Boards:
        nodes, ties = self.nodes, self._order_hands()
        held = np.array([[len(node.hands[p]) for node in nodes] for p in range(2)], dtype=np.uint64)
        boards = lay_out_boards(held, [node.street for node in nodes], [node.parent for node in nodes])
        parent_hand, same, card_a, card_b = (np.zeros_like(boards.same) for _ in range(4))
        for number, node in enumerate(nodes):
            self.watch.show(number, len(nodes))
            for p, own in enumerate(node.hands):
                met = node.hands[1 - p]
                slot = np.full(len(self.hands[1 - p]) + 1, len(met), dtype=np.int64)
                slot[met] = np.arange(len(met))
                at = slice(int(boards.begin[p, number]), int(boards.begin[p, number] + boards.stride[p, number]))
                cards = self.cards[p][own].astype(np.int64)
                empty = len(nodes[node.parent].hands[p]) if node.parent >= 0 else len(own)
                parent_hand[at] = empty
                parent_hand[at][: len(own)] = np.where(self._blocked(node, p), empty, own)
                same[at][: len(own)] = slot[self.place[1 - p][self.hands[p][own]]]
                card_a[at][: len(own)], card_b[at][: len(own)] = cards[:, 0] * LANES, cards[:, 1] * LANES
        groups = [len(ties.get(number, ())) for number in range(len(nodes))]
        dealt = [self.deals[node.street - 1] for node in nodes[1:]]
        left = [self.deck.size - len(nodes[node.parent].cards) - 4 for node in nodes[1:]]  # given both hands
        image_start, image_begin, image_hand = self._images(boards, parent_hand)
        mirror, twin = self._twins()
        runout, runout_weight, equities = self._equities()
        return boards._replace(
            parent_hand=parent_hand,
            card_a=card_a,
            card_b=card_b,
            same=same,
            tie_start=np.concatenate(([0], np.cumsum(groups))).astype(np.uint64),
            ties=np.concatenate([np.zeros((0, 4), dtype=np.uint16), *ties.values()]).ravel(),
            child_weight=np.array([1 / comb(n, k) for n, k in zip(left, dealt, strict=True)], dtype=np.float32),
            image_start=image_start,
            image_begin=image_begin,
            image_hand=image_hand,
            mirror=mirror,
            twin=twin,
            runout=runout,
            runout_weight=runout_weight,
            equities=equities,
        )

    def _order_hands(self) -> dict[int, NDArray[np.uint16]]:
        """Put the hands of each board in order, and return the groups of equal strength on boards of the last street.

        A group is, from weakest to strongest, the range of both players' hands of one strength.
        """
        all_hands = (np.arange(len(self.hands[0]), dtype=np.uint16), np.arange(len(self.hands[1]), dtype=np.uint16))
        full = [number for number, node in enumerate(self.nodes) if node.street == self.last]
        for node in self.nodes:
            node.hands = all_hands
        strengths = (
            [self._strengths([self.nodes[number].cards for number in full], p) for p in range(2)] if full else []
        )
        ties = {}
        for number, *rows in zip(full, *strengths, strict=True):
            first, second = (np.argsort(row, kind="stable")[np.count_nonzero(row == 0) :] for row in rows)
            self.nodes[number].hands = first.astype(np.uint16), second.astype(np.uint16)
            ranked = rows[0][first], rows[1][second]
            levels = np.unique(np.concatenate(ranked))
            bounds = [np.searchsorted(own, levels, side) for own in ranked for side in ("left", "right")]
            ties[number] = np.stack(bounds, axis=1).astype(np.uint16)
        return ties

    def _strengths(self, full: list[tuple[int, ...]], player: int) -> NDArray[np.int16]:
        """Return the strengths of a player's hands on full boards, [board, hand]; 0 for blocked hands."""
        return board_strengths(full, self.cards[player], self.deck).astype(np.int16)

    def _blocked(self, node: BoardNode, player: int) -> NDArray[np.bool_]:
        """Return the hands of a row that share a card with the board; on the last street they are left out of rows."""
        own = node.hands[player]
        if node.street == self.last:
            return np.zeros(len(own), dtype=bool)
        return np.asarray(np.isin(self.cards[player][own], node.cards).any(axis=1))

    def _images(
        self, boards: Boards, parent_hand: NDArray[np.uint16]
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint16]]:
        """Return the place of the child's hands in the parent's rows, for each deal and each member of its orbit."""
        starts, begins, parts, size = [0], [], [parent_hand], len(parent_hand)
        for number, node in enumerate(self.nodes[1:], start=1):
            maps = self.nodes[node.parent].symmetry.hand_maps
            for image in node.images:
                if image == 0:  # the identity
                    begins.append(boards.begin[:, number].tolist())
                    continue
                back = np.argsort(maps[image])  # the inverse permutation of the deck's hands
                begins.append([size, size + int(boards.stride[0, number])])
                for p, own in enumerate(node.hands):
                    missing = len(self.hands[p])
                    part = np.full(int(boards.stride[p, number]), missing, dtype=np.uint16)
                    stands = self.place[p][back[self.hands[p][own]]]
                    part[: len(own)] = np.where(self._blocked(node, p), missing, stands)
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
        """Return the matrix of wins minus losses over all run-outs, hand by hand, for each board that has run-outs."""
        runout, parts, size = np.zeros(len(self.nodes), dtype=np.uint64), [np.zeros(1, dtype=np.int16)], 1
        weights = np.zeros(len(self.nodes), dtype=np.float32)
        apart = disjoint_hands(*self.cards)
        for number, node in enumerate(self.nodes):
            if node.street not in self.runouts or node.street == self.last:
                continue
            left = [card for card in self.deck.cards.tolist() if card not in node.cards]
            due = sum(self.deals[node.street :])
            if comb(len(left), due) > MOST_RUNOUTS:
                raise InputError(f"an all-in with {due} cards to come has too many run-outs to count hand by hand")
            matrix = np.zeros((len(self.hands[0]), len(self.hands[1])), dtype=np.int16)
            full = [(*node.cards, *cards) for cards in combinations(left, due)]
            count_wins(self._strengths(full, 0), self._strengths(full, 1), matrix)
            runout[number], weights[number] = size, 1 / comb(len(left) - 4, due)
            parts.append((matrix * apart).ravel())
            size += matrix.size
        return runout, weights, np.concatenate(parts)
