"""Pieces of work in other processes: several at work at a time, results taken in order.

A piece is the arguments of a call. Each process is sent once what makes the function that is called, and holds on to
what that has built, such as the tables of a match.
"""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import parent_process
from typing import Any, TypeVar

from counterpoise.errors import InputError
from counterpoise.parameters import require_whole
from counterpoise.progress import CancelToken

Found = TypeVar("Found")
PROCESSES_PER_CORE = 4
"""More processes than that for each core of the machine are refused."""

_do: Callable[..., Any] | None = None


def check_processes(processes: int) -> None:
    """Refuse a number of processes that is none, or far more than the machine has cores."""
    require_whole("processes", processes, 1, PROCESSES_PER_CORE * (os.cpu_count() or 1))


def map_in_order(
    make: Callable[[], Callable[..., Found]],
    do: Callable[..., Found],
    plan: Iterator[tuple[Any, ...]],
    processes: int,
    cancel: CancelToken,
) -> Generator[Found, None, None]:
    """Yield ``do(*piece)`` for the pieces of a plan in its order, by this process or by others that `make` their own.

    A piece is planned when it is begun, so that a plan may depend on what was yielded. Closing the generator stops the
    work; once cancelled, only pieces at work are finished.
    """
    if processes == 1:
        for piece in plan:
            if cancel.cancelled:
                return
            yield do(*piece)
        return
    _check_picklable(make)
    pool = ProcessPoolExecutor(processes, initializer=_start, initargs=(make,))
    waiting: deque[Future[Found]] = deque()
    try:
        for piece in plan:
            if cancel.cancelled:
                break
            waiting.append(pool.submit(_call, piece))
            if len(waiting) > 2 * processes:
                yield waiting.popleft().result()
        while waiting and not (cancel.cancelled and not waiting[0].running() and not waiting[0].done()):
            yield waiting.popleft().result()
    except BrokenProcessPool:
        raise InputError("a process of the match has died, perhaps by an agent: play with processes=1") from None
    finally:
        pool.shutdown(cancel_futures=True)


def _start(make: Callable[[], Callable[..., Any]]) -> None:
    global _do
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process decides when to stop
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _do = make()


def _end_with_parent() -> None:
    """End this process when the one that started it is gone, however that was killed."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _call(piece: tuple[Any, ...]) -> Any:
    assert _do is not None
    return _do(*piece)


def _check_picklable(make: Callable[[], Any]) -> None:
    import pickle

    try:
        pickle.dumps(make)
    except Exception as error:
        raise InputError(f"agents and games that cannot be sent to other processes need processes=1: {error}") from None
