"""Packages that import what they offer when it is first used, and the parser that reads what that is."""

from __future__ import annotations

import ast
import os
import sys
from importlib import import_module
from threading import RLock
from types import ModuleType
from typing import Any

LOADED_FILES = "COUNTERPOISE_LOAD"
"""The variable of the environment by which a process tells those that it starts which files of the user to import."""

_PARSING = RLock()
"""CPython 3.11 counts the depth of the tree that it builds in one place for all threads: where a garbage collection
lets another thread parse meanwhile, one of the two fails with a `SystemError`. A finaliser that runs then may parse
too."""
if hasattr(os, "register_at_fork"):  # a forked process must not inherit a lock that no thread of its own holds
    os.register_at_fork(before=_PARSING.acquire, after_in_parent=_PARSING.release, after_in_child=_PARSING.release)


def parse_expression(text: str) -> ast.expr:
    """Return the syntax tree of an expression in Python, whatever other threads parse.

    >>> ast.dump(parse_expression("-x"))
    "UnaryOp(op=USub(), operand=Name(id='x', ctx=Load()))"
    """
    with _PARSING:
        return ast.parse(text, mode="eval").body


def parse_module(text: str) -> ast.Module:
    """Return the syntax tree of a file in Python, whatever other threads parse."""
    with _PARSING:
        return ast.parse(text)


def import_lazily(package: str) -> None:
    """Let a package import the names it offers on first use instead of at once.

    Which names, and from where, is read from the block ``if TYPE_CHECKING:`` of the package's own file. Type checkers
    and editors read the same block, where ``import NAME as NAME`` says that NAME is offered to others.
    """
    module = sys.modules[package]
    code = module.__loader__.get_source(package)  # type: ignore[union-attr]
    module.__class__ = _LazyPackage
    names = _imports_for_type_checkers(code)
    vars(module)["_lazy_names"] = names
    vars(module).setdefault("__all__", sorted(names))


class _LazyPackage(ModuleType):
    _lazy_names: dict[str, tuple[str, str]]

    def __getattr__(self, name: str) -> Any:
        """Import a name that is asked for the first time."""
        if name not in self._lazy_names:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        source, original = self._lazy_names[name]
        module = import_module(source)
        if module is self or not hasattr(module, original):
            value = import_module(f"{source}.{original}")  # a file of that package
        else:
            value = getattr(module, original)
        vars(self)[name] = value
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute, but let no file `estimate.py`, when it is imported, hide the function `estimate`."""
        offered = ".".join(self._lazy_names.get(name, ()))
        if not (isinstance(value, ModuleType) and offered and offered != value.__name__):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*vars(self), *self._lazy_names} - {"_lazy_names"})


def _imports_for_type_checkers(code: str) -> dict[str, tuple[str, str]]:
    """Map each name imported under ``if TYPE_CHECKING:`` to its module and its name there."""
    blocks = [
        node.body
        for node in parse_module(code).body
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    ]
    return {
        alias.asname or alias.name: (line.module or "", alias.name)
        for block in blocks
        for line in block
        if isinstance(line, ast.ImportFrom)
        for alias in line.names
    }
