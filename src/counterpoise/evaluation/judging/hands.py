"""Hands of logs judged block by block, on any number of processes with the same result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from counterpoise.agents.base import Agent
from counterpoise.agents.make import AgentLike
from counterpoise.errors import InputError
from counterpoise.evaluation.estimators import Estimates, JudgeSettings, estimate, make_judge
from counterpoise.evaluation.estimators.estimate import Judge
from counterpoise.evaluation.judging.strategies import known_strategies, seat_known
from counterpoise.games import Game
from counterpoise.games.holdem import Holdem
from counterpoise.logs.record import HandRecord

BLOCK, HOLDEM_BLOCK = 500, 10
"""Hands that are judged together for all agents; few in hold'em, so that run-outs are kept from agent to agent."""


class HandSetup(NamedTuple):
    """Everything that defines how hands are judged; it is sent to other processes."""

    game: Game
    records: Sequence[HandRecord]
    recorded: Mapping[str, Mapping[str, None]]
    """The ids of the strategies that each agent has followed."""
    agents: Sequence[str]
    named: Mapping[str, AgentLike]
    others: Mapping[str, Agent | None]
    """The agents to be judged and, for each, another agent to be evaluated on its hands or None."""
    settings: JudgeSettings

    def plan(self, thinks: bool = False) -> list[tuple[int, int]]:
        """Return the first hand and the number of hands of every block: one, if an agent `thinks` about each."""
        size, total = (1 if thinks else HOLDEM_BLOCK if isinstance(self.game, Holdem) else BLOCK), len(self.records)
        return [(first, min(size, total - first)) for first in range(0, total, size)]

    def make_judge(self) -> Callable[[int, int], dict[str, Estimates]]:
        """Return the judge of blocks of hands."""
        return HandJudge(self).judge


class HandJudge:
    """Judges blocks of hands; `reason` says why none can be judged, if so."""

    def __init__(self, setup: HandSetup) -> None:
        self._setup = setup
        self.strategies = known_strategies(setup.game, setup.recorded, setup.agents, setup.named)
        for name, other in setup.others.items():
            if other is not None and name in self.strategies.reasons:
                why = self.strategies.reasons[name]
                raise InputError(
                    f"to evaluate {other} on the hands of {name}, the strategy of {name} must be known: {why}"
                )
        self._evaluated = {
            name: None if other is None else seat_known(setup.game, other) for name, other in setup.others.items()
        }
        self._judge: Judge | None = None
        self.reason = ""
        try:
            self._judge = make_judge(setup.game, setup.settings)
        except InputError as error:
            self.reason = str(error)

    @property
    def thinks(self) -> bool:
        """Whether an agent whose strategy is known searches at every decision."""
        seated = [*self.strategies.named.values(), *self.strategies.followed.values()]
        players = [one for own in (*seated, *self._evaluated.values()) for one in own or ()]
        return any(isinstance(one, Agent) and one.thinks for one in players)

    def judge(self, first: int, deals: int) -> dict[str, Estimates]:
        """Return every estimator's values of some hands, by agent; agents that did not sit there are left out."""
        setup, records = self._setup, self._setup.records[first : first + deals]
        there = {name for record in records for name in record.agents}
        return {
            name: estimate(
                setup.game,
                records,
                name,
                known=self.strategies.named,
                followed=self.strategies.followed,
                evaluated=evaluated,
                settings=setup.settings,
                judge=self._judge,
            )
            for name, evaluated in self._evaluated.items()
            if name in there
        }
