"""Arrays of the head that pieces of work read on any machine, through Ray's object store."""

from __future__ import annotations

import pickle
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray


class ClusterArray:
    """An array that the head writes; what pieces read is a copy, which is sent once to each machine."""

    def __init__(self, ray: Any, shape: int | tuple[int, ...], dtype: DTypeLike) -> None:
        self.array: NDArray[Any] = np.zeros(shape, dtype=dtype)
        self._ray = ray

    def seen(self, size: int | None = None) -> StoredArray:
        """Return a copy of the array, or of its first entries, in the object store."""
        return StoredArray(self._ray.put(self.array if size is None else self.array[:size]))


class StoredArray(NamedTuple):
    """An array in Ray's object store, which keeps it as long as something names it."""

    reference: Any

    def read(self) -> NDArray[Any]:
        """Return the array where the store of this machine has it."""
        import ray

        return np.asarray(_Writable(ray.get(self.reference)))


def packed(found: Any) -> tuple[bytes, list[NDArray[np.uint8]]]:
    """Return a result as Ray stores it with one copy of its arrays; `unpacked` returns it."""
    buffers: list[pickle.PickleBuffer] = []
    content = pickle.dumps(found, protocol=5, buffer_callback=buffers.append)
    return content, [np.frombuffer(buffer.raw(), dtype=np.uint8) for buffer in buffers]


def unpacked(content: bytes, buffers: list[NDArray[np.uint8]]) -> Any:
    """Return a result whose arrays are this process's own: Ray's must not be written, and are a type of their own."""
    return pickle.loads(content, buffers=[buffer.copy() for buffer in buffers])


class _Writable:
    """The memory of an array that is marked read-only, without the mark, for which kernels would be compiled anew."""

    def __init__(self, array: NDArray[Any]) -> None:
        self.kept = array
        self.__array_interface__ = {**array.__array_interface__, "data": (array.ctypes.data, False)}
