"""`counterpoise best-response`: what the best response to an agent wins, exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from counterpoise.cli.app import MISSED, command
from counterpoise.cli.options import JSON, argument, command_progress, option, whole_number
from counterpoise.cli.output import print_facts, print_json
from counterpoise.progress import duration

if TYPE_CHECKING:
    from counterpoise.evaluation.best_response.result import AgentBestResponse

METHODS = {
    "hands alike": "all boards, for a player who ignores its cards",
    "boards": "all boards, with vectors of hands",
    "enumeration": "the enumerated game",
}


@command(
    """
    best-response limit_holdem --agent always-call
    best-response "limit_holdem(board=[0, 3])" --agent probe --json
    best-response leduc_poker --agent strategy:leduc.cpz
    """
)
def best_response(
    game: str = argument("GAME", "A name from [bold]counterpoise games[/].", required=True),
    agent: str = option("--agent AGENT", "A name from [bold]counterpoise agents[/].", default=...),
    threads: int | None = option("--threads N", "Default: all cores. The result is the same for any.", whole_number),
    json: bool = JSON,
) -> None:
    """Say what a best response wins per game from an AGENT who sits in the other seats, exactly.

    In hold'em the figure is in mbb/g, thousandths of a big blind per game, the mean over the seats. Limit hold'em for
    two seats may be as large as the whole game; other games must be small enough to be enumerated. Exit code 0 = done,
    1 = interrupted, 2 = wrong input.
    """
    from counterpoise.agents.best_response import best_response_to

    found = best_response_to(game, agent, threads=threads, progress=command_progress(json, show_eta=True))
    if json:
        print_json(found.to_json())
    else:
        _tell(found)
    if found.interrupted:
        raise typer.Exit(MISSED)


def _tell(found: AgentBestResponse) -> None:
    unit = f"{found.unit}/g" if found.unit == "mbb" else f"{found.unit} per game"
    seats = ",  ".join(f"in seat {seat}: {value:+.3f}" for seat, value in enumerate(found.best_response_value))
    lines = [("best response wins", seats), ("exploitability", f"{found.exploitability:.4f} {unit}")]
    if found.value_bracket is not None:
        low, high = found.value_bracket
        lines.append(("so seat 0 is worth", f"{low:.3f} to {high:.3f} {unit}"))
    lines.append(("computed on", METHODS[found.method] + (f" ({found.boards:,})" if found.boards else "")))
    lines.append(("time", f"{duration(found.seconds)} (CPU {duration(found.cpu_seconds)})"))
    print_facts((found.game, found.agent), lines)
