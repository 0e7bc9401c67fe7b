"""Cards, hands and decks as small whole numbers.

A card is ``4 * rank + suit``: ranks 2 3 4 5 6 7 8 9 T J Q K A are 0..12, suits s h d c are 0..3. A card has the same
number in every deck, so 2s is 0, Ac is 51, and As is 48 also in a deck of 20 cards.

A hand is a pair of cards a < b. The hands of a deck are numbered in lexicographic order: 2s2h, 2s2d, 2s2c, 2s3s, ...,
AdAc are 0..1325 for 52 cards (the order of the published Libratus endgames); a smaller deck numbers its own hands
from 0 without gaps.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.parameters import require, require_choice, require_whole

RANKS = "23456789TJQKA"
SUITS = "shdc"

Number = TypeVar("Number", bound=np.generic)
Card = int
CardArray = NDArray[np.uint8]
HandArray = NDArray[np.uint16]
Ranking = Literal["standard", "short"]

NO_HAND = 65535
"""What `Deck.hand_table` holds where two cards make no hand of the deck."""


@dataclass(frozen=True)
class Deck:
    """The top `ranks` ranks in each of the first `suits` suits, and the order of hand categories played with it.

    `ranking="short"` is short deck hold'em: a flush beats a full house, and the ace also plays below the six
    (A-6-7-8-9). Smaller decks otherwise keep the ordinary ranking.

    >>> Deck(ranks=5).names
    ('T', 'J', 'Q', 'K', 'A')
    >>> Deck(ranks=6).hand_count, Deck(ranks=8, suits=3).hand_count
    (276, 276)
    """

    ranks: int = 13
    suits: int = 4
    ranking: Ranking = "standard"

    def __post_init__(self) -> None:
        require_whole("deck: ranks", self.ranks, 2, len(RANKS))
        require_whole("deck: suits", self.suits, 1, len(SUITS))
        require_choice("deck: ranking", self.ranking, get_args(Ranking))
        require(
            self.ranking == "standard" or self.ranks <= 9,
            f"deck: ranking short is for decks without 2..5, so ranks must be 2 to 9, not {self.ranks}",
        )

    @property
    def lowest(self) -> int:
        """The lowest rank of the deck: 0 is the deuce."""
        return len(RANKS) - self.ranks

    @property
    def names(self) -> tuple[str, ...]:
        """The letters of the deck's ranks, lowest first."""
        return tuple(RANKS[self.lowest :])

    @property
    def size(self) -> int:
        """Number of cards."""
        return self.ranks * self.suits

    @property
    def hand_count(self) -> int:
        """Number of hands of two cards: 1,326 for the full deck."""
        return self.size * (self.size - 1) // 2

    @cached_property
    def cards(self) -> CardArray:
        """Every card of the deck, in order."""
        numbers = [4 * rank + suit for rank in range(self.lowest, len(RANKS)) for suit in range(self.suits)]
        return frozen(np.array(numbers, dtype=np.uint8))

    @cached_property
    def hands(self) -> CardArray:
        """The two cards of every hand, lower card first, one row per hand index."""
        first, second = np.triu_indices(self.size, 1)
        return frozen(np.stack([self.cards[first], self.cards[second]], axis=1))

    @cached_property
    def hand_table(self) -> HandArray:
        """Hand index of two cards in either order, a 52 x 52 table; `NO_HAND` where there is none."""
        table = np.full((52, 52), NO_HAND, dtype=np.uint16)
        low, high = self.hands.T
        table[low, high] = table[high, low] = np.arange(self.hand_count, dtype=np.uint16)
        return frozen(table)

    @cached_property
    def hand_names(self) -> tuple[str, ...]:
        """Every hand in words, higher card first, by hand index: ``"AsKh"``."""
        return tuple(format_cards((high, low), separator="") for low, high in self.hands.tolist())

    def __contains__(self, card: object) -> bool:
        if not isinstance(card, int | np.integer):
            return False
        rank, suit = divmod(int(card), 4)
        return self.lowest <= rank < len(RANKS) and suit < self.suits

    def live_hands(self, board: Sequence[Card]) -> NDArray[np.bool_]:
        """Return for every hand whether none of its cards is on the board."""
        check_cards(board, self)
        dead = np.zeros(52, dtype=np.bool_)
        dead[list(board)] = True
        return np.asarray(~dead[self.hands].any(axis=1))


def disjoint_hands(first: CardArray, second: CardArray) -> NDArray[np.bool_]:
    """Return for every hand of `first` (rows) and of `second` (columns) whether they share no card.

    >>> disjoint_hands(np.array([[0, 1], [2, 3]]), np.array([[1, 2], [4, 5]]))
    array([[False,  True],
           [False,  True]])
    """
    sets = [np.left_shift(np.uint64(1), hands.astype(np.uint64)).sum(axis=1) for hands in (first, second)]
    return np.asarray((sets[0][:, None] & sets[1]) == 0)


