"""What a game is: the rules, as seven small methods over immutable states.

1. `initial()` is the state before anything has happened.
2. `player(state)` says who acts: a seat 0, 1, ..., `CHANCE`, or `TERMINAL` when the game is over.
3. `actions(state)` are the labels of what that player may do; at a chance node `chance(state)` returns
   (outcome, probability) pairs instead.
4. `next(state, action)` is the state after it.
5. `infoset(state)` is everything the acting player knows, as a string: equal strings, same information set.
6. `payoffs(state)` is what each seat receives at the end, in the game's own unit.

States may be any value (tuples are good). A class of your own needs these methods and `players`; it need not
inherit from anything. `counterpoise.check_game` tests it.

An `ObservedGame` also says what is seen, in every state and for every seat, whether or not that seat acts:

7. `public(state)` is everything that all seats have seen, as a tuple of strings: one string per public event (an
   action, a card), in order. A later state has the events of an earlier one and then its own, so that the tuple is the
   name of a public node: search and value networks read it event by event.
8. `private(state, seat)` is what only `seat` knows, as one string: its cards, its hidden choices; "" for nothing.
9. `infoset(state)` then follows: the acting seat's private string and the public events, joined by colons. A rule book
   may spell it otherwise as long as equal labels mean equal (public, private), and the reverse.
10. `observation(state, seat)` puts together what an agent in that seat is told.

A class that inherits from `ObservedRules` writes 7 and 8 and gets 9 and 10.

Three more things are optional in any game. `sample_chance(state, random)` draws one chance outcome where listing all of
them is slow, best with one call of `random.random()`, as other games are sampled. `least_histories` is a lower bound on
the number of histories, so that no enumeration of a game that does not fit is begun, and `instead` says what to do
then.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple, Protocol, TypeGuard, runtime_checkable

from counterpoise.errors import InputError
from counterpoise.names import Catalogue, spell_instance
from counterpoise.seats import CHANCE as CHANCE, TERMINAL as TERMINAL

Action = str
LONGEST_MENU = 50
"""Actions that are remembered together: menus of every whole number of chips would fill the memory."""
MAX_MOVES = 10_000
"""The longest history; a longer one is taken for a game that never ends."""


@runtime_checkable
class Game(Protocol):
    """The rules of a finite game with perfect recall; see the module docstring for the six ideas."""

    @property
    def players(self) -> int:
        """Number of seats, chance not counted."""

    def initial(self) -> Any:
        """Return the state in which the game starts."""

    def player(self, state: Any) -> int:
        """Return seat to act, `CHANCE` or `TERMINAL`."""

    def actions(self, state: Any) -> Sequence[Action]:
        """Return labels of the legal actions, in a fixed order, at a decision of a seat."""

    def chance(self, state: Any) -> Sequence[tuple[Action, float]]:
        """Return outcomes of a chance node with their probabilities (never called in a game without chance)."""

    def next(self, state: Any, action: Action) -> Any:
        """Return the state after `action` (or after a chance outcome)."""

    def infoset(self, state: Any) -> str:
        """Return what the acting seat knows; equal for states it cannot tell apart."""

    def payoffs(self, state: Any) -> Sequence[float]:
        """Return what each seat receives at a terminal state."""


class Observation(NamedTuple):
    """What a seat knows in one state, and what it may do there."""

    seat: int
    public: tuple[str, ...]
    private: str
    actions: tuple[Action, ...] = ()
    """The legal actions, empty when the seat is not to act."""
    infoset: str = ""
    """The label of the information set, empty when the seat is not to act."""


@runtime_checkable
class ObservedGame(Game, Protocol):
    """A `Game` that defines what is public and what each seat has seen; see points 7 to 10 of the module docstring."""

    def public(self, state: Any) -> tuple[str, ...]:
        """Return the public events so far, first to last."""

    def private(self, state: Any, seat: int) -> str:
        """Return what only `seat` knows."""

    def observation(self, state: Any, seat: int) -> Observation:
        """Return what `seat` knows in `state`, with its actions and its infoset if it is to act."""


class ObservedRules(ABC):
    """Base for games that write `public` and `private`: `infoset` and `observation` follow from them."""

    @abstractmethod
    def public(self, state: Any) -> tuple[str, ...]:
        """Return the public events so far, first to last."""

    @abstractmethod
    def private(self, state: Any, seat: int) -> str:
        """Return what only `seat` knows."""

    def infoset(self, state: Any) -> str:
        """Return private string and public events of the acting seat, such as "Q:r:c:K"."""
        game: Any = self
        return f"{self.private(state, game.player(state))}:{':'.join(self.public(state))}"

    def observation(self, state: Any, seat: int) -> Observation:
        """Return what `seat` knows in `state`, with its actions and its infoset if it is to act."""
        game: Any = self
        seen = Observation(seat, tuple(self.public(state)), self.private(state, seat))
        if game.player(state) != seat:
            return seen
        return seen._replace(actions=tuple(game.actions(state)), infoset=self.infoset(state))


def is_observed(game: Any) -> TypeGuard[ObservedGame]:
    """Return whether the game says what is seen."""
    return all(callable(getattr(game, method, None)) for method in ("public", "private", "observation"))


def draw_chance(game: Game, state: Any, random: Random) -> Action:
    """Draw one outcome of a chance node, by the game's own `sample_chance` if it has one."""
    sample = getattr(game, "sample_chance", None)
    if sample is not None:
        return str(sample(state, random))
    outcomes, weights = zip(*game.chance(state), strict=True)
    return str(random.choices(outcomes, weights)[0])


