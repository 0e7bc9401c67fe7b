"""Action translation between the bets at a table and those of the game that a strategy was made for.

A strategy knows the bets of its own game. `table_action` turns one of them into an action at the table;
`translate_action` maps an action at the table to some of them, with probabilities.

1. Bets are compared by their size, in hold'em the share of the pot after a call (`ChipBets`), in other games what the
   name of the action says (`NamedBets`). `counterpoise.abstraction.translation` has the mappings between sizes. So
   blinds may differ if they are in proportion (`chip_scale`).
2. A bet at the table that equals one of the strategy's own is translated to that one: all-in stays all-in, and sizes
   that differ only by the rounding to whole chips are equal (`same_as`). Where the stacks at the table are smaller than
   in the strategy's game, an opponent's all-in is a bet of its size.
3. To look up values, rather than to follow play, the most similar actions are taken instead (`similar_actions`).
4. When cards are dealt, whoever is still to act in the strategy's own game checks or calls (`check_down`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, TypeVar

from counterpoise.abstraction.translation import Translation, translate
from counterpoise.betting.rules import CALL, FOLD, BetAction, Betting, BettingState
from counterpoise.betting.sizes import label
from counterpoise.errors import InputError

CHECK_OR_CALL = label(CALL)
Step = Any
"""An action: a number of chips in hold'em, a word in other games."""
SizeOf = Callable[[str], float | None]
"""From an action of a small game to its size: 0 for a check or call, None for a fold."""
T = TypeVar("T")


@dataclass(frozen=True)
class ChipBets:
    """The bets of hold'em where a seat is to act."""

    betting: Betting
    state: BettingState
    listed: Sequence[BetAction] | None = None
    """The actions to choose from at a table; None: all that the rules allow."""

    call: ClassVar[BetAction] = CALL
    """What checks or calls."""

    def size(self, action: BetAction) -> float | None:
        """Return a bet as a share of the pot after a call; 0 for a check or call, None for a fold."""
        return None if action == FOLD else pot_share(self.betting, self.state, action)

    def table_action(self, table: ChipBets, action: BetAction) -> BetAction:
        """Return the action at the table for one of the strategy's own game; it is always a legal one."""
        real = table.state
        if action == FOLD:
            return FOLD if real.to_call else CALL
        if action == CALL or not real.max_raise:
            return CALL
        if action == all_in(self.betting, self.state):
            meant = all_in(table.betting, real)
        else:
            total = real.stake + round(
                pot_share(self.betting, self.state, action) * pot_after_call(table.betting, real)
            )
            meant = min(max(total, real.min_raise), real.max_raise)
        return meant if table.listed is None else nearest_bet(meant, table.listed)

    def same_as(self, table: ChipBets, action: BetAction, own: Sequence[BetAction]) -> list[BetAction]:
        """Return those of the strategy's `own` actions that equal an action at the table but for rounding to chips.

        No action equals an all-in at a table where stacks are smaller than in the strategy's game.
        """
        smaller = scaled(self.betting.stacks, chip_scale(self.betting, table.betting)) != table.betting.stacks
        if smaller and CALL < action == all_in(table.betting, table.state):
            return []
        anything = replace(table, listed=None)
        found = [one for one in own if self.table_action(anything, one) == action]
        if found or action <= CALL:
            return found
        share = pot_share(table.betting, table.state, action)
        total = self.state.stake + round(share * pot_after_call(self.betting, self.state))
        return [total] if total in own else []


@dataclass(frozen=True)
class NamedBets:
    """The actions where a seat is to act in a game whose actions are words; "c" checks or calls."""

    listed: Sequence[str]
    size_of: SizeOf

    call: ClassVar[str] = CHECK_OR_CALL
    """What checks or calls."""

    def size(self, action: str) -> float | None:
        """Return the size of a bet; 0 for a check or call, None for a fold."""
        return self.size_of(action)

    def table_action(self, table: NamedBets, action: str) -> str:
        """Return the action at the table for one of the strategy's own game: the same one, or a call if the table
        lacks it."""
        return action if action in table.listed else self.call

    def same_as(self, table: NamedBets, action: str, own: Sequence[str]) -> list[str]:
        """Return those of the strategy's `own` actions that equal an action at the table."""
        return [one for one in own if self.table_action(table, one) == action]


