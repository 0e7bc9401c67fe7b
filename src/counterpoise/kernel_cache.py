"""Keep Numba's cache honest.

Numba caches each compiled kernel beside its source and recompiles it when that one file changes, but not when a
kernel that it calls lives in another file and changes there. So all cached kernels of this package are dropped
whenever any kernel source has changed. Each place that Numba may cache in has a mark of its own, which says from
which sources the kernels there were compiled.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable
from pathlib import Path

from numba.core import config
from numba.misc.appdirs import AppDirs

PACKAGE = Path(__file__).parent
MARK = "kernels.sources"


def discard_stale_kernels() -> None:
    """Delete the package's cached kernels unless they were compiled from the sources as they are now."""
    sources = sorted(PACKAGE.rglob("*_kernels.py"))
    now = "\n".join(f"{path.stat().st_mtime_ns} {path.stat().st_size} {path.name}" for path in sources)
    if elsewhere := getattr(config, "CACHE_DIR", ""):  # what NUMBA_CACHE_DIR says
        _refresh(sources, now, _in(Path(elsewhere)))
    elif not _refresh(sources, now, lambda folder: folder / "__pycache__"):
        # Numba caches the kernels of an installation that may not be written in the user's own cache.
        users = AppDirs(appname="numba", appauthor=False).user_cache_dir  # type: ignore[no-untyped-call]
        _refresh(sources, now, _in(Path(users)))


def _in(root: Path) -> Callable[[Path], Path]:
    """Where Numba keeps the kernels of a source folder inside a cache that all packages share."""

    def place(folder: Path) -> Path:
        absolute = os.path.abspath(folder)
        return root / f"{os.path.basename(absolute)}_{hashlib.sha1(absolute.encode()).hexdigest()}"

    return place


def _refresh(sources: Iterable[Path], now: str, place: Callable[[Path], Path]) -> bool:
    """Drop stale kernels from the cache folders that `place` gives; False if they may not be written."""
    mark = place(PACKAGE) / MARK
    try:
        if mark.is_file() and mark.read_text() == now:
            return True
        for source in sources:
            for cached in place(source.parent).glob(f"{source.stem}.*.nb[ic]"):
                cached.unlink(missing_ok=True)
        mark.parent.mkdir(parents=True, exist_ok=True)
        fresh = mark.with_suffix(f".{os.getpid()}")
        fresh.write_text(now)
        fresh.replace(mark)
    except OSError:
        return False
    return True
