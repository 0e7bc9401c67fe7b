"""Solved spots in `.cpz` files: written whole or without the last street, checked field by field when read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.progress import CancelToken, Progress
from counterpoise.public import Profile
from counterpoise.solvers import TracePoint
from counterpoise.solvers.driver import RunHistory
from counterpoise.solvers.public.base import PublicGameSolver
from counterpoise.spots.digest import game_digest
from counterpoise.spots.engine import build_game, make_solver, settings_of
from counterpoise.spots.estimate import estimate
from counterpoise.spots.rivers import LazyRivers, StoredStrategies, upper_streets
from counterpoise.spots.spot import Spot
from counterpoise.store import read_cpz, write_cpz
from counterpoise.store.cpz import read_header
from counterpoise.store.headers import SpotHeader, SpotRunHeader

if TYPE_CHECKING:
    from counterpoise.spots.solution import Solution

KIND = "spot"


def write_solution(
    solution: Solution,
    path: str | os.PathLike[str],
    river: bool,
    progress: Progress | None = None,
    cancel: CancelToken | None = None,
) -> None:
    """Write spot, figures and tables; without the river only the average strategy of the streets before it."""
    solver = solution.solver if river else None
    digest = game_digest(solution.game)
    header = SpotHeader.of(solution, spot=solution.spot.to_dict(), river=solver is not None, digest=digest)
    counters = np.array([solution.iterations, solution.nodes_touched], dtype=np.int64)
    arrays = upper_streets(solution.stored.average) if solver is None else {"counters": counters, **solver.arrays()}
    state = {f"state.{name}": array for name, array in arrays.items()}
    write_cpz(path, KIND, header, state, progress=progress, cancel=cancel)


def load_spot(path: str | os.PathLike[str]) -> Spot:
    """Return the spot of a saved solution, without its tables."""
    return Spot.from_dict(read_header(path, KIND).get("spot", {}), path)


def read_solution(path: str | os.PathLike[str], resumable: bool = True) -> dict[str, Any]:
    """Return the fields of a saved solution; if it need not be resumable, what only a solver needs is not read."""
    header = SpotHeader.read(read_header(path, KIND), path)
    resumable = resumable or "output=current" in header.algorithm  # current strategies are made of regrets
    arrays = read_cpz(path, KIND, without=() if resumable else ("state.regrets", "state.basis"))[1]
    state = {name.removeprefix("state."): array for name, array in arrays.items()}
    spot = Spot.from_dict(header.spot, path)
    try:
        stored, solver = _filled(spot, header, state, resumable)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    names = ("algorithm", "bits", "exploitability_pct", "iterations", "nodes", "nodes_touched", "memory_mb")
    fields: dict[str, Any] = {name: getattr(header, name) for name in names}
    fields |= {"spot": spot, "ev": header.ev.model_dump(), "history": run_history(header)}
    return fields | {"stored": stored, "solver": solver}


def _filled(
    spot: Spot, header: SpotHeader, state: dict[str, NDArray[Any]], resumable: bool
) -> tuple[StoredStrategies, PublicGameSolver | None]:
    estimate(spot, bits=header.bits, algorithm=header.algorithm)
    game = build_game(spot)
    if header.digest != game_digest(game):
        raise InputError("its tables are not for this spot as this version builds it: solve the spot again")
    solver = make_solver(settings_of(header.algorithm), game, 1, header.bits)  # refuses settings that do not run here
    if not header.river:
        _check_fit(upper_streets(Profile(game, header.bits)), state)
        return LazyRivers(game, header.bits, state["average"], state.get("average.scale"), header.algorithm), None
    if not resumable:
        average = solver.result()
        _check_fit(average.arrays("average"), state)
        for name, array in average.arrays("average").items():
            array[...] = state[name]
        return StoredStrategies(game, average), None
    solver.restore(state)
    if (solver.iteration, solver.nodes_touched) != (header.iterations, header.nodes_touched):
        raise InputError("the file is damaged: its counters are not those of its header")
    check_average(state)
    return StoredStrategies(game, solver.result()), solver


def run_history(header: SpotRunHeader) -> RunHistory:
    """Return how a run has gone, from the header of its file."""
    trace = [TracePoint(*row) for row in header.trace]
    ended = header.reached, header.interrupted
    return RunHistory(trace, header.seconds, header.cpu_seconds, *ended, origin=header.warm_iterations)


def _check_fit(averages: dict[str, NDArray[Any]], state: dict[str, NDArray[Any]]) -> None:
    for name, expected in averages.items():
        array = state.get(name)
        if array is None or array.shape != expected.shape or array.dtype != expected.dtype:
            raise InputError(f"the file is damaged: array {name!r} does not fit the spot")
    check_average(state)


def check_average(state: dict[str, NDArray[Any]]) -> None:
    """Refuse an average that no strategies have."""
    for name in ("average", "average.scale"):
        if name in state and (not np.isfinite(state[name]).all() or (state[name] < 0).any()):
            raise InputError(f"the file is damaged: array {name!r} holds numbers that no strategy has")
