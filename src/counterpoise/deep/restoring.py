"""Take arrays from a checkpoint: compiled code trusts shapes, types and indices, so everything is checked before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError

State = Mapping[str, NDArray[Any]]
MOST = 2**53
"""No counter is larger: it would not be a whole number as a float any more."""
PIECE = 2**26
"""Bytes of an array that are looked at together."""


def part_of(arrays: State, name: str) -> dict[str, NDArray[Any]]:
    """Return the arrays of one part of a learner, whose names begin with that of the part and a dot."""
    prefix = f"{name}."
    return {key.removeprefix(prefix): array for key, array in arrays.items() if key.startswith(prefix)}


def checked(arrays: State, name: str, shape: tuple[int, ...], kind: Any) -> NDArray[Any]:
    """Return an array of a state; refuse another shape or type, and numbers that are not finite."""
    found = arrays[name]
    if found.shape != shape or found.dtype != np.dtype(kind):
        raise InputError(f"{name!r} is of another game or of other settings")
    pieces = [found] if found.nbytes < PIECE else np.array_split(found, found.nbytes // PIECE)
    if not all(np.isfinite(piece).all() for piece in pieces):
        raise InputError(f"{name!r} holds numbers that are not finite")
    return found


def restore_into(room: NDArray[Any], arrays: State, name: str) -> None:
    """Copy an array of a state into a learner's own one, which it must be like."""
    room[...] = checked(arrays, name, room.shape, room.dtype)


def restored_counters(arrays: State, name: str, count: int) -> list[int]:
    """Return the counters of a state: whole numbers of at least 0."""
    found = arrays[name]
    if found.dtype.kind != "i" or found.size != count or (found < 0).any() or (found > MOST).any():
        raise InputError(f"{name!r} must be {count} whole numbers of at least 0")
    return [int(number) for number in found.ravel()]


def check_indices(numbers: NDArray[Any], after: int, name: str) -> None:
    """Refuse numbers that are no index of something with `after` entries."""
    if ((numbers < 0) | (numbers >= after)).any():
        raise InputError(f"{name!r} names what there is not")
