"""Long work in pieces: threads over nogil kernels, progress and cancelling between the pieces."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from counterpoise.progress import CancelToken, Progress, SilentProgress


def available_threads() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class Work:
    """How to do long work: on how many threads, where to show progress, and what stops it."""

    threads: int = field(default_factory=available_threads)
    progress: Progress = field(default_factory=SilentProgress)
    cancel: CancelToken = field(default_factory=CancelToken)

    def run(self, pieces: Iterable[tuple[int, int]], do: Callable[[int, int], None], figure: str = "") -> None:
        """Call ``do(begin, end)`` for all pieces; raise `Cancelled` when asked to stop.

        Each piece writes to a place of its own, so that the number of threads changes nothing.
        """
        todo = list(pieces)

        def guarded(piece: tuple[int, int]) -> None:
            self.cancel.check()
            do(*piece)

        if self.threads == 1 or len(todo) == 1:
            for done, piece in enumerate(todo):
                guarded(piece)
                self._show(done + 1, len(todo), figure)
            return
        with ThreadPoolExecutor(self.threads) as pool:
            for done, _ in enumerate(pool.map(guarded, todo)):
                self._show(done + 1, len(todo), figure)

    def _show(self, done: int, total: int, figure: str) -> None:
        if figure:
            self.progress.show(done / total, figure)


def pieces(total: int, size: int) -> list[tuple[int, int]]:
    """Cut 0..total into pieces of `size`.

    >>> pieces(5, 2)
    [(0, 2), (2, 4), (4, 5)]
    """
    return [(begin, min(begin + size, total)) for begin in range(0, total, size)]
