"""Agents that search while they play: the loop at the table, of which each agent is a policy.

A searching agent follows a blueprint and, where its policy says so, solves what is left of the game. It walks through
the public history event by event:

1. An action or a deal is observed: `observe(belief, event)` returns the next public belief.
2. Either the current strategy is kept, `belief.after(event)`, or a subgame is solved and its solution followed from
   here on, `belief.after(event).follow(solution)`.
3. The agent acts by the newest strategy with the hand it holds. Its own range follows from what each of its hands would
   have done.

Its strategy depends on the public history alone, not on its hand or the clock: all chance in a search comes from the
history and `seed`, and budgets are counted in work. So it is a known agent: AIVAT can remove its luck, a local best
response can be found, and `counterpoise evaluate` judges it exactly in small games. Only a search that takes longer
than `seconds` is cut short; the best strategy so far is then played, and `searches` says so.
"""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Self

from counterpoise.agents.base import Agent
from counterpoise.agents.blueprint import BlueprintAgent
from counterpoise.agents.blueprint_strategy import FollowsBlueprint
from counterpoise.agents.settings import SETTING
from counterpoise.betting.sizes import BetSize, BetSizes, StreetSizes, parse_size
from counterpoise.jobs.clock import Clock, now
from counterpoise.parameters import require_choice, require_number, require_whole
from counterpoise.progress import CancelToken

MOST_NOTES = 10_000
MOST_SOLVED = 64
"""The number of public histories whose beliefs are remembered within a hand, and where no table announces new hands."""
MOST_JUDGED = 4096
"""The number that are remembered while the agent is judged, where every history may be asked for again."""
TRAINED_FOR = "agent.txt"
"""The file in such a folder that says for which agent it was made."""
LOGGER = logging.getLogger(__name__)


class SearchNote(NamedTuple):
    """What one search did."""

    public: tuple[str, ...]
    """The public history at which it searched."""
    method: str
    nodes: int = 0
    """Public nodes of the subgame."""
    iterations: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    cut_short: bool = False
    """Whether the time ran out before the planned iterations were done."""
    margin: float | None = None
    """The smallest margin of a safe search, in chips."""
    failed: str = ""
    """Why there was no result, so that the earlier strategy was kept."""


class SearchClock(Clock):
    """Measures a search, from the moment it is made."""

    def __init__(self) -> None:
        super().__init__()
        self.start()

    def note(
        self, public: tuple[str, ...], method: str, nodes: int = 0, iterations: int = 0, **more: Any
    ) -> SearchNote:
        """Return what the search did by now; `more` are other fields of the note."""
        return SearchNote(public, method, nodes, iterations, self.seconds, self.cpu_seconds, **more)


class SearchLog(deque[SearchNote]):
    """The last searches of an agent at a seat, also told to the logger of this module; a lack of time is a warning."""

    def __init__(self, agent: str) -> None:
        super().__init__(maxlen=MOST_NOTES)
        self._agent, self._warned = agent, False
        self.finished = self.cut_short = 0
        """The number of all searches, including those no longer kept, and of those that ran out of time."""

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
        self._until = now() + seconds

    @property
    def cancelled(self) -> bool:
        """Whether the job has been asked to stop, or its time is up."""
        return super().cancelled or now() >= self._until

    def check(self) -> None:
        """Do nothing when the time is up: one iteration is always run, so that there is a strategy to play."""
        if super().cancelled:
            super().check()


@dataclass
class SearchingAgent(FollowsBlueprint):
    """An agent with a blueprint that searches as its policy says; see the module docstring."""

    thinks = True
    most_beliefs = MOST_SOLVED

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

    def prepare(self) -> None:
        """Refuse a game that the blueprint is not for; `why_untranslatable` says what may differ."""
        super().prepare()
        home = self.blueprint.game
        for number in range(len(home.board)):  # so that what looks buckets up is not compiled inside a decision
            self.blueprint.abstraction_of(0).row(home.deck.cards[: sum(home.board[: number + 1])].tolist())
        self.searches = SearchLog(self.registered_name)

    def new_hand(self) -> None:
        """Forget the solutions of the last hand, which may be large."""
        self.belief.cache_clear()

    def remark(self) -> str:
        """Return in what the table differs from that of its blueprint, and whether the blueprint is another agent's."""
        told = Path(self.file) / TRAINED_FOR
        owner = told.read_text(errors="replace").strip() if self.file and told.is_file() else self.registered_name
        strange = f"{self} follows a blueprint that was trained for {owner}" if owner != self.registered_name else ""
        return "; ".join(filter(None, (super().remark(), strange)))

    @classmethod
    def training(cls) -> str:
        """Return how the blueprint of the package was trained, which it follows and searches from."""
        from counterpoise.blueprint.shipped import shipped_training

        return f"{shipped_training()}; searches while it plays"

    def without_search(self) -> Agent | None:
        """Return the agent that follows its blueprint."""
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


class Menu(NamedTuple):
    """Bet sizes for the rest of a hand, as shares of the pot or "allin"; those of raises come on top of the call."""

    bets: tuple[str, ...]
    raises: tuple[str, ...]

    def sizes(self, rounds: int, own: int | None = None, jitter: float = 0.0) -> BetSizes:
        """Return the sizes for all rounds; those of seat `own` except all-in are scaled by 1 + `jitter`."""
        usual = StreetSizes(
            tuple([parse_size(word) for word in self.bets]),
            tuple([parse_size(word, raising=True) for word in self.raises]),
        )
        factor = Fraction(1 + jitter).limit_denominator(1000)
        scaled = StreetSizes(
            tuple([_scaled(size, factor) for size in usual.bets]),
            tuple([_scaled(size, factor) for size in usual.raises]),
        )
        return BetSizes(((scaled if own == 0 else usual, scaled if own == 1 else usual),) * rounds)


def _scaled(size: BetSize, factor: Fraction) -> BetSize:
    if size.kind != "%":
        return size
    share = Fraction(size.numerator, size.denominator) * factor
    return BetSize("%", share.numerator, share.denominator)


class Budget(NamedTuple):
    """The work that a search may take, and its least and most iterations."""

    work: float
    least: int
    most: int

    def iterations(self, work: float) -> int:
        """Return the number of iterations for a game in which one iteration takes `work`."""
        return int(min(max(self.work / max(work, 1.0), self.least), self.most))


@dataclass(frozen=True)
class SubgameSearch:
    """How an agent solves subgames with every hand told apart; its file of settings says what each number means."""

    menus: tuple[Any, ...] = SETTING
    work: float = SETTING
    fast_work: float = SETTING
    fast_iterations: int = SETTING

    def sizes(self, rounds: int, own: int | None = None, jitter: float = 0.0) -> list[BetSizes]:
        """Return the menus for all rounds, from rich to poor; the bets of seat `own` are scaled by 1 + `jitter`."""
        return [Menu(tuple(bets), tuple(raises)).sizes(rounds, own, jitter) for bets, raises in self.menus]

    def budget(self, fast: bool, least: int, most: int) -> Budget:
        """Return the budget of a search of at least and at most some iterations; with `fast` there is less work."""
        return Budget(self.fast_work, self.fast_iterations, most) if fast else Budget(self.work, least, most)


@dataclass(frozen=True)
class BiasedLeaves:
    """How an agent values the leaves of a sampled search by biased continuations of its blueprint."""

    factor: float = SETTING
    rollouts: int = SETTING


def _remade(kind: type[SearchingAgent], settings: dict[str, Any]) -> SearchingAgent:
    return kind(**settings)
