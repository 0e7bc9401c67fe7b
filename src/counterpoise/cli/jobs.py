"""What the commands that run solvers share: options, the checks before work, the live line, the guarantee."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from counterpoise.cli.output import size
from counterpoise.errors import InputError
from counterpoise.games import Game, load
from counterpoise.progress import Progress, TerminalProgress
from counterpoise.solvers import Algorithm, Run, TracePoint
from counterpoise.tree import Tree


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


def command_progress(json: bool, show_eta: bool = False) -> Progress:
    """Return the progress of a command: notes for people only, `show_eta` for jobs whose progress is even."""
    return TerminalProgress(notes=not json, show_eta=show_eta)


def tree_size(tree: Tree) -> str:
    """How big a game is, in words."""
    return (
        f"{tree.name}: {tree.nodes:,} histories, {tree.infosets:,} information sets, "
        f"{size(tree.memory_bytes)} in memory"
    )


def load_saved_game(path: Path, name: str) -> Game:
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


def trace_json(trace: Sequence[TracePoint]) -> list[dict[str, Any]]:
    """A trace for JSON."""
    return [point._asdict() for point in trace]


def run_json(run: Run) -> dict[str, Any]:
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
        "trace": trace_json(run.trace),
    }
