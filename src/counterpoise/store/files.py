"""Writing a file whole or not at all, and asking beforehand whether it can be written."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from counterpoise.errors import InputError

TEMPORARY_PREFIX = ".counterpoise-"
"""Short and independent of the target's name, which may already be as long as the file system allows."""


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A binary file under a temporary name beside `path`, renamed at the end: a reader never sees half a file.

    If the body fails, the file that was there before stays as it was. A symbolic link stays a link: the file it
    points to is replaced. A file that is replaced hands its permissions on.
    """
    check_writable(path)
    target = Path(os.path.realpath(path))
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    file = _create(target.parent, f"cannot write {os.fspath(path)}", 0o666 if mode is None else mode)
    temporary = Path(file.name)
    try:
        with file:
            if mode is not None:
                temporary.chmod(mode)
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def check_writable(path: str | os.PathLike[str]) -> Path:
    """The path, if a file can be written there; asked before long work starts."""
    shown, complaint = Path(path), f"cannot write {os.fspath(path)}"
    try:
        there = _status(path)
        target = Path(os.path.realpath(path))
        if there is not None and stat.S_ISDIR(there.st_mode):
            raise InputError(f"{complaint}: it is a folder")
        if there is not None and not stat.S_ISREG(there.st_mode):
            raise InputError(f"{complaint}: it is not an ordinary file")
        if not target.parent.is_dir():
            raise InputError(f"{complaint}: the folder {target.parent} does not exist")
        if there is not None and not os.access(target, os.W_OK):
            raise InputError(f"{complaint}: it is write-protected")
    except OSError as error:
        raise InputError(f"{complaint}: {error.strerror or error}") from None
    except ValueError as error:
        raise error if isinstance(error, InputError) else InputError(f"{complaint!r}: {error}") from None
    check_folder(target.parent, complaint)
    return shown


def check_folder(folder: Path, complaint: str) -> None:
    """Raise `InputError`, beginning with the complaint, unless files can be made in the folder."""
    with _create(folder, complaint) as file:
        Path(file.name).unlink()


def _status(path: str | os.PathLike[str]) -> os.stat_result | None:
    """What is at the path, links followed; None if nothing is."""
    try:
        return os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _create(folder: Path, complaint: str, mode: int = 0o666) -> IO[bytes]:
    """A new file under a temporary name; the operating system takes the umask off `mode`."""
    try:
        return open(
            folder / f"{TEMPORARY_PREFIX}{secrets.token_hex(8)}",
            "xb",
            opener=lambda name, flags: os.open(name, flags, mode),
        )
    except OSError as error:
        raise InputError(f"{complaint}: {error.strerror or error}") from None
