"""Options that commands share, each declared once, and what is checked before work starts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from counterpoise.errors import InputError
from counterpoise.parameters import shown
from counterpoise.progress import Progress, TerminalProgress
from counterpoise.store.files import check_folder, check_writable, same_file

if TYPE_CHECKING:
    from counterpoise.jobs.processes import WorkersLike

SOLVED = ".cpz"


def whole_number(text: str) -> int:
    """Return an option's text as an int, or refuse it in a sentence that says what was typed."""
    try:
        return int(str(text).replace("_", ""))
    except ValueError:
        raise InputError(f"{shown(text)} is not a whole number") from None


def real_number(text: str) -> float:
    """Return an option's text as a float, or refuse it in a sentence that says what was typed."""
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{shown(text)} is not a number") from None


def percent(text: str) -> float:
    """Return an option's text as a number of per cent; the sign may be left out."""
    return real_number(str(text).removesuffix("%"))


def parse_memory(text: str) -> float:
    """Return the bytes that a text such as 500MB or 4GB stands for.

    >>> parse_memory("1.5GB")
    1500000000.0
    """
    found = re.fullmatch(r"([0-9.]+) *(kB|MB|GB)", str(text), flags=re.IGNORECASE)
    if found is None:
        raise InputError(f"{shown(text)} is not a size: write a number with kB, MB or GB, such as 4GB")
    return real_number(found[1]) * {"kb": 1e3, "mb": 1e6, "gb": 1e9}[found[2].lower()]


def option(
    declaration: str, help: str, parser: Callable[[str], Any] | None = None, *, default: Any = None, **more: Any
) -> Any:
    """Return an option declared as in "-n --iterations ITER": its names, then the word that stands for its value."""
    words = declaration.split()
    names = [word for word in words if word.startswith("-")]
    metavar = " ".join(words[len(names) :]) or None
    return typer.Option(default, *names, metavar=metavar, parser=parser, help=help, **more)


def flag(name: str, help: str) -> Any:
    """Return an option without a value."""
    return typer.Option(False, name, help=help)


def argument(metavar: str, help: str, *, required: bool = False) -> Any:
    """Return an argument of a command, which is None if it may be left out and is."""
    return typer.Argument(... if required else None, metavar=metavar, help=help, show_default=False)


JSON = flag("--json", "Print one JSON object on standard output and nothing else.")
FAST = flag("--fast", "Let agents that search take a tenth of the time per decision.")
SEED = option("--seed N", "Seed of the random generator. Default: 0.", whole_number)
ITERATIONS = option(
    "-n --iterations ITER",
    "Iterations in total: with --resume those of the earlier run included, after a warm start those since.",
    whole_number,
)
SECONDS = option("--seconds S", "Stop after S seconds of this run.", real_number)
WARM_ITERATIONS = option(
    "--warm-iterations N",
    "How many iterations the file of --warm-start is worth. Default: by its exploitability.",
    whole_number,
)


@dataclass(frozen=True)
class LimitOptions:
    """When a run stops: at the first of these."""

    iterations: int | None = ITERATIONS
    target: float | None = option("--target X", "Stop when exploitability (in game units) is at most X.", real_number)
    seconds: float | None = SECONDS

    @property
    def show_eta(self) -> bool:
        """Whether progress is even enough to tell the time left."""
        return self.target is None


@dataclass(frozen=True)
class RaceLimitOptions(LimitOptions):
    """When each algorithm of a race stops: at the first of these."""

    iterations: int | None = option(
        "-n --iterations ITER", "Iterations of each algorithm. Without any limit 1,000.", whole_number
    )
    target: float | None = option(
        "--target X", "An algorithm stops when its exploitability (in game units) is at most X.", real_number
    )
    seconds: float | None = option("--seconds S", "An algorithm stops after S seconds of its own.", real_number)


@dataclass(frozen=True)
class WorkerOptions:
    """Who does work that falls into pieces; the result is the same whoever does it."""

    processes: int | None = option("--processes N", "Default: 1. The result is the same for any number.", whole_number)
    cluster: str | None = option(
        "--cluster local:N|HOST:PORT",
        "Do the work on Ray: N workers of this machine, or those of a running cluster. The result is the same.",
    )

    @property
    def given(self) -> bool:
        """Whether anything was said."""
        return self.processes is not None or self.cluster is not None

    @contextmanager
    def open(self) -> Iterator[WorkersLike]:
        """Return a number of processes, or a cluster that is left at the end."""
        if self.cluster is None:
            yield 1 if self.processes is None else self.processes
            return
        if self.processes is not None:
            raise InputError("--processes and --cluster exclude each other: both say who does the work")
        from counterpoise.cluster import connect

        with connect(self.cluster) as cluster:
            yield cluster


@dataclass(frozen=True)
class SpotLimitOptions:
    """When a run on a spot stops, and how it uses the machine."""

    target: float | None = option(
        "--target PCT",
        "Stop when exploitability is at most PCT per cent of the pot. Without other limits 0.5 (search 0.2, bet sizes "
        "0.1).",
        real_number,
    )
    iterations: int | None = ITERATIONS
    seconds: float | None = SECONDS
    threads: int | None = option("--threads N", "Default: all cores.", whole_number)
    bits: int | None = option("--bits 16|32", "16 halves the memory. Default: 32 if they fit.", whole_number)
    algorithm: str | None = option(
        "-a --algorithm ALGORITHM",
        "An algorithm that runs on spots, such as cfr+ or pcs; to search, a variant of CFR. Default: dcfr(gamma=4).",
    )

    @property
    def show_eta(self) -> bool:
        """Whether progress is even enough to tell the time left."""
        return self.iterations is not None and self.target is None


@dataclass(frozen=True)
class Display:
    """What to show of a node."""

    grid: bool = flag("--grid", "Print the 13 x 13 grid of the node that is shown.")
    cards: bool = flag("--cards", "One line per card that may come at the node, or at its last deal.")
    plot: Path | None = option(
        "--plot FILE", "Draw the grid, with --cards the cards, or EV against size (.png, .svg or .pdf)."
    )


def command_progress(json: bool, show_eta: bool = False) -> Progress:
    """Return the progress of a command: notes for people only, `show_eta` for jobs whose progress is even."""
    return TerminalProgress(notes=not json, show_eta=show_eta)


def check_results(plot: Path | None, **files: Path | None) -> None:
    """Refuse, before any work, a figure that cannot be drawn and results that would overwrite one another."""
    if plot is not None:
        from counterpoise.plots import check_figure

        check_figure(plot)
    named = [(name, path) for name, path in (files | {"plot": plot}).items() if path is not None]
    for (first, path), (second, other) in combinations(named, 2):
        if same_file(path, other):
            raise InputError(f"--{first} and --{second} both name {other}: they need two files")


def check_spot_out(out: Path | None, read: Path | None) -> None:
    """Refuse, before any work, a file that cannot be written or that is read."""
    if out is not None:
        if read is not None and same_file(out, read):
            raise InputError(f"--out names {read}, which is read: name another file, ending in {SOLVED}")
        if out.suffix.lower() != SOLVED:
            raise InputError(f"--out must name a file ending in {SOLVED}, not {out}")
        check_writable(out)


def make_folder(folder: Path) -> None:
    """Make a folder for results unless there is one, and refuse it if files cannot be made in it."""
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
