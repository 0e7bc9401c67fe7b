"""`counterpoise race`: several algorithms on one game, one table and one plot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from counterpoise.cli.app import MISSED, command
from counterpoise.cli.options import JSON, SEED, Limits, argument, check_results, command_progress, option
from counterpoise.cli.output import console, number, print_json, speed, table
from counterpoise.progress import duration

if TYPE_CHECKING:
    from counterpoise.solvers.race import Race


@command(
    """
    race leduc_poker -a cfr,cfr+,lcfr,dcfr -n 1000 --plot race.png
    race "goofspiel(cards=4)" -a "dcfr,dcfr(alpha=1.5,beta=0.5)" --seconds 10
    race kuhn_poker --target 0.0001 --json
    """
)
def race(
    limits: Limits,
    game: str = argument("GAME", "As for [bold]counterpoise solve[/].", required=True),
    algorithms: list[str] | None = option(
        "-a --algorithms A,B,...", "Algorithms with commas between them. Default: cfr,cfr+,lcfr,dcfr."
    ),
    seed: int | None = SEED,
    plot: Path | None = option("--plot FILE", "Draw all curves here (.png, .svg or .pdf)."),
    x: Literal["iteration", "nodes_touched", "seconds"] = option(
        "--x", "The horizontal axis of the plot.", default="iteration"
    ),
    json: bool = JSON,
) -> None:
    """Run several algorithms on GAME, each under the same stopping rule, and rank them by exploitability.

    --seconds counts for each of them. Exit code 0 = done, 1 = one of them missed the target or the race was
    interrupted, 2 = wrong input.
    """
    from counterpoise.solvers.race import DEFAULT_ALGORITHMS, race as run_race

    check_results(plot)
    named, progress = ",".join(algorithms or [DEFAULT_ALGORITHMS]), command_progress(json, show_eta=limits.show_eta)
    found = run_race(game, named, seed=0 if seed is None else seed, progress=progress, **vars(limits))
    drawn = found.plot(plot, x) if plot is not None and found.runs else None
    if json:
        print_json(found.to_json() | {"plot": drawn})
    else:
        _print_result(found, drawn)
    if found.interrupted or not all(run.reached for run in found.runs):
        raise typer.Exit(MISSED)


def _print_result(race: Race, plot: Path | None) -> None:
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
        for run in race.runs
    ]
    if race.target is not None:
        columns.append(f"target {race.target:g}")
        rows = [[*row, "reached" if run.reached else "not reached"] for row, run in zip(rows, race.runs, strict=True)]
    screen = console()
    if screen.width < 100:  # never cut a number: leave out the column that the others imply
        columns.remove("histories touched")
        rows = [[*row[:5], *row[6:]] for row in rows]
    screen.print(table(columns, rows, numbers=range(1, 6 if "histories touched" in columns else 5)))
    if race.interrupted:
        screen.print("Stopped by Ctrl-C: the last algorithm did not finish and later ones did not run.", markup=False)
    if plot is not None:
        screen.print(f"plot: {plot}", markup=False)
    for warning in dict.fromkeys(run.caveat for run in race.runs if run.caveat):
        screen.print(warning, style="yellow", markup=False)
