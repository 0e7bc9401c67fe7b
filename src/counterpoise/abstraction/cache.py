"""Finished steps of a build, on disk: a build that was killed or stopped continues with the first step it lacks.

Every run of k-means, every few thousand rows and every finished street is one file, named after all that it depends on
(see `keys`): builds that differ in one street share the others. The parts of a street are removed when it is finished.
The folder is tidied before each build: files of older versions of this program, files that have not been used for a
month, and the files used least recently beyond two gigabytes are removed. Nothing is lost with a file but time: one
that is damaged, or not what its step can be, is made again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.store.cpz import read_cpz, write_cpz
from counterpoise.store.files import TEMPORARY_PREFIX, check_folder

KIND = "abstraction step"
STEPS_VERSION = 2
"""Raised whenever a step computes other figures than before, so that older ones are not taken up."""
VARIABLE = "COUNTERPOISE_CACHE"
MOST_BYTES = 2 * 10**9
MOST_DAYS = 30
TEMPORARY_DAYS = 1
"""Days after which a file that was never finished belongs to a process that was killed."""

Arrays = dict[str, NDArray[Any]]
Check = Callable[[Path, Arrays], object]
"""Raises `InputError` if the arrays of a file are not what a step can be: kernels follow what is in them."""
Keep = Callable[[str, Callable[[], Arrays], Check], Arrays]
"""``keep(name, compute, check)`` returns the arrays of a step: those kept earlier, or what `compute` returns."""


class Cache:
    """A folder of finished steps; by default ``~/.cache/counterpoise``, or what COUNTERPOISE_CACHE says."""

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        self.folder = Path(folder or os.environ.get(VARIABLE) or Path(base) / "counterpoise") / "abstraction"

    def prepare(self) -> None:
        """Make the folder and tidy it up, or say in one sentence why files cannot be made there."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot make the folder {self.folder}: {error.strerror or error}") from None
        check_folder(self.folder, f"cannot write into the folder {self.folder}")
        self._tidy()

    def steps(self, what: str, key: Any) -> Steps:
        """Return the steps of `what` ("street", ...) that `key`, in the types of JSON, describes."""
        digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:24]
        return Steps(self.folder, f"v{STEPS_VERSION}-{what}-{digest}")

    def path(self, what: str, key: Any) -> Path:
        """Return where a file of another kind is kept that `key` describes."""
        return self.folder / f"{self.steps(what, key).name}.cpz"

    def _tidy(self) -> None:
        now, kept = time.time(), []
        for path in self.folder.iterdir():
            try:
                status = path.stat()
            except FileNotFoundError:  # another build was faster
                continue
            days = (now - status.st_mtime) / 86400
            unfinished = path.name.startswith(TEMPORARY_PREFIX)
            old_version = path.suffix == ".cpz" and not path.name.startswith(f"v{STEPS_VERSION}-")
            if days > (TEMPORARY_DAYS if unfinished else MOST_DAYS) or old_version:
                _remove(path)
            elif not unfinished:
                kept.append((status.st_mtime, status.st_size, path))
        total = sum(size for _, size, _ in kept)
        for _, size, path in sorted(kept):
            if total <= MOST_BYTES:
                break
            _remove(path)
            total -= size


class Steps:
    """The steps of one street, or of what streets are built from."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder, self.name = folder, name

    def part(self, name: str, compute: Callable[[], Arrays], check: Check) -> Arrays:
        """Return a part of it: read from the disk and checked, or computed and kept there."""
        return _kept(self.folder / f"{self.name}-{name}.cpz", compute, check)

    def whole(self, compute: Callable[[], Arrays], check: Check) -> Arrays:
        """Return it finished; its parts are not needed any more."""
        found = _kept(self.folder / f"{self.name}.cpz", compute, check)
        for path in self.folder.glob(f"{self.name}-*.cpz"):
            _remove(path)
        return found


def _remove(path: Path) -> None:
    """Remove a file, if it is still there and may be removed: what stays costs nothing but space."""
    with contextlib.suppress(OSError):
        path.unlink()


def _kept(path: Path, compute: Callable[[], Arrays], check: Check) -> Arrays:
    """Return the arrays of a file, or compute and write them if there is none or it is damaged."""
    if path.exists():
        try:
            found = read_cpz(path, KIND)[1]
            check(path, found)
            path.touch()
            return found
        except (InputError, OSError):
            pass
    found = compute()
    write_cpz(path, KIND, {}, found)
    return found
