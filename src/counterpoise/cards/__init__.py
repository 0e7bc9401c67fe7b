"""Cards: decks, hand strength, suit isomorphism and ranges, as arrays of small numbers.

Nothing here knows a game's betting. Hands of two cards are numbered 0..1325 (`Deck.hands`), and every vector over
hands, in this package and above it, is in that order.
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.cards.deck import (
        NO_HAND,
        RANKS,
        SHORT_DECK,
        STANDARD_DECK,
        SUITS,
        Card,
        CardArray,
        Deck,
        HandArray,
        Ranking,
        check_cards,
        disjoint_hands,
        format_card,
        format_cards,
        parse_card,
        parse_cards,
        parse_hand,
    )
    from counterpoise.cards.evaluator import (
        StrengthArray,
        board_strengths,
        category,
        evaluate,
        strength_count,
        strength_tables,
        strengths,
    )
    from counterpoise.cards.isomorphism import HOLDEM_ROUNDS, Isomorphism, isomorphism
    from counterpoise.cards.kernels.evaluator import StrengthTables
    from counterpoise.cards.ranges import Range
    from counterpoise.cards.symmetry import Orbits, SuitSymmetry, suit_symmetry

__all__ = [
    "HOLDEM_ROUNDS",
    "NO_HAND",
    "RANKS",
    "SHORT_DECK",
    "STANDARD_DECK",
    "SUITS",
    "Card",
    "CardArray",
    "Deck",
    "HandArray",
    "Isomorphism",
    "Orbits",
    "Range",
    "Ranking",
    "StrengthArray",
    "StrengthTables",
    "SuitSymmetry",
    "board_strengths",
    "category",
    "check_cards",
    "disjoint_hands",
    "evaluate",
    "format_card",
    "format_cards",
    "isomorphism",
    "parse_card",
    "parse_cards",
    "parse_hand",
    "strength_count",
    "strength_tables",
    "strengths",
    "suit_symmetry",
]

import_lazily(__name__)
