"""Which strategies are known: agents that a log names are made again, if they can be and are still the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import NamedTuple

from counterpoise.agents.base import AGENTS, Agent, KnownAgent
from counterpoise.agents.make import AgentLike, make_agent
from counterpoise.errors import InputError
from counterpoise.games import Game
from counterpoise.games.known import KnownPlayer
from counterpoise.parameters import shown


class KnownStrategies(NamedTuple):
    """The strategies that are known."""

    named: dict[str, Sequence[KnownPlayer]]
    """The players of each seat for agents that the caller has named, by the name of the agent."""
    followed: dict[str, Sequence[KnownPlayer]]
    """The players of each seat for all other agents, by the id of the strategy."""
    labels: dict[str, str]
    """The strategy that an agent is known to have followed, by the agent's name."""
    reasons: dict[str, str]
    """Why the strategy of an agent is not known in all hands, by its name."""


def known_strategies(
    game: Game, recorded: Mapping[str, Mapping[str, None]], agents: Sequence[str], named: Mapping[str, AgentLike]
) -> KnownStrategies:
    """Return the players of every agent that is known.

    `recorded` are the ids of strategies in the logs by agent; what the caller has `named` takes precedence.
    """
    for name in named:
        if name not in agents:
            raise InputError(f"{name} did not play in these hands: {', '.join(agents)} did")
    players: dict[str, Sequence[KnownPlayer]] = {}
    followed: dict[str, Sequence[KnownPlayer]] = {}
    labels: dict[str, str] = {}
    reasons: dict[str, str] = {}
    for name in agents:
        ids = list(recorded.get(name, ("",)))
        if name in named:
            agent = make_agent(named[name])
            players[name] = seat_known(game, agent)
            labels[name] = agent.name
            continue
        for one in ids:
            try:
                if one not in followed:
                    followed[one] = seat_known(game, remake(one))
            except InputError as error:
                reasons[name] = str(error)
        if name not in reasons:
            labels[name] = ", ".join(ids)
    return KnownStrategies(players, followed, labels, reasons)


def remake(strategy_id: str) -> Agent:
    """Return the agent of an id in a record, or raise `InputError` if it cannot be made or has changed since.

    Only agents whose strategy is known are made, so that a log can start nothing else.
    """
    if not strategy_id:
        raise InputError("the log does not say which strategy it followed")
    name = strategy_id.rpartition("@")[0] or strategy_id
    plain = name.partition("(")[0].partition(":")[0]
    if plain not in AGENTS:
        raise InputError(f"{shown(plain)} is no agent of this package: --load FILE.py names the file that has it")
    kind = AGENTS[plain]
    if not (isinstance(kind, type) and issubclass(kind, KnownAgent)):
        raise InputError(f"{name} does not say what it would do with other hands")
    made = make_agent(name)
    if made.strategy_id != strategy_id:
        raise InputError(f"{name} has changed since these hands were played")
    return made


def seat_known(game: Game, agent: Agent) -> list[KnownPlayer]:
    """Return an agent in every seat of a game, or raise `InputError` if its strategy is not known there."""
    if agent.learns:
        raise InputError(f"{agent} learns from hand to hand, so that no strategy of it is known")
    if type(agent).probabilities is Agent.probabilities or agent.switches:
        raise InputError(f"{agent} does not say what it would do with other hands")
    return [agent.sit(game, seat, Random(0)) for seat in range(game.players)]
