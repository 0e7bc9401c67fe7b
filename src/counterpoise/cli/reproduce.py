"""`counterpoise reproduce`: re-run a published table or figure beside the published numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from counterpoise.cli.app import MISSED, command
from counterpoise.cli.options import (
    JSON,
    WorkerOptions,
    argument,
    command_progress,
    flag,
    make_folder,
    option,
    real_number,
)
from counterpoise.cli.output import console, print_json, table
from counterpoise.errors import InputError
from counterpoise.jobs.clock import Clock, cpu_with_children
from counterpoise.parameters import shown
from counterpoise.progress import duration
from counterpoise.store.files import check_writable

if TYPE_CHECKING:
    from counterpoise.reproduce import Report

NUMBER = re.compile(r"[-+]?[\d,]*\.?\d+(e[-+]?\d+)?%?|[-–]?")
COLOURS = {True: "green", False: "red", None: "yellow"}
HOURS = re.compile(r"([0-9.]+) *(h|min|s)", flags=re.IGNORECASE)


def parse_budget(text: str) -> float:
    """Return the seconds that a text such as 10h, 90min or 300s stands for.

    >>> parse_budget("1.5h")
    5400.0
    """
    found = HOURS.fullmatch(str(text))
    if found is None:
        raise InputError(f"{shown(text)} is not a time: write a number with h, min or s, such as 10h")
    return real_number(found[1]) * {"h": 3600.0, "min": 60.0, "s": 1.0}[found[2].lower()]


@command(
    """
    reproduce --list
    reproduce ID --out figures
    reproduce --all --budget 10h --keep reproduced.json
    """
)
def reproduce(
    workers: WorkerOptions,
    experiment: str | None = argument("ID", "An experiment from --list."),
    listed: bool = flag("--list", "List the experiments with the verdicts of their last full run, and leave."),
    all: bool = flag("--all", "Run what --budget leaves time for, first what was never run or longest ago."),
    budget: float | None = option("--budget TIME", "What --all may take, such as 10h or 90min.", parse_budget),
    keep: Path | None = option(
        "--keep FILE",
        "Keep verdicts, commit, machine and CPU time in this JSON file; --all skips what it has of this commit, and "
        "--list reads it instead of the one that comes with the package.",
    ),
    out: Path | None = option("--out FOLDER", "Write the figures here; the folder is made if need be."),
    data: Path | None = option("--data FOLDER", "Published data to compare with.", envvar="COUNTERPOISE_DATA"),
    seconds: float | None = option("--seconds S", "How long an experiment that goes as far as time allows may take."),
    json: bool = JSON,
) -> None:
    """Re-run a published table or figure at this machine's size and print it beside the published numbers.

    Every claim of the source holds, does not hold, or is not decided, with the reason. Exit code 0 = done, whatever
    the claims; 1 = interrupted, or an experiment of --all failed; 2 = wrong input.
    """
    from counterpoise.reproduce import EXPERIMENTS
    from counterpoise.reproduce.harness.last_run import read_runs

    if listed:
        _list(keep, json)
        return
    if data is not None and not data.is_dir():
        raise InputError(f"--data must be a folder, not {data}")
    if keep is not None:
        check_writable(keep)
    if all:
        _run_all(workers, budget, keep, data, experiment, json)
        return
    if budget is not None:
        raise InputError("--budget says what --all may take; one experiment takes --seconds, if it can use them")
    if experiment is None:
        raise InputError("name an experiment; counterpoise reproduce --list shows all of them")
    chosen = EXPERIMENTS[experiment]
    if keep is not None and seconds is not None:
        raise InputError("--keep is for full runs: leave out --seconds")
    kept = None if keep is None else read_runs(keep)
    if out is not None:
        make_folder(out)
    live = command_progress(json)
    chosen.check_seconds(seconds)
    live.note(f"{chosen.title} ({chosen.source}); about {duration(seconds or chosen.seconds)}")
    clock = Clock(cpu=cpu_with_children)
    with clock:
        report = chosen.run(live, out, data, seconds)
    if kept is not None and keep is not None and not report.interrupted:
        from counterpoise.reproduce.harness.last_run import kept_run

        kept.runs[chosen.id] = kept_run(report, clock.cpu_seconds)
        kept.save(keep)
    if json:
        print_json(report.to_json())
    else:
        _print_result(report)
    if report.interrupted:
        raise typer.Exit(MISSED)


def _run_all(
    workers: WorkerOptions, budget: float | None, keep: Path | None, data: Path | None, named: str | None, json: bool
) -> None:
    """Sweep through all experiments and say what was run, left and failed."""
    from counterpoise.progress import cancel_on_interrupt
    from counterpoise.reproduce.harness.sweep import sweep

    if budget is None or keep is None:
        missing = "--budget TIME" if budget is None else "--keep FILE"
        raise InputError(f"--all needs {missing}, as in reproduce --all --budget 10h --keep reproduced.json")
    if named is not None:
        raise InputError(f"--all runs all experiments: leave out {shown(named)}")
    with workers.open() as processes, cancel_on_interrupt() as token:
        result = sweep(keep, budget, processes, command_progress(json), token, data)
        stopped = token.cancelled
    if json:
        print_json({**result._asdict(), "file": keep, "interrupted": stopped})
    else:
        screen = console()
        screen.print(f"{len(result.done)} experiments run and kept in {keep}; {len(result.left)} left for lack of time")
        for id, trouble in result.failed.items():
            screen.print(f"[red]failed[/]  {id}: ", end="")
            screen.print(trouble, markup=False)
    if stopped or result.failed:
        raise typer.Exit(MISSED)


def _list(keep: Path | None, json: bool) -> None:
    from counterpoise.reproduce import EXPERIMENTS
    from counterpoise.reproduce.harness.last_run import read_runs

    entries, runs = list(EXPERIMENTS.values()), read_runs(keep).runs
    if json:
        names = ("id", "title", "source", "seconds")
        listed = [
            {name: getattr(entry, name) for name in names}
            | {"claims": len(entry.claims), "last_run": runs[entry.id].model_dump() if entry.id in runs else None}
            for entry in entries
        ]
        print_json({"experiments": listed, "offered": list(EXPERIMENTS.offered)})
        return
    rows = []
    for entry in entries:
        time = duration(entry.seconds) + (", --seconds" if entry.budget else "")
        last = f"{run.summary} ({run.commit}, {run.date[:10]})" if (run := runs.get(entry.id)) else "none kept"
        rows.append([entry.id, entry.title, entry.source, time, str(len(entry.claims)), last])
    rows += [[id, f"offered by {point.value}", "", "", "", ""] for id, point in EXPERIMENTS.offered.items()]
    console().print(table(["id", "title", "source", "takes about", "claims", "last full run"], rows, numbers=[3, 4]))


def _print_result(report: Report) -> None:
    screen = console()
    screen.print(report.title, style="bold", markup=False)
    for part in report.tables:
        screen.print(part.caption, style="italic", markup=False)
        screen.print(table(part.columns, part.rows, numbers=_numeric(part.rows)))
        screen.print()
    if report.differences:
        screen.print("More than a tenth away from the reference:", markup=False)
        for line in report.differences:
            screen.print(f"  {line}", markup=False)
        screen.print()
    for claim in report.claims:
        screen.print(f"[{COLOURS[claim.holds]}]{claim.verdict:>13}[/]", end="  ")
        screen.print(claim.text + (f" ({claim.told})" if claim.told else ""), markup=False)
    for name, place in (("judged on", report.basis.here), ("the source", report.basis.there)):
        if place:
            screen.print(f"{name}: {place}", markup=False)
    for note in report.notes:
        screen.print(note, markup=False)
    for path in report.figures:
        screen.print(f"figure: {path}", markup=False)


def _numeric(rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the columns that hold nothing but numbers and gaps."""
    columns = list(zip(*rows, strict=True))
    return [k for k, column in enumerate(columns) if all(NUMBER.fullmatch(cell.strip()) for cell in column)]
