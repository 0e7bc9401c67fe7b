"""Solved spots in `.cpz` files: written whole or without the last street, checked field by field when read."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.progress import CancelToken, Progress
from counterpoise.public import HoldemGame, Profile
from counterpoise.solvers import TracePoint
from counterpoise.solvers.public.base import PublicGameSolver
from counterpoise.spots.engine import build_game, make_solver, settings_of
from counterpoise.spots.estimate import estimate
from counterpoise.spots.rivers import LazyRivers, StoredStrategies, upper_streets
from counterpoise.spots.spot import Spot
from counterpoise.store import write_cpz
from counterpoise.store.arrays import check_arrays, like
from counterpoise.store.cpz import read_arrays, read_header
from counterpoise.store.headers import SpotHeader, SpotRunHeader
from counterpoise.store.schemas import AVERAGE, SCALE

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
    digest = solution.game.digest
    header = SpotHeader.of(solution, spot=solution.spot.to_dict(), river=solver is not None, digest=digest)
    counters = np.array([solution.iterations, solution.nodes_touched], dtype=np.int64)
    arrays = upper_streets(solution.stored.average) if solver is None else {"counters": counters, **solver.arrays()}
    state = {f"state.{name}": array for name, array in arrays.items()}
    write_cpz(path, KIND, header, state, progress=progress, cancel=cancel)


def load_spot(path: str | os.PathLike[str]) -> Spot:
    """Return the spot of a saved solution, without its tables."""
    return Spot.from_dict(read_header(path, KIND).get("spot", {}), path)


def read_solution(
    path: str | os.PathLike[str], resumable: bool = True, header: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the fields of a saved solution, whose header may have been read already.

    If it need not be resumable, arrays that only a solver needs are not read.
    """
    header = read_header(path, KIND) if header is None else header
    checked = SpotHeader.read(header, path)
    spot = Spot.from_dict(checked.spot, path)
    with naming(path):
        solver = _fresh_solver(spot, checked)
    looked_at = {} if resumable or not checked.river else _arrays_of_result(solver)
    arrays = read_arrays(path, header, [f"state.{name}" for name in looked_at] or None)
    state = {name.removeprefix("state."): array for name, array in arrays.items()}
    with naming(path):
        if looked_at:
            fill(looked_at, state)
            stored = StoredStrategies(_game(solver), solver.result())
        else:
            stored = _restored(solver, checked, state)
    fields = {"spot": spot, "ev": checked.ev.model_dump(), "stored": stored}
    return fields | {"solver": solver if resumable and checked.river else None} | saved_run_fields(checked)


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Make refusals of a file's contents begin with the name of the file."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _fresh_solver(spot: Spot, header: SpotHeader) -> PublicGameSolver:
    """Return the solver that the tables of a file are for; refuse settings that do not run on the spot."""
    estimate(spot, bits=header.bits, algorithm=header.algorithm)
    game = build_game(spot)
    if header.digest != game.digest:
        raise InputError("its tables are not for this spot as this version builds it: solve the spot again")
    return make_solver(settings_of(header.algorithm), game, 1, header.bits)


def _game(solver: PublicGameSolver) -> HoldemGame:
    assert isinstance(solver.game, HoldemGame)
    return solver.game


def _arrays_of_result(solver: PublicGameSolver) -> dict[str, NDArray[Any]]:
    """Return the arrays of a solver that are its result; none if the result is computed, for example from regrets."""
    parts = solver.result().arrays("").values()
    return {name: array for name, array in solver.arrays().items() if any(array is part for part in parts)}


def _restored(solver: PublicGameSolver, header: SpotHeader, state: dict[str, NDArray[Any]]) -> StoredStrategies:
    """Return the strategies of a file that is read whole, restoring the solver's state."""
    game = _game(solver)
    if not header.river:
        _check_averages(upper_streets(Profile(game, header.bits)), state)
        return LazyRivers(game, header.bits, state, header.algorithm)
    solver.restore(state)
    if (solver.iteration, solver.nodes_touched) != (header.iterations, header.nodes_touched):
        raise InputError("the file is damaged: its counters are not those of its header")
    _check_averages({name: state[name] for name in ("average", "average.scale") if name in state}, state)
    return StoredStrategies(game, solver.result())


def saved_run_fields(header: SpotRunHeader) -> dict[str, Any]:
    """Return the fields that solutions and searches share, except spot and strategies, from the header of a file."""
    names = (
        *("algorithm", "bits", "exploitability_pct", "iterations", "nodes", "nodes_touched", "memory_mb"),
        *("seconds", "cpu_seconds", "reached", "interrupted", "warm_iterations"),
    )
    return {name: getattr(header, name) for name in names} | {"trace": [TracePoint(*row) for row in header.trace]}


def fill(arrays: Mapping[str, NDArray[Any]], state: dict[str, NDArray[Any]]) -> None:
    """Write saved numbers into arrays of strategies; refused if they do not fit or if no strategies have them."""
    _check_averages(arrays, state)
    for name, array in arrays.items():
        array[...] = state[name]


def _check_averages(own: Mapping[str, NDArray[Any]], state: dict[str, NDArray[Any]]) -> None:
    """Refuse saved averages of other shapes, or with numbers that no strategy has."""
    limits = {"average": AVERAGE, "average.scale": SCALE}
    rules = {
        name: like(array, least=limits[name].least, most=limits[name].most) if name in limits else like(array)
        for name, array in own.items()
    }
    check_arrays("the file is damaged", state, rules)
