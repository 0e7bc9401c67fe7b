"""What players call a hand on a board: what it has made, and what it may still become."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from counterpoise.cards.deck import RANKS, STANDARD_DECK, SUITS, Card, CardArray, Deck
from counterpoise.cards.evaluator import category, strengths

FLUSH_DRAW, OPEN_ENDED, GUTSHOT = "flush draw", "open-ended straight draw", "gutshot"
RIVER_CARDS = 5
_ACE_BELOW = {"standard": RANKS.index("2") - 1, "short": RANKS.index("6") - 1}
"""The rank that the ace also has, below the lowest of the deck."""


class HandWords(NamedTuple):
    """A hand in words: the category that it has made, and the draws that one of its own cards is part of."""

    made: str
    draws: tuple[str, ...]


def describe_hands(board: Sequence[Card], hands: ArrayLike, deck: Deck = STANDARD_DECK) -> list[HandWords]:
    """Return the words for each hand, n x 2 cards, on a board of three to five; the river has no draws.

    >>> from counterpoise.cards import parse_cards
    >>> describe_hands(parse_cards("Qs Jh 2h"), [parse_cards("Ah Kh")])
    [HandWords(made='high card', draws=('flush draw', 'gutshot'))]
    """
    pairs = np.asarray(hands, dtype=np.uint8).reshape(-1, 2)
    found = strengths(board, pairs, deck)
    names = {int(one): category(int(one), deck.ranking) if one else "" for one in np.unique(found)}
    made = [names[int(one)] for one in found]
    if len(board) >= RIVER_CARDS:
        return [HandWords(name, ()) for name in made]
    flush, outs = _flush_draws(board, pairs), _straight_outs(board, pairs, deck)
    return [
        HandWords(name, _draws(name, bool(suited), int(count)))
        for name, suited, count in zip(made, flush, outs, strict=True)
    ]


def nickname(board: Sequence[Card], hand: Sequence[Card], made: str) -> str:
    """Return the name that players have for a pair or three of a kind, by what of it a hand holds; else no words.

    >>> from counterpoise.cards import parse_cards
    >>> board = parse_cards("Ks 9d 4c")
    >>> hands = [parse_cards(cards) for cards in ("KhQh", "9h8h", "4h3h", "AhAd", "8h8d", "9s9h", "QhJh")]
    >>> made = [one.made for one in describe_hands(board, hands)]
    >>> [nickname(board, hand, own) for hand, own in zip(hands, made, strict=True)]
    ['top pair', 'middle pair', 'bottom pair', 'overpair', 'pocket pair', 'set', '']
    """
    first, second = (int(card) // len(SUITS) for card in hand)
    ranks = sorted({int(card) // len(SUITS) for card in board}, reverse=True)
    shared = [rank for rank in (first, second) if rank in ranks]
    if made == "three of a kind":
        return "set" if first == second else "trips" if shared else ""
    if made != "pair":
        return ""
    if first == second:
        return "overpair" if first > ranks[0] else "pocket pair"
    if not shared:
        return ""
    return "top pair" if shared[0] == ranks[0] else "bottom pair" if shared[0] == ranks[-1] else "middle pair"


def _draws(made: str, suited: bool, outs: int) -> tuple[str, ...]:
    to_flush = (FLUSH_DRAW,) if suited and made not in ("flush", "straight flush") else ()
    if made in ("straight", "straight flush") or not outs:
        return to_flush
    return (*to_flush, OPEN_ENDED if outs > 1 else GUTSHOT)


def _flush_draws(board: Sequence[Card], hands: CardArray) -> NDArray[np.bool_]:
    """Return which hands have four cards of a suit, one of them their own at least."""
    suits = np.asarray(board) % len(SUITS)
    found = np.zeros(len(hands), dtype=bool)
    for suit in range(len(SUITS)):
        own = (hands % len(SUITS) == suit).sum(axis=1)
        found |= (own > 0) & (own + int((suits == suit).sum()) == 4)
    return found


def _straight_outs(board: Sequence[Card], hands: CardArray, deck: Deck) -> NDArray[np.int64]:
    """Return for each hand how many ranks complete a straight that the board with that rank alone would not be."""
    held = np.zeros((len(hands), len(RANKS)), dtype=bool)
    held[:, np.asarray(board) // len(SUITS)] = True
    alone = held[:1].copy()
    held[np.arange(len(hands))[:, None], hands // len(SUITS)] = True
    outs = np.zeros(len(hands), dtype=np.int64)
    for rank in range(deck.lowest, len(RANKS)):
        with_it, board_with_it = held.copy(), alone.copy()
        with_it[:, rank] = board_with_it[:, rank] = True
        outs += ~held[:, rank] & _has_straight(with_it, deck) & ~_has_straight(board_with_it, deck)
    return outs


def _has_straight(held: NDArray[np.bool_], deck: Deck) -> NDArray[np.bool_]:
    """Return which rows of ranks have five in a row; the ace also plays below the lowest rank."""
    below = _ACE_BELOW[deck.ranking]
    line = np.concatenate([held[:, -1:], held[:, below + 1 :]], axis=1)
    found = np.zeros(len(held), dtype=bool)
    for first in range(line.shape[1] - 4):
        found |= line[:, first : first + 5].all(axis=1)
    return found
