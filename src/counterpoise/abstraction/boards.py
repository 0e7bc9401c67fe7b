"""Boards up to a renaming of suits, numbered, and which boards may follow which.

A board is a set of cards: which of them came as the turn does not matter here. There are 1,755 flops, 16,432 turns
and 134,459 rivers of 52 cards. Each class stands for its canonical board; a hand on any board is looked up as
its renamed self on the canonical one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from itertools import combinations, permutations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from counterpoise.abstraction.kernels import features as kernels
from counterpoise.abstraction.kernels.features import Followers
from counterpoise.cards import Card, CardArray, Deck, SuitSymmetry, isomorphism, suit_symmetry

STREETS = ("preflop", "flop", "turn", "river")
BOARD_CARDS = (0, 3, 4, 5)
"""How many public cards lie on each street."""


@cache
def renamings(deck: Deck) -> SuitSymmetry:
    """Return all renamings of the deck's suits; `card_maps` and `hand_maps` apply them."""
    return suit_symmetry([], deck=deck)


def orders(count: int) -> NDArray[np.int64]:
    """Return all orders of a board of `count` cards, the flop's cards in rising order: 1 of 3, 4 of 4, 20 of 5.

    Order k of four cards has the card at place k last.
    """
    if count < 4:
        return np.arange(count)[None]
    lasts = permutations(range(count), count - 3)
    found = [[at for at in range(count) if at not in last] + list(last) for last in lasts]
    return np.array(found, dtype=np.int64)


class BoardClasses:
    """The classes of boards of `count` cards; make one with `board_classes`, which remembers it."""

    def __init__(self, deck: Deck, count: int) -> None:
        self.deck, self.count = deck, count
        self.size = isomorphism((count,), deck).size if count else 1
        self._number_of = {
            tuple(order): number for number, order in enumerate(np.argsort(renamings(deck).permutations).tolist())
        }

    @cached_property
    def cards(self) -> CardArray:
        """The canonical board of every class, [class, card]."""
        if self.count == 0:
            return np.zeros((1, 0), dtype=np.uint8)
        return isomorphism((self.count,), self.deck).unindex(np.arange(self.size))

    @cached_property
    def multiplicity(self) -> NDArray[np.int64]:
        """How many boards each class stands for."""
        if self.count == 0:
            return np.ones(1, dtype=np.int64)
        return isomorphism((self.count,), self.deck).orbit_sizes(self.cards)

    @cached_property
    def representative(self) -> NDArray[np.int16]:
        """The first hand that suits make alike to each hand on each canonical board, -1 where it is dead."""
        out = np.empty((self.size, self.deck.hand_count), dtype=np.int16)
        maps = renamings(self.deck)
        kernels.representatives(self.cards, self.deck.hands, maps.card_maps, maps.hand_maps, out)
        return out

    def forget(self) -> None:
        """Drop what only the building of an abstraction needs; it is computed again when it is asked for."""
        self.__dict__.pop("representative", None)

    def locate(self, boards: ArrayLike) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
        """Return the class of every row of cards and the number of a renaming that takes it to the canonical board."""
        rows = np.asarray(boards, dtype=np.uint8)
        if self.count == 0:
            return np.zeros(len(rows), dtype=np.int32), np.zeros(len(rows), dtype=np.uint8)
        keys = np.zeros((len(rows), self.deck.suits), dtype=np.int64)
        for column in rows.T:
            keys[np.arange(len(rows)), column % 4] += (1 << 13) + (1 << (column // 4).astype(np.int64))
        order = np.argsort(-keys, axis=1, kind="stable")  # the suit with most cards first, as in the canonical board
        places = order @ (4 ** np.arange(self.deck.suits))
        number = np.zeros(256, dtype=np.uint8)
        for suits, renaming in self._number_of.items():
            number[sum(suit << 2 * at for at, suit in enumerate(suits))] = renaming
        return isomorphism((self.count,), self.deck).index(rows).astype(np.int32), number[places]

    def locate_one(self, board: Sequence[Card]) -> tuple[int, int]:
        """Return the class of one board and its renaming, in a few microseconds."""
        keys = [0] * self.deck.suits
        for card in board:
            keys[card & 3] += (1 << 13) + (1 << (card >> 2))
        order = sorted(range(len(keys)), key=keys.__getitem__, reverse=True)
        return self._class_of[tuple(keys[suit] for suit in order)], self._number_of[tuple(order)]

    @cached_property
    def _class_of(self) -> dict[tuple[int, ...], int]:
        keys = np.zeros((self.size, self.deck.suits), dtype=np.int64)
        for column in self.cards.T:
            keys[np.arange(self.size), column % 4] += (1 << 13) + (1 << (column // 4).astype(np.int64))
        return {tuple(row): number for number, row in enumerate(keys.tolist())}

    def followers(self, later: BoardClasses) -> Followers:
        """Return the boards of a later street that may follow each canonical board.

        After the empty board these are the canonical boards with their multiplicity: right for sums over all hands
        that suits make alike, not for a single hand.
        """
        maps = renamings(self.deck).hand_maps
        if self.count == 0:
            after = np.arange(later.size, dtype=np.int32)[None]
            return Followers(after, np.zeros(after.shape, dtype=np.uint8), later.multiplicity, maps)
        boards = self.completed(np.arange(self.size), later.count)
        after, renaming = later.locate(boards.reshape(-1, later.count))
        shape = boards.shape[:2]
        weight = np.ones(shape[1], dtype=np.int64)
        return Followers(after.reshape(shape), renaming.reshape(shape), weight, maps)

    def completed(self, classes: NDArray[np.int64], count: int) -> CardArray:
        """Return all boards of `count` cards that contain each canonical board, [class, number, card]."""
        cards = self.cards[classes]
        free = np.array([np.setdiff1d(self.deck.cards, board) for board in cards], dtype=np.uint8)
        picks = np.array(list(combinations(range(free.shape[1]), count - self.count)), dtype=np.int64)
        added = free[:, picks]
        known = np.broadcast_to(cards[:, None], (len(cards), len(picks), self.count))
        return np.concatenate([known, added], axis=2)


board_classes = cache(BoardClasses)
