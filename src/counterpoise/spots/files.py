"""Solved spots in `.cpz` files: written whole or without the last street, checked field by field when read."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.progress import CancelToken, Progress
from counterpoise.public import HoldemGame, Profile
from counterpoise.solvers import TracePoint
from counterpoise.solvers.driver import RunHistory
from counterpoise.solvers.public.base import PublicGameSolver
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
    fields = {"spot": spot, "ev": header.ev.model_dump(), "stored": stored, "solver": solver}
    return fields | saved_run_fields(header)


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
        fill_average(average, state)
        return StoredStrategies(game, average), None
    solver.restore(state)
    if (solver.iteration, solver.nodes_touched) != (header.iterations, header.nodes_touched):
        raise InputError("the file is damaged: its counters are not those of its header")
    _check_average(state)
    return StoredStrategies(game, solver.result()), solver


def saved_run_fields(header: SpotRunHeader) -> dict[str, Any]:
    """Return the fields that solutions and searches share, from the header of a file, but for spot and strategies."""
    names = ("algorithm", "bits", "exploitability_pct", "iterations", "nodes", "nodes_touched", "memory_mb")
    trace = [TracePoint(*row) for row in header.trace]
    ended = header.reached, header.interrupted
    history = RunHistory(trace, header.seconds, header.cpu_seconds, *ended, origin=header.warm_iterations)
    return {name: getattr(header, name) for name in names} | {"history": history}


def fill_average(average: Profile, state: dict[str, NDArray[Any]]) -> None:
    """Write saved numbers into a profile; refused if they do not fit it or if no strategies have them."""
    arrays = average.arrays("average")
    _check_fit(arrays, state)
    for name, array in arrays.items():
        array[...] = state[name]


def _check_fit(averages: dict[str, NDArray[Any]], state: dict[str, NDArray[Any]]) -> None:
    for name, expected in averages.items():
        array = state.get(name)
        if array is None or array.shape != expected.shape or array.dtype != expected.dtype:
            raise InputError(f"the file is damaged: array {name!r} does not fit the spot")
    _check_average(state)


def _check_average(state: dict[str, NDArray[Any]]) -> None:
    for name in ("average", "average.scale"):
        if name in state and (not np.isfinite(state[name]).all() or (state[name] < 0).any()):
            raise InputError(f"the file is damaged: array {name!r} holds numbers that no strategy has")


def game_digest(game: HoldemGame) -> str:
    """Return SHA-256 over the actions of every street tree, the cards and hands of every board, the order of hands."""
    digest = hashlib.sha256()
    for tree in game.street_trees:
        decisions = [(decision.player, [int(action) for action in decision.actions]) for decision in tree.decisions]
        ends = [(int(leaf.kind), leaf.rows, leaf.tree) for leaf in tree.leaves]
        digest.update(repr((tree.street, tree.path, decisions, ends)).encode())
    for node in game.board_nodes:
        digest.update(repr((node.street, node.parent, [int(card) for card in node.cards])).encode())
        for hands in node.hands:
            digest.update(np.ascontiguousarray(hands, dtype="<u2").tobytes())
    for own in game.hands:
        digest.update(np.ascontiguousarray(own, dtype=np.uint8).tobytes())
    return digest.hexdigest()
