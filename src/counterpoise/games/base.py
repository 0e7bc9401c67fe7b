"""What a game is: the rules, as seven small methods over immutable states.

1. `initial()` is the state before anything has happened.
2. `player(state)` says who acts: a seat 0, 1, ..., `CHANCE`, or `TERMINAL` when the game is over.
3. `actions(state)` are the labels of what that player may do; at a chance node `chance(state)` gives
   (outcome, probability) pairs instead.
4. `next(state, action)` is the state after it.
5. `infoset(state)` is everything the acting player knows, as a string: equal strings, same information set.
6. `payoffs(state)` is what each seat receives at the end, in the game's own unit.

States may be any value (tuples are good). A class of your own needs these methods and `players`; it need not
inherit from anything. `counterpoise.check_game` tests it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from counterpoise.names import Catalogue, spell_instance
from counterpoise.seats import CHANCE, TERMINAL

__all__ = ["CHANCE", "GAMES", "TERMINAL", "Action", "Game", "RuleBook", "game_name", "register"]

Action = str


@runtime_checkable
class Game(Protocol):
    """The rules of a finite game with perfect recall; see the module docstring for the six ideas."""

    @property
    def players(self) -> int:
        """Number of seats, chance not counted."""
        ...

    def initial(self) -> Any:
        """The state in which the game starts."""
        ...

    def player(self, state: Any) -> int:
        """Seat to act, `CHANCE` or `TERMINAL`."""
        ...

    def actions(self, state: Any) -> Sequence[Action]:
        """Labels of the legal actions, in a fixed order, at a decision of a seat."""
        ...

    def chance(self, state: Any) -> Sequence[tuple[Action, float]]:
        """Outcomes of a chance node with their probabilities (never called in a game without chance)."""
        ...

    def next(self, state: Any, action: Action) -> Any:
        """The state after `action` (or after a chance outcome)."""
        ...

    def infoset(self, state: Any) -> str:
        """What the acting seat knows; equal for states it cannot tell apart."""
        ...

    def payoffs(self, state: Any) -> Sequence[float]:
        """What each seat receives at a terminal state."""
        ...


class RuleBook:
    """Shared conveniences of the built-in games: a name that loads them again."""

    registered_name = ""

    @property
    def name(self) -> str:
        """The string from which `counterpoise.load` makes this game again."""
        return spell_instance(self.registered_name, self)

    def __str__(self) -> str:
        return self.name


GAMES: Catalogue[Any] = Catalogue("game", ["counterpoise.games"])


def register(name: str) -> Any:
    """Class decorator: list a rule book (a frozen dataclass deriving from `RuleBook`) under `name`."""

    def add(rules: Any) -> Any:
        rules.registered_name = name
        return GAMES.register(name)(rules)

    return add


def game_name(game: Game) -> str:
    """The game's own name if it has one, otherwise the name of its class."""
    return str(getattr(game, "name", None) or type(game).__name__)
