"""What `counterpoise spot` and `counterpoise search` share: options, and checks of files and options before work."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from counterpoise.cli.jobs import real_number, whole_number
from counterpoise.errors import InputError
from counterpoise.plots import check_figure
from counterpoise.store import check_writable

SOLVED = ".cpz"

TargetPercent = Annotated[
    float | None,
    typer.Option(
        "--target",
        metavar="PCT",
        parser=real_number,
        help="Stop when exploitability is at most PCT per cent of the pot. Without other limits 0.5 (search 0.2).",
    ),
]
Threads = Annotated[
    int | None, typer.Option("--threads", metavar="N", parser=whole_number, help="Default: all cores.")
]  # fmt: skip
Bits = Annotated[
    int | None,
    typer.Option("--bits", metavar="16|32", parser=whole_number, help="16 halves the memory. Default: 32 if they fit."),
]
SpotAlgorithm = Annotated[
    str | None, typer.Option("-a", "--algorithm", metavar="ALGORITHM", help="A variant of CFR.")
]  # fmt: skip
Grid = Annotated[bool, typer.Option("--grid", help="Print the 13 x 13 grid of the node that is shown.")]
Cards = Annotated[
    bool, typer.Option("--cards", help="One line per card that may come at the node, or at its last deal.")
]
Plot = Annotated[
    Path | None,
    typer.Option("--plot", metavar="FILE", help="Draw the grid, or with --cards the cards (.png, .svg or .pdf)."),
]


def check_files(file: Path | None, out: Path | None, plot: Path | None, no_river: bool, folder: bool) -> None:
    """Refuse files that cannot be written or that an answer would overwrite, before any work."""
    if plot is not None:
        check_figure(plot)
        if out is not None and out.resolve() == plot.resolve():
            raise InputError(f"--out and --plot both name {plot}: they need two files")
    if out is None and no_river:
        raise InputError("--no-river says how to save: name the file with --out")
    if out is not None and folder and not out.is_dir():
        raise InputError(f"--out must name a folder for a folder of spots, and {out} is none")
    if out is not None and not folder:
        if file is not None and out.resolve() == file.resolve():
            raise InputError(f"--out names {file}, which is read: name another file, ending in {SOLVED}")
        if out.suffix.lower() != SOLVED:
            raise InputError(f"--out must name a file ending in {SOLVED}, not {out}")
        check_writable(out)


def refuse(reason: str, **options: Any) -> None:
    """Refuse options that were given although they make no sense, and say why."""
    for name, value in options.items():
        if value is not None and value is not False:
            raise InputError(f"--{name.replace('_', '-')} makes no sense here: {reason}")
