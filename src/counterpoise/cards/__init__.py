"""Cards: decks, hand strength, suit isomorphism and ranges, as arrays of small numbers.

Nothing here knows a game's betting. Hands of two cards are numbered 0..1325 (`Deck.hands`), and every vector over
hands, in this package and above it, is in that order.
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.cards.deck import (
        NO_HAND as NO_HAND,
        RANKS as RANKS,
        SHORT_DECK as SHORT_DECK,
        STANDARD_DECK as STANDARD_DECK,
        SUITS as SUITS,
        Card as Card,
        CardArray as CardArray,
        Deck as Deck,
        HandArray as HandArray,
        Ranking as Ranking,
        check_cards as check_cards,
        compatible_mass as compatible_mass,
        disjoint_hands as disjoint_hands,
        format_card as format_card,
        format_cards as format_cards,
        parse_card as parse_card,
        parse_cards as parse_cards,
        parse_hand as parse_hand,
    )
    from counterpoise.cards.evaluator import (
        StrengthArray as StrengthArray,
        board_strengths as board_strengths,
        category as category,
        category_names as category_names,
        category_numbers as category_numbers,
        evaluate as evaluate,
        strength_count as strength_count,
        strength_tables as strength_tables,
        strengths as strengths,
    )
    from counterpoise.cards.isomorphism import (
        HOLDEM_ROUNDS as HOLDEM_ROUNDS,
        Isomorphism as Isomorphism,
        isomorphism as isomorphism,
    )
    from counterpoise.cards.kernels.evaluator import StrengthTables as StrengthTables
    from counterpoise.cards.ranges import Range as Range
    from counterpoise.cards.symmetry import (
        Orbits as Orbits,
        SuitSymmetry as SuitSymmetry,
        suit_symmetry as suit_symmetry,
    )

import_lazily(__name__)
