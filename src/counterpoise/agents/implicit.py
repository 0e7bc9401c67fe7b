"""An agent that chooses from a portfolio, hand by hand, by what every member would have won so far.

See Johanson 2016, chapter 8.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self, get_args

from counterpoise.agents.base import agent
from counterpoise.agents.strategy import StrategyAgent
from counterpoise.agents.switching import Estimator, SwitchingAgent
from counterpoise.errors import InputError
from counterpoise.exploit.enumerated.portfolio import Portfolio, load_portfolio
from counterpoise.games.base import game_name
from counterpoise.names import spell
from counterpoise.parameters import require_choice


@agent("implicit")
@dataclass
class Implicit(SwitchingAgent):
    """Plays the member of a portfolio that would have won most so far, estimated from the hands: implicit:FILE.

    `counterpoise exploit GAME --portfolio LOG,... --out FILE` makes portfolios.
    """

    file: str = ""
    """The file with the portfolio."""
    selection: str = "greedy"
    """How the next member is chosen: greedy(warm_up=100, gamma=0.1), ucb(c=4) or weights(gamma=0.05); all take window
    and discount, for opponents that change."""
    estimator: Estimator = "ac"
    """The estimator of values: all cards, or all cards and BC-DIVAT or DIVAT after showdowns, which is biased."""

    def __post_init__(self) -> None:
        if not self.file:
            raise InputError("implicit: name the file of a portfolio after a colon, as in implicit:portfolio.cpz")
        self._open(load_portfolio(self.file))

    @classmethod
    def of(cls, portfolio: Portfolio, selection: str = "greedy", estimator: Estimator = "ac") -> Self:
        """Return an agent that chooses from a portfolio in memory."""
        own = cls.__new__(cls)
        own.file, own.selection, own.estimator = "", selection, estimator
        own._open(portfolio)
        return own

    def _open(self, portfolio: Portfolio) -> None:
        require_choice("implicit: estimator", self.estimator, get_args(Estimator))
        self.portfolio = portfolio
        members = [StrategyAgent.of(one.strategy, self.file, one.name) for one in portfolio.members]
        self._begin(members, portfolio.names, self.selection, self.estimator)

    @property
    def name(self) -> str:
        """The name from which `make_agent` makes this agent again."""
        usual = {"selection": "greedy", "estimator": "ac"}
        changed = {name: getattr(self, name) for name, value in usual.items() if getattr(self, name) != value}
        return spell(f"implicit:{self.file}" if self.file else "implicit", changed)

    @property
    def home(self) -> str:
        """The name of the game that the portfolio is for."""
        return self.portfolio.game

    def prepare(self) -> None:
        """Seat the members; refuse a game that the portfolio is not for."""
        if game_name(self.game) != self.portfolio.game:
            raise InputError(f"{self} is for {self.portfolio.game}, not for {game_name(self.game)}")
        super().prepare()
