"""How strong five, six or seven cards are, as one small whole number.

A strength is 1 for the worst hand and larger for better ones; two hands tie exactly if their strengths are equal.
With the ordinary ranking there are 7,462 classes of hands, 7-5-4-3-2 of mixed suits is 1 and a royal flush 7,462, in
every deck of ordinary ranking. Strength 0 marks a hand that shares a card with the board.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from counterpoise.cards.deck import (
    STANDARD_DECK,
    Card,
    CardArray,
    Deck,
    Ranking,
    check_cards,
    format_card,
    format_cards,
    frozen,
)
from counterpoise.cards.kernels import evaluator as kernels
from counterpoise.cards.kernels.evaluator import StrengthTables
from counterpoise.errors import InputError

StrengthArray = NDArray[np.uint16]

_UP_TO_STRAIGHT = ("high card", "pair", "two pair", "three of a kind", "straight")
_CATEGORIES: dict[Ranking, tuple[str, ...]] = {
    "standard": (*_UP_TO_STRAIGHT, "flush", "full house", "four of a kind", "straight flush"),
    "short": (*_UP_TO_STRAIGHT, "full house", "flush", "four of a kind", "straight flush"),
}
_ACE_LOW: dict[Ranking, int] = {"standard": 0b1_0000_0000_1111, "short": 0b1_0000_1111_0000}  # A2345, A6789
_LOWEST: dict[Ranking, int] = {"standard": 0, "short": 4}


def evaluate(cards: ArrayLike, ranking: Ranking = "standard") -> StrengthArray:
    """Return strength of the best five cards in each row of an array of n x 5, n x 6 or n x 7 cards.

    >>> from counterpoise.cards import parse_cards
    >>> evaluate([parse_cards("As Ks Qs Js Ts 2h 2d"), parse_cards("Kh 7s 5d 4c 3h 2s 8d")]).tolist()
    [7462, 486]
    """
    rows = _card_rows(cards, (5, 6, 7), ranking)
    out = np.empty(len(rows), dtype=np.uint16)
    _refuse_repeated(rows, kernels.evaluate(rows, strength_tables(ranking), out))
    return out


def strengths(board: Sequence[Card], hands: ArrayLike | None = None, deck: Deck = STANDARD_DECK) -> StrengthArray:
    """Return strength of hands on a board of three to five cards; 0 for hands that share a card with it.

    `hands` is an array of n x 2 cards, by default all hands of the deck in their order.

    >>> from counterpoise.cards import parse_cards
    >>> strengths(parse_cards("As Ks Qs 2h 2d"), [parse_cards("Js Ts"), parse_cards("2s 2c"), parse_cards("As 3c")])
    array([7462, 7308,    0], dtype=uint16)
    """
    check_cards(board, deck)
    return board_strengths([board], hands, deck).reshape(-1)


def board_strengths(boards: ArrayLike, hands: ArrayLike | None = None, deck: Deck = STANDARD_DECK) -> StrengthArray:
    """Return the strengths for many boards at once: one row per board, one column per hand."""
    rows = _card_rows(boards, (3, 4, 5), deck.ranking)
    pairs = deck.hands if hands is None else frozen(_card_rows(hands, (2,), deck.ranking).view())
    out = np.empty((len(rows), len(pairs)), dtype=np.uint16)
    _refuse_repeated(rows, kernels.board_strengths(rows, pairs, strength_tables(deck.ranking), out))
    return out


def category(strength: int, ranking: Ranking = "standard") -> str:
    """Return what players call a strength: "pair", "full house", ...

    >>> category(7462), category(1)
    ('straight flush', 'high card')
    """
    limits = _build(ranking)[1]
    if not 1 <= strength <= limits[-1]:
        raise InputError(f"a strength of the {ranking} ranking is from 1 to {limits[-1]}, not {strength}")
    return _CATEGORIES[ranking][int(np.searchsorted(limits, strength, side="left"))]


def category_numbers(strengths: ArrayLike, ranking: Ranking = "standard") -> NDArray[np.int64]:
    """Return the category of each strength as its number in the order of a ranking, high card being 0.

    >>> category_numbers([1, 7462]).tolist(), category_names()[8]
    ([0, 8], 'straight flush')
    """
    return np.searchsorted(_build(ranking)[1], strengths, side="left")


def category_names(ranking: Ranking = "standard") -> tuple[str, ...]:
    """Return the names of a ranking's categories, weakest first."""
    return _CATEGORIES[ranking]


