"""`counterpoise solve GAME --out-of-core DIR`: CFR+ past memory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from counterpoise.cli.options import check_results, command_progress
from counterpoise.cli.output import ended, leave, number, print_facts, print_json
from counterpoise.errors import InputError
from counterpoise.progress import duration

if TYPE_CHECKING:
    from counterpoise.cli.options import LimitOptions, WorkerOptions
    from counterpoise.solvers.out_of_core import OutOfCoreRun


def solve_past_memory(
    game: str | None, folder: Path, limits: LimitOptions, workers: WorkerOptions, plot: Path | None, json: bool
) -> None:
    """Run or continue CFR+ in a folder, and print what was found."""
    from counterpoise.solvers.out_of_core import solve_out_of_core

    check_results(plot)
    with workers.open() as shared:
        run = solve_out_of_core(
            _named(game),
            folder,
            workers=shared,
            progress=command_progress(json, show_eta=limits.show_eta),
            **vars(limits),
        )
    drawn = run.plot(plot) if plot is not None and run.trace else None
    if json:
        print_json(run.to_json() | {"plot": drawn})
    else:
        _print_result(run, folder, drawn)
    leave(run, "the run", folder)


def estimate_past_memory(game: str | None, folder: Path, workers: WorkerOptions, json: bool) -> None:
    """Print what a run in a folder would take: disk, memory and time."""
    from counterpoise.games import as_game
    from counterpoise.jobs.processes import worker_count
    from counterpoise.solvers.out_of_core import Partition, estimate_out_of_core
    from counterpoise.solvers.out_of_core.estimate import free_megabytes, size

    partition = Partition.of(as_game(_named(game)))
    with workers.open() as shared:
        expected = estimate_out_of_core(partition, worker_count(shared))
    free = free_megabytes(folder.absolute())
    if json:
        print_json(expected.to_json() | {"free_disk_mb": free})
    else:
        print_facts((expected.game, "cfr+"), [("would take", expected.sentence()), ("free disk", size(free))])


def _named(game: str | None) -> str:
    if game is None:
        raise InputError("--out-of-core needs the game too: name it before the options")
    return game


def _print_result(run: OutOfCoreRun, folder: Path, plot: Path | None) -> None:
    low, high = run.value_bracket
    lines = [
        ("exploitability", f"{number(run.mbb_per_game)} mbb/g  ({number(run.exploitability)} chips)"),
        ("value", f"the dealer wins from {number(low)} to {number(high)} mbb/g"),
        ("iterations", f"{run.iterations:,}"),
        ("regrets", f"{run.regrets:,}, {run.bits_per_regret:.2f} bits each, {run.disk_mb:,.1f} MB in {folder}"),
        ("time", f"{duration(run.seconds)}  (CPU {duration(run.cpu_seconds)})"),
    ]
    lines.insert(2, ("first round", _first_round(run)))
    if run.all_zero:
        lines.append(("all zero", f"{run.all_zero:,} information sets, where every action is taken alike"))
    lines += ended(run, folder)
    print_facts((run.game, run.algorithm), lines + ([] if plot is None else [("plot", str(plot))]))


def _first_round(run: OutOfCoreRun) -> str:
    """Return how often the dealer does what, and how often each action comes first."""
    often = max(run.first_round[""].items(), key=lambda one: one[1].get("c", 0.0))
    told = f"the dealer limps with {run.limps:.2%} of hands"
    if often[1].get("c", 0.0) > 0:
        told += f", most of all with {often[0]} ({often[1]['c']:.2%})"
    return f"{told}, and makes the last bet in {run.caps:.2%}"
