"""What an agent is: it sits down at a seat, is told what the seat sees, and acts.

1. `sit(game, seat, random)` returns a copy of the agent at that seat. Copies share nothing that changes, so that no
   information flows from one room or seat to another. `prepare`, called then, refuses a game that does not suit.
2. `act(observation)` returns the label of an action. In hold'em it may be any legal bet ("b275"), elsewhere one of
   `observation.actions`. All chance an agent needs comes from `self.random`, which the table seeds before every hand.
3. `new_hand()` and `hand_over(observation, payoff)` are called before and after every hand; the last observation
   includes the hands that were shown. `watch(observation)` is called before every decision of any seat, and
   `match_begins(cancel)` and `match_over()` around a match.
4. An agent that can say what it would do with *every* hand derives from `KnownAgent`: it defines `mixed(observation)`,
   its action probabilities, and inherits `act` and `probabilities(public)`, which AIVAT, local best response, range
   tracking and search need.

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
from dataclasses import dataclass, is_dataclass
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from counterpoise.errors import InputError
from counterpoise.games.base import Action, Game, Observation
from counterpoise.games.holdem import Holdem
from counterpoise.games.known import Behaviour, holdem_observation, possible_observations, public_cards
from counterpoise.names import Catalogue, spell_instance

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from counterpoise.deep.judging import NetworksEvaluation
    from counterpoise.progress import CancelToken, Progress
    from counterpoise.sampling import BettingTree, NodeStrategy
    from counterpoise.tree import Tree

    FloatArray = NDArray[np.float64]

SUM_TOLERANCE = 1e-6
"""How far the sum of an agent's probabilities may be from 1."""
AGENTS: Catalogue[Any] = Catalogue(
    "agent", ["counterpoise.agents", "counterpoise.acpc", "counterpoise.spots.table"], "agent", "counterpoise.agents"
)


def agent(name: str) -> Any:
    """Register an agent (a dataclass deriving from `Agent`) under `name`; a class decorator."""
    return AGENTS.register(name)


class LeaveTable(Exception):
    """Raised by an agent that ends the match, as a human may; the message, if there is one, says why."""


@dataclass(frozen=True)
class Measured:
    """The memory and time that an agent took when they were measured; `counterpoise arena` measures them again."""

    memory_mb: float
    """Megabytes by which the process that plays it grows."""
    seconds_per_decision: float
    """CPU seconds of its own decisions, the mean over a match."""
    where: str = (
        "by benchmarks/whole_players.py on a core of an AMD EPYC server, against always-call or random; of agents that"
        " train-agent makes, the smallest"
    )
    """In which matches and on which machine."""


