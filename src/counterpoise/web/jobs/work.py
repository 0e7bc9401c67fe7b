"""What each request does, in the job's own process: one call of the library each, with its progress told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterpoise.errors import InputError
from counterpoise.progress import CancelToken
from counterpoise.solvers import TracePoint
from counterpoise.store.cpz import read_header
from counterpoise.web.jobs.requests import JobOrder, OptimiseSizes, RaceGame, SearchNode, SolveSpot, SpotLimits
from counterpoise.web.jobs.state import RESULT_FILE
from counterpoise.web.jobs.worker import Reporter

if TYPE_CHECKING:
    from counterpoise.spots import Solution, SpotSearch

Outcome = tuple[dict[str, str], dict[str, Any]]
"""The files that were written, by what they are, and the figures of the result."""


def do_work(order: JobOrder, folder: Path, reporter: Reporter, cancel: CancelToken) -> Outcome:
    """Do what an order says: the request, the paths of the files that it names, and what it may take."""
    work: dict[type, Callable[..., Outcome]] = {
        SolveSpot: _solve,
        SearchNode: _search,
        OptimiseSizes: _optimise,
        RaceGame: _race,
    }
    return work[type(order.request)](order.request, order, folder, reporter, cancel)


def _solve(request: SolveSpot, order: JobOrder, folder: Path, reporter: Reporter, cancel: CancelToken) -> Outcome:
    from counterpoise.spots import solve_spot

    checkpoint, series = folder / RESULT_FILE, request.algorithm or ""
    reporter.send("begins at", series=series, iteration=_iterations(checkpoint))
    more: dict[str, Any] = {"memory_mb": order.memory_mb}
    if checkpoint.exists():
        more = {"resume": checkpoint}
    elif request.warm_start is not None:
        more["warm_start"] = order.paths["warm_start"]
    watched = _watched(checkpoint, reporter, series, cancel)
    return _saved("solution", solve_spot(request.spot, **watched, **_limits(request), **more))


def _search(request: SearchNode, order: JobOrder, folder: Path, reporter: Reporter, cancel: CancelToken) -> Outcome:
    from counterpoise.spots import search_spot

    reporter.send("begins at", series=request.method, iteration=0)
    found = search_spot(
        order.paths["solution"],
        request.node,
        searcher=request.searcher,
        facing=request.facing,
        sizes=request.sizes,
        method=request.method,
        spread=request.spread,
        gifts=request.gifts,
        gift_scale=request.gift_scale,
        memory_mb=order.memory_mb,
        **_watched(folder / RESULT_FILE, reporter, request.method, cancel),
        **_limits(request),
    )
    return _saved("search", found)


def _optimise(
    request: OptimiseSizes, order: JobOrder, folder: Path, reporter: Reporter, cancel: CancelToken
) -> Outcome:
    from counterpoise.spots import optimise_sizes

    more: dict[str, Any] = {} if request.size_range is None else {"size_range": request.size_range}
    more |= {} if request.target is None else {"target": request.target}
    found = optimise_sizes(
        request.spot,
        request.count,
        seat=request.seat,
        threads=request.threads,
        bits=request.bits,
        algorithm=request.algorithm,
        curves=request.curves,
        progress=reporter,
        cancel=cancel,
        **more,
    )
    found.solution.save(folder / RESULT_FILE)
    found.spot.save(folder / "spot.toml")
    return {"result": RESULT_FILE, "spot": "spot.toml"}, _without_trace(found.to_json())


def _race(request: RaceGame, order: JobOrder, folder: Path, reporter: Reporter, cancel: CancelToken) -> Outcome:
    from counterpoise.solvers import solve

    files: dict[str, str] = {}
    results: list[dict[str, Any]] = []
    for number, name in enumerate(request.algorithms, 1):
        file = folder / f"run-{number}.cpz"
        game: str = order.paths["game"]
        reporter.send("begins at", series=name, iteration=_iterations(file))
        run = solve(
            game,
            name,
            iterations=request.iterations,
            target=request.target,
            seconds=request.seconds,
            seed=request.seed,
            resume=file if file.exists() else None,
            **_watched(file, reporter, name, cancel),
        )
        files[name] = file.name
        results.append(_without_trace(run.to_json()) | {"named": name})
        if cancel.cancelled:
            break
    return files, {"game": request.game, "results": results}


def _limits(request: SpotLimits) -> dict[str, Any]:
    """Return when a run on a spot stops and how it uses the machine."""
    return {name: getattr(request, name) for name in SpotLimits.model_fields}


def _iterations(checkpoint: Path) -> int:
    """Return the iterations of a checkpoint, 0 if there is none: what was measured later is measured again."""
    return int(read_header(checkpoint)["iterations"]) if checkpoint.exists() else 0


def _watched(checkpoint: Path, reporter: Reporter, series: str, cancel: CancelToken) -> dict[str, Any]:
    """Return how a run is kept, watched and stopped; its measurements are told as those of a series."""

    def measured(solver: object, point: TracePoint) -> None:
        reporter.point(series, point)

    return {"checkpoint": checkpoint, "callback": measured, "progress": reporter, "cancel": cancel}


def _saved(what: str, found: Solution | SpotSearch) -> Outcome:
    """Return the outcome of a run on a spot; refused if its file could not be written."""
    if found.unsaved is not None:
        raise InputError(f"the {what} could not be saved to {RESULT_FILE}: {found.unsaved}")
    return {"result": RESULT_FILE}, _without_trace(found.to_json())


def _without_trace(figures: dict[str, Any]) -> dict[str, Any]:
    return {name: figure for name, figure in figures.items() if name != "trace"}
