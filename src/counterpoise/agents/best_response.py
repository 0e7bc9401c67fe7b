"""The best response to an agent."""

from __future__ import annotations

import os
from random import Random

from counterpoise.agents.make import AgentLike, make_agent
from counterpoise.evaluation.best_response.answer import answer_players, estimate_answer
from counterpoise.evaluation.best_response.estimate import WalkEstimate
from counterpoise.evaluation.best_response.result import AgentBestResponse
from counterpoise.games import Game, as_game
from counterpoise.games.known import KnownPlayer
from counterpoise.progress import CancelToken, Progress


def best_response_to(
    game: Game | str,
    agent: AgentLike,
    *,
    resume: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    suits_alike: bool = True,
    progress: Progress | bool | None = None,
    cancel: CancelToken | None = None,
) -> AgentBestResponse:
    """Return what a best response wins per game from an agent that sits in all other seats, exactly.

    In hold'em the unit is thousandths of a big blind (Johanson 2016, section 2.3: mbb/g), elsewhere the game's own.
    Limit hold'em for two seats may be as large as the whole game; other games must be small enough to be enumerated.

    An agent of limit hold'em that looks at its cards is answered by a walk over all boards, whose result does not
    depend on `threads` or on stops: `resume` names a file that keeps it and from which it continues. Deals that differ
    by suits are walked through once, which an agent that treats suits differently does not allow (`suits_alike`).

    >>> found = best_response_to("kuhn_poker", "always-call", progress=False)
    >>> [round(value, 4) for value in found.best_response_value]
    [0.3333, 0.3333]
    """
    rules, players, name = _seated(game, agent)
    return answer_players(
        rules,
        players,
        name,
        resume=resume,
        threads=threads,
        suits_alike=suits_alike,
        progress=progress,
        cancel=cancel,
    )


def estimate_best_response(
    game: Game | str, agent: AgentLike, *, threads: int | None = None, suits_alike: bool = True
) -> WalkEstimate:
    """Return what `best_response_to` will cost for an agent of limit hold'em that looks at its cards, by measuring."""
    rules, players, name = _seated(game, agent)
    return estimate_answer(rules, players, name, threads=threads, suits_alike=suits_alike)


def _seated(game: Game | str, agent: AgentLike) -> tuple[Game, list[KnownPlayer], str]:
    rules, answered = as_game(game), make_agent(agent)
    return rules, [answered.sit(rules, seat, Random(0)) for seat in range(rules.players)], answered.strategy_id
