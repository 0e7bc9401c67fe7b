"""`counterpoise best-response`: what the best response to an agent wins, exactly."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from counterpoise.cli.app import MISSED, command
from counterpoise.cli.options import (
    JSON,
    SEED,
    WorkerOptions,
    argument,
    command_progress,
    flag,
    option,
    refuse,
    whole_number,
)
from counterpoise.cli.output import print_facts, print_json
from counterpoise.progress import duration

if TYPE_CHECKING:
    from counterpoise.evaluation.best_response.result import AgentBestResponse

METHODS = {
    "hands alike": "all boards, for a player who ignores its cards",
    "boards": "all boards, with vectors of hands",
    "public tree": "the public tree, on which the player was asked everywhere",
    "enumeration": "the enumerated game",
}


@command(
    """
    best-response limit_holdem --agent always-call
    best-response "limit_holdem(board=[0, 3])" --agent probe --json
    best-response leduc_poker --agent strategy:leduc.cpz
    best-response limit_holdem --agent blueprint:mine.cpz --estimate
    best-response limit_holdem --agent blueprint:mine.cpz --flops 60
    best-response limit_holdem --agent blueprint:mine.cpz --resume walk.cpz
    best-response limit_holdem --agent blueprint:mine.cpz --resume walk.cpz --cluster local:2
    """
)
def best_response(
    workers: WorkerOptions,
    game: str = argument("GAME", "A name from [bold]counterpoise games[/].", required=True),
    agent: str = option("--agent AGENT", "A name from [bold]counterpoise agents[/].", default=...),
    resume: Path | None = option(
        "--resume FILE", "Keep a walk over all boards here, flop by flop, and continue it if the file is there already."
    ),
    flops: int | None = option(
        "--flops N", "Estimate a walk over all boards from N flops, with an interval. Default: all.", whole_number
    ),
    seed: int | None = SEED,
    threads: int | None = option("--threads N", "Default: all cores. The result is the same for any.", whole_number),
    all_suits: bool = flag("--all-suits", "Walk through deals that differ by suits only, for agents that do."),
    estimate: bool = flag("--estimate", "Only say what a walk over all boards takes, by measuring some boards."),
    json: bool = JSON,
) -> None:
    """Say what a best response wins per game from an AGENT who sits in the other seats, exactly.

    In hold'em the figure is in mbb/g, thousandths of a big blind per game, the mean over the seats. Limit hold'em for
    two seats may be as large as the whole game: an agent who ignores its cards takes a minute, one who looks at them a
    walk over all boards, which tells first how long it takes. Other games must be small enough to be enumerated.
    Ctrl-C keeps what a walk with --resume has done. Exit code 0 = done, 1 = interrupted, 2 = wrong input.
    """
    from counterpoise.evaluation.best_response.agents import best_response_to, estimate_best_response

    if estimate:
        refuse("--estimate starts no walk", workers, resume=resume, flops=flops, seed=seed)
        expected = estimate_best_response(game, agent, threads=threads, suits_alike=not all_suits)
        if json:
            print_json(expected.to_json())
        else:
            print_facts((expected.game, expected.agent), [("would take", expected.sentence())])
        return
    with workers.open() as processes:
        found = best_response_to(
            game,
            agent,
            resume=resume,
            threads=threads,
            suits_alike=not all_suits,
            processes=processes,
            flops=flops,
            seed=seed or 0,
            progress=command_progress(json, show_eta=True),
        )
    if json:
        print_json(found.to_json())
    else:
        _print_result(found, resume)
    if found.interrupted:
        raise typer.Exit(MISSED)


def _print_result(found: AgentBestResponse, resume: Path | None) -> None:
    if found.finished < 1:
        hint = f"; --resume {resume} continues from here" if resume is not None else ""
        print_facts((found.game, found.agent), [("stopped", f"after {found.finished:.1%} of the first deals{hint}")])
        return
    unit = f"{found.unit}/g" if found.unit == "mbb" else f"{found.unit} per game"
    digits = 3 if found.unit == "mbb" else 6
    seats = ",  ".join(f"in seat {seat}: {value:+.{digits}f}" for seat, value in enumerate(found.best_response_value))
    exploitability = f"{found.exploitability:.{digits + 1}f} {unit}"
    if found.half_width is not None:
        exploitability += f" ± {found.half_width:.{digits}f} (95 %), rather too low, from {found.flops:,} flops"
    lines = [("best response wins", seats), ("exploitability", exploitability)]
    if found.value_bracket is not None:
        low, high = found.value_bracket
        lines.append(("so seat 0 is worth", f"{low:.{digits}f} to {high:.{digits}f} {unit}"))
    method = METHODS[found.method] if found.flops is None else "boards after some flops, with vectors of hands"
    lines.append(("computed on", method + (f" ({found.board_count:,})" if found.board_count else "")))
    lines.append(("time", f"{duration(found.seconds)} (CPU {duration(found.cpu_seconds)})"))
    print_facts((found.game, found.agent), lines)
