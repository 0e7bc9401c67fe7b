"""The best response to an agent."""

from __future__ import annotations

import os
from functools import partial
from random import Random

from counterpoise.agents.make import AgentLike, make_agent
from counterpoise.errors import InputError
from counterpoise.evaluation.best_response.answer import WalkPlan, answer_players, estimate_answer
from counterpoise.evaluation.best_response.elsewhere import WalkElsewhere
from counterpoise.evaluation.best_response.estimate import WalkEstimate
from counterpoise.evaluation.best_response.players import Players
from counterpoise.evaluation.best_response.result import AgentBestResponse
from counterpoise.games import Game, as_game
from counterpoise.games.known import KnownPlayer
from counterpoise.jobs.processes import WorkersLike, check_processes
from counterpoise.parameters import shown
from counterpoise.progress import CancelToken, Progress


def best_response_to(
    game: Game | str,
    agent: AgentLike,
    *,
    resume: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    suits_alike: bool = True,
    processes: WorkersLike = 1,
    flops: int | None = None,
    seed: int = 0,
    progress: Progress | bool | None = None,
    cancel: CancelToken | None = None,
) -> AgentBestResponse:
    """Return what a best response wins per game from an agent that sits in all other seats, exactly.

    In hold'em the unit is thousandths of a big blind (Johanson 2016, section 2.3: mbb/g), elsewhere the game's own.
    Limit hold'em for two seats may be as large as the whole game; other games must be small enough to be enumerated.

    An agent of limit hold'em that looks at its cards is answered by a walk over all boards, whose result does not
    depend on `threads` or on stops: `resume` names a file that keeps it and from which it continues. Deals that differ
    by suits are walked through once, which an agent that treats suits differently does not allow (`suits_alike`).
    `processes`, or the workers of a cluster, share the first deals of the walk instead of threads; each makes the agent
    once. Like `resume`, they are refused where there is no walk. With `flops` only that many first deals are walked,
    drawn with `seed`: `exploitability` is then an estimate that is too low rather than too high in expectation, with
    its `half_width`.

    >>> found = best_response_to("kuhn_poker", "always-call", progress=False)
    >>> [round(value, 4) for value in found.best_response_value]
    [0.3333, 0.3333]
    """
    check_processes(processes)
    rules, players, name = _seated(game, agent)
    elsewhere = None if processes == 1 else WalkElsewhere(processes, partial(_same_pair, rules, agent, name))
    return answer_players(
        rules,
        players,
        name,
        threads=threads,
        suits_alike=suits_alike,
        plan=WalkPlan(resume, elsewhere, flops, seed),
        progress=progress,
        cancel=cancel,
    )


def estimate_best_response(
    game: Game | str, agent: AgentLike, *, threads: int | None = None, suits_alike: bool = True
) -> WalkEstimate:
    """Return the measured cost of `best_response_to` for an agent of limit hold'em that looks at its cards."""
    rules, players, name = _seated(game, agent)
    return estimate_answer(rules, players, name, threads=threads, suits_alike=suits_alike)


def _seated(game: Game | str, agent: AgentLike) -> tuple[Game, list[KnownPlayer], str]:
    rules, answered = as_game(game), make_agent(agent)
    return rules, [answered.sit(rules, seat, Random(0)) for seat in range(rules.players)], answered.strategy_id


def _same_pair(game: Game, agent: AgentLike, strategy_id: str) -> tuple[Game, Players]:
    """Return the game and players of a worker; refuse an agent whose files differ here, as two strategies would be
    mixed."""
    rules, players, own = _seated(game, agent)
    if own != strategy_id:
        raise InputError(
            f"agent {shown(str(agent))} is another one on {os.uname().nodename}: {own}, not {strategy_id}; put the "
            "same files there"
        )
    return rules, (players[0], players[1])
