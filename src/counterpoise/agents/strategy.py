"""An agent that follows a saved strategy, by translation where the table has seen bets that it does not know."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, get_args

from counterpoise.abstraction.translation import Translation
from counterpoise.agents.base import KnownAgent, agent
from counterpoise.agents.shadows import Shadows, same_but_for_bets
from counterpoise.errors import InputError
from counterpoise.games import Game, load
from counterpoise.games.base import Action, Observation, game_name
from counterpoise.games.holdem import Holdem
from counterpoise.names import suggest
from counterpoise.parameters import require_choice
from counterpoise.tree.strategy import Strategy, load_strategy

if TYPE_CHECKING:
    from counterpoise.agents.base import FloatArray
    from counterpoise.tree import Tree


@agent("strategy")
@dataclass
class StrategyAgent(KnownAgent):
    """Follows the strategy in a .cpz file that `solve` has saved for the same game: strategy:FILE.

    In hold'em the table may allow other bets than the strategy knows. A bet that it does not know is taken for one or
    both of its neighbours, by `translation`.
    """

    file: str = ""
    """The file with the strategy or the run."""
    translation: Translation = "pseudo-harmonic"
    """What a bet between two known ones is taken for: the pseudo-harmonic mapping, the midpoint or the nearest."""
    member: str = ""
    """If the file holds a portfolio: whose strategy of it to follow."""

    def __post_init__(self) -> None:
        require_choice("strategy: translation", self.translation, get_args(Translation))
        if not self.file:
            raise InputError("strategy: name its file after a colon, as in strategy:leduc.cpz")
        self.strategy = _member_of(self.file, self.member) if self.member else load_strategy(self.file)
        self._shadows: Shadows | None = None

    @classmethod
    def of(cls, strategy: Strategy, file: str = "", member: str = "") -> Self:
        """Return an agent that follows a strategy in memory."""
        own = cls.__new__(cls)
        own.file, own.member, own.translation = file, member, "pseudo-harmonic"
        own.strategy, own._shadows = strategy, None
        return own

    @property
    def name(self) -> str:
        """The name from which `make_agent` makes this agent again."""
        usual = {"translation": "pseudo-harmonic", "member": ""}
        changed = {name: getattr(self, name) for name, value in usual.items() if getattr(self, name) != value}
        brackets = ", ".join(f"{name}={value!r}" for name, value in changed.items())
        return (f"strategy:{self.file}" if self.file else "strategy") + (f"({brackets})" if brackets else "")

    @property
    def home(self) -> str:
        """The name of the game that it was made for."""
        return self.strategy.game

    @property
    def strategy_id(self) -> str:
        """The name and the first digits of the SHA-256 of the probabilities."""
        return f"{self.name}@{hashlib.sha256(self.strategy.probabilities.tobytes()).hexdigest()[:12]}"

    def prepare(self) -> None:
        """Refuse a game that the strategy is not for; only the bets of hold'em may differ."""
        name = game_name(self.game)
        if name == self.strategy.game:
            home: Game = self.game
        else:
            home = load(self.strategy.game) if isinstance(self.game, Holdem) else self.game
            if not isinstance(self.game, Holdem) or not same_but_for_bets(self.game, home):
                raise InputError(f"{self} is for {self.strategy.game}, not for {name}")
        if isinstance(home, Holdem) and isinstance(self.game, Holdem):
            self._shadows = Shadows(home, self.game, self._answers, self.seat, self.translation)

    def mixed(self, observation: Observation) -> Mapping[Action, float]:
        """Return its probabilities in an information set."""
        known = self.strategy.table.candidates((self.seat, observation.infoset))
        if known:
            return self.strategy[self.seat, observation.infoset]
        if self._shadows is None:
            raise InputError(f"{self} has no information set {observation.infoset!r}")
        return self._shadows.mixture(observation.public, observation.private)

    def _answers(self, line: tuple[str, ...], hand: str) -> Mapping[Action, float]:
        return self.strategy[self.seat, f"{hand}:{':'.join(line)}"]

    def tabulate(self, tree: Tree) -> FloatArray | None:
        """Return its strategy for all seats if it is one for this game."""
        if self.strategy.game != tree.name or not self.strategy.table.same_as(tree.table):
            return None
        return self.strategy.probabilities


def _member_of(file: str, name: str) -> Strategy:
    """Return the strategy of a member of a portfolio."""
    from counterpoise.exploit.portfolio import load_portfolio

    members = {member.name: member.strategy for member in load_portfolio(file).members}
    if name not in members:
        raise InputError(f"strategy: member must be one of {file}, not {name!r}: {suggest(name, members)}")
    return members[name]
