"""Blocks over processes: several at work at a time, taken in order."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import parent_process
from typing import Any, Protocol, TypeVar

from counterpoise.errors import InputError
from counterpoise.progress import CancelToken

Block = TypeVar("Block")
AnyBlock = TypeVar("AnyBlock", covariant=True)


class Dealer(Protocol[AnyBlock]):
    """Who plays blocks of deals."""

    def play(self, first: int, deals: int, out_of_time: Sequence[bool]) -> AnyBlock:
        """Play the deals from `first` on."""
        ...


class Setup(Protocol[AnyBlock]):
    """All that says how blocks are played; it is sent to other processes."""

    def dealer(self) -> Dealer[AnyBlock]:
        """Return who plays them."""
        ...


_dealer: Dealer[Any] | None = None


def play_blocks(
    setup: Setup[Block],
    dealer: Dealer[Block],
    processes: int,
    plan: Iterator[tuple[int, int]],
    out_of_time: Callable[[], Sequence[bool]],
    cancel: CancelToken,
) -> Generator[Block, None, None]:
    """Yield the blocks of a plan (first deal, deals) in its order; closing the generator stops the work."""
    if processes == 1:
        for first, deals in plan:
            if cancel.cancelled:
                return
            yield dealer.play(first, deals, out_of_time())
        return
    _check_picklable(setup)
    pool = ProcessPoolExecutor(processes, initializer=_start, initargs=(setup,))
    waiting: deque[Future[Block]] = deque()
    try:
        for first, deals in plan:
            if cancel.cancelled:
                break
            waiting.append(pool.submit(_play, first, deals, list(out_of_time())))
            if len(waiting) > 2 * processes:
                yield waiting.popleft().result()
        while waiting and not (cancel.cancelled and not waiting[0].running() and not waiting[0].done()):
            yield waiting.popleft().result()
    except BrokenProcessPool:
        raise InputError("a process of the match has died, perhaps by an agent: play with processes=1") from None
    finally:
        pool.shutdown(cancel_futures=True)


def _start(setup: Setup[Any]) -> None:
    global _dealer
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process decides when to stop
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _dealer = setup.dealer()


def _end_with_parent() -> None:
    """End this process when the one that started it is gone, however that was killed."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _play(first: int, deals: int, out_of_time: Sequence[bool]) -> Any:
    assert _dealer is not None
    return _dealer.play(first, deals, out_of_time)


def _check_picklable(setup: Setup[Any]) -> None:
    import pickle

    try:
        pickle.dumps(setup)
    except Exception as error:
        raise InputError(f"agents and games that cannot be sent to other processes need processes=1: {error}") from None


def cpu_seconds() -> float:
    """Return the CPU seconds of this process and of those that it has started and that have ended."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system
