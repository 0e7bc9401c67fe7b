"""The memory of an agent: the growth of a fresh process in which it sits down and plays two deals.

Every agent gets a process of its own, so that none profits from what another has read. Only agents that can be made
from a name are measured.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from counterpoise.agents.base import Agent
from counterpoise.agents.make import make_agent
from counterpoise.errors import InputError
from counterpoise.games import Game, as_game
from counterpoise.games.base import game_name
from counterpoise.jobs.processes import end_with_input, run_program

DEALS, WARM_UP = 2, 40
"""Deals that are measured, and deals that others play before: enough for a showdown, whose tables are read once."""
MOST_SECONDS = 600.0
"""A process that takes longer is ended, and no memory is reported."""


def memory_of(agent: Agent, game: Game) -> dict[str, Any] | None:
    """Return the `memory_mb` of an agent that is made and plays two deals; None if no name makes it again."""
    try:
        again = make_agent(agent.name).strategy_id == agent.strategy_id
    except InputError:
        again = False
    if not again:
        return None
    try:
        answer = run_program("counterpoise.evaluation.footprint", game_name(game), agent.name, seconds=MOST_SECONDS)
        return dict(json.loads(answer.stdout))
    except (OSError, subprocess.SubprocessError, ValueError):  # such as a game or an agent of the caller's own
        return None


def measure(game: str, agent: str) -> dict[str, Any]:
    """Return by how many MB this process grows when an agent is made and plays two deals against random play."""
    import psutil

    from counterpoise.play.match import match

    process, rules = psutil.Process(), as_game(game)

    def play(first: Any, deals: int) -> int:
        match(rules, [first, *["random"] * (rules.players - 1)], deals, duplicate="rotations", progress=False)
        return int(process.memory_info().rss)

    before = play("random", WARM_UP)
    return {"memory_mb": max(play(make_agent(agent), DEALS) - before, 0) / 1e6}


if __name__ == "__main__":
    end_with_input()
    print(json.dumps(measure(*sys.argv[1:])))
