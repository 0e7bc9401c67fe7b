"""Options that commands share, each declared once, and what is checked before work starts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterpoise.errors import InputError

if TYPE_CHECKING:
    from counterpoise.progress import Progress

SOLVED = ".cpz"


def whole_number(text: str) -> int:
    """Return an option's text as an int, or refuse it in a sentence that says what was typed."""
    try:
        return int(str(text).replace("_", ""))
    except ValueError:
        raise InputError(f"{_typed(text)} is not a whole number") from None


def real_number(text: str) -> float:
    """Return an option's text as a float, or refuse it in a sentence that says what was typed."""
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{_typed(text)} is not a number") from None


def percent(text: str) -> float:
    """Return an option's text as a number of per cent; the sign may be left out."""
    return real_number(str(text).removesuffix("%"))


def _typed(text: str) -> str:
    from counterpoise.parameters import shown

    return shown(text)


Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output and nothing else.")]
Seed = Annotated[
    int | None,
    typer.Option("--seed", metavar="N", parser=whole_number, help="Seed of the random generator. Default: 0."),
]
Iterations = Annotated[
    int | None,
    typer.Option(
        "-n",
        "--iterations",
        metavar="ITER",
        parser=whole_number,
        help="Iterations in total: with --resume those of the earlier run included, after a warm start those since.",
    ),
]
Seconds = Annotated[
    float | None,
    typer.Option("--seconds", metavar="S", parser=real_number, help="Stop after S seconds of this run."),
]
Target = Annotated[
    float | None,
    typer.Option(
        "--target", metavar="X", parser=real_number, help="Stop when exploitability (in game units) is at most X."
    ),
]
TargetPercent = Annotated[
    float | None,
    typer.Option(
        "--target",
        metavar="PCT",
        parser=real_number,
        help="Stop when exploitability is at most PCT per cent of the pot. Without other limits 0.5 (search 0.2).",
    ),
]
WarmIterations = Annotated[
    int | None,
    typer.Option(
        "--warm-iterations",
        metavar="N",
        parser=whole_number,
        help="How many iterations the file of --warm-start is worth. Default: by its exploitability.",
    ),
]


@dataclass(frozen=True)
class Limits:
    """When a run stops: at the first of these."""

    iterations: Iterations = None
    target: Target = None
    seconds: Seconds = None

    @property
    def even(self) -> bool:
        """Whether progress is even, so that the time left can be told."""
        return self.target is None


@dataclass(frozen=True)
class SpotLimits:
    """When a run on a spot stops, and how it uses the machine."""

    target: TargetPercent = None
    iterations: Iterations = None
    seconds: Seconds = None
    threads: Annotated[
        int | None, typer.Option("--threads", metavar="N", parser=whole_number, help="Default: all cores.")
    ] = None
    bits: Annotated[
        int | None,
        typer.Option(
            "--bits", metavar="16|32", parser=whole_number, help="16 halves the memory. Default: 32 if they fit."
        ),
    ] = None
    algorithm: Annotated[
        str | None, typer.Option("-a", "--algorithm", metavar="ALGORITHM", help="A variant of CFR.")
    ] = None

    @property
    def even(self) -> bool:
        """Whether progress is even, so that the time left can be told."""
        return self.iterations is not None and self.target is None


@dataclass(frozen=True)
class Display:
    """What to show of a node."""

    grid: Annotated[bool, typer.Option("--grid", help="Print the 13 x 13 grid of the node that is shown.")] = False
    cards: Annotated[
        bool, typer.Option("--cards", help="One line per card that may come at the node, or at its last deal.")
    ] = False
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw the grid, or with --cards the cards (.png, .svg or .pdf)."),
    ] = None


def command_progress(json: bool, show_eta: bool = False) -> Progress:
    """Return the progress of a command: notes for people only, `show_eta` for jobs whose progress is even."""
    from counterpoise.progress import TerminalProgress

    return TerminalProgress(notes=not json, show_eta=show_eta)


def check_plot(plot: Path | None, out: Path | None) -> None:
    """Refuse, before any work, a figure that cannot be drawn or that would overwrite the other result."""
    if plot is not None:
        from counterpoise.plots import check_figure
        from counterpoise.store.files import same_file

        check_figure(plot)
        if out is not None and same_file(out, plot):
            raise InputError(f"--out and --plot both name {plot}: they need two files")


def check_spot_out(out: Path | None, read: Path | None) -> None:
    """Refuse, before any work, a file that cannot be written or that is read."""
    if out is not None:
        from counterpoise.store import check_writable
        from counterpoise.store.files import same_file

        if read is not None and same_file(out, read):
            raise InputError(f"--out names {read}, which is read: name another file, ending in {SOLVED}")
        if out.suffix.lower() != SOLVED:
            raise InputError(f"--out must name a file ending in {SOLVED}, not {out}")
        check_writable(out)


def make_folder(folder: Path) -> None:
    """Make a folder for results unless there is one, and refuse it if files cannot be made in it."""
    from counterpoise.store import check_folder

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder {folder}: {error.strerror or error}") from None
    check_folder(folder, f"cannot write into the folder {folder}")


def refuse(reason: str, *groups: object, **options: Any) -> None:
    """Refuse options that were given although they make no sense, and say why."""
    given = {name: value for group in groups for name, value in vars(group).items()} | options
    for name, value in given.items():
        if value is not None and value is not False:
            raise InputError(f"--{name.replace('_', '-')} makes no sense here: {reason}")
