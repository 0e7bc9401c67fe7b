"""Players and actions in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from counterpoise.betting.rules import CALL, FOLD, BetAction, Betting, BettingState
from counterpoise.betting.sizes import label
from counterpoise.errors import InputError
from counterpoise.parameters import shown

if TYPE_CHECKING:
    from counterpoise.plots.grid import ActionKind

PLAYERS = ("oop", "ip")


def seat_of(player: str) -> int:
    """Return 0 for "oop", 1 for "ip"."""
    if player not in PLAYERS:
        raise InputError(f"player must be oop or ip, not {shown(player)}")
    return PLAYERS.index(player)


def action_kind(action: BetAction) -> ActionKind:
    """Return what an action is to the eye: folding, checking or calling, betting."""
    return "fold" if action == FOLD else "passive" if action == CALL else "bet"


def action_names(actions: tuple[BetAction, ...], betting: Betting, state: BettingState) -> dict[str, int]:
    """Map every way to write an action here to its place: "c", "check" or "call", "f" and "fold", "b50", "allin"."""
    names: dict[str, int] = {}
    for place, action in enumerate(actions):
        names[label(action)] = place
        if action == CALL:
            names["call" if state.to_call else "check"] = place
        elif action == FOLD:
            names["fold"] = place
        elif action == betting.reachable(state):
            names["allin"] = place
    return names


def describe(action: BetAction, state: BettingState, betting: Betting) -> str:
    """Return an action as players say it, in chips of this street: "check", "bet 50", "raise to 150", "all-in 400".

    Ids of nodes have totals since the root instead.
    """
    if action == FOLD:
        return "fold"
    if action == CALL:
        return "call" if state.to_call else "check"
    chips = action - state.round_stake
    if action == betting.reachable(state):
        return f"all-in {chips}"
    return f"raise to {chips}" if state.bets else f"bet {chips}"
