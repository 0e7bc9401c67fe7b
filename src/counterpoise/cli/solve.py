"""`counterpoise solve`: run one algorithm on one game."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from counterpoise.cli.app import command
from counterpoise.cli.options import (
    JSON,
    SEED,
    WARM_ITERATIONS,
    Limits,
    argument,
    check_results,
    command_progress,
    option,
)
from counterpoise.cli.output import console, ended, leave, number, print_facts, print_json, speed, values
from counterpoise.progress import duration

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
    game: str | None = argument(
        "GAME",
        "A name from [bold]counterpoise games[/], with parameters if wanted; [bold]openspiel:NAME[/]; "
        "or a Gambit .efg file. May be left out with --resume.",
    ),
    algorithm: str | None = option(
        "-a --algorithm ALGORITHM",
        "A name from [bold]counterpoise algorithms[/]. Default: dcfr; with --warm-start cfr.",
    ),
    seed: int | None = SEED,
    out: Path | None = option(
        "--out -o FILE", "Save strategy and state here (.cpz), every half minute, at the end and after Ctrl-C."
    ),
    resume: Path | None = option("--resume FILE", "Continue a saved run, exactly where it was."),
    warm_start: Path | None = option(
        "--warm-start FILE",
        "Start from a saved strategy, whatever found it, as though iterations had led there. -n counts from "
        "there, also with --resume later; the iterations reported include them. Best with cfr: with cfr+, dcfr "
        "and others a good strategy may get worse.",
    ),
    warm_iterations: int | None = WARM_ITERATIONS,
    plot: Path | None = option("--plot FILE", "Draw the convergence here (.png, .svg or .pdf)."),
    json: bool = JSON,
) -> None:
    """Solve GAME: find a strategy for every player that comes close to an equilibrium.

    Runs until the first of -n, --target and --seconds. Ctrl-C keeps what has been found so far. Exit code 0 =
    done, 1 = target not reached or interrupted, 2 = wrong input.
    """
    from counterpoise.solvers import solve as run_solver

    check_results(plot, out=out)
    run = run_solver(
        game,
        algorithm,
        seed=seed,
        resume=resume,
        warm_start=warm_start,
        warm_iterations=warm_iterations,
        checkpoint=out,
        progress=command_progress(json, show_eta=limits.show_eta),
        **vars(limits),
    )
    drawn = run.plot(plot) if plot is not None and run.trace else None
    if json:
        print_json(run.to_json() | {"out": out if run.unsaved is None else None, "plot": drawn})
    else:
        _print_result(run, out, drawn)
    leave(run, "the run", out)


def _print_result(run: Run, out: Path | None, plot: Path | None) -> None:
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
    lines += ended(run, out)
    print_facts((run.game, run.algorithm), lines + ([] if plot is None else [("plot", str(plot))]))
    if run.caveat:
        console().print(run.caveat, style="yellow", markup=False)
