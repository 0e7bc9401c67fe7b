"""`counterpoise lbr`: a lower bound on an agent's exploitability, by a local best response."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from counterpoise.cli.app import MISSED, command
from counterpoise.cli.match import DEFAULT_GAME, GAME
from counterpoise.cli.options import JSON, SEED, WorkerOptions, argument, command_progress, option, whole_number
from counterpoise.cli.output import number, print_facts, print_json
from counterpoise.progress import duration

if TYPE_CHECKING:
    from counterpoise.evaluation import LocalResponse


@command(
    """
    lbr always-call --game limit_holdem --hands 2000
    lbr strategy:small.cpz --game "limit_holdem(board=[0, 3], ranks=4)" --actions pot
    lbr blueprint:hunl.cpz --actions "c / f,c,33%,66%,132% / f,c" --processes 2
    lbr blueprint:hunl.cpz --actions lbr-1 --json
    """
)
def lbr(
    workers: WorkerOptions,
    agent: str = argument("AGENT", "A name from [bold]counterpoise agents[/].", required=True),
    game: str | None = GAME,
    hands: int | None = option("--hands N", "Deals, each played in both seats. Default: 1000.", whole_number),
    actions: str | None = option(
        "--actions PLAN",
        "What it may do: call, pot, pot-allin, many, lbr-1, lbr-2, rebel, or words for each round such as "
        '"c / f,c,75%,allin". Default: pot-allin.',
    ),
    seed: int | None = SEED,
    json: bool = JSON,
) -> None:
    """Let a local best response play AGENT, whose strategy it knows, in hold'em for two.

    What it wins per hand is a lower bound on the agent's exploitability; that it wins nothing proves nothing. Exit code
    0 = done, 1 = interrupted, 2 = wrong input.
    """
    from counterpoise.agents.make import home_game, make_agent
    from counterpoise.evaluation.local_best_response.actions import DEFAULT_PLAN
    from counterpoise.evaluation.local_best_response.match import DEFAULT_HANDS, local_best_response

    judged = make_agent(agent)
    with workers.open() as processes:
        found = local_best_response(
            game or home_game([judged], DEFAULT_GAME),
            judged,
            DEFAULT_HANDS if hands is None else hands,
            actions=DEFAULT_PLAN if actions is None else actions,
            seed=seed or 0,
            processes=processes,
            progress=command_progress(json, show_eta=True),
        )
    if json:
        print_json(found.to_json())
    else:
        _print_result(found)
    if found.interrupted:
        raise typer.Exit(MISSED)


def _print_result(found: LocalResponse) -> None:
    unit = f"{found.unit} per hand"
    bound = f"{number(found.lower_bound)} {unit}, with 97.5 % confidence"
    if found.lower_bound <= 0:
        bound = "nothing is shown: what it wins cannot be told from 0"
    facts = [
        ("exploitable by at least", bound),
        ("it wins", f"{number(found.mean, '+')} ± {number(found.ci95)} {unit}"),
        ("in money", f"{number(found.money, '+')} ± {number(found.money_ci95)}"),
        ("over the agent's hands", f"{number(found.all_cards, '+')} ± {number(found.all_cards_ci95)}"),
        ("at seat 0, at seat 1", f"{number(found.seats[0], '+')}, {number(found.seats[1], '+')}"),
        ("actions", found.actions),
        ("time", f"{duration(found.seconds)} (CPU {duration(found.cpu_seconds)})"),
    ]
    if found.interrupted:
        facts.append(("stopped", "by Ctrl-C"))
    print_facts([found.game, f"local best response to {found.agent}", f"{found.hands:,} deals in both seats"], facts)
