"""`counterpoise play`: sit down against agents at the terminal."""

from __future__ import annotations

import sys
from pathlib import Path

from counterpoise.cli.app import command
from counterpoise.cli.match import DEFAULT_GAME, GAME
from counterpoise.cli.options import FAST, JSON, argument, option, whole_number
from counterpoise.cli.output import print_json
from counterpoise.games.base import brief

DEFAULT_OPPONENT = "blueprint"


@command(
    """
    play
    play libratus
    play strategy:leduc.cpz
    play spot:turn.cpz
    play random always-raise --game "no_limit_holdem(seats=3, stack=50)" --log hands.phhs
    """
)
def play(
    agents: list[str] | None = argument("[AGENT...]", "Names from [bold]counterpoise agents[/]. Default: blueprint."),
    game: str | None = GAME,
    hands: int | None = option("--hands N", "Deals to play. Default: until you leave.", whole_number),
    seed: int | None = option("--seed N", "Seed of the cards and of the agents. Default: a new one.", whole_number),
    log: Path | None = option("--log FILE", "Write every hand: .log (ACPC), .phhs (PHH) or .jsonl (any game)."),
    fast: bool = FAST,
    json: bool = JSON,
) -> None:
    """Sit down against AGENT: type f, c, 300, allin; h explains, q leaves.

    You move one seat on from hand to hand; an agent takes all seats that are left. Your score is kept when you
    leave, with a 95 % interval that says how much of it may be luck. Input may come from a pipe.
    """
    import secrets

    from counterpoise.agents.make import home_game, make_agent, with_fast_search
    from counterpoise.play.session import play_session

    players = [(with_fast_search if fast else make_agent)(name) for name in agents or [DEFAULT_OPPONENT]]
    found = play_session(
        game or home_game(players, DEFAULT_GAME),
        players,
        hands=hands,
        seed=secrets.randbelow(2**32) if seed is None else seed,
        log=log,
        out=sys.stderr if json else sys.stdout,
    )
    if json:
        print_json(found.to_json())
    else:
        print(f"{brief(found.game)}, seed {found.seed}, against {', '.join(found.opponents)}")
        print(found.describe())
