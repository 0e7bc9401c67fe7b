"""What each request does, in the job's own process: one call of the library each, with its progress told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from counterpoise.errors import InputError
from counterpoise.progress import CancelToken
from counterpoise.solvers import TracePoint
from counterpoise.store.cpz import read_header
from counterpoise.web.jobs.requests import AnyRequest, OptimiseSizes, RaceGame, SearchNode, SolveSpot, SpotLimits
from counterpoise.web.jobs.state import RESULT_FILE
from counterpoise.web.jobs.worker import Reporter

Outcome = tuple[dict[str, str], dict[str, Any]]
"""The files that were written, by what they are, and the figures of the result."""
_REQUEST: TypeAdapter[Any] = TypeAdapter(AnyRequest)


def do_work(order: dict[str, Any], folder: Path, reporter: Reporter, cancel: CancelToken) -> Outcome:
    """Do what an order says: the request, the paths of the files that it names, and what it may take."""
    request = _REQUEST.validate_python(order["request"])
    work: dict[type, Callable[..., Outcome]] = {
        SolveSpot: _solve,
        SearchNode: _search,
        OptimiseSizes: _optimise,
        RaceGame: _race,
    }
    return work[type(request)](request, order, folder, reporter, cancel)


def _solve(request: SolveSpot, order: dict[str, Any], folder: Path, reporter: Reporter, cancel: CancelToken) -> Outcome:
    from counterpoise.spots import solve_spot

    checkpoint, series = folder / RESULT_FILE, request.algorithm or ""
    reporter.send("begins at", series=series, iteration=_iterations(checkpoint))
    more: dict[str, Any] = {"memory_mb": order["memory_mb"]}
    if checkpoint.exists():
        more = {"resume": checkpoint}
    elif request.warm_start is not None:
        more["warm_start"] = order["paths"]["warm_start"]
    solution = solve_spot(
        request.spot,
        checkpoint=checkpoint,
        callback=_pointer(reporter, series),
        progress=reporter,
        cancel=cancel,
        **_limits(request),
        **more,
    )
    if solution.unsaved is not None:
        raise InputError(f"the solution could not be saved: {solution.unsaved}")
    return {"result": RESULT_FILE}, _without_trace(solution.to_json())


def _search(
    request: SearchNode, order: dict[str, Any], folder: Path, reporter: Reporter, cancel: CancelToken
) -> Outcome:
    from counterpoise.spots import search_spot

    reporter.send("begins at", series=request.method, iteration=0)
    found = search_spot(
        order["paths"]["solution"],
        request.node,
        searcher=request.searcher,
        facing=request.facing,
        sizes=request.sizes,
        method=request.method,
        spread=request.spread,
        gifts=request.gifts,
        gift_scale=request.gift_scale,
        memory_mb=order["memory_mb"],
        checkpoint=folder / RESULT_FILE,
        callback=_pointer(reporter, request.method),
        progress=reporter,
        cancel=cancel,
        **_limits(request),
    )
    if found.unsaved is not None:
        raise InputError(f"the search could not be saved: {found.unsaved}")
    return {"result": RESULT_FILE}, _without_trace(found.to_json())


def _optimise(
    request: OptimiseSizes, order: dict[str, Any], folder: Path, reporter: Reporter, cancel: CancelToken
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


def _race(request: RaceGame, order: dict[str, Any], folder: Path, reporter: Reporter, cancel: CancelToken) -> Outcome:
    from counterpoise.solvers import solve

    files: dict[str, str] = {}
    results: list[dict[str, Any]] = []
    for number, name in enumerate(request.algorithms, 1):
        file = folder / f"run-{number}.cpz"
        game: str = order["paths"]["game"]
        reporter.send("begins at", series=name, iteration=_iterations(file))
        run = solve(
            game,
            name,
            iterations=request.iterations,
            target=request.target,
            seconds=request.seconds,
            seed=request.seed,
            checkpoint=file,
            resume=file if file.exists() else None,
            callback=_pointer(reporter, name),
            progress=reporter,
            cancel=cancel,
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


def _pointer(reporter: Reporter, series: str) -> Callable[[object, TracePoint], None]:
    """Return a callback that tells the measurements of one run."""
    return lambda solver, point: reporter.point(series, point)


def _without_trace(figures: dict[str, Any]) -> dict[str, Any]:
    return {name: figure for name, figure in figures.items() if name != "trace"}
