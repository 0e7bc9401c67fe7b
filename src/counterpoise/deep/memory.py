"""Memories of samples: a reservoir, which holds every sample ever offered with equal probability, and a sliding window.

A record is a key of an information set (its number, or cards and a betting node), a row of targets, one for each output
of a network, and the iteration in which it was offered, which is its weight under linear averaging (Brown 2020,
sections 4.1.2, 4.1.3).
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from counterpoise.deep.kernels.memory import keep_records, reservoir_slots, window_slots
from counterpoise.deep.restoring import restore_into, restored_counters
from counterpoise.errors import InputError
from counterpoise.kernels.random import seeded
from counterpoise.store.files import unnamed_room

MAPPED_FROM = 2**31
"""Bytes from which on the records of a memory live in files that are mapped into memory."""
Replacement = Literal["reservoir", "window"]


class SampleMemory:
    """A limited number of records; `replacement` says which one a new record replaces when it is full."""

    def __init__(
        self,
        capacity: int,
        key_width: int,
        columns: int,
        *,
        replacement: Replacement = "reservoir",
        seed: int = 0,
        stream: int = 0,
        key_type: type[np.integer[Any]] = np.int32,
        target_type: type[np.floating[Any]] = np.float32,
        folder: Path | None = None,
    ) -> None:
        self.capacity, self.replacement = capacity, replacement
        self.seen = 0
        """Records ever offered."""
        self.random = seeded(seed, stream)
        shapes: dict[str, tuple[tuple[int, ...], Any]] = {
            "keys": ((capacity, key_width), key_type),
            "targets": ((capacity, columns), target_type),
            "weights": ((capacity,), np.float32),
        }
        needed = sum(prod(shape) * np.dtype(kind).itemsize for shape, kind in shapes.values())
        room = _on_disk(folder, needed) if needed >= MAPPED_FROM else np.empty
        self._keys, self._targets, self._weights = (room(shape, dtype=kind) for shape, kind in shapes.values())

    def __len__(self) -> int:
        """Return the number of records that are there."""
        return min(self.seen, self.capacity)

    @property
    def keys(self) -> NDArray[Any]:
        """The keys of all records [record, part]."""
        return self._keys[: len(self)]

    @property
    def targets(self) -> NDArray[Any]:
        """The targets of all records [record, column]; 0 for illegal actions."""
        return self._targets[: len(self)]

    @property
    def weights(self) -> NDArray[np.float32]:
        """The iteration in which each record was offered."""
        return self._weights[: len(self)]

    @property
    def bytes(self) -> int:
        """Bytes of the records that are there."""
        return int(self.keys.nbytes + self.targets.nbytes + self.weights.nbytes)

    def offer(self, keys: NDArray[Any], targets: NDArray[Any], iteration: float) -> None:
        """Offer records of one iteration, first to last."""
        slots = np.empty(len(keys), dtype=np.int64)
        if self.replacement == "reservoir":
            reservoir_slots(self.seen, self.capacity, self.random, slots)
        else:
            window_slots(self.seen, self.capacity, slots)
        keep_records(slots, np.float32(iteration), keys, targets, self._keys, self._targets, self._weights)
        self.seen += len(keys)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return everything that changes; the records are views, not copies."""
        counters = np.array([self.seen], dtype=np.int64)
        records = {"keys": self.keys, "targets": self.targets, "weights": self.weights}
        return records | {"seen": counters, "random": self.random.copy()}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Continue from a `state` of a memory of the same shape; whoever knows the game checks the keys."""
        (seen,) = restored_counters(state, "seen", 1)
        held = min(seen, self.capacity)
        for name, room in (("keys", self._keys), ("targets", self._targets), ("weights", self._weights)):
            restore_into(room[:held], state, name)
        self.seen = seen
        restore_into(self.random, state, "random")


def _on_disk(folder: Path | None, needed: int) -> Callable[..., NDArray[Any]]:
    """Return what makes arrays in files of a folder; refuse one whose disk has too little room."""
    place = Path(tempfile.gettempdir() if folder is None else folder)
    free = shutil.disk_usage(place).free
    refusal = InputError(
        f"a memory of this many samples takes {needed / 1e9:,.1f} GB of disk, and {place} has {free / 1e9:,.1f} GB: "
        "make it smaller, or let TMPDIR name a folder of another disk"
    )
    if needed > free:
        raise refusal

    def room(shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        try:
            return np.ndarray(shape, dtype, unnamed_room(place, prod(shape) * np.dtype(dtype).itemsize))
        except OSError:
            raise refusal from None

    return room
