"""`counterpoise train --method deep-cfr|nfsp|rebel ...`: networks instead of tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from counterpoise.cli.app import MISSED, complain
from counterpoise.cli.options import command_progress
from counterpoise.cli.output import number, print_facts, print_json
from counterpoise.errors import Diverged, InputError
from counterpoise.names import parse, suggest
from counterpoise.parameters import shown
from counterpoise.progress import cancel_on_interrupt, duration, memory_size

if TYPE_CHECKING:
    from counterpoise.deep import NetworkTraining

TABLES = ("external", "vector", "clusters", "cfr-br")
"""Methods that train blueprints."""


def names_networks(method: str | None, resume: Path | None) -> bool:
    """Return whether a method, or the checkpoint that is continued, is one of networks."""
    if resume is not None:
        from counterpoise.store.cpz import read_header
        from counterpoise.store.files import checkpoint_of

        file = checkpoint_of(resume)
        return file.exists() and read_header(file)["kind"] == "network training"
    name = TABLES[0] if method is None else parse(method)[0]
    if name in TABLES:
        return False
    from counterpoise.deep import METHODS

    if name not in METHODS:
        raise InputError(f"unknown method {shown(name)}: {suggest(name, [*TABLES, *METHODS])}")
    return True


def train(game: str | None, method: str | None, plot: Path | None, json: bool, out: Path, **limits: Any) -> None:
    """Train networks, say what came out, and leave with exit code 1 if that was not all that was asked for."""
    from counterpoise.deep import train_networks

    with cancel_on_interrupt() as cancel:
        try:
            found = train_networks(
                game, method, out=out, progress=command_progress(json, show_eta=True), cancel=cancel, **limits
            )
        except Diverged as error:
            raise typer.Exit(complain(str(error), MISSED)) from None
    drawn = found.plot(plot) if plot is not None and found.trace else None
    if json:
        print_json(found.to_json() | {"out": out, "plot": drawn})
    else:
        _print_result(found, out, drawn)
    if found.unsaved is not None:
        complain(f"the networks could not be saved to {out}: {found.unsaved}")
    if plot is not None and drawn is None:
        complain(f"{plot} was not drawn: exploitability was never measured")
    if found.interrupted or found.unsaved is not None or (plot is not None and drawn is None):
        raise typer.Exit(MISSED)


def _print_result(found: NetworkTraining, out: Path, plot: Path | None) -> None:
    lines = [
        ("iterations", f"{found.iterations:,}, {found.nodes_touched:,} nodes touched"),
        ("time", f"{duration(found.seconds)}  (CPU {duration(found.cpu_seconds)})"),
        ("memory", memory_size(1e6 * found.memory_mb)),
        *((name, f"{value:,.0f}" if value.is_integer() else number(value)) for name, value in found.figures.items()),
    ]
    if found.exploitability is not None:
        lines.append(("exploitability", f"{number(found.exploitability)}, by exact best responses"))
    if found.interrupted:
        lines.append(("stopped", f"by Ctrl-C; --resume {out} continues from here"))
    if found.unsaved is None:
        lines.append(("saved to", f"{out}, checkpoint {found.checkpoint}"))
    print_facts((found.trained.game, found.trained.method), lines + ([] if plot is None else [("plot", str(plot))]))
