"""Commands that name what hands have made on a board, and what they may still become."""

from __future__ import annotations

from counterpoise.cards import STANDARD_DECK, parse_cards
from counterpoise.cards.draws import FLUSH_DRAW, GUTSHOT, OPEN_ENDED, describe_hands
from counterpoise.cards.evaluator import category_names
from counterpoise.errors import InputError
from counterpoise.upi.arguments import require_count
from counterpoise.upi.commands import Answer, command
from counterpoise.upi.hand_order import DECK_NUMBERS
from counterpoise.upi.session import Session

DRAWS: dict[tuple[str, ...], str] = {
    (): "no draw",
    (GUTSHOT,): GUTSHOT,
    (OPEN_ENDED,): OPEN_ENDED,
    (FLUSH_DRAW,): FLUSH_DRAW,
    (FLUSH_DRAW, GUTSHOT): "flush draw and gutshot",
    (FLUSH_DRAW, OPEN_ENDED): "flush draw and open-ended straight draw",
}
"""The draws that a hand may have together, and what they are called."""


@command("show_category_names", during="at once")
def show_category_names(session: Session, words: list[str]) -> Answer:
    """Show the names of what hands have made, the weakest first, and in a second line those of draws."""
    require_count(words, 0)
    return [" ".join(name.replace(" ", "_") for name in names) for names in (category_names(), DRAWS.values())]


@command("show_categories", "CARDS", during="at once")
def show_categories(session: Session, words: list[str]) -> Answer:
    """Show for every hand on a board which of these names is its own, counted from 0, and in a second line its draw."""
    board = parse_cards(" ".join(words))
    if not 3 <= len(board) <= 5:
        raise InputError(f"the board must have 3 to 5 cards, not {len(board)}")
    hands = STANDARD_DECK.hands[DECK_NUMBERS]
    found = describe_hands(board, hands)
    # A hand that shares a card with the board has made nothing, and counts as the weakest.
    made = [category_names().index(one.made) if one.made else 0 for one in found]
    draws = [list(DRAWS).index(one.draws) if one.made else 0 for one in found]
    return [" ".join(map(str, numbers)) for numbers in (made, draws)]
