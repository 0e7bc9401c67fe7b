"""Solved spots in `.cpz` files: written whole or without the last street, checked field by field when read."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.words import PLAYERS
from counterpoise.errors import InputError
from counterpoise.public import HoldemTree
from counterpoise.solvers import TracePoint
from counterpoise.solvers.driver import RunHistory
from counterpoise.solvers.public.solver import PublicSolver
from counterpoise.spots.digest import tree_digest
from counterpoise.spots.engine import build_tree, settings_of
from counterpoise.spots.estimate import estimate
from counterpoise.spots.rivers import RiverlessTree, upper_streets
from counterpoise.spots.spot import Spot
from counterpoise.store import read_cpz, write_cpz
from counterpoise.store.cpz import read_header

if TYPE_CHECKING:
    from counterpoise.spots.solution import Solution

KIND = "spot"
Kind = TypeVar("Kind")
FIGURES = ("ev", "exploitability_pct", "iterations", "nodes", "nodes_touched", "memory_mb", "seconds", "cpu_seconds",
           "reached", "interrupted", "warm_iterations")  # fmt: skip
MOST = 2**63 - 1
"""Of a counter."""


def write_solution(solution: Solution, path: str | os.PathLike[str], river: bool) -> None:
    """Spot, figures and tables; without the river only the average strategy of the streets before it."""
    whole = river and not isinstance(solution.tree, RiverlessTree)
    header = {name: getattr(solution, name) for name in ("algorithm", "bits", *FIGURES)}
    header |= {"spot": solution.spot.to_dict(), "river": whole, "trace": [list(point) for point in solution.trace]}
    header["digest"] = tree_digest(solution.tree)
    counters = np.array([solution.iterations, solution.nodes_touched], dtype=np.int64)
    arrays = {"counters": counters, **solution.tree.arrays()} if whole else upper_streets(solution.tree)
    write_cpz(path, KIND, header, {f"state.{name}": array for name, array in arrays.items()})


def saved_spot(path: str | os.PathLike[str]) -> Spot:
    """The spot of a saved solution, without its tables."""
    return Spot.from_dict(read_header(path, KIND).get("spot", {}), path)


def read_solution(path: str | os.PathLike[str]) -> tuple[dict[str, Any], HoldemTree]:
    """The fields of a saved solution and its tree, tables filled."""
    header, arrays = read_cpz(path, KIND)
    state = {name.removeprefix("state."): array for name, array in arrays.items()}
    try:
        fields = _figures(header) | {
            "bits": read_bits(header["bits"]),
            "algorithm": read_kind(str, header["algorithm"]),
        }
        whole = read_kind(bool, header["river"])
        fields["spot"] = Spot.from_dict(header["spot"], path)
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise InputError(f"{path} is damaged: its header is incomplete ({error})") from None
    try:
        return fields, _filled(fields, state, whole, header.get("digest"))
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _filled(fields: dict[str, Any], state: dict[str, NDArray[Any]], whole: bool, digest: Any) -> HoldemTree:
    spot, bits, algorithm = fields["spot"], fields["bits"], fields["algorithm"]
    estimate(spot, bits=bits, algorithm=algorithm)
    tree = build_tree(spot, bits, HoldemTree if whole else RiverlessTree)
    if digest != tree_digest(tree):
        raise InputError("its tables are not for this spot as this version builds it: solve the spot again")
    if isinstance(tree, RiverlessTree):
        _check_upper(tree, state)
        tree.fill(state["average"], state.get("average.scale"), algorithm)
        return tree
    solver = PublicSolver(settings_of(algorithm), tree)
    solver.restore(state)
    if (solver.iteration, solver.nodes_touched) != (fields["iterations"], fields["nodes_touched"]):
        raise InputError("the file is damaged: its counters are not those of its header")
    check_average(state)
    return tree


def _figures(header: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {name: read_count(header[name]) for name in ("iterations", "nodes", "nodes_touched")}
    found |= {name: read_finite(header[name]) for name in ("exploitability_pct", "memory_mb")}
    found["ev"] = {player: read_finite(header["ev"][player]) for player in PLAYERS}
    found["history"] = read_history(header)
    return found


def read_history(header: dict[str, Any]) -> RunHistory:
    """How a run has gone, from the header of its file."""
    trace = [
        TracePoint(read_count(i), read_finite(e), read_count(n), read_finite(s), read_count(b))
        for i, e, n, s, b in header["trace"]
    ]
    times = read_finite(header["seconds"]), read_finite(header["cpu_seconds"])
    if min(times) < 0:
        raise ValueError("seconds are at least 0")
    ends = read_kind(bool, header["reached"]), read_kind(bool, header["interrupted"])
    return RunHistory(trace, *times, *ends, origin=read_count(header.get("warm_iterations", 0)))


def read_kind(kind: type[Kind], value: Any) -> Kind:
    """The value, if it is of a kind."""
    if not isinstance(value, kind):
        raise ValueError(f"{value!r} is not of type {kind.__name__}")
    return value


def read_bits(value: Any) -> int:
    """16 or 32."""
    if type(value) is not int or value not in (16, 32):
        raise ValueError(f"bits are 16 or 32, not {value!r}")
    return value


def read_count(value: Any) -> int:
    """A whole number of at least 0."""
    if type(value) is not int or not 0 <= value <= MOST:
        raise ValueError(f"{value!r} is not a count")
    return value


def read_finite(value: Any) -> float:
    """A number that is neither infinite nor nan."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{value!r} is not a finite number")
    return float(value)


def _check_upper(tree: HoldemTree, state: dict[str, NDArray[Any]]) -> None:
    for name, expected in upper_streets(tree).items():
        array = state.get(name)
        if array is None or array.shape != expected.shape or array.dtype != expected.dtype:
            raise InputError(f"the file is damaged: array {name!r} does not fit the spot")
    check_average(state)


def check_average(state: dict[str, NDArray[Any]]) -> None:
    """Refuse an average that no strategies have."""
    for name in ("average", "average.scale"):
        if name in state and (not np.isfinite(state[name]).all() or (state[name] < 0).any()):
            raise InputError(f"the file is damaged: array {name!r} holds numbers that no strategy has")