class Agent(ABC):
    """A player of games; see the module docstring."""

    registered_name = ""
    colon_field = "file"
    """The setting that follows the name after a colon, if there is one of that name."""
    learns = False
    """Whether it changes from hand to hand: such an agent must play all hands of a room in order."""
    switches = False
    """Whether it may follow another strategy in each hand; records then name the strategy of every hand."""
    ignores_cards = False
    """Whether its play depends on no card, neither its own nor the public ones: such an agent is judged in seconds."""
    outside = False
    """Whether a person or a program outside this process decides; its hands are then played one by one in one
    process."""
    thinks = False
    """Whether a decision may take seconds; its matches are then shown and saved deal by deal."""
    measured: ClassVar[Measured | None] = None
    """The memory and time it takes with its default settings, if measured."""

    game: Game
    seat: int
    random: Random
    hand: int
    """The number of the deal, which the table sets before `new_hand`."""

    @property
    def name(self) -> str:
        """The string from which `make_agent` makes this agent again."""
        name = self.registered_name or type(self).__name__
        return spell_instance(name, self, self.colon_field) if is_dataclass(self) else str(self)

    def __str__(self) -> str:
        return self.registered_name or type(self).__name__

    @property
    def home(self) -> str:
        """The name of the game that it was made for, "" if for none in particular."""
        return ""

    @property
    def strategy_id(self) -> str:
        """The identifier of this strategy in records of hands, by default the name."""
        return self.name

    def sit(self, game: Game, seat: int, random: Random) -> Self:
        """Return a copy of this agent at a seat of a game, with a source of chance of its own."""
        own = copy.copy(self)
        own.game, own.seat, own.random = game, seat, random
        own.prepare()
        return own

    def prepare(self) -> None:  # noqa: B027
        """Prepare to play at a seat; raise `InputError` if the game does not suit."""

    def remark(self) -> str:
        """Return a sentence about what is special in its play in this game, once it is seated; "" if nothing is."""
        return ""

    @classmethod
    def training(cls) -> str:
        """Return how its strategy was trained with its default settings, or how to train it; "" if it has no
        training."""
        return ""

    @classmethod
    def default_seats(cls) -> int | None:
        """Return the number of seats of the strategy that it has with its default settings; None if any will do."""
        return None

    @abstractmethod
    def act(self, observation: Observation) -> Action:
        """Return the label of the action that it takes."""

    def new_hand(self) -> None:  # noqa: B027
        """Learn that a hand begins."""

    def watch(self, observation: Observation) -> None:  # noqa: B027
        """Learn what the seat sees before a decision, of this seat or another."""

    def hand_over(self, observation: Observation, payoff: float) -> None:  # noqa: B027
        """Learn how a hand ended: all that this seat has seen, and what it has won in the game's unit."""

    def for_room(self) -> Agent:
        """Return the agent that plays in a room: itself, or an independent copy if it changes from hand to hand."""
        return copy.deepcopy(self) if self.learns else self

    def match_begins(self, cancel: CancelToken) -> None:  # noqa: B027
        """Learn that a match begins, and how its end may be asked for."""

    def match_over(self) -> None:  # noqa: B027
        """Learn that the match is over."""

    def probabilities(self, public: tuple[str, ...]) -> Behaviour:
        """Return what it does after a public history with every hand that it could hold."""
        raise InputError(
            f"{self} does not say what it would do with other hands: let its class be a KnownAgent, with `mixed` in "
            "place of `act`"
        )

    def tabulate(self, tree: Tree) -> FloatArray | None:
        """Return its strategy for all seats of an enumerated game as a flat array; None if it has no such table."""
        return None

    def without_search(self) -> Agent | None:
        """Return the agent that follows only the strategy this one searches from; None if this one never searches."""
        return None

    def expect_any_history(self) -> None:  # noqa: B027
        """Prepare, at a seat, to be asked about many public histories in turn, as a judge asks."""

    def evaluate_draws(
        self, game: Game, play_throughs: int | None, progress: Progress | bool | None
    ) -> NetworksEvaluation | None:
        """Return the exploitability of the mean of its draws if it draws a strategy for each subgame; None if it does
        not.

        Other agents say what they would do with every hand, and are judged by that.
        """
        return None

    def betting_tree(self) -> BettingTree | None:
        """Return the betting tree of the game of hold'em that it was made for, if it has one."""
        return None

    def betting_table(self, tree: BettingTree) -> NodeStrategy | None:
        """Return its strategy for all seats of hold'em by betting node and bucket; None if it has no such table."""
        return None


def draw_action(mixed: Mapping[Action, float], share: float) -> Action:
    """Return the action at which the cumulative probabilities, in their order, pass a share from 0 to 1.

    >>> draw_action({"f": 0.25, "c": 0.75}, 0.3)
    'c'
    """
    chosen = ""
    for action, probability in mixed.items():
        if probability > 0:
            chosen = action
            share -= probability
            if share < 0:
                break
    return chosen


class KnownAgent(Agent):
    """An agent whose probabilities are known in every information set and depend on nothing else."""

    @abstractmethod
    def mixed(self, observation: Observation) -> Mapping[Action, float]:
        """Return the probabilities of its actions; those left out are 0."""

    def act(self, observation: Observation) -> Action:
        """Draw an action with one random number, actions in the order of `mixed`."""
        return draw_action(self._checked(observation), self.random.random())

    def _checked(self, observation: Observation) -> Mapping[Action, float]:
        """Return its probabilities, or raise `InputError` if they do not sum to 1."""
        mixed = self.mixed(observation)
        total = sum(mixed.values())
        below = next((f"{share:g} for {action!r}" for action, share in mixed.items() if share < 0), None)
        if below is not None or not abs(total - 1) <= SUM_TOLERANCE:
            raise InputError(f"{self}: probabilities must be at least 0 and sum to 1, not {below or f'{total:g}'}")
        return mixed

    def probabilities(self, public: tuple[str, ...]) -> Behaviour:
        """Return what it does after a public history with every hand that it could hold."""
        if self.ignores_cards and isinstance(self.game, Holdem):
            row, live = self._alike(self.game, tuple(public))
            table = np.outer(live, list(row.values()))
            return Behaviour(self.game.deck.hand_names, tuple(row), table)
        rows = {
            hand: {} if seen is None else self._checked(seen)
            for hand, seen in possible_observations(self.game, self.seat, tuple(public)).items()
        }
        actions = tuple(dict.fromkeys(action for row in rows.values() for action in row))
        numbers = [[row.get(action, 0.0) for action in actions] for row in rows.values()]
        return Behaviour(tuple(rows), actions, np.array(numbers).reshape(len(rows), len(actions)))

    def _alike(self, game: Holdem, public: tuple[str, ...]) -> tuple[Mapping[Action, float], NDArray[np.bool_]]:
        """Return what it does after a public history with any hand of hold'em, and which hands it may hold."""
        live = game.possible_hands(self.seat, public_cards(public))
        hand = game.deck.hand_names[int(live.argmax())]
        return self._checked(holdem_observation(game, self.seat, public, hand)), live
