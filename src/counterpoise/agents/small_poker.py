"""Kuhn poker and two-round poker (Leduc and its kin) in words: who did what, the pot, and what each action means.

The betting is public, so it is replayed from the public events with any cards in the hands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from counterpoise.games.base import CHANCE, Action, Game
from counterpoise.games.kuhn import KuhnPoker
from counterpoise.games.moves import CALL, FOLD, action_kinds
from counterpoise.games.two_round_poker import TwoRoundPoker

SmallPoker = KuhnPoker | TwoRoundPoker


@dataclass(frozen=True)
class SmallTable:
    """What all seats see after some public events."""

    rounds: tuple[str, ...]
    """One line for each betting round, such as "round 1: you: check, probe: bet 2"."""
    board: str
    """The public card, empty before it is dealt."""
    pot: float
    """All chips paid so far, antes included."""
    choices: dict[Action, str]
    """What each action of the seat to act means here: "check", "call 2", "raise by 4"."""


def small_table(game: SmallPoker, public: Sequence[str], name_of: Callable[[int], str]) -> SmallTable:
    """Return the table after public events; `name_of` names a seat.

    >>> from counterpoise.games import load
    >>> table = small_table(load("leduc_poker"), ("c", "r"), ["you", "probe"].__getitem__)
    >>> table.rounds, table.pot, table.choices
    (('round 1: you: check, probe: bet 2',), 4.0, {'f': 'fold', 'c': 'call 2', 'r': 'raise by 2'})
    """
    state: Any = game.initial()
    state = game.next(state, game.chance(state)[0][0])
    rounds, board, done = list[str](), "", list[str]()
    heading = "betting" if isinstance(game, KuhnPoker) else "round 1"
    for event in public:
        if " shows " in event:
            break
        if (seat := game.player(state)) == CHANCE:
            rounds.append(f"{heading}: {', '.join(done)}")
            heading, board, done = "round 2", event, []
        else:
            done.append(f"{name_of(seat)}: {_choices(game, state)[event]}")
        state = game.next(state, event)
    if done:
        rounds.append(f"{heading}: {', '.join(done)}")
    choices = _choices(game, state) if game.player(state) >= 0 else {}
    return SmallTable(tuple(rounds), board, sum(_paid(game, state)), choices)


def shown_hands(game: Game, history: Sequence[Action]) -> dict[int, str]:
    """Return the card of each seat at a showdown, given everything that happened in a hand; empty without one."""
    if not isinstance(game, SmallPoker):
        return {}
    state: Any = game.initial()
    for step in history:
        state = game.next(state, step)
    if isinstance(game, TwoRoundPoker):
        live = state.live
    else:
        paid = _paid(game, state)
        live = [seat for seat in range(game.players) if paid[seat] == max(paid)]
    return {seat: game.private(state, seat) for seat in live} if len(live) > 1 else {}


def figure(value: float, sign: str = "") -> str:
    """Return a figure for players: whole from 100 on, else three digits, never in scientific notation.

    >>> figure(-25_000.4), figure(130_812, "+"), figure(1 / 3), figure(1e-9)
    ('-25,000', '+130,812', '0.333', '0')
    """
    return format(value, f"{sign},.0f") if abs(value) >= 100 else format(round(value, 3) + 0.0, f"{sign}.3g")


def _choices(game: SmallPoker, state: Any) -> dict[Action, str]:
    """Return what each action of the seat to act means, with the chips that it adds."""
    actions, seat, paid = game.actions(state), game.player(state), _paid(game, state)
    kinds = action_kinds(game, game.infoset(state), actions)
    assert kinds is not None
    words = {}
    for action, kind in zip(actions, kinds, strict=True):
        if kind == FOLD:
            words[action] = "fold"
        elif kind == CALL:
            words[action] = f"call {figure(max(paid) - paid[seat])}" if FOLD in kinds else "check"
        else:
            more = max(_paid(game, game.next(state, action))) - max(paid)
            words[action] = f"{'raise by' if FOLD in kinds else 'bet'} {figure(more)}"
    return words


def _paid(game: SmallPoker, state: Any) -> Sequence[float]:
    """Return the chips that each seat has paid, antes included."""
    if isinstance(game, TwoRoundPoker):
        paid: Sequence[float] = state.paid
        return paid
    bettors = {place % game.players for place, move in enumerate(state.moves) if move == "b"}
    return [2.0 if seat in bettors else 1.0 for seat in range(game.players)]
