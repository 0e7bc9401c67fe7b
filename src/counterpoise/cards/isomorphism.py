"""Deals that differ only by a renaming of suits, numbered without gaps.

A *round structure* says how many cards come at a time: ``(2, 3, 1, 1)`` is hold'em (hole cards, flop, turn, river),
``(2, 3)`` a hand on the flop, ``(3,)`` a flop alone. Within a round the order of cards does not matter; which round a
card came in does. So the classes are the information sets of a player with perfect recall (Johanson 2016, chapter 5;
2,428,287,420 on the river, where forgetting the order of the board cards, ``(2, 5)``, would leave 123,156,254).

>>> [isomorphism(rounds).size for rounds in HOLDEM_ROUNDS]
[169, 1286792, 55190538, 2428287420]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from math import comb, prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from counterpoise.cards.deck import STANDARD_DECK, Card, CardArray, Deck, check_cards, frozen
from counterpoise.cards.kernels import isomorphism as kernels
from counterpoise.cards.kernels.isomorphism import IndexTables
from counterpoise.errors import InputError

IndexArray = NDArray[np.int64]
Code = tuple[int, ...]

HOLDEM_ROUNDS: tuple[tuple[int, ...], ...] = ((2,), (2, 3), (2, 3, 1), (2, 3, 1, 1))
"""The round structures of hold'em before the flop, on the flop, on the turn and on the river."""

_MOST_CODES = 300  # the table of configurations has four and a half million entries then


class Isomorphism:
    """The classes of deals with a given round structure under all permutations of the deck's suits.

    Make one with `isomorphism`, which remembers it.
    """

    def __init__(self, rounds: Sequence[int], deck: Deck = STANDARD_DECK) -> None:
        self.rounds = tuple(rounds)
        self.deck = deck
        if not self.rounds or not all(isinstance(count, int) and count > 0 for count in self.rounds):
            raise InputError(f"rounds must be positive whole numbers of cards, not {self.rounds!r}")
        if self.width > deck.size:
            raise InputError(f"rounds {self.rounds} need {self.width} cards, and the deck has {deck.size}")
        self.tables = _build(self.rounds, deck)

    def __repr__(self) -> str:
        return f"Isomorphism({self.rounds}, {self.deck})"

    @property
    def size(self) -> int:
        """Number of classes."""
        return int(self.tables.first[-1])

    @property
    def width(self) -> int:
        """Number of cards in a deal."""
        return sum(self.rounds)

    def index(self, deals: ArrayLike) -> IndexArray:
        """Return the class of every deal, from 0 to size - 1.

        The last axis of `deals` holds the cards round by round; the result has the axes before it.

        >>> from counterpoise.cards import parse_cards
        >>> isomorphism((2, 3)).index([parse_cards("As Kd  7s 7h 2d"), parse_cards("Kh Ad  7s 7d 2h")]).tolist()
        [813558, 813558]
        """
        rows, shape = self._rows(deals)
        numbers = np.empty(len(rows), dtype=np.int64)
        self._refuse(rows, kernels.index(rows, self.tables, numbers))
        return numbers.reshape(shape)

    def unindex(self, numbers: ArrayLike) -> CardArray:
        """Return the canonical deal of every class, one more axis than `numbers`.

        >>> from counterpoise.cards import format_cards
        >>> format_cards(isomorphism((2, 3)).unindex(813558))
        'Kh As 2h 7s 7d'
        """
        wanted = np.asarray(numbers)
        if not np.issubdtype(wanted.dtype, np.integer):
            raise InputError(f"classes must be whole numbers, not {wanted.dtype}")
        bad = (wanted < 0) | (wanted >= self.size)
        if np.any(bad):
            raise InputError(f"class {wanted[bad].flat[0]} does not exist: they are from 0 to {self.size - 1}")
        deals = np.empty((wanted.size, self.width), dtype=np.uint8)
        kernels.unindex(np.ascontiguousarray(wanted, dtype=np.uint64).ravel(), self.tables, deals)
        return deals.reshape((*wanted.shape, self.width))

    def canonical(self, deals: ArrayLike) -> CardArray:
        """Return the canonical deal of the class of every deal."""
        return self.unindex(self.index(deals))

    def orbit_sizes(self, deals: ArrayLike) -> IndexArray:
        """Return how many deals are in the class of every deal: 6, 4 and 12 for AA, AKs and AKo before the flop."""
        rows, shape = self._rows(deals)
        sizes = np.empty(len(rows), dtype=np.int64)
        self._refuse(rows, kernels.orbit_sizes(rows, self.tables, sizes))
        return sizes.reshape(shape)

    def hand_classes(self, board: Sequence[Card]) -> IndexArray:
        """Return the class of every hand of the deck on a board given round by round; -1 where they share a card."""
        if self.rounds[0] != 2 or len(board) != self.width - 2:
            raise InputError(f"a board for rounds {self.rounds} has {self.width - 2} cards, not {len(board)}")
        live = self.deck.live_hands(board)
        deals = np.empty((int(live.sum()), self.width), dtype=np.uint8)
        deals[:, :2] = self.deck.hands[live]
        deals[:, 2:] = board
        classes = np.full(self.deck.hand_count, -1, dtype=np.int64)
        classes[live] = self.index(deals)
        return classes

    def _rows(self, deals: ArrayLike) -> tuple[CardArray, tuple[int, ...]]:
        cards = np.asarray(deals)
        if cards.ndim == 0 or cards.shape[-1] != self.width:
            raise InputError(f"a deal of rounds {self.rounds} has {self.width} cards, not the shape {cards.shape}")
        if not np.issubdtype(cards.dtype, np.integer):
            raise InputError(f"cards must be whole numbers, not {cards.dtype}")
        if cards.dtype != np.uint8 and cards.size and not (cards.min() >= 0 and cards.max() < 52):
            bad = cards.min() if cards.min() < 0 else cards.max()
            raise InputError(f"a card is a number from 0 to 51, not {bad}")
        return frozen(np.ascontiguousarray(cards, dtype=np.uint8).reshape(-1, self.width)), cards.shape[:-1]

    def _refuse(self, rows: CardArray, bad: int) -> None:
        if bad >= 0:
            check_cards(rows[bad].tolist(), self.deck, f"deal of row {bad}:")
            raise AssertionError(f"row {bad} was refused without a reason")


