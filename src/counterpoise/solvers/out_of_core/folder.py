"""The folder of a run: the trunk after each update, the blocks of the parts, and a lock for the process at work.

A run leaves ``trunk-N.cpz``, N being the number of updates of seats so far, and the blocks that belong to it. The last
three are kept, with two generations of blocks: if a file is damaged the run continues from the state before it was
written.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.jobs import TracePoint
from counterpoise.solvers.out_of_core.blocks import FolderBlocks
from counterpoise.solvers.out_of_core.partition import Partition
from counterpoise.solvers.out_of_core.parts import SeatSizes
from counterpoise.store.cpz import read_cpz, write_cpz
from counterpoise.store.files import TEMPORARY_PREFIX
from counterpoise.store.headers import TrunkHeader
from counterpoise.store.schemas import SCHEMAS

KIND = "trunk"
DIGITS = 10
"""Digits of the number in the name of a state's file."""
KEPT = 3
"""States of the trunk that are kept: those from which the kept blocks can be continued."""


class TrunkState(NamedTuple):
    """Everything of a run that is not in blocks."""

    generations: tuple[int, int]
    """The number of updates of each seat."""
    regrets: NDArray[np.float32]
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    trace: tuple[TracePoint, ...] = ()
    sizes: tuple[SeatSizes, SeatSizes] = (SeatSizes(), SeatSizes())
    """The sizes that the last update of each seat has written."""


@dataclass(frozen=True)
class RunFolder:
    """The folder of a run of one game with one set of settings."""

    path: Path
    partition: Partition
    scales: tuple[float, ...]

    @property
    def identity(self) -> bytes:
        """Sixteen bytes that tell runs of different games or settings apart."""
        told = repr((self.partition.game.name, self.partition.deals_per_part, self.scales))
        return hashlib.sha256(told.encode()).digest()[:16]

    @property
    def blocks(self) -> FolderBlocks:
        """Where the blocks are."""
        return FolderBlocks(self.path, self.identity)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the folder against other processes; refuse if one works in it."""
        if self.path.exists() and not self.path.is_dir():
            raise InputError(f"{self.path} is a file, not a folder")
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            lock = open(self.path / "lock", "w")  # noqa: SIM115
        except OSError as error:
            raise InputError(f"cannot write to {self.path}: {error.strerror or error}") from None
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise InputError(f"another run is at work in {self.path}") from None
            for path in self.path.glob(f"{TEMPORARY_PREFIX}*"):
                path.unlink(missing_ok=True)  # killed processes have left it: nobody else works here
            yield

    def save(self, state: TrunkState) -> None:
        """Write a state, and remove files that no run can continue from."""
        header = {
            "game": self.partition.game.name,
            "deals_per_part": self.partition.deals_per_part,
            "scales": list(self.scales),
            "generations": list(state.generations),
            "sizes": [list(row) for row in state.sizes],
            "seconds": state.seconds,
            "cpu_seconds": state.cpu_seconds,
            "trace": [list(point) for point in state.trace],
        }
        write_cpz(self._file(sum(state.generations)), KIND, header, {"regrets": state.regrets})
        for number in self.numbers()[:-KEPT]:
            self._file(number).unlink(missing_ok=True)
        for seat, generation in enumerate(state.generations):
            self.blocks.remove_before(seat, generation - 1)

    def numbers(self) -> list[int]:
        """Return the numbers of the states that are there, in rising order."""
        return _numbers(self.path)

    def load(self, number: int) -> TrunkState:
        """Return a state; refuse one of another run, or that is damaged."""
        path = self._file(number)
        raw, arrays = read_cpz(path, KIND)
        header = TrunkHeader.read(raw, path)
        own: dict[str, Any] = {
            "game": self.partition.game.name,
            "deals_per_part": self.partition.deals_per_part,
            "scales": self.scales,
        }
        for name, value in own.items():
            if getattr(header, name) != value:
                raise InputError(f"{path} is of another run: its {name} is {getattr(header, name)}, not {value}")
        first, second = header.generations
        if first + second != number or not 0 <= first - second <= 1:
            raise InputError(f"{path} is damaged: its seats were not updated in turn")
        (part,) = SCHEMAS[KIND].parts
        (regrets,) = part.check(path, arrays, {"regrets": self.partition.trunk.entries}).values()
        trace = tuple(TracePoint(*row) for row in header.trace)
        sizes = SeatSizes(*header.sizes[0]), SeatSizes(*header.sizes[1])
        return TrunkState((first, second), regrets, header.seconds, header.cpu_seconds, trace, sizes)

    def forget(self, number: int) -> None:
        """Remove a state that is not to be continued."""
        self._file(number).unlink(missing_ok=True)

    def _file(self, number: int) -> Path:
        return _trunk_file(self.path, number)


def settings_of_folder(path: str | os.PathLike[str]) -> TrunkHeader | None:
    """Return the settings of the run that the newest state in a folder records; None if there is none."""
    wrong: InputError | None = None
    for number in reversed(_numbers(Path(path))):
        file = _trunk_file(Path(path), number)
        try:
            return TrunkHeader.read(read_cpz(file, KIND)[0], file)
        except InputError as error:
            wrong = wrong or error
    if wrong is not None:
        raise wrong
    return None


def _numbers(folder: Path) -> list[int]:
    """Return the numbers of the states that are in a folder, in rising order."""
    if not folder.is_dir():
        return []
    files = [path for path in folder.glob("trunk-*.cpz") if path.is_file()]
    names = [path.name.removeprefix("trunk-").removesuffix(".cpz") for path in files]
    return sorted(int(name) for name in names if name.isdecimal() and name.isascii() and len(name) == DIGITS)


def _trunk_file(folder: Path, number: int) -> Path:
    return folder / f"trunk-{number:0{DIGITS}d}.cpz"
