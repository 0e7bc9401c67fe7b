"""The `.cpz` file: a zip of `.npy` arrays and one JSON header. No pickle, checked on reading, written atomically.

Layout: ``header.json`` (an object; ``format`` is "counterpoise", ``version`` is 1, ``kind`` says what the file
holds, ``arrays`` maps each array's name to the SHA-256 of its ``.npy`` bytes, ``checksum`` is that of the header
itself) and one ``NAME.npy`` per array.
Any zip tool and NumPy can read it without this package.
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import math
import os
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from mmap import mmap
from pathlib import Path
from typing import IO, Any

import numpy as np
import psutil
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.parameters import SHOWN, shown
from counterpoise.progress import CancelToken, Progress
from counterpoise.store.files import atomic_write, unnamed_room

FORMAT, VERSION = "counterpoise", 1
MAX_HEADER_BYTES = 64 * 2**20
MAX_BYTES = 64 * 2**30
"""The most bytes of all arrays together."""
LARGE = 2**28
"""Bytes from which on arrays may stay on the disk."""
SMALL = 2**24
"""Bytes below which arrays are held in memory in any case."""
MAX_ARRAYS = 1000
PIECE = 2**20
"""Bytes that are inflated at a time: few enough to stay in the processor's cache until they are hashed."""
MAX_NPY_HEADER = 2**17
"""Bytes that the beginning of an `.npy` file takes at most, its shape and type included."""

Arrays = Mapping[str, NDArray[Any]]
_ON_DISK: ContextVar[float] = ContextVar("bytes from which arrays stay on the disk", default=math.inf)