def compatible_mass(own: CardArray, other: CardArray, reach: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return, for each own hand, the sum of a reach over the other's hands that share no card with it.

    >>> compatible_mass(np.array([[0, 1], [6, 7]]), np.array([[1, 2], [4, 5]]), np.array([0.5, 2.0]))
    array([2. , 2.5])
    """
    low, high = other.T.astype(np.int64)
    by_card = np.bincount(low, reach, 52) + np.bincount(high, reach, 52)
    same = np.zeros((52, 52))
    same[low, high] = reach
    mine = own.astype(np.int64)
    left = reach.sum() - by_card[mine[:, 0]] - by_card[mine[:, 1]] + same[mine[:, 0], mine[:, 1]]
    return np.asarray(left)


STANDARD_DECK = Deck()
SHORT_DECK = Deck(ranks=9, ranking="short")


def parse_card(text: str, deck: Deck = STANDARD_DECK) -> Card:
    """Return the number of one card.

    >>> parse_card("As")
    48
    >>> parse_card("1s")
    Traceback (most recent call last):
    counterpoise.errors.InputError: '1s' is not a card: write a rank of 23456789TJQKA and a suit of shdc, such as Qs
    """
    rank = RANKS.find(text[:1].upper()) if len(text) == 2 else -1
    suit = SUITS.find(text[1:].lower())
    if rank < 0 or suit < 0:
        raise InputError(f"{text!r} is not a card: write a rank of {RANKS} and a suit of {SUITS}, such as Qs")
    card = 4 * rank + suit
    if card not in deck:
        raise InputError(f"card {format_card(card)} is not in the deck of {_describe(deck)}")
    return card


def parse_cards(text: str, deck: Deck = STANDARD_DECK) -> list[Card]:
    """Return the numbers of several cards, with or without spaces or commas between them; no card may come twice.

    >>> parse_cards("Qs Jh 2h 8d") == parse_cards("QsJh2h8d") == parse_cards("Qs,Jh,2h,8d") == [40, 37, 1, 26]
    True
    >>> parse_cards("Qs Jh Qs")
    Traceback (most recent call last):
    counterpoise.errors.InputError: card Qs is repeated in 'Qs Jh Qs'
    """
    cards: list[Card] = []
    for name in (name for piece in text.replace(",", " ").split() for name in split_cards(piece)):
        card = parse_card(name, deck)
        if card in cards:
            raise InputError(f"card {format_card(card)} is repeated in {text!r}")
        cards.append(card)
    return cards


def split_cards(text: str) -> list[str]:
    """Split cards that are written without spaces into their names.

    >>> split_cards("QsJh2d")
    ['Qs', 'Jh', '2d']
    """
    return [text[at : at + 2] for at in range(0, len(text), 2)]


def parse_hand(text: str, deck: Deck = STANDARD_DECK) -> int:
    """Return the index of a hand, its two cards in either order.

    >>> parse_hand("AsKh"), parse_hand("Kh As")
    (1307, 1307)
    """
    if sum(map(str.isalnum, text)) != 4:
        raise InputError(f"a hand has two cards, each with its suit, such as AsKh, not {text!r}")
    first, second = parse_cards(text, deck)
    return int(deck.hand_table[first, second])


def format_card(card: Card) -> str:
    """Return the two letters of a card.

    >>> format_card(48)
    'As'
    """
    if not 0 <= card < 52:
        raise InputError(f"a card is a number from 0 to 51, not {card}")
    return RANKS[card // 4] + SUITS[card % 4]


def format_cards(cards: Iterable[Card], separator: str = " ") -> str:
    """Return several cards in words.

    >>> format_cards([40, 37, 1, 26])
    'Qs Jh 2h 8d'
    """
    return separator.join(format_card(card) for card in cards)


def check_cards(cards: Sequence[Card], deck: Deck = STANDARD_DECK, what: str = "board") -> None:
    """Refuse a list of card numbers that holds a card twice or a card that the deck does not have."""
    _require_cards(np.asarray(cards, dtype=np.int64), deck)
    if len(set(cards)) < len(cards):
        twice = next(card for card in cards if list(cards).count(card) > 1)
        raise InputError(f"card {format_card(twice)} is repeated in the {what} {format_cards(cards)!r}")


def _require_cards(cards: NDArray[np.integer], deck: Deck) -> None:
    bad = ~np.isin(cards, deck.cards)
    if np.any(bad):
        card = int(cards[bad].flat[0])
        raise InputError(f"card {format_card(card)} is not in the deck of {_describe(deck)}")


def _describe(deck: Deck) -> str:
    return f"{deck.size} cards (ranks {deck.names[0]} to A, suits {', '.join(SUITS[: deck.suits])})"


def frozen(array: NDArray[Number]) -> NDArray[Number]:
    """Forbid writing to an array and return it; kernels are compiled once more for arrays that may be written."""
    array.flags.writeable = False
    return array
