"""`counterpoise race`: several algorithms on one game, one table and one plot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from counterpoise.cli.app import MISSED, command
from counterpoise.cli.options import JSON, SEED, RaceLimitOptions, argument, check_results, command_progress, option
from counterpoise.cli.output import console, print_json, print_summary

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
    limits: RaceLimitOptions,
    game: str = argument("GAME", "As for [bold]counterpoise solve[/], such as leduc_poker.", required=True),
    algorithms: list[str] | None = option(
        "-a --algorithms A,B,...",
        "Algorithms of [bold]counterpoise algorithms[/] with commas between them. Default: cfr,cfr+,lcfr,dcfr.",
    ),
    seed: int | None = SEED,
    plot: Path | None = option("--plot FILE", "Draw all curves here (.png, .svg or .pdf)."),
    x: Literal["iteration", "nodes_touched", "seconds"] = option(
        "--x", "What the curves of --plot run over.", default="iteration"
    ),
    json: bool = JSON,
) -> None:
    """Run several algorithms on GAME, each under the same stopping rule, and rank them by exploitability.

    They run one after the other, each with the whole machine; the table has the best first. Exploitability is what a
    best response wins per player, exact, in game units: 0 is an equilibrium. Exit code 0 = done, 1 = one of them missed
    the target or the race was interrupted, 2 = wrong input.
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
    summary = race.summary()
    screen = console()
    if screen.width < 100:  # never cut a number: leave out the column that the others imply
        at = list(summary.columns).index("histories touched")
        drop = [[*row[:at], *row[at + 1 :]] for row in (summary.columns, *summary.rows)]
        summary = summary._replace(columns=drop[0], rows=drop[1:], numbers=range(1, at))
    print_summary(summary._replace(title=""))
    if plot is not None:
        screen.print(f"plot: {plot}", markup=False)