def write_cpz(
    path: str | os.PathLike[str],
    kind: str,
    header: Mapping[str, Any],
    arrays: Arrays,
    *,
    level: int = 1,
    progress: Progress | None = None,
    cancel: CancelToken | None = None,
) -> None:
    """Write the file under a temporary name beside `path`, then rename it: a reader never sees half a file.

    `level` is how hard it is compressed, from 1 (fast) to 9 (small). Cancelled, it raises `Cancelled` and leaves the
    file that was there before.
    """
    if len(arrays) > MAX_ARRAYS:
        raise ValueError(f"a .cpz file holds at most {MAX_ARRAYS} arrays, not {len(arrays)}")
    meter = _Meter(sum(array.nbytes for array in arrays.values()), progress, cancel)
    with atomic_write(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as out:
        digests = {name: _write_array(out, name, array, meter) for name, array in arrays.items()}
        head = {**header, "format": FORMAT, "version": VERSION, "kind": kind, "arrays": digests}
        head["checksum"] = _header_checksum(head)
        out.writestr("header.json", json.dumps(head, indent=1))


def read_cpz(
    path: str | os.PathLike[str], *kinds: str, mapped: bool = False
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the header and the arrays of a `.cpz` file; one sentence if it is missing, cut off, edited or foreign.

    If `kinds` are given it must be one of them. If it is `mapped`, large arrays are unpacked into files without a name,
    which are mapped into memory, so that they may be larger than it.
    """
    source = Path(path)
    with _opened(source) as file:
        header = _checked_header(file, source, kinds)
        return header, _read_arrays(file, source, header["arrays"], mapped)


def read_header(path: str | os.PathLike[str], *kinds: str) -> dict[str, Any]:
    """Return the header of a `.cpz` file, one of `kinds` if any are given, without reading its arrays."""
    with _opened(Path(path)) as file:
        return _checked_header(file, Path(path), kinds)


def read_arrays(
    path: str | os.PathLike[str], header: Mapping[str, Any], names: Collection[str] | None = None
) -> dict[str, NDArray[Any]]:
    """Return the arrays of a `.cpz` file whose header has been read, or those of some names, as far as it has them."""
    wanted = {name: digest for name, digest in header["arrays"].items() if names is None or name in names}
    with _opened(Path(path)) as file:
        return _read_arrays(file, Path(path), wanted)


def unpacked_bytes(path: str | os.PathLike[str]) -> int:
    """Return how many bytes a `.cpz` file says that it unpacks to; what it unpacks to is refused if it is more."""
    with _opened(Path(path)) as file:
        return sum(entry.file_size for entry in file.infolist())


@contextmanager
def arrays_on_disk() -> Iterator[None]:
    """Unpack all but small arrays of files that are read meanwhile into files without a name, piece by piece.

    They are mapped into memory, so that a process reads them that may have little of it.
    """
    before = _ON_DISK.set(SMALL)
    try:
        yield
    finally:
        _ON_DISK.reset(before)


@contextmanager
def _opened(source: Path) -> Iterator[zipfile.ZipFile]:
    """Open the archive, with one sentence for everything that may be wrong with it."""
    try:
        if source.exists() and not (source.is_file() or source.is_dir()):
            raise InputError(f"{source} is not an ordinary file")
        with zipfile.ZipFile(source) as file:
            yield file
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(f"{source} does not exist") from None
    except IsADirectoryError:
        raise InputError(f"{source} is a folder, not a .cpz file") from None
    except PermissionError:
        raise InputError(f"{source} may not be read") from None
    except MemoryError:
        raise InputError(f"{source} does not fit into memory") from None
    except OSError as error:
        known = error.errno not in (None, errno.EINVAL)  # a place in the file that cannot be is EINVAL
        reason = error.strerror if known else "it is cut off or damaged"
        raise InputError(f"{source} is not a whole .cpz file: {reason}") from None
    except DAMAGE:
        raise InputError(f"{source} is not a whole .cpz file: it is cut off, damaged or of another kind") from None


DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    ArithmeticError,
    EOFError,
    LookupError,
    RuntimeError,
    ValueError,
)
"""What the standard library raises on archives that are no archives."""


class _Meter:
    """Counts the bytes that are written, shows them and stops when it is told to."""

    def __init__(self, total: int, progress: Progress | None, cancel: CancelToken | None) -> None:
        self.total, self.done, self.progress, self.cancel = max(total, 1), 0, progress, cancel

    def add(self, size: int) -> None:
        self.done += size
        if self.cancel is not None:
            self.cancel.check()
        if self.progress is not None:
            self.progress.show(min(self.done / self.total, 1.0), f"saving, {self.done / 1e6:,.0f} MB")


class _Hashed:
    """A file that hashes and meters what passes through it."""

    def __init__(self, file: IO[bytes], meter: _Meter) -> None:
        self.file, self.meter, self.digest = file, meter, hashlib.sha256()

    def write(self, data: bytes) -> int:
        self.meter.add(len(data))
        self.digest.update(data)
        return self.file.write(data)


def _write_array(out: zipfile.ZipFile, name: str, array: NDArray[Any], meter: _Meter) -> str:
    """Write an array piece by piece, so that it is never held a second time; return its SHA-256."""
    with out.open(f"{name}.npy", "w", force_zip64=True) as member:
        target = _Hashed(member, meter)
        np.lib.format.write_array(target, np.asarray(array), allow_pickle=False)
    return target.digest.hexdigest()


def _checked_header(file: zipfile.ZipFile, source: Path, kinds: tuple[str, ...]) -> dict[str, Any]:
    header = _read_header(file, source)
    found = header["kind"]
    if kinds and found not in kinds:
        from counterpoise.store.schemas import SCHEMAS

        taken = SCHEMAS[found].taken_by if found in SCHEMAS else ""
        hint = f": {taken.format(file=source)}" if taken else ""
        raise InputError(f"{source} holds {_one(found[:SHOWN])}, not {' or '.join(map(_one, kinds))}{hint}")
    return header


def _one(kind: str) -> str:
    """Return a kind with its article, which `networks` have none of."""
    if kind == "networks":
        return kind
    return f"{'an' if kind.startswith(tuple('aeiou')) else 'a'} {kind}"


def _read_header(file: zipfile.ZipFile, source: Path) -> dict[str, Any]:
    try:
        entry = file.getinfo("header.json")
    except KeyError:
        raise InputError(f"{source} is not a .cpz file: it has no header.json") from None
    if entry.file_size > MAX_HEADER_BYTES:
        raise InputError(f"{source} is damaged: its header is larger than any this program writes")
    content, _ = _inflate(file, source, entry)
    try:
        header = json.loads(bytes(content))
    except (ValueError, RecursionError):
        raise InputError(f"{source} is damaged: its header is not JSON") from None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise InputError(f"{source} is not a Counterpoise file")
    if header.get("version") != VERSION:
        raise InputError(f"{source} has format version {shown(header.get('version'))}; this program reads {VERSION}")
    arrays = header.get("arrays")
    if not isinstance(header.get("kind"), str) or not isinstance(arrays, dict):
        raise InputError(f"{source} is damaged: its header lacks the kind or the list of arrays")
    if header.get("checksum") != _header_checksum(header):
        raise InputError(f"{source} was changed after it was written: its header does not match its checksum")
    return header


def _header_checksum(header: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the header's JSON with sorted keys, its own checksum left out."""
    rest = {key: value for key, value in header.items() if key != "checksum"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def _check_sizes(file: zipfile.ZipFile, source: Path, names: Mapping[str, Any], on_disk: float) -> None:
    """Refuse, before anything is inflated, a file whose arrays are missing, too many or too large.

    Those that are held in memory, of less than `on_disk` bytes, may take half of what is free, as tables are copied
    from them.
    """
    if len(names) > MAX_ARRAYS:
        raise InputError(f"{source} is damaged: it lists {len(names):,} arrays, and no file has more than {MAX_ARRAYS}")
    members = {entry.filename: entry.file_size for entry in file.infolist()}
    for name in names:
        if f"{name}.npy" not in members:
            raise InputError(f"{source} is damaged: array {name!r} is missing")
    sizes = [members[f"{name}.npy"] for name in names]
    if sum(sizes) > MAX_BYTES:
        raise InputError(
            f"{source} is damaged or too large: its arrays claim {sum(sizes):,} bytes of {MAX_BYTES:,} allowed"
        )
    in_memory = sum(size for size in sizes if size < on_disk)
    free = psutil.virtual_memory().available
    if in_memory > free // 2:
        raise InputError(
            f"{source} does not fit into memory: its arrays take {in_memory:,} bytes, and half of the {free:,} free "
            "ones may be used"
        )


def _inflate(
    file: zipfile.ZipFile, source: Path, entry: zipfile.ZipInfo, mapped: bool = False
) -> tuple[bytearray | mmap, str]:
    """Return the content of a member, which must be as long as it claims, and its SHA-256.

    It is inflated piece by piece into the memory that it needs, or into a mapped file, and never beyond.
    """
    content: bytearray | mmap = _room_on_disk(source, entry.file_size) if mapped else bytearray(entry.file_size)
    place = 0

    def keep(piece: bytes) -> None:
        nonlocal place
        content[place : place + len(piece)] = piece
        place += len(piece)

    return content, _inflate_into(keep, file, source, entry)


def _inflate_into(keep: Callable[[bytes], None], file: zipfile.ZipFile, source: Path, entry: zipfile.ZipInfo) -> str:
    """Hand a member, which must be as long as it claims, on piece by piece; return its SHA-256."""
    # The other methods of zip inflate without a bound.
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise InputError(f"{source} is damaged: {entry.filename} is compressed in an unknown way")
    done, digest = 0, hashlib.sha256()
    with file.open(entry) as member:
        while piece := member.read(min(PIECE, entry.file_size + 1 - done)):
            if done + len(piece) > entry.file_size:
                break
            keep(piece)
            digest.update(piece)
            done += len(piece)
    if done != entry.file_size or piece:
        raise InputError(f"{source} is damaged: {entry.filename} is not as long as it claims")
    return digest.hexdigest()


def _room_on_disk(source: Path, size: int) -> mmap:
    place = tempfile.gettempdir()
    try:
        return unnamed_room(place, size)
    except OSError as error:
        raise InputError(
            f"{source} has an array of {size / 1e9:,.1f} GB, for which {place} has no room ({error.strerror}): "
            "let TMPDIR name a folder of another disk"
        ) from None


def _read_arrays(
    file: zipfile.ZipFile, source: Path, wanted: Mapping[str, Any], mapped: bool = False
) -> dict[str, NDArray[Any]]:
    on_disk = min(LARGE if mapped else math.inf, _ON_DISK.get())
    _check_sizes(file, source, wanted, on_disk)
    return {name: _read_array(file, source, name, digest, on_disk) for name, digest in wanted.items()}


def _read_array(file: zipfile.ZipFile, source: Path, name: str, digest: Any, on_disk: float) -> NDArray[Any]:
    entry = file.getinfo(f"{name}.npy")
    content, found = _inflate(file, source, entry, entry.file_size >= on_disk)
    if found != digest:
        raise _edited(source, name)
    begin, shape, dtype, fortran = _parsed(source, name, content[:MAX_NPY_HEADER], len(content))
    array: NDArray[Any] = np.ndarray(shape, dtype, content, begin, order="F" if fortran else "C")
    # Kernels are compiled for arrays as this program writes them.
    return array if array.flags.c_contiguous and array.flags.aligned else array.copy(order="C")


def _edited(source: Path, name: str) -> InputError:
    return InputError(f"{source} was changed after it was written: array {name!r} does not match its checksum")


def _parsed(source: Path, name: str, begins: bytes | bytearray, size: int) -> tuple[int, tuple[int, ...], Any, bool]:
    """Return where the numbers of an `.npy` file of some size begin, its shape, type and order; refuse any other."""
    try:
        return _parse_npy(begins, size)
    except (ValueError, MemoryError) as error:
        raise InputError(f"{source} is damaged: array {name!r} cannot be read ({error})") from None


def _parse_npy(begins: bytes | bytearray, size: int) -> tuple[int, tuple[int, ...], Any, bool]:
    """Return what the beginning of an `.npy` file says, if it is one of numbers or text whose shape fits its bytes."""
    buffer = io.BytesIO(begins)
    try:
        version = np.lib.format.read_magic(buffer)
        readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
        shape, fortran, dtype = readers[version](buffer)
    except Exception:  # it evaluates a piece of Python, which may fail in many ways
        raise ValueError("it does not begin as an .npy file does") from None
    if dtype.kind not in "biufcUS":
        raise ValueError(f"its type is {shown(dtype)}, not numbers or text")
    rest = size - buffer.tell()
    if any(length < 0 for length in shape) or math.prod(shape) * dtype.itemsize != rest:
        raise ValueError(f"shape {shown(shape)} of {dtype} does not fit {rest:,} bytes")
    return buffer.tell(), shape, dtype, fortran
