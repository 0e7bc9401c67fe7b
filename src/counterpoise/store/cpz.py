"""The `.cpz` file: a zip of `.npy` arrays and one JSON header. No pickle, checked on reading, written atomically.

Layout: ``header.json`` (an object; ``format`` is "counterpoise", ``version`` is 1, ``kind`` says what the file
holds, ``arrays`` maps each array's name to the SHA-256 of its ``.npy`` bytes, ``checksum`` is that of the header
itself) and one ``NAME.npy`` per array.
Any zip tool and NumPy can read it without this package.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.store.files import atomic_write

FORMAT, VERSION = "counterpoise", 1
MAX_HEADER_BYTES = 64 * 2**20
MAX_ARRAY_BYTES = 64 * 2**30

Arrays = Mapping[str, NDArray[Any]]


def write_cpz(path: str | os.PathLike[str], kind: str, header: Mapping[str, Any], arrays: Arrays) -> None:
    """Write the file under a temporary name beside `path`, then rename it: a reader never sees half a file."""
    content = {name: _npy_bytes(array) for name, array in arrays.items()}
    head = {
        **header,
        "format": FORMAT,
        "version": VERSION,
        "kind": kind,
        "arrays": {name: hashlib.sha256(data).hexdigest() for name, data in content.items()},
    }
    head["checksum"] = _header_checksum(head)
    with atomic_write(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as out:
        out.writestr("header.json", json.dumps(head, indent=1))
        for name, data in content.items():
            out.writestr(f"{name}.npy", data)


def read_cpz(path: str | os.PathLike[str], kind: str | None = None) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The header and the arrays of a `.cpz` file; one sentence if it is missing, truncated, edited or foreign."""
    source = Path(path)
    try:
        with zipfile.ZipFile(source) as file:
            header = _read_header(file, source)
            if kind is not None and header["kind"] != kind:
                raise InputError(f"{source} holds a {header['kind']}, not a {kind}")
            return header, {name: _read_array(file, source, name, digest) for name, digest in header["arrays"].items()}
    except FileNotFoundError:
        raise InputError(f"{source} does not exist") from None
    except IsADirectoryError:
        raise InputError(f"{source} is a folder, not a .cpz file") from None
    except PermissionError:
        raise InputError(f"{source} may not be read") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError) as error:
        raise InputError(f"{source} is not a whole .cpz file: {error}") from None


def _npy_bytes(array: NDArray[Any]) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.asarray(array), allow_pickle=False)
    return buffer.getvalue()


def _read_header(file: zipfile.ZipFile, source: Path) -> dict[str, Any]:
    try:
        entry = file.getinfo("header.json")
    except KeyError:
        raise InputError(f"{source} is not a .cpz file: it has no header.json") from None
    if entry.file_size > MAX_HEADER_BYTES:
        raise InputError(f"{source} is damaged: its header is larger than any this program writes")
    try:
        header = json.loads(file.read(entry))
    except (ValueError, RecursionError):
        raise InputError(f"{source} is damaged: its header is not JSON") from None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise InputError(f"{source} is not a Counterpoise file")
    if header.get("version") != VERSION:
        raise InputError(f"{source} has format version {header.get('version')!r}; this program reads {VERSION}")
    arrays = header.get("arrays")
    if not isinstance(header.get("kind"), str) or not isinstance(arrays, dict):
        raise InputError(f"{source} is damaged: its header lacks the kind or the list of arrays")
    if header.get("checksum") != _header_checksum(header):
        raise InputError(f"{source} was changed after it was written: its header does not match its checksum")
    return header


def _header_checksum(header: Mapping[str, Any]) -> str:
    """SHA-256 of the header's JSON with sorted keys, its own checksum left out."""
    rest = {key: value for key, value in header.items() if key != "checksum"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def _read_array(file: zipfile.ZipFile, source: Path, name: str, digest: Any) -> NDArray[Any]:
    try:
        entry = file.getinfo(f"{name}.npy")
    except KeyError:
        raise InputError(f"{source} is damaged: array {name!r} is missing") from None
    if entry.file_size > MAX_ARRAY_BYTES:
        raise InputError(f"{source} is damaged: array {name!r} claims {entry.file_size:,} bytes")
    data = file.read(entry)
    if hashlib.sha256(data).hexdigest() != digest:
        raise InputError(f"{source} was changed after it was written: array {name!r} does not match its checksum")
    try:
        array: NDArray[Any] = np.load(io.BytesIO(data), allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise InputError(f"{source} is damaged: array {name!r} cannot be read ({error})") from None
    return array
