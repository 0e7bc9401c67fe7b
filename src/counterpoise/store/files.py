"""Writing a file whole or not at all, and asking beforehand whether it can be written."""

from __future__ import annotations

import mmap
import os
import socket
import stat
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from counterpoise.errors import InputError

TEMPORARY_PREFIX = ".counterpoise-"
CHECKPOINT = ".training.cpz"


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a binary file under a temporary name beside `path` and rename it at the end.

    A reader never sees half a file.

    If the body fails, the file that was there before stays as it was. A symbolic link stays a link: the file it
    points to is replaced. A file that is replaced hands its permissions on. A full disk is an `OSError` that names the
    file.
    """
    check_writable(path)
    target = Path(os.path.realpath(path))
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    file = _create(target, f"cannot write {os.fspath(path)}", 0o666 if mode is None else mode)
    temporary = Path(file.name)
    try:
        with naming(path), file:
            if mode is not None:
                temporary.chmod(mode)
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let the errors of the operating system that come of writing to an open file name the file.

    >>> try:
    ...     with naming("hands.log"):
    ...         raise OSError(28, "No space left on device")
    ... except OSError as error:
    ...     print(error)
    [Errno 28] No space left on device: 'hands.log'
    """
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno is not None:
            error.filename = os.fspath(path)
        raise


def check_writable(path: str | os.PathLike[str]) -> Path:
    """Return the path if a file can be written there, to be asked before long work starts.

    What a killed process has left of an earlier attempt to write the same file is removed.
    """
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
    _try_to_create(target, complaint)
    _remove_stale(target)
    return shown


def check_folder(folder: Path, complaint: str) -> None:
    """Raise `InputError`, beginning with the complaint, unless files can be made in the folder."""
    _try_to_create(folder / "file", complaint)


def being_written(folder: Path) -> bool:
    """Return whether a file of a folder is being written; also if whoever wrote it was killed meanwhile."""
    return any(folder.glob(f"{TEMPORARY_PREFIX}*"))


def checkpoint_of(path: str | os.PathLike[str]) -> Path:
    """Return where the checkpoint of a training lies, beside the file of its result.

    >>> checkpoint_of("small.cpz").name
    'small.training.cpz'
    """
    file = Path(path)
    return file if file.name.endswith(CHECKPOINT) else file.with_name(file.stem + CHECKPOINT)


def checkpoint_to_resume(path: str | os.PathLike[str]) -> Path:
    """Return the checkpoint of a training that a user has named by its result or its checkpoint."""
    file = checkpoint_of(path)
    if not file.exists():
        lacks = f" has no checkpoint beside it: {file} does not exist" if os.path.exists(path) else " does not exist"
        raise InputError(f"{os.fspath(path)}{lacks}")
    return file


def check_training_files(out: str | os.PathLike[str]) -> None:
    """Refuse, before a training, a result that cannot be written or that would be overwritten by its checkpoint."""
    if checkpoint_of(out) == Path(out):
        raise InputError(f"out must not end in {CHECKPOINT}, which is the name of a checkpoint, not {os.fspath(out)!r}")
    for file in (Path(out), checkpoint_of(out)):
        check_writable(file)


def read_text(path: str | os.PathLike[str], what: str, most_bytes: int | None = None) -> str:
    """Return the text of a file that a user named; refuse a folder, a device, what is too large or is not UTF-8.

    `what` is what the file should be, as in "a log".
    """
    try:
        text = read_content(path, what, most_bytes).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"cannot read {os.fspath(path)}: {error}") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_content(path: str | os.PathLike[str], what: str, most_bytes: int | None = None) -> bytes:
    """Return the bytes of a file that a user named; refuse a folder, a device, and what is too large."""
    file = Path(path)
    try:
        if file.exists() and not file.is_file():
            raise InputError(f"{file} is a folder or a device, not {what}")
        if most_bytes is not None and file.stat().st_size > most_bytes:
            raise InputError(f"{file} is larger than {most_bytes / 2**20:g} MB: too large for {what}")
        return file.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror or error}") from None


def unnamed_room(folder: str | os.PathLike[str], size: int) -> mmap.mmap:
    """Return room on the disk of a folder, mapped into memory; `OSError` if the disk has too little.

    The file has no name, so that it ends with the process however that ends. All of its room is taken at once: a disk
    that another program fills could not be told from a broken one later, and would end the process.
    """
    with tempfile.TemporaryFile(dir=folder) as file:
        file.truncate(size)
        if hasattr(os, "posix_fallocate"):  # elsewhere room is only asked for
            os.posix_fallocate(file.fileno(), 0, size)
        return mmap.mmap(file.fileno(), size)


def same_file(first: str | os.PathLike[str], second: str | os.PathLike[str]) -> bool:
    """Return whether two paths name one file, links followed; a loop of links is the same as no other file."""
    return os.path.realpath(first) == os.path.realpath(second)


def _try_to_create(target: Path, complaint: str) -> None:
    with _create(target, complaint) as file:
        Path(file.name).unlink()


def _status(path: str | os.PathLike[str]) -> os.stat_result | None:
    """Return what is at the path, links followed; None if nothing is."""
    try:
        return os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _create(target: Path, complaint: str, mode: int = 0o666) -> IO[bytes]:
    """Open a new file under a temporary name; the operating system takes the umask off `mode`."""
    try:
        return open(
            target.parent / f"{_temporary_prefix(target)}{os.getpid()}-{os.urandom(4).hex()}",
            "xb",
            opener=lambda name, flags: os.open(name, flags, mode),
        )
    except OSError as error:
        raise InputError(f"{complaint}: {error.strerror or error}") from None


def _temporary_prefix(target: Path) -> str:
    """Return how temporary files of a target begin; the number of the process that writes them follows.

    It is short whatever the target is called, whose name may be as long as the file system allows. The machine is part
    of it, as numbers of processes on other machines that share the folder say nothing here.
    """
    return f"{TEMPORARY_PREFIX}{zlib.crc32(f'{socket.gethostname()} {target.name}'.encode(errors='replace')):08x}-"


def _remove_stale(target: Path) -> None:
    """Remove temporary files of the target whose process is gone; a living one's are left alone."""
    import psutil

    prefix = _temporary_prefix(target)
    for path in target.parent.glob(f"{prefix}*-*"):
        process = path.name.removeprefix(prefix).split("-")[0]
        if process.isdecimal() and len(process) < 10 and not psutil.pid_exists(int(process)):
            with suppress(OSError):  # another user's, in a folder where everybody may only remove their own
                path.unlink()


def file_identity(path: str | os.PathLike[str]) -> tuple[int, ...] | None:
    """Return numbers that change when a file is written again, for what is kept of it; None if there is no file."""
    try:
        told = os.stat(path)
    except OSError:
        return None
    return told.st_dev, told.st_ino, told.st_mtime_ns, told.st_size
