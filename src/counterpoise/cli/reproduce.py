"""`counterpoise reproduce`: re-run a published table or figure beside the published numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from counterpoise.cli.app import MISSED, command
from counterpoise.cli.options import JSON, argument, command_progress, flag, make_folder, option
from counterpoise.cli.output import console, print_json, table
from counterpoise.errors import InputError
from counterpoise.progress import duration

if TYPE_CHECKING:
    from counterpoise.reproduce import Report

NUMBER = re.compile(r"[-+]?[\d,]*\.?\d+(e[-+]?\d+)?%?|[-–]?")
VERDICTS = {True: ("holds", "green"), False: ("does not hold", "red"), None: ("not tested here", "yellow")}


@command(
    """
    reproduce --list
    reproduce ID --out figures
    """
)
def reproduce(
    experiment: str | None = argument("ID", "An experiment from --list."),
    all: bool = flag("--list", "List the experiments and leave."),
    out: Path | None = option("--out FOLDER", "Write the figures here; the folder is made if need be."),
    data: Path | None = option("--data FOLDER", "Published data to compare with.", envvar="COUNTERPOISE_DATA"),
    seconds: float | None = option("--seconds S", "How long an experiment that goes as far as time allows may take."),
    json: bool = JSON,
) -> None:
    """Re-run a published table or figure at this machine's size and print it beside the published numbers.

    Every claim of the source is listed with what we find. Exit code 0 = done, whatever the claims; 1 =
    interrupted; 2 = wrong input.
    """
    from counterpoise.reproduce import EXPERIMENTS

    if all:
        _list(json)
        return
    if experiment is None:
        raise InputError("name an experiment; counterpoise reproduce --list shows all of them")
    chosen = EXPERIMENTS[experiment]
    if data is not None and not data.is_dir():
        raise InputError(f"--data must be a folder, not {data}")
    if out is not None:
        make_folder(out)
    live = command_progress(json)
    chosen.check_seconds(seconds)
    live.note(f"{chosen.title} ({chosen.source}); about {duration(seconds or chosen.seconds)}")
    report = chosen.run(live, out, data, seconds)
    if json:
        print_json(report.to_json())
    else:
        _print_result(report)
    if report.interrupted:
        raise typer.Exit(MISSED)


def _list(json: bool) -> None:
    from counterpoise.reproduce import EXPERIMENTS

    entries = list(EXPERIMENTS.values())
    if json:
        names = ("id", "title", "source", "seconds")
        print_json({"experiments": [{name: getattr(entry, name) for name in names} for entry in entries]})
        return
    rows = [
        [entry.id, entry.title, entry.source, duration(entry.seconds) + (", --seconds" if entry.budget else "")]
        for entry in entries
    ]
    console().print(table(["id", "title", "source", "takes about"], rows, numbers=[3]))


def _print_result(report: Report) -> None:
    screen = console()
    screen.print(report.title, style="bold", markup=False)
    for part in report.tables:
        screen.print(part.caption, style="italic", markup=False)
        screen.print(table(part.columns, part.rows, numbers=_numeric(part.rows)))
        screen.print()
    for claim in report.claims:
        verdict, colour = VERDICTS[claim.holds]
        screen.print(f"[{colour}]{verdict:>15}[/]", end="  ")
        screen.print(claim.text + (f" ({claim.detail})" if claim.detail else ""), markup=False)
    for note in report.notes:
        screen.print(note, markup=False)
    for path in report.figures:
        screen.print(f"figure: {path}", markup=False)


def _numeric(rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the columns that hold nothing but numbers and gaps."""
    columns = list(zip(*rows, strict=True))
    return [k for k, column in enumerate(columns) if all(NUMBER.fullmatch(cell.strip()) for cell in column)]