def least_histories(game: Any) -> float:
    """Return a number of histories that the game has at least; 0 when it does not say."""
    return float(getattr(game, "least_histories", 0))


def refuse_large(game: Any, most: float) -> None:
    """Raise `InputError` if the game says that it has more than `most` histories; its `instead` says what to do."""
    if (least := least_histories(game)) > most:
        advice = getattr(game, "instead", "") or "take a smaller form of it"
        raise InputError(f"{game_name(game)} is too large to enumerate, with at least {least:.2g} histories: {advice}")


class RuleBook(ObservedRules):
    """Shared conveniences of the built-in games: a name that loads them again, and observations."""

    registered_name = ""

    @property
    def name(self) -> str:
        """The string from which `counterpoise.load` makes this game again."""
        return spell_instance(self.registered_name, self)

    def __str__(self) -> str:
        return self.name


GAMES: Catalogue[Any] = Catalogue("game", ["counterpoise.games"], "register", "counterpoise.games")


def register(name: str) -> Any:
    """Register a rule book (a frozen dataclass deriving from `RuleBook`) under `name`; a class decorator."""
    return GAMES.register(name)


def make_distinct(labels: Sequence[str], numbers: Sequence[int], pattern: str, mark: str) -> list[str]:
    """Return the labels, with its number in each that occurs more than once, and marks if that occurs already.

    >>> make_distinct(["up", "down", "up"], [1, 2, 3], "{}#{}", "#")
    ['up#1', 'down', 'up#3']
    """
    count = Counter(labels)
    used = set(count)
    distinct = []
    for label, number in zip(labels, numbers, strict=True):
        candidate = label
        if count[label] > 1:
            candidate = pattern.format(label, number)
            while candidate in used:
                candidate += mark
            used.add(candidate)
        distinct.append(candidate)
    return distinct


def game_name(game: Game) -> str:
    """Return the game's own name if it has one, else what it is registered as, else the name of its class."""
    registered = getattr(game, "registered_name", "")
    return str(getattr(game, "name", None) or (spell_instance(registered, game) if registered else type(game).__name__))


def check_length(game: Game, moves: int) -> None:
    """Refuse a history that is as long as one of a game that never ends."""
    if moves >= MAX_MOVES:
        raise InputError(f"{game_name(game)} does not end: a history has more than {MAX_MOVES:,} moves")


def brief(name: str, most: int = 120) -> str:
    """Return the name of a game in one line: its beginning if it is long, as those of spots are.

    >>> brief("kuhn_poker"), brief("holdem_spot(stack=400)", most=15)
    ('kuhn_poker', 'holdem_spot(...')
    """
    return name if len(name) <= most else f"{name[: most - 3]}..."
