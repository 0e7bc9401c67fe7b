"""Players of games: the protocol of an agent, the simple built-in ones, and agents that follow a saved strategy.

`make_agent` turns what users type ("always-call", "strategy:leduc.cpz") into an `Agent`; `Agent.sit` puts an
independent copy of it at a seat. No file here knows the table that agents play at.
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.agents.base import (
        AGENTS as AGENTS,
        Agent as Agent,
        KnownAgent as KnownAgent,
        LeaveTable as LeaveTable,
        agent as agent,
    )
    from counterpoise.agents.blueprint import BlueprintAgent as BlueprintAgent
    from counterpoise.agents.human import Human as Human
    from counterpoise.agents.make import AgentLike as AgentLike, make_agent as make_agent
    from counterpoise.agents.strategy import StrategyAgent as StrategyAgent
    from counterpoise.games.known import Behaviour as Behaviour, KnownPlayer as KnownPlayer

__all__ = [
    "AGENTS",
    "Agent",
    "AgentLike",
    "Behaviour",
    "BlueprintAgent",
    "Human",
    "KnownAgent",
    "KnownPlayer",
    "LeaveTable",
    "StrategyAgent",
    "agent",
    "make_agent",
]

import_lazily(__name__)
