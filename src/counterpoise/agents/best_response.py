"""The best response to an agent."""

from __future__ import annotations

from random import Random

from counterpoise.agents.make import AgentLike, make_agent
from counterpoise.evaluation.best_response.answer import answer_players
from counterpoise.evaluation.best_response.result import AgentBestResponse
from counterpoise.games import Game, as_game
from counterpoise.progress import CancelToken, Progress


def best_response_to(
    game: Game | str,
    agent: AgentLike,
    *,
    threads: int | None = None,
    progress: Progress | bool | None = None,
    cancel: CancelToken | None = None,
) -> AgentBestResponse:
    """Return what a best response wins per game from an agent that sits in all other seats, exactly.

    In hold'em the unit is thousandths of a big blind (JOHANSON 2.3: mbb/g), elsewhere the game's own. Limit hold'em
    for two seats may be as large as the whole game; other games must be small enough to be enumerated. The result does
    not depend on `threads`.

    >>> best_response_to("kuhn_poker", "always-call").best_response_value
    (0.333..., 0.333...)
    """
    rules, answered = as_game(game), make_agent(agent)
    players = [answered.sit(rules, seat, Random(0)) for seat in range(rules.players)]
    return answer_players(rules, players, answered.name, threads=threads, progress=progress, cancel=cancel)
