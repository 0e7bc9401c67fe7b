"""What the commands that run solvers share: options, the checks before work, the live line, the guarantee."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from counterpoise.cli.output import duration, size
from counterpoise.errors import InputError
from counterpoise.games import Game, game_name, load
from counterpoise.progress import Live
from counterpoise.solvers import Algorithm, Run, TracePoint
from counterpoise.tree import Tree, enumerate_game


def whole_number(text: str) -> int:
    """An option's text as an int, or a sentence that says what was typed."""
    try:
        return int(str(text).replace("_", ""))
    except ValueError:
        raise InputError(f"{text!r} is not a whole number") from None


def real_number(text: str) -> float:
    """An option's text as a float, or a sentence that says what was typed."""
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{text!r} is not a number") from None


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
Target = Annotated[
    float | None,
    typer.Option(
        "--target", metavar="X", parser=real_number, help="Stop when exploitability (in game units) is at most X."
    ),
]
Seconds = Annotated[
    float | None,
    typer.Option("--seconds", metavar="S", parser=real_number, help="Stop after S seconds of this run."),
]
Seed = Annotated[
    int | None,
    typer.Option("--seed", metavar="N", parser=whole_number, help="Seed of the random generator. Default: 0."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output and nothing else.")]

ESTIMATE_AFTER = 2.0
"""Seconds of work after which the time left can be told."""


class JobLive(Live):
    """The live line of a job, with notes above it and the time left where progress is even."""

    def __init__(self, *, notes: bool, even: bool) -> None:
        super().__init__()
        self._notes, self._even = notes, even
        self._told, self._game = False, ""
        self._since, self._from, self._last = time.monotonic(), 0.0, 0.0

    def note(self, sentence: str) -> None:
        """A line on standard error that stays; nothing when a program reads the answer."""
        if self._notes:
            self._progress.console.print(Text(sentence), soft_wrap=True)

    def begin(self, job: str) -> None:
        """Start a line and its clock; the game, already noted above, need not be named again."""
        super().begin(job.removesuffix(f" on {self._game}"))
        self._since, self._from, self._last = time.monotonic(), 0.0, 0.0

    def show(self, fraction: float | None, figure: str) -> None:
        """Update the line and say how long the rest will take."""
        super().show(fraction, figure + self._remaining(fraction))

    def enumerate(self, game: Game) -> Tree:
        """The tree of the game, with a line of its own only while it grows."""
        self._game = game_name(game)
        self.begin(self._game)
        tree = enumerate_game(game, progress=lambda n, all: self.show(n / all, f"enumerating, {n:,} histories"))
        if self._task is not None:
            self._progress.remove_task(self._task)
            self._task = None
        return tree

    def _remaining(self, fraction: float | None) -> str:
        now = time.monotonic()
        if fraction is None or fraction < self._last or self._last == 0.0:  # a new phase has begun
            self._since, self._from, self._last = now, fraction or 0.0, fraction or 0.0
            return ""
        self._last = fraction
        elapsed, done = now - self._since, fraction - self._from
        if not self._even or elapsed < ESTIMATE_AFTER or done <= 0 or fraction >= 1:
            return ""
        left = elapsed * (1 - fraction) / done
        if left > 10 and not self._told and self._progress.disable:
            self.note(f"about {duration(left)} left")
            self._told = True
        return f"  about {duration(left)} left"


def tree_size(tree: Tree) -> str:
    """How big a game is, in words."""
    return (
        f"{tree.name}: {tree.nodes:,} histories, {tree.infosets:,} information sets, "
        f"{size(tree.memory_bytes)} in memory"
    )


def load_of(path: Path, name: str) -> Game:
    """The game that a saved file names; a user's own class is not known by name."""
    try:
        return load(name)
    except InputError as error:
        raise InputError(
            f"{path} is for the game {name!r}, which cannot be loaded by that name ({error}): "
            "name the game on the command line, or use Python if it is a class of your own"
        ) from None


def check_numbers(iterations: int | None, target: float | None, seconds: float | None, seed: int | None) -> None:
    """Refuse a stopping rule that cannot be met, or a seed that no generator takes, before any work."""
    if iterations is not None and iterations < 1:
        raise InputError(f"--iterations must be a whole number of at least 1, not {iterations}")
    for name, value in (("--target", target), ("--seconds", seconds)):
        if value is not None and not (value > 0 and math.isfinite(value)):
            raise InputError(f"{name} must be a positive number, not {value:g}")
    if seed is not None and seed < 0:
        raise InputError(f"--seed must be a whole number of at least 0, not {seed}")


def caveat(tree: Tree, settings: Algorithm) -> str:
    """Why the result need not be near an equilibrium; empty if the method's guarantee covers the game."""
    if not settings.guarantee:
        return (
            f"No equilibrium guarantee: no theorem covers {settings.name}. "
            "The exploitability shown is exact for the strategy found."
        )
    if tree.two_player_zero_sum or tree.players == 1:
        return ""
    kind = f"has {tree.players} players" if tree.players != 2 else "is not zero-sum"
    return (
        f"No equilibrium guarantee: {tree.name} {kind}, and {settings.name} is guaranteed to converge "
        "in two-player zero-sum games only. The exploitability shown is exact for the strategy found."
    )


def points(trace: Sequence[TracePoint]) -> list[dict[str, Any]]:
    """A trace for JSON."""
    return [point._asdict() for point in trace]


def figures(run: Run) -> dict[str, Any]:
    """The numbers of a run for JSON."""
    return {
        "iterations": run.iterations,
        "exploitability": run.exploitability,
        "nash_conv": run.nash_conv,
        "value": run.value,
        "seconds": run.seconds,
        "cpu_seconds": run.cpu_seconds,
        "nodes_touched": run.nodes_touched,
        "reached": run.reached,
        "interrupted": run.interrupted,
        "trace": points(run.trace),
    }