Bets = ChipBets | NamedBets
B = TypeVar("B", ChipBets, NamedBets)


def translate_action(
    own: Sequence[Step], bets: B, table: B, action: Step, translation: Translation
) -> dict[Step, float]:
    """Return the probabilities with which an action at the table is translated to each of a strategy's `own` actions.

    `bets` and `table` are the bets where the same seat is to act in the strategy's game and at the table.
    """
    if same := bets.same_as(table, action, own):
        return dict.fromkeys(same, 1 / len(same))
    size = table.size(action)
    if size is None:
        return {action if action in own else bets.call: 1.0}
    sizes = {known: one for one in own if (known := bets.size(one)) is not None}
    return {sizes[known]: share for known, share in translate(size, sizes, translation).items() if share > 0}


def similar_actions(own: Sequence[BetAction], bets: ChipBets, table: ChipBets, action: BetAction) -> list[BetAction]:
    """Return those of a strategy's `own` actions that are most similar to one at the table, without probabilities.

    These are one action, or both neighbours of a bet between two of them, the nearer first. All-in is the largest bet.
    """
    if action <= CALL or (action in own and bets.state == table.state):
        return [action if action in own else CALL]
    known = [bet for bet in own if bet > CALL]
    if not known:
        return [CALL]
    if action >= min(table.state.max_raise, table.betting.reachable(table.state)):
        return known[-1:]
    share = pot_share(table.betting, table.state, action)
    apart = {bet: pot_share(bets.betting, bets.state, bet) - share for bet in known}
    nearest = min(known, key=lambda bet: abs(apart[bet]))
    pot = min(bets.betting.total_pot(bets.state), table.betting.total_pot(table.state))
    second = [bet for bet in known if apart[bet] * apart[nearest] < 0]
    if abs(apart[nearest]) * pot <= 1 or not second:  # the same but for the rounding to chips, or outside all bets
        return [nearest]
    return [nearest, min(second, key=lambda bet: abs(apart[bet]))]


def nearest_bet(meant: BetAction, listed: Sequence[BetAction]) -> BetAction:
    """Return the listed action that is nearest to one: a fold or call stays itself, a bet becomes the nearest bet.

    Where no bet is listed, a bet becomes a call.

    >>> nearest_bet(250, (FOLD, CALL, 200, 400)), nearest_bet(250, (FOLD, CALL))
    (200, 0)
    """
    if meant in listed:
        return meant
    bets = [bet for bet in listed if bet > CALL]
    return CALL if meant <= CALL or not bets else min(bets, key=lambda bet: abs(bet - meant))


def check_down(at: T, to_act: Callable[[T], bool], call: Callable[[T], T]) -> T:
    """Return the place after all remaining players have checked or called, where no one is to act."""
    while to_act(at):
        at = call(at)
    return at


def chip_scale(home: Betting, table: Betting) -> Fraction:
    """Return how many chips at the table stand for one of the strategy's own game: the ratio of the big blinds.

    >>> chip_scale(Betting((200, 200), blinds=(1, 2)), Betting((20_000, 20_000), blinds=(50, 100)))
    Fraction(50, 1)
    """
    return Fraction(table.blinds[1], home.blinds[1]) if table.blinds[1] and home.blinds[1] else Fraction(1)


def scaled(chips: Sequence[int], scale: Fraction) -> tuple[int | Fraction, ...]:
    """Return amounts of the strategy's own game in chips of the table."""
    return tuple([one * scale for one in chips])


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


def bet_size(action: str) -> float | None:
    """Return the size in an action's name: 0.75 of "r0.75", 0 of "c" (check or call), nothing for "f" (fold)."""
    if action == "f":
        return None
    if action == CHECK_OR_CALL:
        return 0.0
    try:
        return float(action.removeprefix("r"))
    except ValueError:
        raise InputError(f"action {action!r} names no size: give `size_of`, a function from actions to sizes") from None
