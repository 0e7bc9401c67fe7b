"""Figure files: their kinds, the check before long work, the atomic write."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterpoise.errors import InputError
from counterpoise.parameters import either
from counterpoise.store import atomic_write, check_writable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".svg", ".pdf")
"""The kinds of file a figure can be written to, chosen by the suffix."""

DOTS_PER_INCH = 160


def check_figure(path: str | os.PathLike[str]) -> Path:
    """Return the path if it names a kind of figure and can be written, to be asked before long work starts."""
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise InputError(f"cannot draw {target}: the file name must end in {either(SUFFIXES)}")
    return check_writable(target)


def write_figure(figure: Figure, path: str | os.PathLike[str]) -> Path:
    """Render under a temporary name beside `path`, then rename it: a reader never sees half a figure."""
    import matplotlib

    target = check_figure(path)
    kind = target.suffix.lower()[1:]
    undated: dict[str, dict[str, Any]] = {
        "svg": {"Date": None},
        "pdf": {"CreationDate": None, "ModDate": None},
        "png": {"Software": None},
    }
    # A fixed salt and no date: the same data give the same bytes.
    with atomic_write(target) as file, matplotlib.rc_context({"svg.hashsalt": "counterpoise"}):
        figure.savefig(file, format=kind, dpi=DOTS_PER_INCH, metadata=undated[kind])
    return target
