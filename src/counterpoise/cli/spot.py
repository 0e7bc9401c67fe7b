"""`counterpoise spot`: solve a poker spot or a folder of them, or walk a solution."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from counterpoise.cli.app import DONE, MISSED, WRONG_INPUT, command, complain
from counterpoise.cli.options import (
    JSON,
    SOLVED,
    WARM_ITERATIONS,
    Display,
    SpotLimitOptions,
    WorkerOptions,
    argument,
    check_results,
    check_spot_out,
    command_progress,
    flag,
    make_folder,
    option,
    refuse,
)
from counterpoise.cli.output import console, leave, print_json
from counterpoise.cli.spot_output import (
    ESTIMATED_COLUMNS,
    SOLVED_COLUMNS,
    NodeDisplay,
    estimate_line,
    node_json,
    show,
    solution_line,
    spots_table,
    tell,
)
from counterpoise.cli.spot_sizes import SizeOptions, search_sizes
from counterpoise.errors import InputError
from counterpoise.progress import SilentProgress, cancel_on_interrupt

if TYPE_CHECKING:
    from counterpoise.spots import Estimate, Solution


@dataclass(frozen=True)
class StartOptions:
    """What a run continues or starts from."""

    resume: Path | None = option(
        "--resume FILE",
        "Continue a saved solution, exactly where it was; of a folder of spots, the solutions in this folder.",
    )
    warm_start: Path | None = option(
        "--warm-start FILE",
        "Start from a saved solution of the same board, pot and stack, perhaps with other bet sizes, as "
        "though iterations had led there. -n counts from there, also with --resume later; the iterations reported "
        "include them.",
    )
    warm_iterations: int | None = WARM_ITERATIONS


@dataclass(frozen=True)
class OutputOptions:
    """Where a solution is saved, and how."""

    out: Path | None = option(
        "--out -o FILE",
        "Save the solution here (.cpz), every half minute, at the end and after Ctrl-C; a folder for a "
        "folder of spots, which is made if need be: with --processes or --cluster each spot is saved only when it is "
        "done. With a search of sizes: the spot with them (.toml or .json).",
    )
    no_river: bool = flag("--no-river", "Save without the last street, which is solved again when looked at.")

    def check(self, read: Path | None, plot: Path | None) -> None:
        """Refuse, before any work, files that cannot be written or that the answer would overwrite."""
        check_results(plot, out=self.out)
        if self.out is None and self.no_river:
            raise InputError("--no-river says how to save: name the file with --out")
        if read is None or not read.is_dir():
            check_spot_out(self.out, read)
        elif self.out is not None:
            if self.out.exists() and not self.out.is_dir():
                raise InputError(f"--out must name a folder for a folder of spots, and {self.out} is a file")
            make_folder(self.out)


@command(
    """
    spot examples/spots/turn.toml
    spot turn.toml --estimate
    spot turn.toml --target 0.2 --out turn.cpz
    spot turn.cpz --node r:0:b50 --grid --plot grid.png
    spot --resume turn.cpz --target 0.1 --out turn.cpz
    spot finer.toml --warm-start turn.cpz --target 0.5
    spot examples/spots --target 1
    spot examples/spots --out solved --resume solved --cluster local:2
    spot turn.toml --optimise-sizes 2 --plot sizes.png --out better.toml
    spot turn.toml --simplify 0.3 --out simpler.toml
    """
)
def spot(
    limits: SpotLimitOptions,
    output: OutputOptions,
    start: StartOptions,
    display: Display,
    sizes: SizeOptions,
    workers: WorkerOptions,
    file: Path | None = argument(
        "FILE",
        "A spot file (.toml or .json), a folder of them, or a solution (.cpz) to look at. May be left out "
        "with --resume.",
    ),
    estimate: bool = flag("--estimate", "Only say how large the tree is and how long it would take."),
    node: str | None = option("--node ID", "Show this node instead of the root, such as r:0:b50:c:8h."),
    json: bool = JSON,
) -> None:
    """Solve the spot in FILE for both players, look at a solution node by node, or find better bet sizes.

    Runs until the first of --target, -n and --seconds; Ctrl-C keeps what has been found so far. Exit code 0 = done,
    1 = target not reached or interrupted, 2 = wrong input.
    """
    node_display = NodeDisplay(node, display)
    if sizes.wanted:
        shown = {"node": node, "grid": display.grid, "cards": display.cards, "no_river": output.no_river}
        refuse("bet sizes are sought", start, workers, **shown)
        search_sizes(_named(file), sizes, limits, output.out, display.plot, estimate, json)
        return
    refuse("it needs --optimise-sizes or --simplify", sizes)
    if estimate:
        unused = {"iterations": limits.iterations, "seconds": limits.seconds, "threads": limits.threads, "node": node}
        refuse("--estimate solves nothing", output, start, display, workers, **unused)
    is_folder = file is not None and file.is_dir()
    if is_folder:
        warm = {"warm_start": start.warm_start, "warm_iterations": start.warm_iterations}
        refuse(f"{file} is a folder", display, **warm, node=node)
    else:
        refuse("one spot is solved by threads; folders of spots are shared", workers)
    output.check(file, display.plot)
    if file is not None and file.suffix.lower() == SOLVED:
        refuse(f"{file} is solved already (--resume {file} continues it)", limits, start, estimate=estimate)
        _walk(file, node_display, output, json)
    elif file is not None and is_folder:
        if start.resume is not None and not start.resume.is_dir():
            raise InputError(f"--resume must name a folder for a folder of spots, not {start.resume}")
        _folder(file, limits, output, start.resume, workers, estimate, json)
    elif estimate:
        _estimate(file, limits, json)
    else:
        if start.resume is not None:
            refuse("--resume continues with the regrets in its file", warm_start=start.warm_start)
        if start.warm_start is None:
            refuse("there is no --warm-start", warm_iterations=start.warm_iterations)
        _solve(file, limits, start, output, node_display, json)


def _named(file: Path | None) -> Path:
    if file is None:
        raise InputError("name the spot file to solve, such as examples/spots/turn.toml")
    return file


def _forecast(path: Path, limits: SpotLimitOptions) -> Estimate:
    from counterpoise.spots import estimate

    target = {} if limits.target is None else {"target": limits.target}
    return estimate(path, bits=limits.bits, algorithm=limits.algorithm, **target)


def _estimate(file: Path | None, limits: SpotLimitOptions, json: bool) -> None:
    forecast = _forecast(_named(file), limits)
    if json:
        print_json(forecast.to_json())
    else:
        console().print(estimate_line(forecast), markup=False)


def _solve(
    file: Path | None,
    limits: SpotLimitOptions,
    start: StartOptions,
    output: OutputOptions,
    node_display: NodeDisplay,
    json: bool,
) -> None:
    from counterpoise.spots import Spot, solve_spot

    if file is None and start.resume is not None:
        from counterpoise.spots import load_spot

        given = load_spot(start.resume)
    else:
        given = Spot.load(_named(file))
    if output.no_river and given.starts_on_river:
        raise InputError("--no-river makes no sense here: the spot begins on the river, which is all there is to save")
    progress = command_progress(json, show_eta=limits.show_eta)

    def on_estimate(forecast: Estimate) -> None:
        node_display.check(given)  # finding a node needs the betting tree, which is known to fit by now
        progress.note(estimate_line(forecast))

    solution = solve_spot(
        given,
        **vars(limits),
        **vars(start),
        checkpoint=output.out,
        save_river=not output.no_river,
        progress=progress,
        on_estimate=on_estimate,
    )
    _answer(solution, node_display, output, json)
    leave(solution, "the solution", output.out)


def _walk(file: Path, node_display: NodeDisplay, output: OutputOptions, json: bool) -> None:
    from counterpoise.spots import load_solution

    solution = load_solution(file, resumable=output.out is not None)
    node_display.check(solution.spot)
    if output.out is not None:
        solution.save(output.out, river=not output.no_river)
    _answer(solution, node_display, output, json)


def _answer(solution: Solution, node_display: NodeDisplay, output: OutputOptions, json: bool) -> None:
    if json:
        saved = output.out if solution.unsaved is None else None
        print_json(solution.to_json() | node_json(solution, node_display) | {"out": saved})
    else:
        tell(solution, output.out, resumable=solution.whole and not output.no_river)
        show(solution, node_display)


def _folder(
    folder: Path,
    limits: SpotLimitOptions,
    output: OutputOptions,
    resume: Path | None,
    workers: WorkerOptions,
    estimating: bool,
    json: bool,
) -> None:
    """Estimate or solve every spot of a folder; tell what is wrong with a file, and go through the others."""
    from counterpoise.spots.folder import SolvedFile, solve_files, sort_files

    answers: list[dict[str, Any]] = []
    spots, others = sort_files(folder)
    code, progress = DONE, SilentProgress() if estimating else command_progress(json)
    options = {"out": output.out, "resume": resume, "river": not output.no_river, "progress": progress, **vars(limits)}
    with progress, workers.open() as processes, cancel_on_interrupt() as cancel:
        solving = partial(solve_files, spots, processes=processes, cancel=cancel, **options)
        for path, found in _estimates(spots, limits) if estimating else solving():
            if isinstance(found, InputError):
                answers.append({"file": path, "error": str(found)})
                code = complain(str(found), WRONG_INPUT)
                continue
            answers.append({"file": path} | found.to_json())
            if isinstance(found, SolvedFile):
                progress.note(solution_line(answers[-1]))
                missed = found.interrupted or not found.reached or found.unsaved is not None
                code = max(code, MISSED) if missed else code
            elif cancel.cancelled:
                break
        if cancel.cancelled:
            code = max(code, MISSED)
    if json:
        print_json({"folder": folder, "spots": answers, "skipped": len(others)})
    else:
        good = [answer for answer in answers if "error" not in answer]
        console().print(spots_table(good, ESTIMATED_COLUMNS if estimating else SOLVED_COLUMNS))
        if others:
            told = "other file is not a spot" if len(others) == 1 else "other files are not spots"
            console().print(f"{len(others)} {told}")
    if code != DONE:
        raise typer.Exit(code)


def _estimates(spots: list[Path], limits: SpotLimitOptions) -> Iterator[tuple[Path, Estimate | InputError]]:
    from counterpoise.spots.folder import too_large

    for path in spots:
        try:
            yield path, _forecast(path, limits)
        except InputError as error:
            yield path, error
        except (MemoryError, RecursionError) as error:
            yield path, too_large(path, error)
