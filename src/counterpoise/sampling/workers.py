"""Processes that share the arrays of the one that started them, and do numbered parts of its work.

Arrays of `shared_zeros` are seen by all processes that were forked after they were made; nothing of them stays behind
when the last one ends, however it ended. A worker ignores Ctrl-C, which is the head's to hear, and ends when the head
is gone: the pipe between them is then closed.
"""

from __future__ import annotations

import mmap
import multiprocessing
import signal
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.parameters import require

Part = Callable[[int, int, int], int]
"""From the number of a part, a seat and an iteration to the nodes touched."""


def shared_zeros(shape: int | tuple[int, ...]) -> NDArray[np.float32]:
    """Return float32 zeros that this process and those forked from it share."""
    size = int(np.prod(shape))
    return np.frombuffer(mmap.mmap(-1, max(4 * size, 1)), dtype=np.float32, count=size).reshape(shape)


class Workers:
    """Processes that own parts of the work, every `count`-th each; they are started on first use."""

    def __init__(self, part: Part, parts: int, count: int) -> None:
        require(
            "fork" in multiprocessing.get_all_start_methods(),
            "workers need processes that can be forked, which this system lacks: use threads instead",
        )
        self._part, self._parts, self.count = part, parts, min(count, parts)
        self._pipes: list[Any] = []
        self._processes: list[Any] = []

    def run(self, seat: int, iteration: int) -> tuple[int, float]:
        """Let all parts be done, one message each way; return the nodes touched and the workers' CPU seconds."""
        if not self._processes:
            self._start()
        try:
            for pipe in self._pipes:
                pipe.send((seat, iteration))
            found = [pipe.recv() for pipe in self._pipes]
        except (EOFError, OSError):
            self.close()
            raise InputError(
                "a worker process has died, perhaps for want of memory; the last checkpoint is whole: --resume it"
            ) from None
        return sum(nodes for nodes, _ in found), sum(seconds for _, seconds in found)

    def close(self) -> None:
        """End all workers."""
        for pipe in self._pipes:
            pipe.close()
        for process in self._processes:
            process.join()
        self._pipes, self._processes = [], []

    def _start(self) -> None:
        context = multiprocessing.get_context("fork")
        for number in range(self.count):
            own, theirs = context.Pipe()
            mine = range(number, self._parts, self.count)
            process = context.Process(target=_work, args=(theirs, [*self._pipes, own], self._part, mine), daemon=True)
            process.start()
            theirs.close()
            self._pipes.append(own)
            self._processes.append(process)


def _work(pipe: Connection, others: list[Connection], part: Part, mine: range) -> None:
    """Do the own parts whenever the head asks, until its end of the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for other in others:  # the head's ends, which would keep a pipe open after its death
        other.close()
    while True:
        try:
            seat, iteration = pipe.recv()
            began = time.process_time()
            touched = sum(part(number, seat, iteration) for number in mine)
            pipe.send((touched, time.process_time() - began))
        except (EOFError, OSError):
            return
