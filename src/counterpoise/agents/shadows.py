"""Where a strategy of hold'em believes to be when the table has seen bets that its game lacks (action translation).

The player is in its own game only as a *shadow* of where it really is. After a bet that its game lacks a shadow has
seen one of the two neighbouring bets, at random; so there may be several, each with the probability of the translations
that led there and with the player's own reach on the way. A hand plays the mixture of what it plays at its shadows,
weighted by both. `counterpoise.abstraction.translation` has the mapping, `counterpoise.search.translation` the same
idea for public trees of two players.

1. A shadow's bet is made as the same share of the real pot, within the legal limits; all-in stays all-in. Where the
   stacks at the table are smaller than in the strategy's game, an opponent's all-in is a bet of its share of the pot.
2. Where a shadow cannot answer, because a bet was none to it or its hand is over, the player checks or calls.
3. When cards are dealt, a shadow whose round is not over sees everybody check or call.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol

from counterpoise.abstraction.translation import Translation, translate
from counterpoise.betting.rules import CALL, FOLD, BetAction, Betting, BettingState
from counterpoise.betting.sizes import label, read_label
from counterpoise.games.base import CHANCE, Action, Game
from counterpoise.games.holdem import Holdem
from counterpoise.search.translation import pot_share

CHECK_OR_CALL = label(CALL)
MENU_FIELDS = ("sizes", "max_bets", "button_sizes")
"""Fields of hold'em that say which bets there are to choose from."""
TABLE_FIELDS = ("stack", "stacks", "whole_chips")
"""Fields in which a table may differ from a strategy's game: smaller stacks, and how odd chips are settled."""
Answers = Callable[[tuple[str, ...], str], Mapping[Action, float]]
"""From a public history of the strategy's own game and a hand to the probabilities of its actions."""


class BettingRules(Protocol):
    """The betting of a game of hold'em: its rules, and the actions that are listed at each decision."""

    @property
    def betting(self) -> Betting:
        """The rules of betting."""

    def menu(self, betting: BettingState) -> Sequence[BetAction]:
        """Return the actions that are listed at a decision."""

    def betting_next(self, state: BettingState, event: str) -> BettingState:
        """Return the betting after one more public event."""


class Shadow(NamedTuple):
    """A place in the strategy's own game, and how likely it is."""

    betting: BettingState
    line: tuple[str, ...]
    chance: float
    """How likely translations lead here."""
    reach: float
    """How likely the player's own actions do."""


