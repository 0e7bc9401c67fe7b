"""Keep Numba's cache honest.

Numba caches each compiled kernel beside its source and recompiles it when that one file changes, but not when a
kernel that it calls lives in another file and changes there. So all cached kernels of this package are dropped
whenever any kernel source has changed.
"""

from __future__ import annotations

import os
from pathlib import Path

from numba.core import config

PACKAGE = Path(__file__).parent
MARK = PACKAGE / "__pycache__" / "kernels.sources"


def discard_stale_kernels() -> None:
    """Delete the package's cached kernels unless they were compiled from the sources as they are now."""
    sources = sorted(PACKAGE.rglob("*_kernels.py"))
    now = "\n".join(f"{path.stat().st_mtime_ns} {path.stat().st_size} {path.name}" for path in sources)
    try:
        if MARK.is_file() and MARK.read_text() == now:
            return
        folders = {path.parent / "__pycache__" for path in sources}
        if elsewhere := getattr(config, "CACHE_DIR", ""):  # what NUMBA_CACHE_DIR says
            folders |= {path for path in Path(elsewhere).glob("*") if path.is_dir()}
        for path in sources:
            for folder in folders:
                for cached in folder.glob(f"{path.stem}.*.nb[ic]"):
                    cached.unlink(missing_ok=True)
        MARK.parent.mkdir(exist_ok=True)
        fresh = MARK.with_suffix(f".{os.getpid()}")
        fresh.write_text(now)
        fresh.replace(MARK)
    except OSError:
        return  # an installation that cannot be written cannot have changed under its cache
