"""What an array of a file must be, and the one place where arrays that were read are held against it.

Kernels check no bounds: an index from a file that points nowhere would be followed. So every array of every kind of
file has an `ArrayRule` (`counterpoise.store.schemas` lists them): its type, its shape, the values it may hold. Numbers
that depend on the rest of a file, such as the buckets of a street, are named in rules and given when a file is read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.parameters import either, shown

PIECE = 2**20
"""Numbers that are looked at together: few enough to stay in the processor's cache for all that is asked of them."""
THREADS = min(os.cpu_count() or 1, 8)
"""Threads that look at the pieces of a large array."""

Size = int | str
"""A number, or the name of one that is known when a file is read."""
Limit = float | str | None
Arrays = Mapping[str, NDArray[Any]]
Sizes = Mapping[str, Any]


@dataclass(frozen=True)
class ArrayRule:
    """What an array of a file must be; `Part.check` and `check_arrays` hold arrays against it."""

    about: str
    types: tuple[str, ...]
    """The names of the types that it may have."""
    shape: tuple[Size, ...] | None
    """The length of each axis."""
    least: Limit = None
    most: Limit = None
    """The smallest and the largest number that it may hold."""
    infinite: bool = False
    """Whether infinities are allowed; nan never is."""
    rising: bool = False
    """Whether numbers along the last axis must not fall."""
    texts: tuple[str, ...] = ()
    """For text: what it may say."""
    when: str = ""
    """When a file has it, if not always."""

    def of(self, **others: Any) -> ArrayRule:
        """Return the rule with some parts replaced."""
        return replace(self, **others)


def like(array: NDArray[Any], about: str = "", least: Limit = None, most: Limit = None) -> ArrayRule:
    """Return the rule of an array that is to take the place of one that the program has made."""
    return ArrayRule(about, (array.dtype.name,), array.shape, least, most)


def check_alone(where: str, name: str, array: NDArray[Any], rule: ArrayRule) -> None:
    """Refuse an array that breaks its rule whatever the rest of its file says: type, axes and limits without names."""
    shape = rule.shape
    if shape is not None and not rule.texts:
        if len(shape) != array.ndim:
            raise InputError(f"{where}: array {name!r} must have {len(shape)} axes, not {array.ndim}")
        shape = tuple(own if isinstance(one, str) else one for own, one in zip(array.shape, shape, strict=True))
    least, most = (None if isinstance(one, str) else one for one in (rule.least, rule.most))
    check_array(where, name, array, rule.of(shape=shape, least=least, most=most), {})


def check_arrays(where: str, arrays: Arrays, rules: Mapping[str, ArrayRule], sizes: Sizes | None = None) -> None:
    """Refuse arrays that are missing or not what their rules say, in a sentence that begins with `where`.

    The numbers of an array are passed once, in pieces and on several threads, without a copy of it.
    """
    known = {} if sizes is None else sizes
    for name, rule in rules.items():
        if name not in arrays:
            raise InputError(f"{where}: array {name!r} is missing")
        check_array(where, name, arrays[name], rule, known)


def check_array(where: str, name: str, array: NDArray[Any], rule: ArrayRule, sizes: Sizes) -> None:
    """Refuse an array that is not what its rule says."""
    fault = fault_of(array, rule, sizes)
    if fault:
        raise InputError(f"{where}: array {name!r} {fault}")


def fault_of(array: NDArray[Any], rule: ArrayRule, sizes: Sizes) -> str:
    """Return what is wrong with an array, as the end of a sentence; nothing if it is what its rule says."""
    if rule.texts:
        fits = array.dtype.kind == "U" and array.shape == () and str(array) in rule.texts
        return "" if fits else f"must be {either(rule.texts)}, not {shown(array.tolist())}"
    if not any(array.dtype == np.dtype(name) for name in rule.types):
        return f"must hold {either(rule.types)}, not {array.dtype}"
    if rule.shape is not None and array.shape != (wanted := tuple(int(_value(one, sizes)) for one in rule.shape)):
        return f"must have the shape {_shape(wanted, rule.shape)}, not {_shape(array.shape)}"
    if not array.size:
        return ""
    if array.dtype.kind == "b":  # a byte of 2 would be true to some and false to others
        return "" if not _fault_of_values(array.view(np.uint8), 0, 1, False) else "holds what is neither true nor false"
    least, most = (None if one is None else _value(one, sizes) for one in (rule.least, rule.most))
    return _fault_of_values(array, least, most, rule.infinite) or (
        "must not fall along its last axis" if rule.rising and _falls(array) else ""
    )


def every_piece(holds: Callable[[int, int], Any], count: int, width: int = 1) -> bool:
    """Return whether something holds for all rows of a table, `holds(begin, end)` for some of them at a time.

    A row has `width` numbers. Large tables are looked at on several threads.
    """
    step = max(1, PIECE // max(width, 1))
    bounds = [(begin, min(begin + step, count)) for begin in range(0, count, step)]
    return all(bool(one) for one in _mapped(lambda pair: holds(*pair), bounds))


def _mapped(do: Callable[[Any], Any], parts: list[Any]) -> Iterable[Any]:
    if len(parts) < 4 or THREADS == 1:
        return map(do, parts)
    with ThreadPoolExecutor(min(THREADS, len(parts))) as pool:
        return list(pool.map(do, parts))


def _fault_of_values(array: NDArray[Any], least: Any, most: Any, infinite: bool) -> str:
    flat = array.reshape(-1)
    parts = [flat[begin : begin + PIECE] for begin in range(0, flat.size, PIECE)]
    found = list(_mapped(lambda part: (part.min(), part.max()), parts))
    low, high = min(one for one, _ in found), max(one for _, one in found)
    if any(one != one for pair in found for one in pair):  # the least of numbers with a nan among them is nan
        return "holds numbers that are not finite"
    if not infinite and not (np.isfinite(low) and np.isfinite(high)):
        return "holds numbers that are not finite"
    if (least is not None and low < least) or (most is not None and high > most):
        wrong = low if least is not None and low < least else high
        span = f"of at least {least:,}" if most is None else f"of at most {most:,}" if least is None else ""
        return f"holds {wrong}, and numbers {span or f'from {least:,} to {most:,}'} are allowed"
    return ""


def _falls(array: NDArray[Any]) -> bool:
    """Return whether any number is smaller than the one before it in its row."""
    rows = array.reshape(-1, array.shape[-1]) if array.shape[-1] else array.reshape(0, 0)
    if len(rows) == 1:  # one long row: in pieces that share an entry
        row = rows[0]
        return not every_piece(lambda begin, end: (row[begin : end - 1] <= row[begin + 1 : end]).all(), len(row)) or (
            not all(row[at - 1] <= row[at] for at in range(PIECE, len(row), PIECE))
        )
    return not every_piece(lambda begin, end: (rows[begin:end, :-1] <= rows[begin:end, 1:]).all(), *rows.shape)


def _value(size: float | str, sizes: Sizes) -> Any:
    return sizes[size] if isinstance(size, str) else size


def _shape(lengths: tuple[int, ...], names: tuple[Size, ...] | None = None) -> str:
    """Return a shape in words: "5 x 15", with the names of the lengths if they have any."""
    text = " x ".join(f"{length:,}" for length in lengths) or "()"
    told = [one for one in names or () if isinstance(one, str)]
    return f"{text} ({' x '.join(map(str, names or ()))})" if told else text
