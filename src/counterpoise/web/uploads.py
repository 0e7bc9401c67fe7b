"""Files on their way into the library: bounded alone and together, and checked in a process of their own.

A file of some megabytes may claim gigabytes, or say what takes for ever to look at: whatever it does, it does in a
process that has little memory and little time, one file after the other.
"""

from __future__ import annotations

import secrets
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from counterpoise.errors import InputError
from counterpoise.jobs.processes import end_with_input, run_program
from counterpoise.parameters import shown
from counterpoise.store.files import naming

if TYPE_CHECKING:
    from counterpoise.web.library import Entry, Library

PARTIAL = ".partial-"
"""How the names of uploads begin that are not whole yet."""
MOST_TOGETHER = 16 * 2**30
"""Bytes of all uploads of a library together, those on their way included."""
COUNTED_EVERY = 2**24
"""Bytes of an upload after which all are counted again."""
CHECK_BYTES = 4 * 2**30
"""The memory of the process that checks a file; arrays stay on the disk."""
CHECK_SECONDS = 300.0
REFUSED = 2
_ONE_AT_A_TIME = threading.Lock()


class Upload:
    """A file on its way into the library, under a hidden name until it is whole and checked."""

    def __init__(self, library: Library, name: str, most_bytes: int) -> None:
        self.library, self.name, self.most = library, name, most_bytes
        suffix = Path(name).suffix.lower()
        self.part = library.root / "uploads" / f"{PARTIAL}{secrets.token_hex(8)}{suffix}"
        self._file = self.part.open("xb")
        self._size = self._counted = 0

    def __enter__(self) -> Upload:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()
        self.part.unlink(missing_ok=True)

    def write(self, piece: bytes) -> None:
        """Add a piece; refused if the file, or all uploads together, become too large."""
        self._size += len(piece)
        if self._size > self.most:
            raise InputError(f"{shown(self.name)} is larger than the {self.most // 2**20} MB that an upload may have")
        with naming(self.name):
            self._file.write(piece)
        if self._size >= self._counted:
            self._counted = self._size + COUNTED_EVERY
            self._file.flush()
            together = sum(file.stat().st_size for file in self.part.parent.iterdir() if file.is_file())
            if together > MOST_TOGETHER:
                raise InputError(
                    f"{shown(self.name)} does not fit: all uploads together may have {MOST_TOGETHER // 2**20} MB, so "
                    "delete some"
                )

    def finish(self) -> Entry:
        """Check the file as the command line checks its own, and give it its name."""
        self._file.close()
        try:
            check_apart(self.part)
        except InputError as error:
            raise InputError(str(error).replace(str(self.part), self.name)) from None
        return self.library.keep_upload(self.part, self.name)


def check_apart(path: Path) -> None:
    """Check a file in a process of its own; refused in its sentence, or if it takes too much."""
    with _ONE_AT_A_TIME:
        try:
            found = run_program("counterpoise.web.uploads", str(path), seconds=CHECK_SECONDS)
        except subprocess.TimeoutExpired:
            raise InputError(f"{path} takes too long to check") from None
    if found.returncode == REFUSED:
        raise InputError(found.stdout.decode(errors="replace").strip())
    if found.returncode:
        raise InputError(f"{path} cannot be checked: it takes more memory than a file may, or is damaged")


def _main(path: str) -> int:
    """Check one file with little memory; print why it is refused."""
    end_with_input()
    from counterpoise.web.library_files import check_file

    try:
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (CHECK_BYTES, CHECK_BYTES))
    except (ImportError, OSError, ValueError):  # no such limit here
        pass
    try:
        check_file(Path(path), arrays=True)
    except InputError as error:
        print(error)
        return REFUSED
    except MemoryError:
        print(f"{path} takes more memory to check than a file may")
        return REFUSED
    return 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1]))
