"""Work that falls into independent pieces: done on threads or in other processes, taken in a fixed order.

Everything that is done piece by piece is handed out here, so that no result depends on who does a piece or on how many
do: threads over compiled kernels that share memory (`Work`), or processes that were sent all
they need (`counterpoise.jobs.processes`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import TypeVar

from counterpoise.errors import Cancelled
from counterpoise.progress import CancelToken, Progress, SilentProgress

Piece = TypeVar("Piece")
Found = TypeVar("Found")


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
        for done, _ in enumerate(self.map(lambda piece: do(*piece), todo)):
            if figure:
                self.progress.show((done + 1) / len(todo), figure)

    def map(self, do: Callable[[Piece], Found], pieces: Iterable[Piece]) -> Iterator[Found]:
        """Yield what is found for each piece, in the order of the pieces; raise `Cancelled` when asked to stop."""
        todo = list(pieces)

        def guarded(piece: Piece) -> Found:
            self.cancel.check()
            return do(piece)

        if self.threads == 1 or len(todo) == 1:
            yield from map(guarded, todo)
            return
        with ThreadPoolExecutor(self.threads) as pool:
            yield from pool.map(guarded, todo)

    def as_finished(self, do: Callable[[Piece], Found], pieces: Iterable[Piece]) -> Iterator[tuple[Piece, Found]]:
        """Yield pieces as threads finish them; once cancelled, those at work that do not raise `Cancelled`."""
        todo = iter(pieces)
        with ThreadPoolExecutor(self.threads) as pool:
            running: dict[Future[Found], Piece] = {}
            while True:
                while len(running) < self.threads and not self.cancel.cancelled:
                    try:
                        piece = next(todo)
                    except StopIteration:
                        break
                    running[pool.submit(do, piece)] = piece
                if not running:
                    return
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    piece = running.pop(future)
                    try:
                        yield piece, future.result()
                    except Cancelled:
                        continue


_KEPT: dict[tuple[int, int], ThreadPoolExecutor] = {}


def kept_threads(count: int) -> ThreadPoolExecutor:
    """Return threads of this process that stay, for pieces of milliseconds that come again and again.

    A piece must not wait for another one of as many threads: all of them might.
    """
    key = os.getpid(), count  # a process that was forked has no threads
    if key not in _KEPT:
        _KEPT[key] = ThreadPoolExecutor(count, thread_name_prefix="counterpoise")
    return _KEPT[key]


def pieces(total: int, size: int) -> list[tuple[int, int]]:
    """Cut 0..total into pieces of `size`.

    >>> pieces(5, 2)
    [(0, 2), (2, 4), (4, 5)]
    """
    return [(begin, min(begin + size, total)) for begin in range(0, total, size)]
