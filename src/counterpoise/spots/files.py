"""Solved spots in `.cpz` files: written whole or without the last street, checked field by field when read."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.public import HoldemTree
from counterpoise.solvers import TracePoint
from counterpoise.solvers.driver import Course
from counterpoise.solvers.public import PublicSolver
from counterpoise.spots.actions import PLAYERS
from counterpoise.spots.engine import build_tree, settings_of
from counterpoise.spots.estimate import estimate
from counterpoise.spots.rivers import RiverlessTree, upper_streets
from counterpoise.spots.spot import Spot
from counterpoise.store import read_cpz, write_cpz

if TYPE_CHECKING:
    from counterpoise.spots.solution import Solution

KIND = "spot"
FIGURES = ("ev", "exploitability_pct", "iterations", "nodes", "nodes_touched", "memory_mb", "seconds", "cpu_seconds")


def write_solution(solution: Solution, path: str | os.PathLike[str], river: bool) -> None:
    """Spot, figures and tables; without the river only the average strategy of the streets before it."""
    whole = river and not isinstance(solution.tree, RiverlessTree)
    header = {name: getattr(solution, name) for name in ("algorithm", "bits", *FIGURES)}
    header |= {"spot": solution.spot.to_dict(), "river": whole, "trace": [list(point) for point in solution.trace]}
    counters = np.array([solution.iterations, solution.nodes_touched], dtype=np.int64)
    arrays = {"counters": counters, **solution.tree.arrays()} if whole else upper_streets(solution.tree)
    write_cpz(path, KIND, header, {f"state.{name}": array for name, array in arrays.items()})


def read_solution(path: str | os.PathLike[str]) -> tuple[dict[str, Any], HoldemTree]:
    """The fields of a saved solution and its tree, tables filled."""
    header, arrays = read_cpz(path, KIND)
    state = {name.removeprefix("state."): array for name, array in arrays.items()}
    try:
        fields = _figures(header)
        spot = Spot.from_dict(header["spot"], path)
        bits, whole, algorithm = header["bits"], header["river"], header["algorithm"]
        if not (bits in (16, 32) and isinstance(whole, bool) and isinstance(algorithm, str)):
            raise ValueError("bits, river or algorithm")
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise InputError(f"{path} is damaged: its header is incomplete ({error})") from None
    try:
        estimate(spot, bits=bits)
        tree = build_tree(spot, bits) if whole else build_tree(spot, bits, RiverlessTree)
        if isinstance(tree, RiverlessTree):
            _check_upper(tree, state)
            tree.fill(state["average"], state.get("average.scale"), algorithm)
        else:
            PublicSolver(settings_of(algorithm), tree).restore(state)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    return fields | {"spot": spot, "bits": bits, "algorithm": algorithm}, tree


def _figures(header: dict[str, Any]) -> dict[str, Any]:
    trace = [TracePoint(int(i), _finite(e), int(n), _finite(s)) for i, e, n, s in header["trace"]]
    found: dict[str, Any] = {name: int(header[name]) for name in ("iterations", "nodes", "nodes_touched")}
    found |= {name: _finite(header[name]) for name in ("exploitability_pct", "memory_mb")}
    found["ev"] = {player: _finite(header["ev"][player]) for player in PLAYERS}
    found["course"] = Course(trace, _finite(header["seconds"]), _finite(header["cpu_seconds"]))
    return found


def _finite(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{value!r} is not a finite number")
    return float(value)


def _check_upper(tree: HoldemTree, state: dict[str, NDArray[Any]]) -> None:
    for name, expected in upper_streets(tree).items():
        array = state.get(name)
        if array is None or array.shape != expected.shape or array.dtype != expected.dtype:
            raise InputError(f"the file is damaged: array {name!r} does not fit the spot")
        if not np.isfinite(array).all() or (array < 0).any():
            raise InputError(f"the file is damaged: array {name!r} holds numbers that no strategy has")
