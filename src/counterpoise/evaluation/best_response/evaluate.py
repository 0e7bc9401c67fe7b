"""Evaluate an agent with its search, in a game that is small enough, by exact best responses.

The evaluation is of one fixed strategy: that of the agent with its settings, including its `seed`. All random numbers
of a search are drawn from the seed and the public history, so that the agent answers the same when asked twice. An
agent with another seed is another strategy with another exploitability.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import cycle
from random import Random
from typing import TYPE_CHECKING, Any

from counterpoise.agents.make import AgentLike, make_agent
from counterpoise.agents.searching import SearchingAgent
from counterpoise.errors import InputError
from counterpoise.evaluation.best_response.answer import answer_players
from counterpoise.evaluation.best_response.public_tree import ExtraBet
from counterpoise.games import Game, as_game
from counterpoise.games.base import game_name
from counterpoise.games.units import unit_of
from counterpoise.jobs import Clock, JobResult
from counterpoise.progress import CancelToken, Progress
from counterpoise.store.json import JsonResult

if TYPE_CHECKING:
    from counterpoise.agents.base import Agent
    from counterpoise.evaluation.best_response.result import AgentBestResponse


@dataclass(frozen=True, kw_only=True)
class AgentEvaluation(JobResult, JsonResult):
    """The exploitability of an agent, in the game's own unit."""

    game: str
    agent: str
    method: str
    """How it was judged: as `AgentBestResponse.method` says, or "play-throughs"."""
    exploitability: float
    """NashConv / number of players."""
    nash_conv: float
    value: tuple[float, ...] | None
    """What each seat wins if the agent sits in all of them; None in limit hold'em, where it is not computed."""
    best_response_value: tuple[float, ...]
    """What a best response wins in each seat."""
    mbb_per_game: float | None
    """Exploitability in thousandths of a big blind; None in games without one."""
    searches: int
    """Searches of the agent in all seats."""
    cut_short: int
    """Searches that ran out of time. Results are reproducible only if there are none."""
    play_throughs: int | None = None
    """The number of draws whose mean was judged, for an agent that draws a strategy for each subgame."""
    blueprint: AgentEvaluation | None = None
    """The evaluation of the strategy that the agent follows without search, if it searches."""

    def to_json(self) -> dict[str, Any]:
        """Return the figures in the types of JSON; `blueprint` is null for an agent that does not search."""
        return super().to_json() | {"blueprint": None if self.blueprint is None else self.blueprint.to_json()}


def evaluate_agent(
    agent: AgentLike,
    game: Game | str | None = None,
    *,
    play_throughs: int | None = None,
    suits_alike: bool = True,
    progress: Progress | bool | None = None,
    cancel: CancelToken | None = None,
) -> AgentEvaluation:
    """Return what a best response wins from an agent with its search, and from its blueprint, exactly.

    Without a `game` it is the one that the agent was made for. Hold'em for two seats must be small, such as
    ``no_limit_holdem(ranks=3, board=[0, 3], stack=10)``; in it the opponent has the bets of the game's menu and those
    that the agent or its blueprint makes, the same against both. Boards that differ by suits are one unless
    `suits_alike` is False. `play_throughs` is the number of draws that are judged as one mixture, for agents that draw
    a strategy for each subgame.

    >>> found = evaluate_agent("always-call", "kuhn_poker", progress=False)
    >>> round(found.exploitability, 4), found.blueprint
    (0.3333, None)
    """
    judged = make_agent(agent)
    if game is None and not judged.home:
        raise InputError(f"{judged} plays any game: name the game to judge it in")
    rules = as_game(judged.home if game is None else game)
    if judged.outside or judged.learns:
        why = "somebody else decides for it" if judged.outside else "it changes from hand to hand"
        raise InputError(f"{judged} has no fixed strategy to judge: {why}")
    with Clock() as clock:
        drawn = judged.evaluate_draws(rules, play_throughs, progress)
    if drawn is not None:
        return AgentEvaluation(
            game=drawn.game,
            agent=judged.strategy_id,
            method="play-throughs",
            exploitability=drawn.exploitability,
            nash_conv=drawn.nash_conv,
            value=drawn.value,
            best_response_value=drawn.best_response_value,
            mbb_per_game=None,
            searches=0,
            cut_short=0,
            play_throughs=drawn.play_throughs,
            seconds=clock.seconds,
            cpu_seconds=clock.cpu_seconds,
        )
    if play_throughs is not None:
        raise InputError(f"{judged} makes no play-throughs: it is the same in every hand")
    options: dict[str, Any] = {"suits_alike": suits_alike, "progress": progress, "cancel": cancel}
    bare = judged.without_search()
    if bare is None:
        return _judge(judged, rules, options)
    extra_bets: set[ExtraBet] = set()
    options["extra_bets"] = extra_bets
    found: dict[bool, AgentEvaluation] = {}
    for agent in cycle((bare, judged)):  # until neither makes another bet, so that both met the same ones
        offered = len(extra_bets)
        found[agent is judged] = _judge(agent, rules, options)
        if len(found) == 2 and len(extra_bets) == offered:
            break
    return replace(found[True], blueprint=found[False])


def _judge(agent: Agent, rules: Game, options: dict[str, Any]) -> AgentEvaluation:
    players = [agent.sit(rules, seat, Random(0)) for seat in range(rules.players)]
    for player in players:
        player.expect_any_history()
    found = answer_players(rules, players, agent.strategy_id, **options)
    if found.interrupted:
        raise InputError(f"{agent}: stopped before all of {game_name(rules)} was walked through")
    logs = [player.searches for player in players if isinstance(player, SearchingAgent)]
    finished, cut_short = sum(log.finished for log in logs), sum(log.cut_short for log in logs)
    return _in_game_unit(rules, found, finished, cut_short)


def _in_game_unit(rules: Game, found: AgentBestResponse, searches: int, cut_short: int) -> AgentEvaluation:
    scale = unit_of(rules)[1]
    return AgentEvaluation(
        game=found.game,
        agent=found.agent,
        method=found.method,
        exploitability=found.exploitability / scale,
        nash_conv=found.exploitability * rules.players / scale,
        value=None if found.value is None else tuple([value / scale for value in found.value]),
        best_response_value=tuple([value / scale for value in found.best_response_value]),
        mbb_per_game=found.mbb_per_game,
        searches=searches,
        cut_short=cut_short,
        **found.spent,
    )
