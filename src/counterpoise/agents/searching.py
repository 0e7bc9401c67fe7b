"""Agents that search while they play: the loop at the table, of which each agent is a policy.

A searching agent follows a blueprint and, where its policy says so, solves what is left of the game. It walks through
the public history event by event:

1. An action or a deal is observed: `observe(belief, event)` returns the next public belief.
2. Either the strategy of before is kept, `belief.after(event)`, or a subgame is solved and its solution followed from
   here on, `belief.after(event).follow(solution)`.
3. The agent acts by the newest strategy with the hand it holds. Its own range is what all of its hands would have done.

What it does depends on the public history alone, not on its hand and not on the clock: all chance of a search comes
from the history and `seed`, and budgets are counted in work. So it is a known agent, whose luck can be taken out
(AIVAT), for which a local best response can be found, and which `counterpoise evaluate` judges exactly in small games.
Only if a search takes longer than `seconds` it is cut short, and the best strategy so far is played; `searches` then
says so.
"""

from __future__ import annotations

import logging
import time
from abc import abstractmethod
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from counterpoise.agents.base import Agent, KnownAgent
from counterpoise.agents.blueprint_strategy import BlueprintStrategy
from counterpoise.agents.table_games import smaller_stacks, why_untranslatable
from counterpoise.errors import InputError
from counterpoise.games.base import Action, Observation, game_name
from counterpoise.games.holdem import Holdem
from counterpoise.games.known import Behaviour
from counterpoise.parameters import require_choice, require_number, require_whole
from counterpoise.progress import CancelToken
from counterpoise.search.public_belief import PublicBelief

if TYPE_CHECKING:
    from counterpoise.blueprint import Blueprint

MOST_NOTES = 10_000
MOST_SOLVED = 64
"""Public histories whose beliefs are remembered inside a hand, and where no table says that a hand begins."""
MOST_JUDGED = 4096
"""The same while the agent is judged, where one history is asked for after another and all may come back."""
BOTH_SEATS = "blueprint.cpz"
"""The blueprint in a folder that a recipe has made."""
TRAINED_FOR = "agent.txt"
"""The file in such a folder that says for which agent it was made."""
LOGGER = logging.getLogger(__name__)


class SearchNote(NamedTuple):
    """What one search did, for whoever wants to know how an agent thinks."""

    public: tuple[str, ...]
    """The public history at which it searched."""
    method: str
    nodes: int
    """Public nodes of the subgame."""
    iterations: int
    seconds: float
    cpu_seconds: float
    cut_short: bool
    """Whether the time ran out before the planned iterations were done."""
    margin: float | None = None
    """The smallest margin of a safe search, in chips."""
    failed: str = ""
    """Why there was no result, so that the plan of before was kept."""


class SearchLog(deque[SearchNote]):
    """The last searches of an agent at a seat, also told to the logger of this module; a lack of time is a warning."""

    def __init__(self, agent: str) -> None:
        super().__init__(maxlen=MOST_NOTES)
        self._agent, self._warned = agent, False
        self.finished = self.cut_short = 0
        """How many searches there were in all, those included that are not kept, and how many ran out of time."""

    def append(self, note: SearchNote) -> None:
        """Keep what a search did, and log it."""
        super().append(note)
        self.finished += not note.failed
        self.cut_short += note.cut_short
        told = f"{note.iterations:,} iterations in {note.nodes:,} nodes, {note.seconds:.2f} s"
        told = note.failed or told + (", cut short by the limit of time" if note.cut_short else "")
        urgent = note.cut_short and not self._warned
        self._warned |= urgent
        level = logging.WARNING if urgent else logging.INFO
        LOGGER.log(level, "%s: %s search after %s: %s", self._agent, note.method, ":".join(note.public), told)