def isomorphism(rounds: Sequence[int], deck: Deck = STANDARD_DECK) -> Isomorphism:
    """Return the classes of a round structure, made once and remembered.

    >>> isomorphism((3,)).size, isomorphism((2, 3), Deck(ranks=5)).size
    (1755, 7760)
    """
    return _remembered(tuple(rounds), deck)


_remembered = cache(Isomorphism)


def _build(rounds: tuple[int, ...], deck: Deck) -> IndexTables:
    codes: list[Code] = list(product(*(range(count + 1) for count in rounds)))
    if len(codes) > _MOST_CODES:
        raise InputError(f"rounds {rounds} are too many: the product of (cards + 1) must not exceed {_MOST_CODES}")
    number = {code: at for at, code in enumerate(codes)}
    places = [_places(code, deck.ranks) for code in codes]
    configurations = [[number[code] for code in spread] for spread in _configurations(rounds, codes, deck)]

    # The codes of all suits but the last, from high to low, are a multiset: rank it like one.
    lookup = [[comb(at + size - 1, size) for at in range(len(codes))] for size in range(kernels.SUITS - 1, 0, -1)]
    configuration_at = np.zeros(comb(len(codes) + kernels.SUITS - 2, kernels.SUITS - 1), dtype=np.uint32)
    sizes, radix, first = [], [], [0]
    for at, spread in enumerate(configurations):
        configuration_at[sum(lookup[suit][code] for suit, code in enumerate(spread[:-1]))] = at
        groups = {code: comb(places[code] + spread.count(code) - 1, spread.count(code)) for code in spread}
        sizes.append([spread[suit:].count(code) for suit, code in enumerate(spread)])
        radix.append([prod(groups[other] for other in groups if other < code) for code in spread])
        first.append(first[-1] + prod(groups.values()))
    if first[-1] * 4 >= 2**63 or max(places) >= 2 ** int(kernels.PLACE_BITS):
        raise InputError(f"rounds {rounds} have {first[-1]} classes, more than 64 bits can number")

    width = max(deck.ranks, *rounds) + 2
    return IndexTables(
        suits=deck.suits,
        ranks=deck.ranks,
        lowest=deck.lowest,
        rounds=np.array(rounds, dtype=np.uint32),
        steps=np.array([prod(count + 1 for count in rounds[j + 1 :]) for j in range(len(rounds))], dtype=np.uint64),
        counts=np.array(codes, dtype=np.int64),
        places=np.array(places, dtype=np.uint64),
        lookup=np.array(lookup, dtype=np.uint32),
        configuration=configuration_at,
        codes=np.array(configurations, dtype=np.int64),
        sizes=np.array(sizes, dtype=np.uint8),
        radix=np.array(radix, dtype=np.uint64),
        first=np.array(first, dtype=np.uint64),
        choose=np.array([[comb(n, k) for k in range(width)] for n in range(width)], dtype=np.uint64),
        ones=np.array([ranks.bit_count() for ranks in range(1 << deck.ranks)], dtype=np.uint8),
    )


def _places(code: Code, ranks: int) -> int:
    """Return in how many ways the rank sets of one suit can be chosen."""
    if sum(code) > ranks:
        return 0
    ways = 1
    for count in code:
        ways *= comb(ranks, count)
        ranks -= count
    return ways


def _configurations(rounds: tuple[int, ...], codes: list[Code], deck: Deck) -> Iterator[tuple[Code, ...]]:
    """Yield all ways to spread the cards of each round over the suits, high codes first, empty suits last."""
    possible = [code for code in reversed(codes) if sum(code) <= deck.ranks]

    def deal_to_suits(left: Code, suits: int, highest: Code) -> Iterator[tuple[Code, ...]]:
        if suits == 1:
            if left <= highest and sum(left) <= deck.ranks:
                yield (left,) + (codes[0],) * (kernels.SUITS - deck.suits)
            return
        for code in possible:
            if code <= highest and all(count <= free for count, free in zip(code, left, strict=True)):
                rest = tuple(free - count for count, free in zip(code, left, strict=True))
                for others in deal_to_suits(rest, suits - 1, code):
                    yield (code, *others)

    return deal_to_suits(rounds, deck.suits, rounds)
