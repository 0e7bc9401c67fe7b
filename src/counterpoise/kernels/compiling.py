"""Tell whether kernels must be compiled before they can run, so that a wait can be announced."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any


def needs_compiling(kernels: Iterable[Any]) -> bool:
    """Return whether any of these compiled functions is neither in memory nor in the cache; nothing is run."""
    return not all(_compiled(kernel) for kernel in kernels)


def _compiled(kernel: Any) -> bool:
    function = getattr(kernel, "py_func", None)
    if function is None or kernel.signatures:  # a plain function (the JIT is off), or used in this process
        return True
    folder = kernel.stats.cache_path
    name = f"{Path(function.__code__.co_filename).stem}.{function.__qualname__}-"
    return folder is not None and any(Path(folder).glob(f"{name}*.nbi"))
