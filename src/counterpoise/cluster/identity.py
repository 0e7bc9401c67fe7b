"""What the numbers of a worker depend on: the sources of the package and the versions of what compiles them."""

from __future__ import annotations

import hashlib
import sys
from functools import cache
from pathlib import Path


@cache
def source_identity() -> str:
    """Return a hash of the package's sources and of the versions that its numbers depend on."""
    import llvmlite
    import numba
    import numpy

    package = Path(__file__).parent.parent
    versions = f"{sys.version_info[:2]} {numpy.__version__} {numba.__version__} {llvmlite.__version__}"
    digest = hashlib.sha256(versions.encode())
    for path in sorted(path for kind in ("*.py", "*.toml", "*.cpz", "*.npz") for path in package.rglob(kind)):
        digest.update(path.relative_to(package).as_posix().encode() + b"\n" + path.read_bytes())
    return digest.hexdigest()