def strength_count(ranking: Ranking = "standard") -> int:
    """Return how many classes of hands a ranking tells apart, which is also the highest strength.

    >>> strength_count(), strength_count("short")
    (7462, 1404)
    """
    return int(_build(ranking)[1][-1])


def strength_tables(ranking: Ranking = "standard") -> StrengthTables:
    """Return the look-up tables that the kernels read; built once, in some 20 ms."""
    return _build(ranking)[0]


@cache
def _build(ranking: Ranking) -> tuple[StrengthTables, NDArray[np.int64]]:
    """Build the look-up tables and the highest strength of each category, from high card to straight flush."""
    if ranking not in _CATEGORIES:
        raise InputError(f"ranking must be standard or short, not {ranking!r}")
    names = _CATEGORIES[ranking]
    decisive = (names.index(name) for name in ("full house", "flush", "straight flush"))
    low = np.zeros((3, kernels.LOW_CODES), dtype=np.uint16)
    high = np.zeros(kernels.HIGH_CODES, dtype=np.uint16)
    scores = np.full((3, kernels.MULTISETS[-1]), -1, dtype=np.int32)
    flush = np.full(8192, -1, dtype=np.int32)
    kernels.fill_tables(kernels.RankingRules(_LOWEST[ranking], _ACE_LOW[ranking], *decisive), low, high, scores, flush)

    classes = np.unique(np.concatenate([[-1], scores[0], flush]))
    limits = np.searchsorted(classes >> 20, np.arange(len(names)), side="right") - 1
    numbered, numbered_flush = (np.searchsorted(classes, table).astype(np.uint16) for table in (scores, flush))
    return StrengthTables(_card_keys(), low, high, numbered, numbered_flush), limits


def _card_keys() -> NDArray[np.uint64]:
    keys = []
    for card in range(52):
        rank, suit = divmod(card, 4)
        high = rank - kernels.LOW_RANKS
        ranks = 5**rank if high < 0 else 5**high << int(kernels.HIGH_SHIFT)
        keys.append(ranks + (1 << kernels.SUIT_SHIFT + 4 * suit))
    return np.array(keys, dtype=np.uint64)


def _card_rows(cards: ArrayLike, widths: tuple[int, ...], ranking: Ranking) -> CardArray:
    """Return an array of card numbers, one row per hand or board; refuse anything else."""
    rows = np.asarray(cards)
    if rows.ndim != 2 or rows.shape[1] not in widths:
        allowed = " or ".join(str(width) for width in widths)
        raise InputError(f"cards must be an array of {allowed} columns, not of shape {rows.shape}")
    if not np.issubdtype(rows.dtype, np.integer):
        raise InputError(f"cards must be whole numbers, not {rows.dtype}")
    lowest = 4 * _LOWEST.get(ranking, 0)
    if rows.size and not (rows.min() >= lowest and rows.max() < 52):
        bad = rows.min() if rows.min() < lowest else rows.max()
        raise InputError(f"a card of the {ranking} ranking is a number from {lowest} to 51, not {bad}")
    return np.ascontiguousarray(rows, dtype=np.uint8)


def _refuse_repeated(rows: CardArray, bad: int) -> None:
    if bad >= 0:
        row = rows[bad].tolist()
        twice = next(card for card in row if row.count(card) > 1)
        raise InputError(f"card {format_card(twice)} is repeated in row {bad}, {format_cards(row)!r}")
