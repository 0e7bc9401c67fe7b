"""Arrays that one process writes and all that work for it read, without a copy for each piece of work.

A piece carries an array as it stands (`SharedArray.seen`) and reads it where it is done (`Seen.read`). Nobody else
writes, and the head does not while pieces that read are at work, so that a piece that is done again finds the same.
Between processes of one machine the array is memory without a name, of which nothing stays behind however they end.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from functools import lru_cache
from typing import IO, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

MAPPED = 256
"""Arrays that a process keeps mapped."""


class Seen(Protocol):
    """What a piece of work carries of an array."""

    def read(self) -> NDArray[Any]:
        """Return the array, of this process or of the one that shares it; only to be read."""
        ...


class SharedArray(Protocol):
    """An array that other processes may read."""

    array: NDArray[Any]
    """The array itself, zeros at first."""

    def seen(self, size: int | None = None) -> Seen:
        """Return what a piece of work carries to read the array as it stands now, or its first `size` entries."""
        ...


class MappedArray:
    """An array that processes of this machine read where it is."""

    def __init__(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> None:
        self.array, self._file = _new(int(np.prod(shape)) * np.dtype(dtype).itemsize)
        self.array = self.array.view(dtype).reshape(shape)
        path = self._file.name if isinstance(self._file.name, str) else f"/proc/{os.getpid()}/fd/{self._file.name}"
        self._place = MappedPlace(path, self.array.shape, self.array.dtype.str)

    def seen(self, size: int | None = None) -> MappedPlace:
        """Return what reads the array."""
        return self._place


class MappedPlace(NamedTuple):
    """Where another process finds an array."""

    path: str
    shape: tuple[int, ...]
    dtype: str

    def read(self) -> NDArray[Any]:
        """Return the array, which the process that shares it writes."""
        return _mapped(self)


@lru_cache(maxsize=MAPPED)
def _mapped(place: MappedPlace) -> NDArray[Any]:
    with open(place.path, "r+b") as file:
        return np.frombuffer(mmap.mmap(file.fileno(), 0), dtype=place.dtype)[: int(np.prod(place.shape))].reshape(
            place.shape
        )


def _new(size: int) -> tuple[NDArray[Any], IO[bytes]]:
    """Return bytes of memory and the file that other processes map."""
    if hasattr(os, "memfd_create"):
        file: IO[bytes] = os.fdopen(os.memfd_create("counterpoise"), "r+b", buffering=0)
    else:  # where memory has no file, a file has the memory
        file = tempfile.NamedTemporaryFile("r+b")  # noqa: SIM115
    file.truncate(max(size, 1))
    return np.frombuffer(mmap.mmap(file.fileno(), 0), dtype=np.uint8, count=size), file
