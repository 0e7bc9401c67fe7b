"""Strength of all hands on all boards of the last street, and the streets of a game of hold'em."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np
from numpy.typing import NDArray

from counterpoise.abstraction.boards import BOARD_CARDS, STREETS, BoardClasses, board_classes
from counterpoise.abstraction.kernels import strength as kernels
from counterpoise.cards import HOLDEM_ROUNDS, STANDARD_DECK, Card, Deck, isomorphism, strength_tables
from counterpoise.errors import InputError
from counterpoise.jobs.pieces import Work, pieces
from counterpoise.parameters import require_whole

BOARDS_AT_ONCE = 256


@dataclass(frozen=True)
class HoldemCards:
    """The cards of a hold'em game: its deck and how many streets are played.

    With two streets the flop is the last: strength there is that of five cards (the [2-4] games of Johanson 2016,
    chapter 4).
    """

    deck: Deck = STANDARD_DECK
    streets: int = 4

    def __post_init__(self) -> None:
        require_whole("streets", self.streets, 2, 4)
        if self.deck.size < BOARD_CARDS[self.last] + 4:
            raise InputError(
                f"a deck of {self.deck.size} cards is too small for two hands and {BOARD_CARDS[self.last]} board cards"
            )

    @property
    def last(self) -> int:
        """Number of the last street."""
        return self.streets - 1

    @property
    def names(self) -> tuple[str, ...]:
        """What the streets are called."""
        return STREETS[: self.streets]

    def boards(self, street: int) -> BoardClasses:
        """Return the classes of boards of a street."""
        return board_classes(self.deck, BOARD_CARDS[street])

    def classes(self, street: int) -> int:
        """Return how many hands a player with perfect recall can tell apart up to suits (Johanson 2016, chapter 5)."""
        return isomorphism(HOLDEM_ROUNDS[street], self.deck).size

    def unordered_classes(self, street: int) -> int:
        """Return how many there are if the order of the board's cards is forgotten."""
        return isomorphism((2, BOARD_CARDS[street]) if street else (2,), self.deck).size

    @cached_property
    def most_wins(self) -> int:
        """Twice the number of hands that an opponent may hold on the last street: 1,980 on the river."""
        return 2 * comb(self.deck.size - BOARD_CARDS[self.last] - 2, 2)

    def completions(self, street: int) -> int:
        """Return how many full boards may follow a hand on a board of the street."""
        held = BOARD_CARDS[street]
        return comb(self.deck.size - 2 - held, BOARD_CARDS[self.last] - held)


def last_street_wins(cards: HoldemCards, work: Work) -> NDArray[np.uint16]:
    """Return twice the wins plus the ties of every hand on every board of the last street, 65535 where it is dead.

    Divided by `HoldemCards.most_wins` this is hand strength (Johanson 2016, section 5.3).
    """
    boards = cards.boards(cards.last)
    return wins_on_boards(boards, work, f"{boards.size:,} boards of the {cards.names[-1]}")


def wins_on_boards(boards: BoardClasses, work: Work, figure: str) -> NDArray[np.uint16]:
    """Return twice the wins plus the ties of every hand on every full board, 65535 where it is dead."""
    out = np.empty((boards.size, boards.deck.hand_count), dtype=np.uint16)
    tables = strength_tables(boards.deck.ranking)

    def do(begin: int, end: int) -> None:
        kernels.strength_table(boards.cards[begin:end], boards.deck.hands, tables, out[begin:end])

    work.run(pieces(boards.size, BOARDS_AT_ONCE), do, figure)
    return out


def board_wins(cards: HoldemCards, board: Sequence[Card]) -> NDArray[np.uint16]:
    """Return the row of `last_street_wins` for one board that is dealt."""
    out = np.empty((1, cards.deck.hand_count), dtype=np.uint16)
    row = np.array([board], dtype=np.uint8)
    kernels.strength_table(row, cards.deck.hands, strength_tables(cards.deck.ranking), out)
    return np.asarray(out[0])
