"""Users' own games, algorithms, agents, leaf evaluators and experiments: files that they name, and installed packages.

A file is Python that registers things by the decorators of the package, as in `docs/extending.md`. Importing it runs
its code, so that it is imported only where a user names it (``--load``), never because a saved file mentions what it
registers. Processes that are started later import the same files: their names are handed on in the environment, and
what is sent to them comes in a `Carried`.

An installed package offers things by entry points, such as ``counterpoise.games``. Their names are read from the
packages' metadata; a package is imported when one of its names is asked for.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import pickle
import sys
import threading
import traceback
import zlib
from collections.abc import Iterable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from counterpoise.errors import InputError
from counterpoise.lazy import LOADED_FILES

_LOADED: dict[Path, str] = {}
"""The files that have been imported, or are being imported, and the names of their modules."""
_HASHES: dict[Path, str] = {}
"""The SHA-256 of each of them when it was imported."""
_LOCK = threading.RLock()


def load_files(files: Iterable[str | os.PathLike[str]]) -> None:
    """Import Python files that register things, each once, here and in all processes that are started from now on."""
    for file in files:
        load_file(file)
    if _LOADED:
        os.environ[LOADED_FILES] = json.dumps([str(path) for path in _LOADED])


def load_inherited() -> None:
    """Import the files that the process which started this one has imported, as the environment names them."""
    try:
        named = json.loads(os.environ.get(LOADED_FILES, "[]"))
        files = [Path(file) for file in named]
    except (TypeError, ValueError):
        raise InputError(f"{LOADED_FILES} must be a JSON list of files") from None
    for file in files:
        load_file(file)


def load_file(file: str | os.PathLike[str]) -> None:
    """Import a Python file that registers things, unless that was done before; refuse one that cannot be imported."""
    path = Path(os.path.realpath(file))  # a loop of links is no error here
    if path.suffix != ".py":
        raise InputError(f"{file} cannot be loaded: a file of your own things ends in .py")
    with _LOCK:
        if path in _LOADED:
            return
        if not path.is_file():
            raise InputError(f"{file} cannot be loaded: there is no such file")
        name = _LOADED[path] = _module_name(path)
        if str(path.parent) not in sys.path:
            sys.path.append(str(path.parent))  # files beside it can be imported, behind everything that is installed
        _HASHES[path] = hashlib.sha256(path.read_bytes()).hexdigest()
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:
            del _LOADED[path], sys.modules[name]
            raise InputError(f"{file} cannot be loaded: {_what_went_wrong(error, path)}") from None


def _module_name(path: Path) -> str:
    """Return the file's own name if nothing else can be imported by it, otherwise a name that nothing else has."""
    try:
        other = importlib.util.find_spec(path.stem) if path.stem.isidentifier() else None
        free = path.stem.isidentifier() and (other is None or other.origin == str(path))
    except (ImportError, ValueError):
        free = False
    return path.stem if free else f"counterpoise_loaded_{zlib.crc32(os.fsencode(path)):08x}"


def _what_went_wrong(error: BaseException, path: Path) -> str:
    """Return an exception in a sentence, with the last line of the user's file that led to it."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return f"line {error.lineno}: {error.msg}"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    where = f"line {lines[-1]}: " if lines else ""
    told = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
    return where + " ".join(told.split())


def error_sentence(error: BaseException) -> str:
    """Return an error in a sentence, with the last line of the loaded file that led to it, if one did."""
    for path in _LOADED:
        if any(frame.filename == str(path) for frame in traceback.extract_tb(error.__traceback__)):
            return f"{path.name}, {_what_went_wrong(error, path)}"
    return f"{type(error).__name__}: {error}"


def failure_sentence(error: BaseException) -> str | None:
    """Return an error in a sentence that names the loaded file it came from; None if no file has been loaded.

    An error that no line of a loaded file led to may still be due to what one returned: then all of them are named.
    """
    for path in _LOADED:
        if any(frame.filename == str(path) for frame in traceback.extract_tb(error.__traceback__)):
            return f"{path.name} failed: {_what_went_wrong(error, path)}"
    names = " or ".join(path.name for path in _LOADED)
    last = traceback.extract_tb(error.__traceback__)[-1:]
    where = f" in {last[0].name}()" if last else ""
    return f"what {names} gave could not be used: {type(error).__name__}{where}: {error}" if _LOADED else None


class Carried:
    """A value on its way to another process, which imports the files of this one before it unpacks it.

    One that finds other contents in a file, such as on another machine, refuses.
    """

    def __init__(self, value: Any) -> None:
        self.value = value

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpack, ({str(path): _HASHES[path] for path in _LOADED}, pickle.dumps(self.value))


def _unpack(files: dict[str, str], content: bytes) -> Carried:
    load_files(files)
    for file, expected in files.items():
        if _HASHES[Path(file).resolve()] != expected:
            raise InputError(
                f"{file} on {os.uname().nodename} is not the file that was loaded where the work was begun: put the "
                "same one there, and do not change it meanwhile"
            )
    return Carried(pickle.loads(content))


@cache
def offered(group: str) -> dict[str, EntryPoint]:
    """Return what installed packages offer in a group of entry points, by name; nothing is imported."""
    return {point.name: point for point in entry_points(group=group)}


def import_offered(point: EntryPoint) -> Any:
    """Import what an installed package offers and return it; say which package is to blame if that fails."""
    package = "an installed package" if point.dist is None else f"the package {point.dist.name}"
    try:
        return point.load()
    except Exception as error:
        told = " ".join(f"{type(error).__name__}: {error}".split())
        raise InputError(f"{package} offers {point.name!r} ({point.value}), which cannot be imported: {told}") from None
