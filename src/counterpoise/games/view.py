"""A game seen through something: the base of all games that change a few rules of another one.

A view delegates every method to `game`; a subclass overrides those that it changes. Where its states hold more than
the states of the game, it overrides `inner` too, and `initial` and `next` must wrap what the game returns.

What is optional in a game is passed on as long as the view leaves alone what it depends on: observations belong to
the infosets, `sample_chance` to the outcomes of chance, and `least_histories` to the shape of the tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from counterpoise.games.base import Action, Game, Observation

_DEPENDS_ON = {
    "public": ("infoset",),
    "private": ("infoset",),
    "observation": ("infoset",),
    "sample_chance": ("chance",),
    "least_histories": ("initial", "player", "actions", "chance", "next"),
}


class GameView:
    """`game` with all its rules; see the module docstring for what a subclass may change."""

    name: str

    def __init__(self, game: Game) -> None:
        self.game = game

    def __str__(self) -> str:
        return self.name

    def __getattr__(self, name: str) -> Any:
        """Return an optional attribute of the game; its methods take the view's states."""
        base = _DEPENDS_ON.get(name, ())
        if not base or any(getattr(type(self), method) is not getattr(GameView, method) for method in base):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        found = getattr(self.game, name)
        if name == "least_histories":
            return found
        return self._observation if name == "observation" else lambda state, *rest: found(self.inner(state), *rest)

    def inner(self, state: Any) -> Any:
        """The state of the game that a state of the view stands for."""
        return state

    @property
    def players(self) -> int:
        """Number of seats."""
        return self.game.players

    def initial(self) -> Any:
        """The state in which the game starts."""
        return self.game.initial()

    def player(self, state: Any) -> int:
        """Seat to act, `CHANCE` or `TERMINAL`."""
        return self.game.player(self.inner(state))

    def actions(self, state: Any) -> Sequence[Action]:
        """Labels of the legal actions."""
        return self.game.actions(self.inner(state))

    def chance(self, state: Any) -> Sequence[tuple[Action, float]]:
        """Outcomes of a chance node with their probabilities."""
        return self.game.chance(self.inner(state))

    def next(self, state: Any, action: Action) -> Any:
        """The state after `action`."""
        return self.game.next(self.inner(state), action)

    def infoset(self, state: Any) -> str:
        """What the acting seat knows."""
        return self.game.infoset(self.inner(state))

    def payoffs(self, state: Any) -> Sequence[float]:
        """What each seat receives at a terminal state."""
        return self.game.payoffs(self.inner(state))

    def _observation(self, state: Any, seat: int) -> Observation:
        """The game's observation with the actions that the view allows."""
        seen: Observation = self.game.observation(self.inner(state), seat)  # type: ignore[attr-defined]
        return seen._replace(actions=tuple(self.actions(state))) if self.player(state) == seat else seen
