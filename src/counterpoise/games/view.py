"""Games that change a few rules of another one.

A `GameView` delegates every method to `game`; a subclass overrides those that it changes. Where its states hold more
than the states of the game, it overrides `inner` too, and `initial` and `next` must wrap what the game returns.

What is optional in a game is passed on as long as the view leaves alone what it depends on: observations belong to
the infosets, `sample_chance` to the outcomes of chance, and `least_histories` to the shape of the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from counterpoise.games.base import CHANCE, Action, Game, Observation, game_name

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
        """Return the state of the game that a state of the view stands for."""
        return state

    @property
    def players(self) -> int:
        return self.game.players

    def initial(self) -> Any:
        return self.game.initial()

    def player(self, state: Any) -> int:
        return self.game.player(self.inner(state))

    def actions(self, state: Any) -> Sequence[Action]:
        return self.game.actions(self.inner(state))

    def chance(self, state: Any) -> Sequence[tuple[Action, float]]:
        return self.game.chance(self.inner(state))

    def next(self, state: Any, action: Action) -> Any:
        return self.game.next(self.inner(state), action)

    def infoset(self, state: Any) -> str:
        return self.game.infoset(self.inner(state))

    def payoffs(self, state: Any) -> Sequence[float]:
        return self.game.payoffs(self.inner(state))

    def _observation(self, state: Any, seat: int) -> Observation:
        """Return the game's observation with the actions that the view allows."""
        seen: Observation = self.game.observation(self.inner(state), seat)  # type: ignore[attr-defined]
        return seen._replace(actions=tuple(self.actions(state))) if self.player(state) == seat else seen


@dataclass(frozen=True)
class CoarseGame(GameView):
    """`game` with the same rules and payoffs, in which players see only ``coarse(label)`` of an infoset's label.

    Infosets that are merged must offer the same actions, and a player must not forget what it saw or did before:
    enumerating the game refuses anything else. A solution becomes a strategy of the game itself once every information
    set plays as the coarse one it falls into (`counterpoise.lift`), and a place to start from there (Brown 2020,
    section 3.2.5).
    """

    game: Game
    coarse: Callable[[str], str]

    @property
    def name(self) -> str:  # type: ignore[override]
        """The game's name and the function's."""
        return f"{game_name(self.game)} by {getattr(self.coarse, '__name__', 'a coarse label')}"

    def infoset(self, state: Any) -> str:
        return self.coarse(self.game.infoset(state))


class FixedStrategy(GameView):
    """`game` in which chance plays for a player at all infosets of `given`, by the probabilities given there.

    What is best for the others, and for the player where it is free, is then a solution of an ordinary game.
    """

    def __init__(self, game: Game, player: int, given: Mapping[str, Mapping[str, float]]) -> None:
        super().__init__(game)
        self.seat, self.given, self.name = player, given, f"{game_name(game)}, partly fixed"

    def player(self, state: Any) -> int:
        seat = self.game.player(state)
        return CHANCE if seat == self.seat and self.game.infoset(state) in self.given else seat

    def chance(self, state: Any) -> Sequence[tuple[Action, float]]:
        if self.game.player(state) == CHANCE:
            return self.game.chance(state)
        return list(self.given[self.game.infoset(state)].items())
