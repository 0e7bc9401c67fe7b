"""Decide whether a strategy of one game of hold'em can be followed at the table of another, and describe the
differences."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from fractions import Fraction

from counterpoise.games.base import Game
from counterpoise.games.holdem import Holdem
from counterpoise.search.action_translation import chip_scale, scaled

MENU_FIELDS = ("sizes", "max_bets", "button_sizes")
"""Fields of hold'em that define the menu of bets."""
TABLE_FIELDS = ("stack", "stacks", "blinds", "bets", "ante", "rake", "rake_cap", "whole_chips")
"""Fields in which a table may differ from a strategy's game: blinds in proportion, stacks of no more big blinds, antes,
rake, and how odd chips are settled."""


def same_but_for_bets(game: Game, other: Game) -> bool:
    """Return whether two games of hold'em have the same cards and the same betting but for the menu."""
    return type(game) is type(other) and all(
        getattr(game, field.name) == getattr(other, field.name)
        for field in dataclasses.fields(game)  # type: ignore[arg-type]
        if field.name not in MENU_FIELDS
    )


def why_untranslatable(game: Game, home: Holdem) -> str:
    """Return why a strategy of one game of hold'em cannot be followed in another, "" if it can.

    The menu of bets, antes and rake may differ; blinds, and bets of limit hold'em, must be in proportion; stacks may be
    smaller, counted in big blinds, but not larger: a strategy says nothing about chips it never had.

    >>> from counterpoise.games import load
    >>> why_untranslatable(load("no_limit_holdem(stack=100, blinds=[1, 2], ante=1, rake=5)"), load("no_limit_holdem"))
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
    table, known, scale = game.betting, home.betting, chip_scale(home.betting, game.betting)
    if scaled(known.blinds, scale) != table.blinds:
        return f"blinds must be in the proportion of {_listed(known.blinds)}, not {_listed(table.blinds)}"
    bets, meant = table.limit or (), scaled(known.limit or (), scale)
    if bets != meant:
        return f"bets must be {_listed(meant)} at these blinds, not {_listed(bets)}"
    deepest, most = sorted(table.stacks)[-2], scale * min(known.stacks)  # chips that somebody can call
    if table.stacks != scaled(known.stacks, scale) and deepest > most:
        blind = max(table.blinds)
        return (
            f"stacks must be at most {_number(most)} chips, for which it was made, not {deepest:,} "
            f"({float(most / blind):g} big blinds, not {deepest / blind:g})"
        )
    return ""


def differences(agent: object, game: Game, home: Holdem) -> str:
    """Return a sentence about how the table differs from the game of an agent's strategy, "" if it does not."""
    if not isinstance(game, Holdem):
        return ""
    table, known, scale = game.betting, home.betting, chip_scale(home.betting, game.betting)
    told = []
    if scale != 1:
        told.append(f"blinds of {_listed(known.blinds)}: here its bets are scaled with the blinds")
    if table.stacks != scaled(known.stacks, scale):
        chips = _number(scale * max(known.stacks))
        told.append(f"stacks of {chips} chips: with these it plays by translation, worse than with those")
    if table.ante != scale * known.ante:
        told.append(f"{_antes(known.ante)}: with {_antes(table.ante)} it plays by translation, worse than with those")
    if (game.rake, game.rake_cap) != (home.rake, None if home.rake_cap is None else scale * Fraction(home.rake_cap)):
        told.append(f"{_rake(home)}: its blueprint does not know of {_rake(game)}")
    return "; ".join(f"{agent} was made for {one}" for one in told)


def _antes(ante: int) -> str:
    return f"antes of {ante:,}" if ante else "no antes"


def _rake(game: Holdem) -> str:
    if not game.rake:
        return "no rake"
    return f"a rake of {game.rake:g} %" + ("" if game.rake_cap is None else f" up to {game.rake_cap:g} chips")


def _number(chips: Fraction) -> str:
    return f"{float(chips):,.10g}"


def _listed(numbers: Sequence[int | Fraction]) -> str:
    return ", ".join(map(str, numbers))