class Deadline(CancelToken):
    """A cancel token that also asks to stop when a time is up."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._until = time.monotonic() + seconds

    @property
    def cancelled(self) -> bool:
        """Whether the job has been asked to stop, or its time is up."""
        return super().cancelled or time.monotonic() >= self._until

    def check(self) -> None:
        """Raise nothing when the time is up: one iteration is always done, so that there is something to play."""
        if super().cancelled:
            super().check()


@dataclass
class SearchingAgent(KnownAgent):
    """An agent with a blueprint that searches as its policy says; see the module docstring."""

    thinks = True

    file: str = ""
    """The file with the blueprint, or the folder of `counterpoise train-agent`; without one that of the package."""
    fast: bool = False
    """Whether it searches for a tenth of the time."""
    seconds: float = 60.0
    """A search that takes longer is cut short: the best strategy so far is played.

    Results are reproducible only if no search hits this limit."""
    seed: int = 0

    def __post_init__(self) -> None:
        require_number(f"{self.registered_name}: seconds", self.seconds, 0.01, 86_400)
        require_choice(f"{self.registered_name}: fast", self.fast, (True, False))
        require_whole(f"{self.registered_name}: seed", self.seed, 0, 2**63 - 1)
        self.blueprint = self._load()
        self.searches = SearchLog(self.registered_name)

    def _load(self) -> Blueprint:
        from counterpoise.blueprint import shared_blueprint, shipped_blueprint

        if not self.file:
            return shipped_blueprint()
        place = Path(self.file)
        return shared_blueprint(place / BOTH_SEATS if place.is_dir() else place)

    @abstractmethod
    def observe(self, belief: PublicBelief, event: str) -> PublicBelief:
        """Return the belief after a public event: of the same plan, or of the solution of a subgame."""

    @property
    def home(self) -> str:
        """The name of the game that its blueprint was made for."""
        return self.blueprint.game.name

    @property
    def strategy_id(self) -> str:
        """The name and the first digits of the SHA-256 of the blueprint."""
        return f"{self.name}@{self.blueprint.digest[:12]}"

    def prepare(self) -> None:
        """Refuse a game that the blueprint is not for; only the bets may differ, and stacks may be smaller."""
        home, reason = self.blueprint.game, why_untranslatable(self.game, self.blueprint.game)
        if reason:
            raise InputError(f"{self} has a blueprint for {home.name}, not for {game_name(self.game)}: {reason}")
        for number in range(len(home.board)):  # so that what looks buckets up is not compiled inside a decision
            self.blueprint.abstraction_of(0).row(home.deck.cards[: sum(home.board[: number + 1])].tolist())
        self.belief = lru_cache(maxsize=MOST_SOLVED)(self._belief)
        self.searches = SearchLog(self.registered_name)

    def new_hand(self) -> None:
        """Forget the solutions of the last hand, which may be large."""
        self.belief.cache_clear()

    def remark(self) -> str:
        """Return that stacks are smaller than those its blueprint was made for, or that it is another agent's."""
        told = Path(self.file) / TRAINED_FOR
        owner = told.read_text(errors="replace").strip() if self.file and told.is_file() else self.registered_name
        strange = f"{self} follows a blueprint that was trained for {owner}" if owner != self.registered_name else ""
        return "; ".join(filter(None, (smaller_stacks(self, self.game, self.blueprint.game), strange)))

    @classmethod
    def training(cls) -> str:
        """Return how the blueprint of the package was trained, which it follows and searches from."""
        from counterpoise.blueprint.shipped import shipped_training

        return f"{shipped_training()}; searches while it plays"

    def _belief(self, public: tuple[str, ...]) -> PublicBelief:
        """Return where play is after a public history."""
        if not public:
            assert isinstance(self.game, Holdem)
            return PublicBelief.start(self.game, BlueprintStrategy(self.blueprint), seat=self.seat)
        return self.observe(self.belief(public[:-1]), public[-1])

    def mixed(self, observation: Observation) -> Mapping[Action, float]:
        """Return its probabilities in an information set."""
        return self.belief(tuple(observation.public)).behaviour().of_hand(observation.private)

    def probabilities(self, public: tuple[str, ...]) -> Behaviour:
        """Return what it does after a public history with every hand that it could hold."""
        return self.belief(tuple(public)).behaviour()

    def without_search(self) -> Agent | None:
        """Return the agent that follows its blueprint."""
        from counterpoise.agents.blueprint import BlueprintAgent

        return BlueprintAgent.of(self.blueprint)

    def expect_any_history(self) -> None:
        """Remember the solutions of many public histories."""
        self.belief = lru_cache(maxsize=MOST_JUDGED)(self._belief)

    def __copy__(self) -> Self:
        """Return a copy for a seat, which shares the blueprint; `prepare` gives it beliefs and notes of its own."""
        found = object.__new__(type(self))
        found.__dict__.update(self.__dict__)
        return found

    def __reduce__(self) -> Any:
        """Copies in other processes read the blueprint again."""
        return _remade, (type(self), {name: getattr(self, name) for name in self.__dataclass_fields__})


def _remade(kind: type[SearchingAgent], settings: dict[str, Any]) -> SearchingAgent:
    return kind(**settings)
