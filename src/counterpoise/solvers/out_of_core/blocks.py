"""Where the blocks of a run are kept: in memory, or in a folder with one file for each part, seat and generation.

A *generation* is the number of times that a seat has been updated. A part's job reads the newest block of both seats
and writes the next generation of one of them beside it; older ones are removed when the head has settled the
iteration. So a job can be done again at any time, and a run can go back by one iteration if a file has been damaged.

A file is a header of fixed length, the values that the job found, and the block. The header says what it is and holds a
checksum of everything after it. It is written under another name and renamed.
"""

from __future__ import annotations

import os
import struct
import zlib
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.store.files import atomic_write
from counterpoise.store.schemas import LARGEST, MOST_COUNT

MAGIC = b"CPREGRET"
VERSION = 1
HEADER = struct.Struct("<8sI16sIIQ16sQQI")
"""Magic, version, game, part, seat, generation, key of the job, bytes of values, bytes of the block, checksum."""
ENDING = ".regrets"


class DamagedBlock(InputError):
    """A block that can no longer be read: the run returns to the state before it was written."""


class BlockName(NamedTuple):
    """The part, seat and generation of a block."""

    part: int
    seat: int
    generation: int

    @property
    def file(self) -> str:
        """The name of its file."""
        return f"part{self.part:06d}-seat{self.seat}-{self.generation:08d}{ENDING}"


class RegretBlock(NamedTuple):
    """What a job has written."""

    key: bytes
    """The key of the job's question: the same key means the same block."""
    values: NDArray[np.float64]
    """What the job found for the head, flat, and at the end how many regrets were cut."""
    regrets: bytes

    def holds(self, values: int) -> bool:
        """Return whether a file holds this many values and a count behind them."""
        known = self.values
        if len(known) != values + 1 or not (np.abs(known) <= LARGEST).all():  # nan is not
            return False
        return 0 <= known[-1] <= MOST_COUNT and float(known[-1]).is_integer()


class BlockStore(Protocol):
    """A place for blocks."""

    def read(self, name: BlockName) -> RegretBlock:
        """Return a block; refuse one that is damaged or missing."""
        ...

    def find(self, name: BlockName, key: bytes) -> RegretBlock | None:
        """Return a block that was written for the same question, if there is one that is whole."""
        ...

    def expect(self, name: BlockName) -> None:
        """Begin to fetch a block that will be read soon, where that takes time; return at once."""
        ...

    def write(self, name: BlockName, block: RegretBlock) -> None:
        """Keep a block."""
        ...

    def remove_before(self, seat: int, generation: int) -> None:
        """Forget the blocks of a seat of earlier generations."""
        ...

    @property
    def bytes(self) -> int:
        """Bytes of all blocks."""
        ...


@dataclass(eq=False)
class MemoryBlocks:
    """Blocks in memory."""

    blocks: dict[BlockName, RegretBlock] = field(default_factory=dict)

    def read(self, name: BlockName) -> RegretBlock:
        """Return a block."""
        return self.blocks[name]

    def find(self, name: BlockName, key: bytes) -> RegretBlock | None:
        """Return a block that was written for the same question, if there is one."""
        found = self.blocks.get(name)
        return found if found is not None and found.key == key else None

    def expect(self, name: BlockName) -> None:
        """Do nothing: it is here."""

    def write(self, name: BlockName, block: RegretBlock) -> None:
        """Keep a block."""
        self.blocks[name] = block

    def remove_before(self, seat: int, generation: int) -> None:
        """Forget the blocks of a seat of earlier generations."""
        for name in [name for name in self.blocks if name.seat == seat and name.generation < generation]:
            del self.blocks[name]

    @property
    def bytes(self) -> int:
        """Bytes of the regrets."""
        return sum(len(block.regrets) for block in self.blocks.values())


