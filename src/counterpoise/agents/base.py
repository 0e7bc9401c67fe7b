"""What an agent is: it sits down at a seat, is told what the seat sees, and acts.

1. `sit(game, seat, random)` returns a copy of the agent at that seat. Copies share nothing that changes, so that no
   information flows from one room or seat to another. `prepare`, called then, refuses a game that does not suit.
2. `act(observation)` returns the label of an action. In hold'em it may be any legal bet ("b275"), elsewhere one of
   `observation.actions`. All chance an agent needs comes from `self.random`, which the table seeds before every hand.
3. `new_hand()` and `hand_over(observation, payoff)` are called before and after every hand; the last observation
   includes the hands that were shown.
4. An agent that can be asked what it would do with *every* hand derives from `KnownAgent`: it writes
   `mixed(observation)`, its probabilities there, and gets `act` and `probabilities(public)`, which is what AIVAT, local
   best response, range tracking and search need.

An agent is a dataclass whose fields are its settings, registered by `@agent("NAME")`:

>>> from dataclasses import dataclass
>>> @dataclass
... class LastOfMenu(Agent):
...     def act(self, observation):
...         return observation.actions[-1]
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import is_dataclass
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from counterpoise.betting.sizes import label
from counterpoise.cards.deck import split_cards
from counterpoise.errors import InputError
from counterpoise.games.base import CHANCE, TERMINAL, Action, Game, Observation, game_name, is_observed
from counterpoise.games.holdem import Holdem
from counterpoise.names import Catalogue, spell_instance

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from counterpoise.tree import Tree

    FloatArray = NDArray[np.float64]

SUM_TOLERANCE = 1e-6
"""How far the probabilities of an agent may sum to something else than 1."""
AGENTS: Catalogue[Any] = Catalogue("agent", ["counterpoise.agents"])


def agent(name: str) -> Any:
    """Class decorator: list an agent (a dataclass deriving from `Agent`) under `name`."""

    def add(kind: Any) -> Any:
        kind.registered_name = name
        return AGENTS.register(name)(kind)

    return add


class LeaveTable(Exception):
    """Raised by an agent that ends the match, as a human may."""


class Agent(ABC):
    """A player of games; see the module docstring."""

    registered_name = ""
    learns = False
    """Whether it changes from hand to hand: such an agent must play all hands of a room in order."""

    game: Game
    seat: int
    random: Random

    @property
    def name(self) -> str:
        """The string from which `make_agent` makes this agent again."""
        return spell_instance(self.registered_name or type(self).__name__, self) if is_dataclass(self) else str(self)

    def __str__(self) -> str:
        return self.registered_name or type(self).__name__

    @property
    def strategy_id(self) -> str:
        """What tells this strategy apart from others, in records of hands: by default the name."""
        return self.name

    def sit(self, game: Game, seat: int, random: Random) -> Self:
        """Return a copy of this agent at a seat of a game, with a source of chance of its own."""
        own = copy.copy(self)
        own.game, own.seat, own.random = game, seat, random
        own.prepare()
        return own

    def prepare(self) -> None:  # noqa: B027
        """Get ready at a seat; raise `InputError` if the game does not suit."""

    @abstractmethod
    def act(self, observation: Observation) -> Action:
        """Return what to do."""

    def new_hand(self) -> None:  # noqa: B027
        """Learn that a hand begins."""

    def hand_over(self, observation: Observation, payoff: float) -> None:  # noqa: B027
        """Learn how a hand ended: all that this seat has seen, and what it has won in the game's unit."""

    def probabilities(self, public: tuple[str, ...]) -> Behaviour:
        """Return what it does after a public history with every hand that it could hold."""
        raise InputError(f"{self} does not say what it would do with other hands")

    def tabulate(self, tree: Tree) -> FloatArray | None:
        """Return its strategy for all seats of an enumerated game as a flat array; None if it is no such table."""
        return None


class Behaviour(NamedTuple):
    """What a seat does after a public history, hand by hand."""

    hands: tuple[str, ...]
    """The private strings of the seat; in hold'em all hands of the deck, in its order."""
    actions: tuple[Action, ...]
    """What it does with any of them."""
    table: FloatArray
    """Probabilities, [hand, action]; rows of 0 for hands that the public cards rule out."""


class KnownAgent(Agent):
    """An agent whose probabilities are known in every information set; they depend on nothing else."""

    @abstractmethod
    def mixed(self, observation: Observation) -> Mapping[Action, float]:
        """Return its probabilities of acting in one of several ways; those left out are 0."""

    def act(self, observation: Observation) -> Action:
        """Draw an action with one random number, actions in the order of `mixed`."""
        share, chosen = self.random.random(), ""
        for action, probability in self._checked(observation).items():
            if probability > 0:
                chosen = action
                share -= probability
                if share < 0:
                    break
        return chosen

    def _checked(self, observation: Observation) -> Mapping[Action, float]:
        """Return its probabilities, or raise `InputError` if they are none."""
        mixed = self.mixed(observation)
        total = sum(mixed.values())
        if not abs(total - 1) <= SUM_TOLERANCE or min(mixed.values()) < 0:
            raise InputError(f"{self}: probabilities must be at least 0 and sum to 1, not {total:g}")
        return mixed

    def probabilities(self, public: tuple[str, ...]) -> Behaviour:
        """Return what it does after a public history with every hand that it could hold."""
        import numpy as np

        rows = {
            hand: {} if seen is None else self._checked(seen)
            for hand, seen in possible_observations(self.game, self.seat, tuple(public)).items()
        }
        actions = tuple(dict.fromkeys(action for row in rows.values() for action in row))
        table = [[row.get(action, 0.0) for action in actions] for row in rows.values()]
        return Behaviour(tuple(rows), actions, np.array(table).reshape(len(rows), len(actions)))


def possible_observations(game: Game, seat: int, public: tuple[str, ...]) -> dict[str, Observation | None]:
    """Return what a seat that is to act after a public history sees with each hand; None if it cannot hold the hand.

    In hold'em the hands are those of the deck, in its order; in other games they are found by walking through all
    histories that look like this to everybody.
    """
    if isinstance(game, Holdem):
        return _holdem_observations(game, seat, public)
    if not is_observed(game):
        raise InputError(f"{game_name(game)} does not say what is public and what is private")
    found: dict[str, Observation | None] = {}
    stack = [game.initial()]
    while stack:
        state = stack.pop()
        events, mover = tuple(game.public(state)), game.player(state)
        if mover == TERMINAL or events != public[: len(events)]:
            continue
        if mover == seat and events == public:
            seen = game.observation(state, seat)
            found.setdefault(seen.private, seen)
        steps = [outcome for outcome, _ in game.chance(state)] if mover == CHANCE else game.actions(state)
        stack += [game.next(state, step) for step in reversed(steps)]
    if not found:
        raise InputError(f"seat {seat} of {game_name(game)} is not to act after {':'.join(public) or 'the deal'}")
    return dict(sorted(found.items()))


def _holdem_observations(game: Holdem, seat: int, public: tuple[str, ...]) -> dict[str, Observation | None]:
    betting = game.betting_after(public)
    if betting.to_act != seat:
        raise InputError(f"seat {seat} of {game.name} is not to act after {':'.join(public) or 'the deal'}")
    actions = tuple([label(action) for action in game.menu(betting)])
    board = {card for event in public if event[:1] not in ("f", "c", "b") for card in split_cards(event)}
    line = ":".join(public)
    return {
        hand: None
        if board.intersection(split_cards(hand))
        else Observation(seat, public, hand, actions, f"{hand}:{line}")
        for hand in game.deck.hand_names
    }
