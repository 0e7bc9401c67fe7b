"""`counterpoise race`: several algorithms on one game, one table and one plot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from counterpoise.cli.app import MISSED, command
from counterpoise.cli.jobs import (
    Iterations,
    Json,
    Seconds,
    Seed,
    Target,
    caveat,
    check_numbers,
    command_progress,
    run_json,
    tree_size,
)
from counterpoise.cli.output import console, number, print_json, speed, table
from counterpoise.errors import InputError
from counterpoise.games import load
from counterpoise.names import split_outside_brackets
from counterpoise.parameters import shown
from counterpoise.plots import Axis, check_figure, convergence
from counterpoise.progress import duration
from counterpoise.solvers import Algorithm, Run, make_algorithm, solve
from counterpoise.tree import enumerate_game

DEFAULT_FIELD = "cfr,cfr+,lcfr,dcfr"


@command(
    """
    race leduc_poker -a cfr,cfr+,lcfr,dcfr -n 1000 --plot race.png
    race "goofspiel(cards=4)" -a "dcfr,dcfr(alpha=1.5,beta=0.5)" --seconds 10
    race kuhn_poker --target 0.0001 --json
    """
)
def race(
    game: Annotated[
        str, typer.Argument(metavar="GAME", help="As for [bold]counterpoise solve[/].", show_default=False)
    ],
    algorithms: Annotated[
        list[str] | None,
        typer.Option(
            "-a",
            "--algorithms",
            metavar="A,B,...",
            help=f"Algorithms with commas between them. Default: {DEFAULT_FIELD}.",
        ),
    ] = None,
    iterations: Iterations = None,
    target: Target = None,
    seconds: Seconds = None,
    seed: Seed = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw all curves here (.png, .svg or .pdf).")
    ] = None,
    x: Annotated[Axis, typer.Option("--x", help="The horizontal axis of the plot.")] = "iteration",
    json: Json = False,
) -> None:
    """Run several algorithms on GAME, each under the same stopping rule, and rank them by exploitability.

    --seconds counts for each of them. Exit code 0 = done, 1 = one of them missed the target or the race was
    interrupted, 2 = wrong input.
    """
    check_numbers(iterations, target, seconds, seed)
    if plot is not None:
        check_figure(plot)
    field = _field(",".join(algorithms or [DEFAULT_FIELD]))
    rules = load(game)
    live = command_progress(json, show_eta=target is None)
    runs: list[Run] = []
    with live:
        tree = enumerate_game(rules, progress=live)
        for settings in field:
            settings.on(tree, seed=seed or 0)  # an algorithm that refuses the game does so before any other has run
        live.note(tree_size(tree))
        for settings in field:
            runs.append(
                solve(
                    rules,
                    settings,
                    iterations=iterations,
                    target=target,
                    seconds=seconds,
                    seed=seed or 0,
                    progress=live,
                )
            )
            if runs[-1].interrupted:
                break
    runs = sorted((run for run in runs if run.iterations > 0), key=lambda run: run.exploitability)
    interrupted = len(runs) < len(field) or any(run.interrupted for run in runs)
    if not runs:
        plot = None  # stopped before the first iteration: there is nothing to draw
    if plot is not None:
        references = {} if target is None else {f"target {target:g}": target}
        in_order = sorted(runs, key=lambda run: [settings.name for settings in field].index(run.algorithm))
        convergence({run.algorithm: run.trace for run in in_order}, plot, x=x, title=tree.name, references=references)
    warnings = list(filter(None, (caveat(tree, settings) for settings in field)))
    if json:
        print_json(
            {
                "game": tree.name,
                "players": tree.players,
                "seed": seed or 0,
                "target": target,
                "results": [{"algorithm": run.algorithm} | run_json(run) for run in runs],
                "interrupted": interrupted,
                "histories": tree.nodes,
                "infosets": tree.infosets,
                "plot": plot,
            }
        )
    else:
        _tell(runs, target, warnings, plot, interrupted)
    if interrupted or not all(run.reached for run in runs):
        raise typer.Exit(MISSED)


def _field(text: str) -> list[Algorithm]:
    names = split_outside_brackets(text, ",")
    if not all(names):
        raise InputError(f"--algorithms must be names with commas between them, not {shown(text)}")
    field = [make_algorithm(name) for name in names]
    for position, settings in enumerate(field):
        if settings in field[:position]:
            raise InputError(f"--algorithms lists {settings.name} twice")
    return field


def _tell(runs: list[Run], target: float | None, warnings: list[str], plot: Path | None, interrupted: bool) -> None:
    columns = ["algorithm", "exploitability", "iterations", "time", "per second", "histories touched"]
    rows = [
        [
            run.algorithm,
            number(run.exploitability),
            f"{run.iterations:,}",
            duration(run.seconds),
            speed(run.iterations, run.seconds),
            f"{run.nodes_touched:,}",
        ]
        for run in runs
    ]
    if target is not None:
        columns.append(f"target {target:g}")
        rows = [[*row, "reached" if run.reached else "not reached"] for row, run in zip(rows, runs, strict=True)]
    screen = console()
    if screen.width < 100:  # never cut a number: leave out the column that the others imply
        columns.remove("histories touched")
        rows = [[*row[:5], *row[6:]] for row in rows]
    screen.print(table(columns, rows, numbers=range(1, 6 if "histories touched" in columns else 5)))
    if interrupted:
        screen.print("Stopped by Ctrl-C: the last algorithm did not finish and later ones did not run.", markup=False)
    if plot is not None:
        screen.print(f"plot: {plot}", markup=False)
    for warning in dict.fromkeys(warnings):
        screen.print(warning, style="yellow", markup=False)
