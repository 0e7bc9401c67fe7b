"""Whether a strategy of one game of hold'em can be followed at the table of another, and what to say about it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from counterpoise.games.base import Game
from counterpoise.games.holdem import Holdem

MENU_FIELDS = ("sizes", "max_bets", "button_sizes")
"""Fields of hold'em that say which bets there are to choose from."""
TABLE_FIELDS = ("stack", "stacks", "whole_chips")
"""Fields in which a table may differ from a strategy's game: smaller stacks, and how odd chips are settled."""


def same_but_for_bets(game: Game, other: Game) -> bool:
    """Return whether two games of hold'em have the same cards and the same betting but for the menu."""
    return type(game) is type(other) and all(
        getattr(game, field.name) == getattr(other, field.name)
        for field in dataclasses.fields(game)  # type: ignore[arg-type]
        if field.name not in MENU_FIELDS
    )


def why_untranslatable(game: Game, home: Holdem) -> str:
    """Return why a strategy of one game of hold'em cannot be followed in another, "" if it can.

    Only the menu of bets may differ, and stacks may be smaller: a strategy says nothing about chips it never had.

    >>> from counterpoise.games import load
    >>> why_untranslatable(load("no_limit_holdem(stack=100)"), load("no_limit_holdem"))
    ''
    >>> why_untranslatable(load("no_limit_holdem(seats=3)"), load("no_limit_holdem"))
    'it has a strategy for 2 seats, not 3'
    """
    if not isinstance(game, Holdem) or type(game) is not type(home):
        return f"it plays {home.registered_name} only"
    if game.seats != home.seats:
        return f"it has a strategy for {home.seats} seats, not {game.seats}"
    if game.deck != home.deck:
        return f"it knows a deck of {home.deck.size} cards, not {game.deck.size}"
    if game.board != home.board:
        return f"its rounds have {_listed(home.board)} new public cards, not {_listed(game.board)}"
    for field in dataclasses.fields(game):
        own, other = getattr(game, field.name), getattr(home, field.name)
        if field.name not in (*MENU_FIELDS, *TABLE_FIELDS) and own != other:
            return f"{field.name} must be {other}, not {own}"
    deepest, known = sorted(game.betting.stacks)[-2], min(home.betting.stacks)  # chips that somebody can call
    if game.betting.stacks != home.betting.stacks and deepest > known:
        return f"stacks must be at most {known:,} chips, for which it was made, not {deepest:,}"
    return ""


def smaller_stacks(agent: object, game: Game, home: Holdem) -> str:
    """Return what to say where an agent plays with smaller stacks than its strategy was made for, "" where not."""
    if not isinstance(game, Holdem) or game.betting.stacks == home.betting.stacks:
        return ""
    chips = max(home.betting.stacks)
    return f"{agent} was made for stacks of {chips:,} chips: with these it plays by translation, worse than with those"


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
