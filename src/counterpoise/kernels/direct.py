"""Call a kernel again and again without Numba's look at the types of its arguments, which can cost more than its work.

Numba finds the types of named tuples of arrays anew in every call. Where a loop calls a kernel with the same types each
time, they are found once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Direct:
    """A kernel all of whose calls have arguments of the types of the first: of the same kinds of numbers, dimensions
    and order in memory, which are not needed again."""

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel
        self._compiled: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any) -> Any:
        """Run the kernel; the first call compiles it or loads it from the cache."""
        if self._compiled is None:
            self._compiled = self._resolved(arguments)
        return self._compiled(*arguments)

    def _resolved(self, arguments: tuple[Any, ...]) -> Callable[..., Any]:
        if not hasattr(self._kernel, "compile"):  # a plain function: the JIT is off
            found: Callable[..., Any] = self._kernel
        else:
            found = self._kernel.compile(tuple(self._kernel.typeof_pyval(value) for value in arguments))
        return found