@dataclass(frozen=True)
class FolderBlocks:
    """Blocks in a folder that all workers see."""

    folder: Path
    game: bytes
    """Sixteen bytes that identify the run to which the files belong."""

    def read(self, name: BlockName) -> RegretBlock:
        """Return a block; refuse one that is damaged, missing or of another run."""
        path = self.folder / name.file
        try:
            raw = path.read_bytes()
        except FileNotFoundError:
            raise DamagedBlock(f"{path} is missing") from None
        except OSError as error:
            raise DamagedBlock(f"cannot read {path}: {error.strerror or error}") from None
        if len(raw) < HEADER.size:
            raise DamagedBlock(f"{path} is damaged: it is too short")
        magic, version, game, part, seat, generation, key, values, size, checksum = HEADER.unpack_from(raw)
        if magic != MAGIC or version != VERSION:
            raise DamagedBlock(f"{path} is damaged: it is not a file of regrets of this version")
        if game != self.game:
            raise DamagedBlock(f"{path} is damaged: it is of another game or other settings")
        if (part, seat, generation) != tuple(name):
            raise DamagedBlock(f"{path} is damaged: it says that it is of another part, seat or generation")
        if HEADER.size + values + size != len(raw) or values % 8 or zlib.crc32(raw[HEADER.size :]) != checksum:
            raise DamagedBlock(f"{path} is damaged: its checksum is wrong")
        body = raw[HEADER.size : HEADER.size + values]
        return RegretBlock(key, np.frombuffer(body, dtype="<f8").astype(np.float64), raw[HEADER.size + values :])

    def find(self, name: BlockName, key: bytes) -> RegretBlock | None:
        """Return a block that was written for the same question, if there is one that is whole."""
        if not (self.folder / name.file).exists():
            return None
        try:
            found = self.read(name)
        except InputError:
            return None
        return found if found.key == key else None

    def expect(self, name: BlockName) -> None:
        """Have the operating system read a file into its cache."""
        with suppress(OSError):  # whoever reads it says what is wrong with it
            file = os.open(self.folder / name.file, os.O_RDONLY)
            try:
                os.posix_fadvise(file, 0, 0, os.POSIX_FADV_WILLNEED)
            finally:
                os.close(file)

    def write(self, name: BlockName, block: RegretBlock) -> None:
        """Write a file, whole or not at all."""
        values = np.asarray(block.values, dtype="<f8").tobytes()
        checksum = zlib.crc32(block.regrets, zlib.crc32(values))
        head = HEADER.pack(MAGIC, VERSION, self.game, *name, block.key, len(values), len(block.regrets), checksum)
        path = self.folder / name.file
        try:
            with atomic_write(path) as file:
                file.write(head)
                file.write(values)
                file.write(block.regrets)
        except OSError as error:
            raise InputError(
                f"cannot write {path}: {error.strerror or error}; the last update is kept, and can be continued"
            ) from None

    def remove_before(self, seat: int, generation: int) -> None:
        """Remove the files of a seat of earlier generations."""
        for path, name in self._files():
            if name.seat == seat and name.generation < generation:
                path.unlink(missing_ok=True)

    def remove_after(self, seat: int, generation: int) -> None:
        """Remove the files of a seat of later generations."""
        for path, name in self._files():
            if name.seat == seat and name.generation > generation:
                path.unlink(missing_ok=True)

    @property
    def bytes(self) -> int:
        """Bytes of all files."""
        return sum(path.stat().st_size for path, _ in self._files() if path.exists())

    def _files(self) -> list[tuple[Path, BlockName]]:
        found = []
        for entry in os.scandir(self.folder):
            if entry.name.endswith(ENDING) and entry.is_file():
                words = entry.name.removesuffix(ENDING).split("-")
                numbers = [word.removeprefix("part").removeprefix("seat") for word in words]
                if len(numbers) == 3 and all(number.isdecimal() for number in numbers):
                    name = BlockName(*(int(number) for number in numbers))
                    if name.file == entry.name:
                        found.append((Path(entry.path), name))
        return found
