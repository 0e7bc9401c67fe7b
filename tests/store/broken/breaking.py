"""Changes of a file: every field of its header and every array of it, in all the ways that its schema forbids.

A change need not be wrong: what is allowed must work, what is not must be refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from counterpoise.store import arrays as checking
from counterpoise.store.cpz import read_cpz, write_cpz

OF_THE_CONTAINER = ("format", "version", "kind", "arrays", "checksum")
Arrays = dict[str, NDArray[Any]]
Limits = dict[str, tuple[float | None, float | None]]
WORDS: tuple[Any, ...] = (None, "x", -1, 0, 2**31, 2**70, 1e308, float("nan"), float("inf"), [], {}, True, [[]], 0.5)


class Change(NamedTuple):
    """One change of a file."""

    field: str
    """The array, or the path of the field in the header."""
    how: str
    header: dict[str, Any]
    arrays: Arrays

    def write(self, path: Path, kind: str) -> None:
        """Write the changed file, with checksums that fit it."""
        write_cpz(path, kind, self.header, self.arrays)


@contextmanager
def declared_limits() -> Iterator[Limits]:
    """Gather the least and the largest number that arrays may hold, by their names, while files are loaded."""
    found: Limits = {}
    checked = checking.check_array

    def spy(where: str, name: str, array: Any, rule: Any, sizes: Any) -> None:
        limits = (None if one is None else checking._value(one, sizes) for one in (rule.least, rule.most))
        found[name] = tuple(limits)  # type: ignore[assignment]
        checked(where, name, array, rule, sizes)

    with patch.object(checking, "check_array", spy):
        yield found


def changes(path: Path, limits: Limits) -> Iterator[Change]:
    """Yield all changes of a file."""
    header, arrays = read_cpz(path)
    header = {name: value for name, value in header.items() if name not in OF_THE_CONTAINER}
    for name, array in arrays.items():
        yield Change(name, "missing", header, {other: arrays[other] for other in arrays if other != name})
        for how, changed in _changed_arrays(array, _limits_of(name, limits)):
            yield Change(name, how, header, arrays | {name: changed})
    for place, value in _fields(header):
        field = "header." + ".".join(map(str, place))
        yield Change(field, "missing", _without(header, place), arrays)
        for how, new in _changed_values(value):
            yield Change(field, how, _with(header, place, new), arrays)


def _limits_of(name: str, limits: Limits) -> tuple[float | None, float | None]:
    for known in (name, re.sub(r"^(state\.|walks_)", "", name), re.sub(r"^abstraction_\d+_", "", name)):
        if known in limits:
            return limits[known]
    return None, None


def _changed_arrays(array: NDArray[Any], limits: tuple[float | None, float | None]) -> Iterator[tuple[str, Any]]:
    if array.dtype.kind in "US":
        yield from [("other text", np.array("x")), ("a number", np.array(1)), ("two texts", np.array([array] * 2))]
        return
    for kind in ("float64", "int64", "int16", "uint8", "complex128", ">i4", "bool"):
        if np.dtype(kind) != array.dtype:
            with np.errstate(all="ignore"):
                yield f"as {kind}", array.astype(kind)
    yield "one axis more", array[None]
    yield "flat", array.reshape(-1)
    yield "twice", np.concatenate([np.atleast_1d(array)] * 2)
    yield "empty", np.zeros((0, *array.shape[1:]), dtype=array.dtype)
    if array.ndim and len(array) > 1:
        yield "without its last row", array[:-1].copy()
        yield "rolled", np.roll(array, 1, axis=0)
        yield "reversed", array[::-1].copy()
        yield "falling", np.ascontiguousarray(np.sort(array, axis=-1)[..., ::-1])
    if array.ndim > 1:
        yield "transposed", np.ascontiguousarray(array.T)
        yield "in Fortran's order", np.asfortranarray(array)
    yield "all 0", np.zeros_like(array)
    yield "all 1", np.ones_like(array)
    for how, value in _wrong_numbers(array.dtype, limits):
        for where, place in (("first", 0), ("middle", array.size // 2), ("last", array.size - 1)):
            if array.size:
                changed = array.copy()
                changed.reshape(-1)[place] = value
                yield f"{how} at the {where} place", changed
        yield f"{how} everywhere", np.full_like(array, value)


def _wrong_numbers(kind: np.dtype[Any], limits: tuple[float | None, float | None]) -> Iterator[tuple[str, Any]]:
    if kind.kind == "f":
        top = float(np.finfo(kind).max)
        yield from [("nan", np.nan), ("inf", np.inf), ("-inf", -np.inf), ("huge", top), ("-huge", -top), ("-1", -1.0)]
    if kind.kind in "iu":
        info = np.iinfo(kind)
        yield from [("the largest", info.max), ("the smallest", info.min), ("a third of it", info.max // 3)]
        for how, limit, step in (("below the least", limits[0], -1), ("above the most", limits[1], 1)):
            if limit is not None and info.min <= limit + step <= info.max:
                yield how, int(limit) + step


def _fields(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield the path and value of every field, of lists the first and the last entry."""
    if place:
        yield place, value
    if isinstance(value, Mapping):
        for name in list(value)[:40]:
            yield from _fields(value[name], (*place, name))
    elif isinstance(value, list) and value and len(place) < 6:
        for number in sorted({0, len(value) - 1}):
            yield from _fields(value[number], (*place, number))


def _changed_values(value: Any) -> Iterator[tuple[str, Any]]:
    for word in WORDS:
        if type(word) is not type(value) or word != value:
            yield f"{word!r}", word
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield "one more", value + 1
        yield "the other sign", -value
    if isinstance(value, str):
        yield "longer", value * 3
        if re.search(r"\d", value):
            yield "huge numbers", re.sub(r"\d+", "999999999", value)
            yield "larger numbers", re.sub(r"\d+", lambda found: str(int(found[0]) % 1000 + 7), value)
            yield "zeros", re.sub(r"\d+", "0", value)
    if isinstance(value, list):
        yield "twice", value * 2
        yield "without its last", value[:-1]


def _with(header: dict[str, Any], place: tuple[Any, ...], value: Any) -> dict[str, Any]:
    changed = deepcopy(header)
    _owner(changed, place)[place[-1]] = value
    return changed


def _without(header: dict[str, Any], place: tuple[Any, ...]) -> dict[str, Any]:
    changed = deepcopy(header)
    del _owner(changed, place)[place[-1]]
    return changed


def _owner(header: Any, place: tuple[Any, ...]) -> Any:
    for step in place[:-1]:
        header = header[step]
    return header
