"""Keep Numba's cache honest, and its start short.

Numba caches each compiled kernel beside its source and recompiles it when that one file changes, but not when a
kernel that it calls, or a layout that it is compiled against, lives in another file and changes there. So everything
that kernels are compiled from lives in folders named ``kernels``, and all cached kernels of this package are dropped
whenever any file in them, or the version of Numba or llvmlite, has changed. Each place that Numba may cache in has a
mark of its own, which says from what the kernels there were compiled.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from types import ModuleType

import llvmlite
import numba
from numba import config
from numba.misc.appdirs import AppDirs

PACKAGE = Path(__file__).parent.parent
MARK = "kernels.key"


@cache
def prepare_numba() -> None:
    """Do what must come before any kernel is loaded, once; every package of kernels calls this."""
    discard_stale_kernels()
    _load_numba_without_scipy()


def _load_numba_without_scipy() -> None:
    """Import Numba's arrays without SciPy's linear algebra, which takes as long as half of Numba itself.

    Numba imports it only to see whether it is installed, and it is: this package requires it. A stand-in answers
    that question and goes, so that kernels of others that do use linear algebra still find the real thing.
    """
    name = "scipy.linalg.cython_blas"
    if name not in sys.modules:
        sys.modules[name] = ModuleType(name)
        try:
            import numba.np.arraymath  # noqa: F401
        finally:
            del sys.modules[name]


def discard_stale_kernels() -> None:
    """Delete the package's cached kernels unless they were compiled from the sources and tools as they are now."""
    sources = sorted(PACKAGE.rglob("kernels/*.py"))
    key = _key(sources)
    if elsewhere := getattr(config, "CACHE_DIR", ""):  # what NUMBA_CACHE_DIR says
        _refresh(sources, key, _in(Path(elsewhere)))
    elif not _refresh(sources, key, lambda folder: folder / "__pycache__"):
        # Numba caches the kernels of an installation that may not be written in the user's own cache.
        users = AppDirs(appname="numba", appauthor=False).user_cache_dir
        _refresh(sources, key, _in(Path(users)))


def _key(sources: Iterable[Path]) -> str:
    """A hash of everything that kernels are compiled from and by."""
    digest = hashlib.sha256(f"numba {numba.__version__} llvmlite {llvmlite.__version__}\n".encode())
    for path in sources:
        digest.update(f"{path.relative_to(PACKAGE).as_posix()}\n".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _in(root: Path) -> Callable[[Path], Path]:
    """Where Numba keeps the kernels of a source folder inside a cache that all packages share."""

    def place(folder: Path) -> Path:
        absolute = os.path.abspath(folder)
        return root / f"{os.path.basename(absolute)}_{hashlib.sha1(absolute.encode()).hexdigest()}"

    return place


def _refresh(sources: Iterable[Path], key: str, place: Callable[[Path], Path]) -> bool:
    """Drop stale kernels from the cache folders that `place` returns; False if they may not be written."""
    mark = place(PACKAGE) / MARK
    try:
        if mark.is_file() and mark.read_text() == key:
            return True
        for source in sources:
            for cached in place(source.parent).glob(f"{source.stem}.*.nb[ic]"):
                cached.unlink(missing_ok=True)
        mark.parent.mkdir(parents=True, exist_ok=True)
        fresh = mark.with_suffix(f".{os.getpid()}")
        fresh.write_text(key)
        fresh.replace(mark)
    except OSError:
        return False
    return True
