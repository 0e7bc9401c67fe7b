"""What the commands print: JSON for programs, tables for people."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from counterpoise.cli.app import MISSED, complain
from counterpoise.store.json import plain_json
from counterpoise.summaries import Summary, number as number, one_line, values as values

if TYPE_CHECKING:
    from counterpoise.exploit import Portfolio
    from counterpoise.jobs import IteratedResult

    Finished = IteratedResult | Portfolio

UNLIMITED = 1000
"""The width where there is no screen: every row of a table then stays on one line."""


def console() -> Console:
    """Return standard output; plain and unwrapped when it is not a terminal."""
    wide = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    return Console(width=UNLIMITED if wide else None, highlight=False)


def print_json(answer: Mapping[str, Any]) -> None:
    """Print the answer as exactly one JSON object on standard output."""
    print(json.dumps(plain_json(answer), allow_nan=False, indent=2 if sys.stdout.isatty() else None), flush=True)


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    numbers: Iterable[int] = (),
    lines: bool = False,
) -> Table:
    """Return rows under column heads; `numbers` are the columns to align right, `lines` sets rows apart."""
    plain = not sys.stdout.isatty()
    right = set(numbers)
    out = Table(
        box=None if plain else box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1),
        header_style="bold",
        leading=1 if lines else 0,
    )
    for position, name in enumerate(columns):
        number = position in right
        out.add_column(name, justify="right" if number else "left", no_wrap=number or position == 0, overflow="fold")
    for row in rows:
        out.add_row(*(Text(cell) if isinstance(cell, str) else _trimmed(cell) for cell in row))
    return out


def _trimmed(cell: Text) -> Text:
    cell.rstrip()
    return cell


def print_facts(title: Sequence[str], lines: Iterable[tuple[str, str]], verdict: Text | None = None) -> None:
    """Print a heading, a verdict if there is one, and name-value lines, for the result of one job."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in lines:
        grid.add_row(f"  {name}", Text(value))
    screen = console()
    screen.print(Text(" · ".join(title), style="bold"))
    if verdict is not None:
        screen.print(verdict, soft_wrap=True)
    screen.print(grid)


def print_summary(summary: Summary, more_facts: Iterable[tuple[str, str]] = ()) -> None:
    """Print what a result says of itself, with more lines of facts if there are any."""
    screen = console()
    if summary.facts or more_facts:
        print_facts((summary.title,), [*summary.facts, *more_facts])
    elif summary.title:
        screen.print(summary.title, style="bold", markup=False)
    if summary.columns:
        cells = [[one_line(cell) for cell in row] for row in summary.rows]
        screen.print(table(summary.columns, cells, numbers=summary.numbers))
    for note in summary.notes:
        screen.print(note, markup=False)
    for warning in summary.warnings:
        screen.print(warning, style="yellow", markup=False)


def ended(found: Finished, out: Path | None, resumable: bool = True) -> list[tuple[str, str]]:
    """Return the lines on how a job ended: whether Ctrl-C stopped it and where the result was saved."""
    saved = out if found.unsaved is None else None
    hint = f"; --resume {saved} continues from here" if saved is not None and resumable else ""
    lines = [("stopped", f"by Ctrl-C{hint}")] if found.interrupted else []
    return lines if saved is None else [*lines, ("saved to", str(saved))]


def leave(found: Finished, what: str, out: Path | None) -> None:
    """Say why a result could not be saved, and exit with code 1 unless the job did all that it was asked for."""
    if found.unsaved is not None:
        complain(f"{what} could not be saved to {out}: {found.unsaved}")
    if found.interrupted or not found.reached or found.unsaved is not None:
        raise typer.Exit(MISSED)
