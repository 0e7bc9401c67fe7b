"""An action abstraction as a view of the game: some actions are hidden, except on one public history.

Infosets keep the labels of the game, so that a strategy found in one view can be played in another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from counterpoise.errors import InputError
from counterpoise.games import CHANCE, Game, GameView, as_game, game_name
from counterpoise.public import DenseGame, build_dense


class _Seen(NamedTuple):
    """A state of the game, and how many steps of the path led there (-1: it is off the path)."""

    state: Any
    steps: int


class ActionAbstraction(GameView):
    """`game` without the `hidden` actions, except those which are the next step of `path`.

    A path is a public history: labels of actions and of public chance outcomes, the private deal left out. With a
    `seat` only this player's actions are hidden.
    """

    def __init__(
        self, game: Game | str, hidden: Iterable[str], path: Sequence[str] = (), seat: int | None = None
    ) -> None:
        super().__init__(as_game(game))
        self.hidden, self.path, self.seat = frozenset(hidden), tuple(path), seat
        kept = [step for step in self.path if step in self.hidden]
        whose = "" if seat is None else f" of seat {seat}"
        after = f" after {' '.join(self.path)}" if kept else ""
        self.name = f"{game_name(self.game)} without {' '.join(sorted(self.hidden))}{whose}{after}"

    def inner(self, state: _Seen) -> Any:
        """Return the state of the game."""
        return state.state

    def offering(self, path: Sequence[str]) -> ActionAbstraction:
        """Return the abstraction that knows the hidden actions of another path."""
        return ActionAbstraction(self.game, self.hidden, path, self.seat)

    def initial(self) -> _Seen:
        """Return the state before the deal."""
        return _Seen(self.game.initial(), 0)

    def actions(self, state: _Seen) -> Sequence[str]:
        """Return the actions that are not hidden, and the next step of the path."""
        if self.seat not in (None, self.game.player(state.state)):
            return self.game.actions(state.state)
        following = self.path[state.steps] if 0 <= state.steps < len(self.path) else None
        found = [a for a in self.game.actions(state.state) if a not in self.hidden or a == following]
        if not found:
            raise InputError(f"{self.name}: nothing is left to do at {self.game.infoset(state.state)!r}")
        return found

    def next(self, state: _Seen, action: str) -> _Seen:
        """Return the state after an action, which may be a hidden one."""
        after = self.game.next(state.state, action)
        if state.steps == 0 and self.game.player(state.state) == CHANCE:  # the private deal
            return _Seen(after, 0)
        on_path = 0 <= state.steps < len(self.path) and self.path[state.steps] == action
        return _Seen(after, state.steps + 1 if on_path else -1)


def build_pair(game: Game | str, hidden: Iterable[str]) -> tuple[DenseGame, DenseGame]:
    """Return the public game of a rule book and the one without the hidden actions, with the same hands."""
    rules = as_game(game)
    whole = build_dense(rules, forced=True)
    return whole, build_dense(ActionAbstraction(rules, hidden), whole.deals.hands, forced=True)
