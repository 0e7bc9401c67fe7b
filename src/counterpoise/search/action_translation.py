"""Action translation: what a bet at the table is taken for in a strategy's own game, and the other way round.

A strategy knows the bets of its own game. `translate_action` says for which of them an action at the table is taken,
with probabilities; `to_table_action` which action at the table one of its own stands for.

1. A bet is compared by its share of the pot after a call (`pot_share`). `counterpoise.abstraction.translation` has the
   mappings between shares.
2. All-in stays all-in. Where the stacks at the table are smaller than in the strategy's game, an opponent's all-in is
   a bet of its share of the pot.
3. When cards are dealt, whoever is still to act in the strategy's own game checks or calls (`check_down`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from counterpoise.abstraction.translation import Translation, translate
from counterpoise.betting.rules import CALL, FOLD, BetAction, Betting, BettingState
from counterpoise.betting.sizes import label, read_label
from counterpoise.games.base import Action

CHECK_OR_CALL = label(CALL)
T = TypeVar("T")


class BettingRules(Protocol):
    """The betting of a game of hold'em: its rules, and the actions that are listed at each decision."""

    @property
    def betting(self) -> Betting:
        """The rules of betting."""

    def menu(self, betting: BettingState) -> Sequence[BetAction]:
        """Return the actions that are listed at a decision."""

    def betting_next(self, state: BettingState, event: str) -> BettingState:
        """Return the betting after one more public event."""


def translate_action(
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
    everything = action != CALL and action == all_in(table.betting, real)
    if everything and not all_in_for_less(home, table, real, event) and all_in(home.betting, shadow) in menu:
        return {label(all_in(home.betting, shadow)): 1.0}
    sizes = {pot_share(home.betting, shadow, one): label(one) for one in menu}
    likely = translate(pot_share(table.betting, real, action), sizes, by)
    return {sizes[size]: share for size, share in likely.items()}


def to_table_action(
    home: BettingRules, table: BettingRules, shadow: BettingState, real: BettingState, action: BetAction
) -> BetAction:
    """Return the action at the table for which one in the strategy's own game stands, always a legal one."""
    if action == FOLD:
        return FOLD if real.to_call else CALL
    if action == CALL or not real.max_raise:
        return CALL
    if action == all_in(home.betting, shadow):
        return all_in(table.betting, real)
    pot = table.betting.total_pot(real) + real.to_call
    total = real.stake + round(pot_share(home.betting, shadow, action) * pot)
    return min(max(total, real.min_raise), real.max_raise)


def check_down(at: T, to_act: Callable[[T], bool], call: Callable[[T], T]) -> T:
    """Return the place where nobody is to act any more because everybody has checked or called."""
    while to_act(at):
        at = call(at)
    return at


def all_in_for_less(home: BettingRules, table: BettingRules, real: BettingState, event: Action) -> bool:
    """Return whether an action is all-in at a table where stacks are smaller than in the strategy's own game."""
    action = read_label(event)
    smaller = home.betting.stacks != table.betting.stacks
    return smaller and action not in (FOLD, CALL) and action == all_in(table.betting, real)


def all_in(betting: Betting, state: BettingState) -> BetAction:
    """Return the largest bet that an opponent can call, or the smallest allowed if that is more."""
    return max(state.min_raise, min(state.max_raise, betting.reachable(state)))


def pot_share(betting: Betting, state: BettingState, action: BetAction) -> float:
    """Return a bet as a share of the pot after a call; 0 for a check or call.

    >>> betting = Betting((1000, 1000), blinds=(50, 100))
    >>> pot_share(betting, betting.initial(), 250)
    0.75
    """
    if action == CALL:
        return 0.0
    return (action - state.stake) / pot_after_call(betting, state)


def pot_after_call(betting: Betting, state: BettingState) -> int:
    """Return the pot after a call."""
    return betting.total_pot(state) + state.to_call
