"""`counterpoise reproduce`: re-run a published table or figure beside the published numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from counterpoise.cli.app import MISSED, command
from counterpoise.cli.options import Json, command_progress, make_folder
from counterpoise.errors import InputError

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
    experiment: Annotated[
        str | None, typer.Argument(metavar="ID", help="An experiment from --list.", show_default=False)
    ] = None,
    all: Annotated[bool, typer.Option("--list", help="List the experiments and leave.")] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FOLDER", help="Write the figures here; the folder is made if need be."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="FOLDER", help="Published data to compare with.", envvar="COUNTERPOISE_DATA"),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option("--seconds", metavar="S", help="How long an experiment that goes as far as time allows may take."),
    ] = None,
    json: Json = False,
) -> None:
    """Re-run a published table or figure at this machine's size and print it beside the published numbers.

    Every claim of the source is listed with what we find. Exit code 0 = done, whatever the claims; 1 =
    interrupted; 2 = wrong input.
    """
    from counterpoise.cli.output import print_json
    from counterpoise.progress import duration
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
        _tell(report)
    if report.interrupted:
        raise typer.Exit(MISSED)


def _list(json: bool) -> None:
    from counterpoise.cli.output import console, print_json, table
    from counterpoise.progress import duration
    from counterpoise.reproduce import EXPERIMENTS

    entries = list(EXPERIMENTS.values())
    if json:
        print_json(
            {
                "experiments": [
                    {"id": entry.id, "title": entry.title, "source": entry.source, "seconds": entry.seconds}
                    for entry in entries
                ]
            }
        )
        return
    rows = [
        [entry.id, entry.title, entry.source, duration(entry.seconds) + (", --seconds" if entry.budget else "")]
        for entry in entries
    ]
    console().print(table(["id", "title", "source", "takes about"], rows, numbers=[3]))


def _tell(report: Report) -> None:
    from counterpoise.cli.output import console, table

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
    """The columns that hold nothing but numbers and gaps."""
    columns = list(zip(*rows, strict=True))
    return [k for k, column in enumerate(columns) if all(NUMBER.fullmatch(cell.strip()) for cell in column)]
