"""`counterpoise solve`: run one algorithm on one game."""

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
    load_saved_game,
    run_json,
    tree_size,
    whole_number,
)
from counterpoise.cli.output import complain, console, facts, number, print_json, speed, values
from counterpoise.errors import InputError
from counterpoise.games import Game, game_name, load
from counterpoise.plots import check_figure, convergence
from counterpoise.progress import duration
from counterpoise.solvers import Algorithm, Run, load_run, make_algorithm
from counterpoise.solvers import solve as run_solver
from counterpoise.solvers.run import DEFAULT_ALGORITHM, DEFAULT_WARM_ALGORITHM, default_algorithm
from counterpoise.solvers.warm_start.warm_start import MAX_ITERATIONS, check_warm_start
from counterpoise.store import check_writable
from counterpoise.tree import enumerate_game, load_strategy


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
            help=f"A name from [bold]counterpoise algorithms[/]. Default: {DEFAULT_ALGORITHM}; with --warm-start "
            f"{DEFAULT_WARM_ALGORITHM}.",
        ),
    ] = None,
    iterations: Iterations = None,
    target: Target = None,
    seconds: Seconds = None,
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
    warm_iterations: Annotated[
        int | None,
        typer.Option(
            "--warm-iterations",
            metavar="N",
            parser=whole_number,
            help="How many iterations the strategy of --warm-start is worth. Default: by its exploitability.",
        ),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw the convergence here (.png, .svg or .pdf).")
    ] = None,
    json: Json = False,
) -> None:
    """Solve GAME: find a strategy for every player that comes close to an equilibrium.

    Runs until the first of -n, --target and --seconds. Ctrl-C keeps what has been found so far. Exit code 0 =
    done, 1 = target not reached or interrupted, 2 = wrong input.
    """
    check_numbers(iterations, target, seconds, seed)
    _check_files(out, plot)
    _check_warm_start(warm_start, warm_iterations, resume)
    earlier = None if resume is None else load_run(resume)
    source = None if warm_start is None else load_strategy(warm_start)
    settings = _settings(default_algorithm(earlier, source) if algorithm is None else algorithm, earlier, resume)
    rules = _rules(game, earlier, resume)
    if earlier is not None and seed is not None and seed != earlier.seed:
        raise InputError(f"{resume} was started with seed {earlier.seed}, not {seed}")
    live = command_progress(json, show_eta=target is None)
    with live:
        tree = enumerate_game(rules, progress=live)
        trial = settings.on(tree, seed=seed or 0)  # refuses a game or a state that does not fit
        if earlier is not None:
            trial.restore(earlier.state)
        if source is not None:
            check_warm_start(trial, source, warm_iterations)
        del trial
        live.note(tree_size(tree))
        run = run_solver(
            rules,
            settings,
            iterations=iterations,
            target=target,
            seconds=seconds,
            seed=seed,
            resume=earlier,
            warm_start=source,
            warm_iterations=warm_iterations,
            checkpoint=out,
            progress=live,
        )
    if earlier is not None and run.iterations == earlier.iterations and not run.interrupted:
        done = run.iterations - _worth(run)
        live.note(f"{resume} has {done:,} iterations already; -n counts them all: nothing was left to do")
    if not run.trace:
        plot = None  # stopped before the first iteration: there is nothing to draw
    if plot is not None:
        _draw(run, plot, target)
    warning = caveat(tree, settings)
    if json:
        print_json(
            {"game": run.game, "algorithm": run.algorithm, "seed": run.seed, "players": tree.players}
            | run_json(run)
            | {
                "target": target,
                "histories": tree.nodes,
                "infosets": tree.infosets,
                "memory_bytes": tree.memory_bytes,
                "guarantee": not warning,
                "warm_start": None if run.warm_start is None else run.warm_start._asdict(),
                "out": out,
                "plot": plot,
            }
        )
    else:
        _tell(run, target, warning, out, plot)
    if run.unsaved is not None:
        complain(f"the run could not be saved to {out}: {run.unsaved}")
    if run.interrupted or not run.reached or run.unsaved is not None:
        raise typer.Exit(MISSED)


def _check_files(out: Path | None, plot: Path | None) -> None:
    if out is not None:
        check_writable(out)
    if plot is not None:
        check_figure(plot)
        if out is not None and out.resolve() == plot.resolve():
            raise InputError(f"--out and --plot both name {plot}: they need two files")


def _check_warm_start(warm_start: Path | None, warm_iterations: int | None, resume: Path | None) -> None:
    if warm_start is not None and resume is not None:
        raise InputError(
            "--warm-start and --resume exclude each other: a saved run has regrets of its own to go on from"
        )
    if warm_iterations is not None and warm_start is None:
        raise InputError("--warm-iterations needs --warm-start")
    if warm_iterations is not None and not 1 <= warm_iterations <= MAX_ITERATIONS:
        raise InputError(
            f"--warm-iterations must be a whole number from 1 to {MAX_ITERATIONS:,}, not {warm_iterations}"
        )


def _settings(named: str, earlier: Run | None, resume: Path | None) -> Algorithm:
    settings = make_algorithm(named)
    if earlier is not None and settings.name != earlier.algorithm:
        raise InputError(f"{resume} is a run of {earlier.algorithm}, not of {settings.name}")
    return settings


def _rules(typed: str | None, earlier: Run | None, resume: Path | None) -> Game:
    if earlier is None or resume is None:
        if typed is None:
            raise InputError("name the game to solve, such as kuhn_poker (counterpoise games lists them)")
        return load(typed)
    rules = load_saved_game(resume, earlier.game) if typed is None else load(typed)
    if game_name(rules) != earlier.game:
        raise InputError(f"{resume} is a run on {earlier.game}, not on {game_name(rules)}")
    return rules


def _draw(run: Run, plot: Path, target: float | None) -> None:
    references = {} if target is None else {f"target {target:g}": target}
    convergence({run.algorithm: run.trace}, plot, title=run.game, references=references)


def _worth(run: Run) -> int:
    """How many of a run's iterations its warm start stands for."""
    return 0 if run.warm_start is None else run.warm_start.iterations


def _tell(run: Run, target: float | None, warning: str, out: Path | None, plot: Path | None) -> None:
    worth = _worth(run)
    lines = [
        ("value", values(run.value)),
        ("exploitability", f"{number(run.exploitability)}  (NashConv {number(run.nash_conv)})"),
        ("iterations", f"{run.iterations:,}  ({speed(run.iterations - worth, run.seconds)} per second)"),
        (
            "time",
            f"{duration(run.seconds)}  (CPU {duration(run.cpu_seconds)}), {run.nodes_touched:,} histories touched",
        ),
    ]
    if worth:
        lines.append(("warm start", f"worth {worth:,} of the iterations"))
    if target is not None:
        lines.append(("target", f"{target:g} {'reached' if run.reached else 'not reached'}"))
    if run.interrupted:
        lines.append(("stopped", "by Ctrl-C" + ("" if out is None else f"; --resume {out} goes on from here")))
    files = (("saved to", out if run.unsaved is None else None), ("plot", plot))
    lines += [(name, str(path)) for name, path in files if path is not None]
    screen = console()
    for part in facts((run.game, run.algorithm), lines):
        screen.print(part)
    if warning:
        screen.print(warning, style="yellow", markup=False)
