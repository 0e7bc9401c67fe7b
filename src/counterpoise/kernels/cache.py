"""Keep Numba's cache honest, and its start short.

Numba caches each compiled kernel beside its source and recompiles it when that one file changes, but not when a
kernel that it calls, or a layout that it is compiled against, lives in another file and changes there. So everything
that kernels are compiled from lives in folders named ``kernels``, and the cached kernels of a file are dropped whenever
that file, a file of kernels that it imports directly or through others, any layout, or the version of Numba or llvmlite
has changed. Layouts (named tuples) count for every file, because a kernel may be passed one that its file does not
import. Each place that Numba may cache in has a mark of its own, which says from what the kernels there were compiled.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba import config
from numba.core import caching
from numba.core.runtime.nrt import rtsys
from numba.misc.appdirs import AppDirs

from counterpoise.lazy import parse_module

PACKAGE = Path(__file__).parent.parent
MARK = "kernels.key"


@cache
def prepare_numba() -> None:
    """Do what must come before any kernel is loaded, once; every package of kernels calls this."""
    discard_stale_kernels()
    _load_cached_kernels_without_compiler()


def _load_cached_kernels_without_compiler() -> None:
    """Let Numba load our cached kernels without first importing all that it can compile.

    Numba refreshes its tables of what it can compile before it loads a cached kernel, although a cached kernel needs
    only the runtime, which takes a quarter of the CPU time of a short command. Where a kernel has to be compiled
    after all, the compiler refreshes them itself. Kernels of others are loaded as ever.
    """
    load = caching.Cache.load_overload

    def load_overload(self: caching.Cache, sig: Any, target_context: Any) -> Any:
        if not self._py_func.__module__.startswith("counterpoise."):
            return load(self, sig, target_context)
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)

    caching.Cache.load_overload = load_overload  # type: ignore[method-assign]


def discard_stale_kernels() -> None:
    """Delete the package's cached kernels that were compiled from other sources or by other tools than those of now."""
    sources = sorted(PACKAGE.rglob("kernels/*.py"))
    if elsewhere := getattr(config, "CACHE_DIR", ""):  # what NUMBA_CACHE_DIR says
        _refresh(sources, _in(Path(elsewhere)))
    elif not _refresh(sources, lambda folder: folder / "__pycache__"):
        # Numba caches the kernels of an installation that may not be written in the user's own cache.
        users = AppDirs(appname="numba", appauthor=False).user_cache_dir
        _refresh(sources, _in(Path(users)))


def _key(sources: Sequence[Path]) -> str:
    """Return a hash of everything that kernels are compiled from and by."""
    digest = hashlib.sha256(f"numba {numba.__version__} llvmlite {llvmlite.__version__}\n".encode())
    for path in sources:
        digest.update(f"{_relative(path)}\n".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _keys_by_source(sources: Sequence[Path]) -> dict[str, str]:
    """Return for each source a hash of what its kernels are compiled from and by: imported sources, layouts, tools."""
    texts = {_relative(path): path.read_text() for path in sources}
    trees = {name: parse_module(text) for name, text in texts.items()}
    tools = hashlib.sha256(f"numba {numba.__version__} llvmlite {llvmlite.__version__}\n".encode())
    for name, tree in trees.items():
        for layout in _layouts(tree):
            tools.update(f"{name}\n{ast.get_source_segment(texts[name], layout)}\n".encode())
    imports = {name: _imported_sources(tree, texts) for name, tree in trees.items()}
    keys = {}
    for name in texts:
        digest, reached, waiting = tools.copy(), {name}, [name]
        while waiting:
            new = imports[waiting.pop()] - reached
            reached |= new
            waiting += new
        for source in sorted(reached):
            digest.update(f"{source}\n{hashlib.sha256(texts[source].encode()).hexdigest()}\n".encode())
        keys[name] = digest.hexdigest()
    return keys


def _layouts(tree: ast.Module) -> list[ast.ClassDef]:
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and any(ast.unparse(base).endswith("NamedTuple") for base in node.bases)
    ]


def _imported_sources(tree: ast.Module, texts: dict[str, str]) -> set[str]:
    """Return the sources of kernels that a source imports, also inside functions."""
    modules: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    files = {f"{module.partition('.')[2].replace('.', '/')}.py" for module in modules}
    return files & texts.keys()


def _relative(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def _in(root: Path) -> Callable[[Path], Path]:
    """Where Numba keeps the kernels of a source folder inside a cache that all packages share."""

    def place(folder: Path) -> Path:
        absolute = os.path.abspath(folder)
        return root / f"{os.path.basename(absolute)}_{hashlib.sha1(absolute.encode()).hexdigest()}"

    return place


def _refresh(sources: Sequence[Path], place: Callable[[Path], Path]) -> bool:
    """Drop stale kernels from the cache folders that `place` returns; False if they may not be written."""
    mark = place(PACKAGE) / MARK
    key = _key(sources)
    try:
        kept = _read_mark(mark)
        if kept.get("all") == key:
            return True
        keys = _keys_by_source(sources)
        for source in sources:
            if kept.get(_relative(source)) != keys[_relative(source)]:
                for cached in place(source.parent).glob(f"{source.stem}.*.nb[ic]"):
                    cached.unlink(missing_ok=True)
        mark.parent.mkdir(parents=True, exist_ok=True)
        fresh = mark.with_suffix(f".{os.getpid()}")
        fresh.write_text(json.dumps({"all": key} | keys))
        fresh.replace(mark)
    except OSError:
        return False
    return True


def _read_mark(mark: Path) -> dict[str, str]:
    """Return from what the cached kernels were compiled, by source; nothing if there is no mark that can be read."""
    try:
        kept = json.loads(mark.read_text())
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return {}
    return kept if isinstance(kept, dict) else {}
