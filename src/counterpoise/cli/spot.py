"""`counterpoise spot`: solve a poker spot or a folder of them, or walk a solution."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from rich.table import Table

from counterpoise.cli.app import MISSED, WRONG_INPUT, command
from counterpoise.cli.jobs import Iterations, Json, Seconds, check_numbers, command_progress, whole_number
from counterpoise.cli.output import complain, console, print_json
from counterpoise.cli.spot_options import (
    SOLVED,
    Bits,
    Cards,
    Grid,
    Plot,
    SpotAlgorithm,
    TargetPercent,
    Threads,
    check_files,
    refuse,
)
from counterpoise.cli.spot_output import (
    Look,
    estimate_json,
    estimate_line,
    estimates_table,
    look_json,
    show,
    solution_json,
    solution_line,
    solutions_table,
    tell,
)
from counterpoise.errors import InputError

if TYPE_CHECKING:
    from counterpoise.spots import Estimate, Spot


@command(
    """
    spot examples/spots/turn.toml
    spot turn.toml --estimate
    spot turn.toml --target 0.2 --out turn.cpz
    spot turn.cpz --node r:0:b50 --grid --plot grid.png
    spot --resume turn.cpz --target 0.1 --out turn.cpz
    spot finer.toml --warm-start turn.cpz --target 0.5
    spot examples/spots --target 1
    """
)
def spot(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            help="A spot file (.toml or .json), a folder of them, or a solution (.cpz) to look at. May be left out "
            "with --resume.",
        ),
    ] = None,
    target: TargetPercent = None,
    iterations: Iterations = None,
    seconds: Seconds = None,
    threads: Threads = None,
    bits: Bits = None,
    algorithm: SpotAlgorithm = None,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Only say how large the tree is and how long it would take.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Save the solution here (.cpz), every half minute, at the end and after Ctrl-C; a folder for a "
            "folder of spots.",
        ),
    ] = None,
    no_river: Annotated[
        bool, typer.Option("--no-river", help="Save without the last street, which is solved again when looked at.")
    ] = False,
    resume: Annotated[
        Path | None, typer.Option("--resume", metavar="FILE", help="Go on from a saved solution, exactly where it was.")
    ] = None,
    warm_start: Annotated[
        Path | None,
        typer.Option(
            "--warm-start",
            metavar="FILE",
            help="Start from a saved solution of the same board, pot and stack, perhaps with other bet sizes, as "
            "though iterations had led there. -n counts from there, also with --resume later; the iterations reported "
            "include them.",
        ),
    ] = None,
    warm_iterations: Annotated[
        int | None,
        typer.Option(
            "--warm-iterations",
            metavar="N",
            parser=whole_number,
            help="How many iterations the solution of --warm-start is worth. Default: by its exploitability.",
        ),
    ] = None,
    node: Annotated[
        str | None,
        typer.Option("--node", metavar="ID", help="Show this node instead of the root, such as r:0:b50:c:8h."),
    ] = None,
    grid: Grid = False,
    cards: Cards = False,
    plot: Plot = None,
    json: Json = False,
) -> None:
    """Solve the spot in FILE for both players, or look at a solution node by node.

    Runs until the first of --target, -n and --seconds; Ctrl-C keeps what has been found so far. Exit code 0 = done,
    1 = target not reached or interrupted, 2 = wrong input.
    """
    check_numbers(iterations, target, seconds, None)
    limits = {"iterations": iterations, "seconds": seconds, "threads": threads}
    options = {"target": target, **limits, "bits": bits, "algorithm": algorithm}
    start = {"resume": resume, "warm_start": warm_start, "warm_iterations": warm_iterations}
    shown = {"node": node, "grid": grid, "cards": cards, "plot": plot}
    look = Look(node, grid, cards, plot)
    if estimate:
        refuse("--estimate solves nothing", **limits, **shown, out=out, no_river=no_river, **start)
    check_files(file, out, plot, no_river, folder=file is not None and file.is_dir())
    if file is not None and file.suffix.lower() == SOLVED:
        refuse(f"{file} is solved already (--resume {file} goes on)", **options, estimate=estimate, **start)
        _walk(file, look, out, no_river, json)
    elif file is not None and file.is_dir():
        refuse(f"{file} is a folder", **start, **shown)
        (_estimate_folder if estimate else _folder)(file, options, out, no_river, json)
    elif estimate:
        _estimate(file, options, json)
    else:
        if resume is not None:
            refuse("--resume goes on from regrets of its own", warm_start=warm_start)
        if warm_start is None:
            refuse("there is no --warm-start", warm_iterations=warm_iterations)
        _one(file, options | start, out, no_river, look, json)


def _named(file: Path | None) -> Path:
    if file is None:
        raise InputError("name the spot file to solve, such as examples/spots/turn.toml")
    return file


def _estimated(path: Path, options: dict[str, Any]) -> tuple[Spot, Estimate]:
    from counterpoise.spots import Spot, estimate

    given = Spot.load(path)
    target = {} if options["target"] is None else {"target": options["target"]}
    return given, estimate(given, bits=options["bits"], algorithm=options["algorithm"], **target)


def _estimate(file: Path | None, options: dict[str, Any], json: bool) -> None:
    given, forecast = _estimated(_named(file), options)
    if json:
        print_json(estimate_json(given, forecast))
    else:
        console().print(estimate_line(given, forecast), markup=False)


def _one(
    file: Path | None,
    options: dict[str, Any],
    out: Path | None,
    no_river: bool,
    look: Look,
    json: bool,
) -> None:
    from counterpoise.progress import cancel_on_interrupt
    from counterpoise.spots import Spot, solve_spot
    from counterpoise.spots.files import saved_spot

    resumed = file is None and options["resume"] is not None
    given = saved_spot(options["resume"]) if resumed else Spot.load(_named(file))
    live = command_progress(json, show_eta=options["iterations"] is not None and options["target"] is None)

    def on_estimate(forecast: Estimate) -> None:
        look.check(given)  # finding a node needs the betting tree, which is known to fit by now
        live.note(estimate_line(given, forecast))

    with live:
        solution = solve_spot(
            given, **options, checkpoint=None if no_river else out, progress=live, on_estimate=on_estimate
        )
    if out is not None and no_river:
        with cancel_on_interrupt():
            solution.save(out, river=False)
    saved = out if solution.unsaved is None else None
    if json:
        print_json(solution_json(solution) | look_json(solution, look) | {"target": _target(options), "out": saved})
    else:
        tell(solution, saved)
        show(solution, look)
    if solution.unsaved is not None:
        complain(f"the solution could not be saved to {out}: {solution.unsaved}")
    if solution.interrupted or not solution.reached or solution.unsaved is not None:
        raise typer.Exit(MISSED)


def _target(options: dict[str, Any]) -> float | None:
    """The target in force."""
    from counterpoise.spots.estimate import DEFAULT_TARGET

    if any(options[name] is not None for name in ("target", "iterations", "seconds")):
        return cast("float | None", options["target"])
    return DEFAULT_TARGET


def _walk(file: Path, look: Look, out: Path | None, no_river: bool, json: bool) -> None:
    from counterpoise.spots import SpotSearch, load_searchable

    solution = load_searchable(file)
    if isinstance(solution, SpotSearch):
        raise InputError(f"{file} holds a search, not a spot: look at it with counterpoise search {file}")
    look.check(solution.spot)
    if out is not None:
        solution.save(out, river=not no_river)
    if json:
        print_json(solution_json(solution) | look_json(solution, look) | {"out": out})
    else:
        tell(solution, out)
        show(solution, look)


def _estimate_folder(folder: Path, options: dict[str, Any], out: Path | None, no_river: bool, json: bool) -> None:
    from counterpoise.spots.folder import sort_files, too_large

    answers: list[dict[str, Any]] = []
    spots, others = sort_files(folder)
    for path in spots:
        try:
            answers.append({"file": path} | estimate_json(*_estimated(path, options)))
        except (InputError, MemoryError, RecursionError) as error:
            answers.append(_failed(path, error if isinstance(error, InputError) else too_large(path, error)))
    _finish(folder, answers, len(others), estimates_table, json, missed=False)


def _folder(folder: Path, options: dict[str, Any], out: Path | None, no_river: bool, json: bool) -> None:
    from counterpoise.spots import solve_folder
    from counterpoise.spots.folder import sort_files

    answers: list[dict[str, Any]] = []
    missed, (_, others) = False, sort_files(folder)
    live = command_progress(json)
    with live:
        for path, found in solve_folder(folder, out=out, river=not no_river, progress=live, **options):
            if isinstance(found, InputError):
                answers.append(_failed(path, found))
            else:
                answers.append({"file": path} | solution_json(found))
                live.note(solution_line(answers[-1]))
                missed = missed or found.interrupted or not found.reached or found.unsaved is not None
            del found  # its tables make room for the next
    _finish(folder, answers, len(others), solutions_table, json, missed)


def _failed(path: Path, error: InputError) -> dict[str, Any]:
    complain(str(error))
    return {"file": path, "error": str(error)}


def _finish(
    folder: Path,
    answers: list[dict[str, Any]],
    skipped: int,
    rows: Callable[[list[dict[str, Any]]], Table],
    json: bool,
    missed: bool,
) -> None:
    good = [answer for answer in answers if "error" not in answer]
    if json:
        print_json({"folder": folder, "spots": answers, "skipped": skipped})
    else:
        console().print(rows(good))
        if skipped:
            console().print(f"{skipped} other {'file' if skipped == 1 else 'files'} skipped: no spot")
    if missed or len(good) < len(answers):
        raise typer.Exit(WRONG_INPUT if len(good) < len(answers) else MISSED)
