"""`counterpoise arena`: a round robin of agents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from counterpoise.cli.app import MISSED, command
from counterpoise.cli.options import (
    FAST,
    JSON,
    SEED,
    WorkerOptions,
    argument,
    check_results,
    command_progress,
    flag,
    option,
    whole_number,
)
from counterpoise.cli.output import console, number, print_json, table
from counterpoise.games.base import brief
from counterpoise.progress import duration, memory_size

if TYPE_CHECKING:
    from counterpoise.evaluation import ArenaResult
    from counterpoise.evaluation.arena import ArenaAgent

NO_LUCK = 1e-6
"""A half width below which the spread of a mean is that of rounding, in the unit of the arena."""


@command(
    """
    arena
    arena blueprint always-call probe random --hands 1000 --plot arena.png
    arena strategy:a.cpz strategy:b.cpz random --game leduc_poker --hands 100000
    arena blueprint blueprint:mine.cpz libratus --hands 500 --resume arena --processes 2
    arena always-call probe random --game "limit_holdem(seats=3)" --json
    """
)
def arena(
    workers: WorkerOptions,
    agents: list[str] | None = argument(
        "[AGENT...]", "Names from [bold]counterpoise agents[/]. Default: all that can play the game as they come."
    ),
    game: str | None = option(
        "--game GAME",
        "A name from [bold]counterpoise games[/]. Default: that of the first saved strategy, else of the blueprint "
        "of this program.",
    ),
    hands: int | None = option("--hands N", "Deals of each match, played in every seat. Default: 200.", whole_number),
    searching: bool = flag(
        "--searching", "Without AGENTs: also those that search while they play, whose hands take seconds each."
    ),
    seed: int | None = SEED,
    lbr_hands: int | None = option(
        "--lbr-hands N", "Deals of each local best response, 0 for none. Default: a tenth of --hands.", whole_number
    ),
    resume: Path | None = option(
        "--resume FOLDER", "Keep every match here, and continue what is there already, also with more agents or hands."
    ),
    no_memory: bool = flag("--no-memory", "Do not start a process for each agent to measure its memory."),
    plot: Path | None = option("--plot FILE", "Draw the cross table (.png, .svg or .pdf)."),
    fast: bool = FAST,
    json: bool = JSON,
) -> None:
    """Let every AGENT play every other on the same cards, and say who wins what, with 95 % intervals.

    A cell is what the row wins from the column per hand, without luck (AIVAT) where strategies are known. With more
    than two seats the row sits alone against a field of the column. Ctrl-C keeps the matches that were played. Exit
    code 0 = done, 1 = interrupted, 2 = wrong input.
    """
    from counterpoise.agents.make import with_fast_search
    from counterpoise.evaluation.arena import DEFAULT_HANDS, arena as run_arena

    check_results(plot)
    with workers.open() as processes:
        found = run_arena(
            [with_fast_search(name) for name in agents or ()] if fast else agents or (),
            game,
            DEFAULT_HANDS if hands is None else hands,
            searching=searching,
            seed=seed or 0,
            lbr_hands=lbr_hands,
            memory=not no_memory,
            processes=processes,
            resume=resume,
            progress=command_progress(json),
        )
    drawn = found.plot(plot) if plot is not None and found.matches else None
    if json:
        print_json(found.to_json() | {"plot": drawn})
    else:
        _print_result(found, resume, drawn)
    if found.interrupted:
        raise typer.Exit(MISSED)


def _print_result(found: ArenaResult, resume: Path | None, plot: Path | None) -> None:
    screen = console()
    seated = "in both seats" if found.seats == 2 else f"once in each of {found.seats} seats against a field"
    title = f"{brief(found.game)} · {found.hands:,} deals a match, {seated} · {found.unit} per hand"
    screen.print(title, style="bold", markup=False)
    heads, rows = found.table.cells()
    screen.print(table(heads, rows, numbers=range(1, len(heads))))
    heads = ["rank", "agent", "mean", "95 %", "local best response", "thinking per hand", "memory", "forfeits"]
    screen.print(table(heads, [_row(agent) for agent in found.agents], numbers=(0, 2, 3, 4, 5, 6, 7)))
    if any(agent.tied for agent in found.agents):
        screen.print("  =: the agent ranked next may be as good", markup=False)
    if any(one.aivat_mean is None for one in found.matches):
        screen.print("  some cells are money: nobody in the match says what it would do with other hands", markup=False)
    if any(agent.rank is not None and agent.ci95 < NO_LUCK for agent in found.agents):
        screen.print(f"  ± below {NO_LUCK:g}: no luck is left in the mean, only rounding", markup=False)
    screen.print(f"  {duration(found.seconds)} (CPU {duration(found.cpu_seconds)})", markup=False)
    if found.interrupted:
        hint = f"; --resume {resume} continues from here" if resume is not None else ""
        screen.print(f"  stopped by Ctrl-C{hint}", markup=False)
    if plot is not None:
        screen.print(f"  plot in {plot}", markup=False)


def _row(agent: ArenaAgent) -> list[str]:
    rank = "-" if agent.rank is None else f"{agent.rank}{'=' if agent.tied else ''}"
    lbr = "-" if agent.lbr is None or agent.lbr_ci95 is None else f"{number(agent.lbr, '+')} ± {number(agent.lbr_ci95)}"
    thinking = "-" if agent.seconds_per_hand is None else duration(agent.seconds_per_hand)
    memory = "-" if agent.memory_mb is None else memory_size(1e6 * agent.memory_mb)
    mean, half = ("-", "-") if agent.rank is None else (number(agent.mean, "+"), f"± {number(agent.ci95)}")
    return [rank, agent.name, mean, half, lbr, thinking, memory, f"{agent.forfeits:,}"]
