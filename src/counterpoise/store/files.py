"""Writing a file whole or not at all, and asking beforehand whether it can be written."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from counterpoise.errors import InputError


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A binary file under a temporary name beside `path`, renamed at the end: a reader never sees half a file.

    If the body fails, the file that was there before stays as it was.
    """
    target = check_writable(path)
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def check_writable(path: str | os.PathLike[str]) -> Path:
    """The path, if a file can be written there; asked before long work starts."""
    target = Path(path)
    folder = target.parent
    if not folder.is_dir():
        raise InputError(f"cannot write {target}: the folder {folder} does not exist")
    if target.is_dir():
        raise InputError(f"cannot write {target}: it is a folder")
    if target.exists() and not os.access(target, os.W_OK):
        raise InputError(f"cannot write {target}: it is write-protected")
    check_folder(folder, f"cannot write {target}")
    return target


def check_folder(folder: Path, complaint: str) -> None:
    """Raise `InputError`, beginning with the complaint, unless files can be made in the folder."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise InputError(f"{complaint}: {error.strerror or error}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
