"""What is kept of a hand: enough to replay it, in any game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from counterpoise.errors import InputError
from counterpoise.games.base import CHANCE, TERMINAL, Action, Game
from counterpoise.games.holdem import Holdem, HoldemState
from counterpoise.parameters import shown

TOLERANCE = 1e-6
"""How far payoffs in a log may be off, in the game's unit."""


class HandRecord(NamedTuple):
    """A hand that was played: `hand` counts deals, `room` the times that one was played with agents in other seats."""

    hand: int
    room: int
    agents: tuple[str, ...]
    """The name of the agent in each seat."""
    history: tuple[Action, ...]
    """Everything that happened, outcomes of chance included; in hold'em "" is a hand that was not seen."""
    payoffs: tuple[float, ...]
    """What each seat won, in the game's unit."""
    strategies: tuple[str, ...] = ()
    """The id of the strategy that each seat followed in this hand; empty: those in the heading of the log."""


def replay(game: Game, history: Sequence[Action]) -> Iterator[tuple[Any, Action]]:
    """Yield every state of a hand with what happened next, and last the end with "" for nothing.

    An impossible action, and a history that stops before the end or continues after it, raise `InputError`.
    """
    state = game.initial()
    for step in history:
        mover = game.player(state)
        if mover == TERMINAL:
            raise InputError(f"{shown(step)} follows the end of the hand")
        if not isinstance(game, Holdem):  # which checks what it is given
            legal = [one for one, _ in game.chance(state)] if mover == CHANCE else game.actions(state)
            if step not in legal:
                raise InputError(f"{shown(step)} is not possible there: {', '.join(legal[:12])}")
        yield state, step
        state = game.next(state, step)
    if game.player(state) != TERMINAL:
        raise InputError("the hand has no end")
    yield state, ""


def payoffs_of(game: Game, history: Sequence[Action]) -> tuple[float, ...]:
    """Return what each seat wins in a hand, by the rules."""
    *_, (end, _) = replay(game, history)
    return tuple([float(payoff) for payoff in game.payoffs(end)])


def check_record(game: Game, record: HandRecord) -> None:
    """Replay a hand and raise `InputError` unless its payoffs are what the rules say.

    If a hand that went to the showdown was not seen, the rules say what the payoffs sum to, and the least and the most
    that each seat can have won.
    """
    *_, (end, _) = replay(game, record.history)
    if isinstance(game, Holdem) and game.unseen_at_showdown(end):
        _check_bounds(game, end, record.payoffs)
        return
    payoffs = tuple([float(payoff) for payoff in game.payoffs(end)])
    if len(payoffs) != len(record.payoffs) or any(
        not abs(own - other) <= TOLERANCE for own, other in zip(payoffs, record.payoffs, strict=True)
    ):
        said = "|".join(f"{payoff:g}" for payoff in record.payoffs)
        wrong = "" if abs(sum(record.payoffs) - sum(payoffs)) <= TOLERANCE else ", which do not sum to 0"
        wrong = wrong if abs(sum(payoffs)) <= TOLERANCE else ""
        raise InputError(
            f"the payoffs are {said}{wrong}; the rules say {'|'.join(f'{payoff:g}' for payoff in payoffs)}"
        )


def _check_bounds(game: Holdem, end: HoldemState, payoffs: Sequence[float]) -> None:
    """Raise `InputError` unless payoffs are possible at a showdown with hands that were not seen."""
    if len(payoffs) != game.seats:
        raise InputError(f"there must be {game.seats} payoffs, one for each seat, not {len(payoffs)}")
    alike = sum(game.settle(end.betting, [0] * game.seats))
    if not abs(sum(payoffs) - alike) <= TOLERANCE:
        raise InputError(f"the payoffs {'|'.join(f'{payoff:g}' for payoff in payoffs)} do not sum to {alike:g}")
    for seat, payoff in enumerate(payoffs):
        least, most = (
            game.settle(end.betting, [best == (other == seat) for other in range(game.seats)])[seat]
            for best in (False, True)
        )
        if not least - TOLERANCE <= payoff <= most + TOLERANCE:
            raise InputError(f"seat {seat} can have won {least:g} to {most:g} chips, not {payoff:g}")