class Shadows:
    """Follows real play with the shadows of one seat, whose strategy in its own game `answers` knows."""

    def __init__(self, home: Holdem, real: Holdem, answers: Answers, seat: int, translation: Translation) -> None:
        self._home, self._real, self._strategy, self._seat, self._translation = home, real, answers, seat, translation
        self._after = lru_cache(maxsize=64)(self._follow)

    def mixture(self, public: tuple[str, ...], hand: str) -> dict[Action, float]:
        """Return the probabilities of a hand's real actions after a public history, in which the seat is to act."""
        real, shadows = self._after(public, hand)
        if not any(shadow.reach > 0 for shadow in shadows):  # then believe in the translations alone
            shadows = [shadow._replace(reach=1.0) for shadow in shadows]
        total = sum(shadow.chance * shadow.reach for shadow in shadows)
        mixed: dict[Action, float] = {}
        for shadow in shadows:
            for made, following in self._answers(real, shadow, hand):
                mixed[made] = mixed.get(made, 0.0) + following.chance * following.reach / total
        return mixed

    def _follow(self, public: tuple[str, ...], hand: str) -> tuple[BettingState, list[Shadow]]:
        """Return the real betting after a public history and the shadows there."""
        if not public:
            start = self._home.betting_after(())
            return self._real.betting_after(()), [Shadow(start, (), 1.0, 1.0)]
        real, shadows = self._after(public[:-1], hand)
        event = public[-1]
        after = self._real.betting_next(real, event)
        if event[:1] not in ("f", "c", "b"):
            deal = self._dealt if real.to_act == CHANCE else self._play  # else it is the board with which a spot begins
            return after, [deal(shadow, event) for shadow in shadows]
        move = self._moved if real.to_act == self._seat else self._heard
        return after, [following for shadow in shadows for following in move(real, shadow, event, hand)]

    def _play(self, shadow: Shadow, action: Action, chance: float = 1.0, reach: float = 1.0) -> Shadow:
        line = (*shadow.line, action)
        betting = self._home.betting_next(shadow.betting, action)
        return Shadow(betting, line, shadow.chance * chance, shadow.reach * reach)

    def _dealt(self, shadow: Shadow, cards: str) -> Shadow:
        while shadow.betting.to_act >= 0:
            shadow = self._play(shadow, CHECK_OR_CALL)
        return self._play(shadow, cards) if shadow.betting.to_act == CHANCE else shadow

    def _answers(self, real: BettingState, shadow: Shadow, hand: str) -> list[tuple[Action, Shadow]]:
        """Return what the player may really do because of a shadow, and the shadow after that."""
        if shadow.betting.to_act != self._seat:
            return [(CHECK_OR_CALL, shadow)]
        chosen = self._strategy(shadow.line, hand)
        return [
            (
                label(made(self._home, self._real, shadow.betting, real, read_label(action))),
                self._play(shadow, action, reach=share),
            )
            for action, share in chosen.items()
            if share > 0
        ]

    def _moved(self, real: BettingState, shadow: Shadow, event: str, hand: str) -> list[Shadow]:
        """Return where a shadow is after the player's own action, or where it was if it would not have acted so."""
        found = [following for made, following in self._answers(real, shadow, hand) if made == event]
        return found or [shadow._replace(reach=0.0)]

    def _heard(self, real: BettingState, shadow: Shadow, event: str, hand: str) -> list[Shadow]:
        """Return where a shadow is after an action of another seat, translated."""
        if shadow.betting.to_act != real.to_act:
            return [shadow]
        likely = believed(self._home, self._real, shadow.betting, real, event, self._translation)
        return [self._play(shadow, action, share) for action, share in likely.items() if share > 0]


def believed(
    home: BettingRules, table: BettingRules, shadow: BettingState, real: BettingState, event: Action, by: Translation
) -> dict[Action, float]:
    """Return what the seat to act is taken to have done in the strategy's own game, with probabilities.

    `shadow` and `real` are the betting there and at the table, with the same seat to act.
    """
    action = read_label(event)
    if action == FOLD:
        return {event if shadow.to_call else CHECK_OR_CALL: 1.0}
    menu = [one for one in home.menu(shadow) if one != FOLD]
    if action in menu and shadow.paid == real.paid:
        return {event: 1.0}
    all_in = action != CALL and action == _all_in(table.betting, real) and not all_in_for_less(home, table, real, event)
    if all_in and _all_in(home.betting, shadow) in menu:
        return {label(_all_in(home.betting, shadow)): 1.0}
    sizes = {pot_share(home.betting, shadow, one): label(one) for one in menu}
    likely = translate(pot_share(table.betting, real, action), sizes, by)
    return {sizes[size]: share for size, share in likely.items()}


def made(
    home: BettingRules, table: BettingRules, shadow: BettingState, real: BettingState, action: BetAction
) -> BetAction:
    """Return the action at the table for which one in the strategy's own game stands, always a legal one."""
    if action == FOLD:
        return FOLD if real.to_call else CALL
    if action == CALL or not real.max_raise:
        return CALL
    if action == _all_in(home.betting, shadow):
        return _all_in(table.betting, real)
    pot = table.betting.total_pot(real) + real.to_call
    total = real.stake + round(pot_share(home.betting, shadow, action) * pot)
    return min(max(total, real.min_raise), real.max_raise)


def all_in_for_less(home: BettingRules, table: BettingRules, real: BettingState, event: Action) -> bool:
    """Return whether an action is all-in at a table where stacks are smaller than in the strategy's own game."""
    action = read_label(event)
    smaller = home.betting.stacks != table.betting.stacks
    return smaller and action not in (FOLD, CALL) and action == _all_in(table.betting, real)


def _all_in(betting: Betting, state: BettingState) -> BetAction:
    """Return the largest bet that an opponent can call, or the smallest allowed if that is more."""
    return max(state.min_raise, min(state.max_raise, betting.reachable(state)))


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
