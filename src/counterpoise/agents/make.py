"""Agents from the names that users type or the objects that they pass."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from counterpoise.agents.base import AGENTS, Agent
from counterpoise.errors import InputError
from counterpoise.names import parse
from counterpoise.parameters import shown

if TYPE_CHECKING:
    from counterpoise.blueprint import Blueprint
    from counterpoise.solvers import Run
    from counterpoise.tree import Strategy

    AgentLike = Agent | Strategy | Run | Blueprint | str
else:
    AgentLike = Any


def make_agent(source: AgentLike) -> Agent:
    """Return the agent of that name, or one that follows a strategy, run, blueprint or spot.

    Settings follow a name in brackets, and a file or an address follows a colon:
    ``strategy:leduc.cpz(translation=nearest)``, ``acpc:127.0.0.1:5000``.

    >>> make_agent("always-raise(size=largest)").name
    'always-raise(size=largest)'
    """
    if isinstance(source, Agent):
        return source
    if isinstance(source, str):
        name, colon, rest = source.partition(":")
        if not colon and name.endswith(".cpz") and name not in AGENTS and _is_there(name):
            from counterpoise.store.cpz import read_header

            read_header(name, "agent")  # refuses, with the agent that plays what is in it
        if not colon or "(" in name:
            agent: Agent = AGENTS.build(source)
            return agent
        file, settings = rest, {}
        if rest.endswith(")") and not _is_there(rest):
            brackets = [at for at, letter in enumerate(rest) if letter == "("]  # the name of a file may have some too
            at = next((at for at in brackets if _is_there(rest[:at])), rest.find("("))
            file, settings = rest[:at], parse(f"f{rest[at:]}")[1]
        kind = AGENTS[name]
        if kind.colon_field not in getattr(kind, "__dataclass_fields__", {}):
            raise InputError(f"agent {shown(name)} takes no {kind.colon_field}: leave out {shown(':' + rest)}")
        agent = AGENTS.build(name, **{kind.colon_field: file}, **settings)
        return agent
    if callable(make := getattr(source, "as_agent", None)):
        found: Agent = make()
        return found
    from counterpoise.agents.strategy import StrategyAgent
    from counterpoise.tree import Strategy

    strategy = getattr(source, "strategy", source)
    if isinstance(strategy, Strategy):
        return StrategyAgent.of(strategy)
    from counterpoise.blueprint import Blueprint

    if isinstance(source, Blueprint):
        from counterpoise.agents.blueprint import BlueprintAgent

        return BlueprintAgent.of(source)
    raise InputError(f"an agent is a name, an Agent, a strategy, a run, a blueprint or a solution, not {shown(source)}")


def with_fast_search(source: AgentLike) -> Agent:
    """Return the agent of that name, with a tenth of the time per decision if it searches.

    >>> with_fast_search("always-call").name
    'always-call'
    """
    found: Any = make_agent(source)
    if "fast" in getattr(found, "__dataclass_fields__", {}):
        found.fast = True
    return cast(Agent, found)


def _is_there(path: str) -> bool:
    """Return whether there is a file or folder of this name, which may be too long for one."""
    try:
        return Path(path).exists()
    except OSError:
        return False


def home_game(agents: Sequence[Agent], otherwise: str) -> str:
    """Return the game of the first agent that was made for a particular game.

    >>> home_game([make_agent("random")], "kuhn_poker")
    'kuhn_poker'
    """
    return next((agent.home for agent in agents if agent.home), otherwise)


def distinct_names(agents: Sequence[Agent]) -> tuple[str, ...]:
    """Return the names of agents at one table; a second agent of the same name is numbered.

    >>> distinct_names([make_agent(name) for name in ("random", "probe", "random")])
    ('random', 'probe', 'random#2')
    """
    names: list[str] = []
    for one in agents:
        before = sum(other.name == one.name for other in agents[: len(names)])
        names.append(one.name if not before else f"{one.name}#{before + 1}")
    return tuple(names)
