"""`counterpoise solve`: run one algorithm on one game."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from counterpoise.cli.app import MISSED, command, complain
from counterpoise.cli.options import Json, Limits, Seed, WarmIterations, check_plot, command_progress

if TYPE_CHECKING:
    from counterpoise.solvers import Run


@command(
    """
    solve kuhn_poker -a cfr+ -n 1000
    solve leduc_poker --target 0.001 --out leduc.cpz --plot leduc.png
    solve "liars_dice(dice=1, faces=6)" -a "dcfr(alpha=1.5, beta=0.5)" --seconds 60
    solve --resume leduc.cpz -n 100000 --out leduc.cpz
    solve leduc_poker -a cfr --warm-start leduc.cpz -n 500
    """
)
def solve(
    limits: Limits,
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="GAME",
            help="A name from [bold]counterpoise games[/], with parameters if wanted; [bold]openspiel:NAME[/]; "
            "or a Gambit .efg file. May be left out with --resume.",
        ),
    ] = None,
    algorithm: Annotated[
        str | None,
        typer.Option(
            "-a",
            "--algorithm",
            metavar="ALGORITHM",
            help="A name from [bold]counterpoise algorithms[/]. Default: dcfr; with --warm-start cfr.",
        ),
    ] = None,
    seed: Seed = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Save strategy and state here (.cpz), every half minute, at the end and after Ctrl-C.",
        ),
    ] = None,
    resume: Annotated[
        Path | None, typer.Option("--resume", metavar="FILE", help="Go on from a saved run, exactly where it was.")
    ] = None,
    warm_start: Annotated[
        Path | None,
        typer.Option(
            "--warm-start",
            metavar="FILE",
            help="Start from a saved strategy, whatever found it, as though iterations had led there. -n counts from "
            "there, also with --resume later; the iterations reported include them. Best with cfr: with cfr+, dcfr "
            "and others a good strategy may get worse.",
        ),
    ] = None,
    warm_iterations: WarmIterations = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw the convergence here (.png, .svg or .pdf).")
    ] = None,
    json: Json = False,
) -> None:
    """Solve GAME: find a strategy for every player that comes close to an equilibrium.

    Runs until the first of -n, --target and --seconds. Ctrl-C keeps what has been found so far. Exit code 0 =
    done, 1 = target not reached or interrupted, 2 = wrong input.
    """
    from counterpoise.cli.output import print_json
    from counterpoise.solvers import solve as run_solver

    check_plot(plot, out)
    run = run_solver(
        game,
        algorithm,
        seed=seed,
        resume=resume,
        warm_start=warm_start,
        warm_iterations=warm_iterations,
        checkpoint=out,
        progress=command_progress(json, show_eta=limits.even),
        **vars(limits),
    )
    drawn = run.plot(plot) if plot is not None and run.trace else None
    if json:
        print_json(run.to_json() | {"out": out, "plot": drawn})
    else:
        _tell(run, out, drawn)
    if run.unsaved is not None:
        complain(f"the run could not be saved to {out}: {run.unsaved}")
    if run.interrupted or not run.reached or run.unsaved is not None:
        raise typer.Exit(MISSED)


def _tell(run: Run, out: Path | None, plot: Path | None) -> None:
    from counterpoise.cli.output import console, ended, number, print_facts, speed, values
    from counterpoise.progress import duration

    own = run.iterations - run.warm_iterations
    touched = f"{run.nodes_touched:,} histories touched"
    lines = [
        ("value", values(run.value)),
        ("exploitability", f"{number(run.exploitability)}  (NashConv {number(run.nash_conv)})"),
        ("iterations", f"{run.iterations:,}  ({speed(own, run.seconds)} per second)"),
        ("time", f"{duration(run.seconds)}  (CPU {duration(run.cpu_seconds)}), {touched}"),
    ]
    if run.warm_start is not None:
        lines.append(("warm start", f"worth {run.warm_iterations:,} of the iterations"))
    if run.target is not None:
        lines.append(("target", f"{run.target:g} {'reached' if run.reached else 'not reached'}"))
    lines += ended(run.interrupted, out, run.unsaved, resumable=True)
    print_facts((run.game, run.algorithm), lines + ([] if plot is None else [("plot", str(plot))]))
    if run.caveat:
        console().print(run.caveat, style="yellow", markup=False)
