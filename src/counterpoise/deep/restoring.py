"""Take arrays from a checkpoint: compiled code trusts shapes, types and indices, so everything is checked before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.store.arrays import ArrayRule, check_arrays, fault_of
from counterpoise.store.schemas import MOST_COUNT, SIGNED

State = Mapping[str, NDArray[Any]]
ELSEWHERE = "it is of another game or of other settings"
"""What is wrong with a state that this program did not write for this training."""


def part_of(arrays: State, name: str) -> dict[str, NDArray[Any]]:
    """Return the arrays of one part of a learner, whose names begin with that of the part and a dot."""
    prefix = f"{name}."
    return {key.removeprefix(prefix): array for key, array in arrays.items() if key.startswith(prefix)}


def checked(
    arrays: State,
    name: str,
    shape: tuple[int, ...],
    kind: Any,
    least: float | None = None,
    most: float | None = None,
) -> NDArray[Any]:
    """Return an array of a state; refuse another shape or type, numbers that are not finite or beyond the limits."""
    check_arrays(ELSEWHERE, arrays, {name: ArrayRule("", (np.dtype(kind).name,), shape, least, most)})
    return arrays[name]


def restore_into(room: NDArray[Any], arrays: State, name: str) -> None:
    """Copy an array of a state into a learner's own one, which it must be like."""
    room[...] = checked(arrays, name, room.shape, room.dtype)


def restored_counters(arrays: State, name: str, count: int) -> list[int]:
    """Return the counters of a state: whole numbers of at least 0."""
    shape = () if count == 1 and name in arrays and arrays[name].shape == () else (count,)
    check_arrays(ELSEWHERE, arrays, {name: ArrayRule("", SIGNED, shape, 0, MOST_COUNT)})
    return [int(number) for number in arrays[name].ravel()]


def check_indices(numbers: NDArray[Any], after: int, name: str) -> None:
    """Refuse numbers that are no index of something with `after` entries."""
    fault = fault_of(numbers, ArrayRule("", (numbers.dtype.name,), None, 0, after - 1), {})
    if fault:
        raise InputError(f"{ELSEWHERE}: array {name!r} {fault}")
