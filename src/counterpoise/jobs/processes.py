"""Other processes: pieces of work that several of them do, programs of this package, and how all of them end.

A piece is the arguments of a call. Each worker is sent once what makes the function that is called, and holds on to
what that has built, such as the tables of a match. Who the workers are is said by a number of processes or by a
`OtherWorkers` object, such as a cluster; the work itself never knows.

A process that works for another one ends with it, however that one was killed. The kernel's own signal of a parent's
death is not used: it is sent when the thread that started the process ends, which a server's threads do all the time.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import parent_process
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from counterpoise.errors import InputError
from counterpoise.parameters import require_whole
from counterpoise.progress import CancelToken

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from counterpoise.extensions import Carried
    from counterpoise.jobs.sharing import Seen, SharedArray

Found = TypeVar("Found")
PROCESSES_PER_CORE = 4
"""More processes than that for each core of the machine are refused."""
ATTEMPTS = 4
"""How often a piece is tried where processes or workers die over it."""

EACH = 2
"""Pieces that a worker has at most: one at work and one that waits for it."""
AHEAD = 4
"""Pieces for each worker that are planned beyond the first whose result was not taken: while one takes long, the other
workers go on."""
LOOK_SECONDS = 0.2
"""Seconds between two looks at the cancel token."""

_do: Callable[..., Any] | None = None
_stopped: NDArray[Any] | None = None
"""Whether the first process begins no more pieces."""


class OtherWorkers(Protocol):
    """Other processes that do pieces of work, wherever they are."""

    @property
    def count(self) -> int:
        """How many pieces are at work at a time."""
        ...

    @property
    def cpu_seconds(self) -> float:
        """CPU seconds that they have spent on pieces whose results were taken."""
        ...

    def share(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> SharedArray:
        """Return an array of zeros that pieces may read."""
        ...

    def map_in_order(
        self, make: Callable[[], Callable[..., Found]], plan: Iterator[tuple[Any, ...]], cancel: CancelToken
    ) -> Generator[Found, None, None]:
        """Yield what the function that `make` returns finds for the pieces of a plan, in its order."""
        ...


WorkersLike = int | OtherWorkers
"""A number of processes of this machine, or workers elsewhere."""


def check_processes(processes: WorkersLike) -> None:
    """Refuse a number of processes that is none, or far more than the machine has cores."""
    if not isinstance(processes, int) and hasattr(processes, "map_in_order"):
        return
    require_whole("processes", processes, 1, PROCESSES_PER_CORE * (os.cpu_count() or 1))


def worker_count(processes: WorkersLike) -> int:
    """Return how many pieces are at work at a time."""
    return processes if isinstance(processes, int) else processes.count


def cpu_elsewhere(processes: WorkersLike) -> float:
    """Return the CPU seconds that workers have spent which are not processes of this machine's own."""
    return 0.0 if isinstance(processes, int) else processes.cpu_seconds


def at_most(processes: WorkersLike, pieces: int) -> WorkersLike:
    """Return no more processes than there are pieces of work; workers elsewhere are left as they are."""
    return max(min(processes, pieces), 1) if isinstance(processes, int) else processes


@contextmanager
def other_workers(processes: WorkersLike) -> Iterator[OtherWorkers | None]:
    """Yield workers that stay between plans: processes that end with the context, those elsewhere, or None for one."""
    check_processes(processes)
    if not isinstance(processes, int) or processes == 1:
        yield None if isinstance(processes, int) else processes
        return
    kept = KeptProcesses(processes)
    try:
        yield kept
    finally:
        kept.close()


def map_in_order(
    make: Callable[[], Callable[..., Found]],
    do: Callable[..., Found],
    plan: Iterator[tuple[Any, ...]],
    processes: WorkersLike,
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
    if not isinstance(processes, int):
        yield from processes.map_in_order(make, plan, cancel)
        return
    once = KeptProcesses(processes)
    try:
        yield from once.map_in_order(make, plan, cancel)
    finally:
        once.close()


class KeptProcesses:
    """Processes of this machine that stay, with all that they have built, between plans of the same work.

    A piece is handed to the process that has the fewest, the first of those: so pieces of plans that are no longer than
    there are processes go to the same one each time, and find what it has kept of the piece before.
    """

    def __init__(self, count: int) -> None:
        self._count, self._cpu = count, 0.0
        self._pools: list[ProcessPoolExecutor | None] = [None] * count
        self._stopped: SharedArray | None = None
        self._handed = 0
        self._make: Callable[[], Callable[..., Any]] | None = None

    @property
    def count(self) -> int:
        """How many pieces are at work at a time."""
        return self._count

    @property
    def cpu_seconds(self) -> float:
        """CPU seconds that they have spent on pieces whose results were taken."""
        return self._cpu

    def share(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> SharedArray:
        """Return an array of zeros that pieces may read."""
        from counterpoise.jobs.sharing import MappedArray

        return MappedArray(shape, dtype)

    def map_in_order(
        self, make: Callable[[], Callable[..., Found]], plan: Iterator[tuple[Any, ...]], cancel: CancelToken
    ) -> Generator[Found, None, None]:
        """Yield what the function that `make` returns finds for the pieces of a plan, in its order."""
        if self._make != make:
            check_picklable(make)
            self.close()
            self._make = make
        waiting = deque[_Given[Found]]()
        try:
            for piece in plan:
                if cancel.cancelled:
                    break
                waiting.append(_Given(piece))
                self._hand_out(waiting)
                if len(waiting) > AHEAD * self._count:
                    yield from self._take(waiting, cancel)
            while waiting:
                before = len(waiting)
                yield from self._take(waiting, cancel)
                if len(waiting) == before:
                    return
        finally:
            if waiting or cancel.cancelled:
                self.close()

    def close(self) -> None:
        """End the processes after the pieces that they are at."""
        self._stop()
        for pool in self._pools:
            if pool is not None:
                pool.shutdown(cancel_futures=True)
        self._pools = [None] * self._count
        self._stopped = None

    def _stop(self) -> None:
        """Let no process begin a piece that it has not begun."""
        if self._stopped is not None:
            self._stopped.array[0] = True

    def _started(self, number: int) -> ProcessPoolExecutor:
        """Return one of the processes, which is begun on first use."""
        from counterpoise.extensions import Carried

        pool = self._pools[number]
        if pool is None:
            if self._stopped is None:
                self._stopped = self.share(1, bool)
            given = Carried(self._make), self._stopped.seen()
            pool = self._pools[number] = ProcessPoolExecutor(1, initializer=_start, initargs=given)
        return pool

    def _hand_out(self, waiting: deque[_Given[Found]]) -> None:
        """Give the processes pieces that they have not, or that one died over, in the order of the plan."""
        load = [0] * self._count
        for given in waiting:
            if given.answer is not None and not given.answer.done():
                load[given.process] += 1
        for given in waiting:
            number = load.index(min(load))
            if load[number] >= EACH:
                return
            if given.answer is not None:
                continue
            if given.deaths >= ATTEMPTS:
                raise InputError(
                    f"processes at work have died {ATTEMPTS} times in a row, perhaps by an agent or for want of "
                    "memory: use processes=1 to see why"
                )
            try:
                given.answer, given.process = self._started(number).submit(_call, given.piece), number
                given.handed = self._handed = self._handed + 1
                load[number] += 1
            except BrokenProcessPool:
                self._bury(number, waiting)
                return

    def _bury(self, number: int, waiting: deque[_Given[Found]]) -> None:
        """Let the pieces that a dead process has not finished be done again; it died over the first of them."""
        pool = self._pools[number]
        if pool is not None:
            pool.shutdown(cancel_futures=True)
            self._pools[number] = None
        own = [one for one in waiting if one.process == number and one.answer and not _is_found(one.answer)]
        if own:
            min(own, key=lambda one: one.handed).deaths += 1
        for given in own:
            given.answer = None

    def _take(self, waiting: deque[_Given[Found]], cancel: CancelToken) -> Iterator[Found]:
        """Yield what was found for the first piece, done again if its process has died; nothing if it is not begun."""
        first = waiting[0]
        while True:
            if cancel.cancelled:
                self._stop()
            else:
                self._hand_out(waiting)
            if first.answer is None and cancel.cancelled:
                return
            if first.answer is None or not first.answer.done():
                at_work = [one.answer for one in waiting if one.answer is not None and not one.answer.done()]
                wait(at_work, timeout=LOOK_SECONDS, return_when=FIRST_COMPLETED)
                continue
            try:
                found = first.answer.result()
            except BrokenProcessPool:
                self._bury(first.process, waiting)
                continue
            if found is not None:
                waiting.popleft()
                self._cpu += found[1]
                yield found[0]
            return


class _Given(Generic[Found]):
    """A piece: the process that has it, since which turn, what it will be, and how many processes died over it."""

    def __init__(self, piece: tuple[Any, ...]) -> None:
        self.piece, self.deaths, self.process, self.handed = piece, 0, 0, 0
        self.answer: Future[tuple[Found, float] | None] | None = None


def _is_found(answer: Future[Any]) -> bool:
    """Return whether a piece was finished, well or with an error of its own, before its process died."""
    return answer.done() and not answer.cancelled() and not isinstance(answer.exception(), BrokenProcessPool)


def end_with_parent() -> None:
    """Let this process, which multiprocessing has started, end as soon as the one that started it is gone."""
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent.join,), daemon=True).start()


def end_with_input() -> None:
    """Let this process, which `run_program` has started, end as soon as the one that started it is gone.

    Nothing is ever written to its standard input, which is read below Python's own buffer: that one is locked while a
    thread waits for it, and a process that ends would wait for the lock.
    """
    threading.Thread(target=_end_after, args=(lambda: os.read(0, 1),), daemon=True).start()


def end_now(grace: float = 0.0) -> None:
    """End this process after some seconds, whatever its other threads do then; nothing is cleaned up."""
    time.sleep(grace)
    os._exit(1)


def _end_after(wait: Callable[[], Any]) -> None:
    wait()
    end_now()


def run_program(module: str, *words: str, seconds: float) -> subprocess.CompletedProcess[bytes]:
    """Run a program of this package, which calls `end_with_input`, and return what it has printed.

    `subprocess.TimeoutExpired` if it takes more than some seconds. Its standard input ends with this process.
    """
    theirs, ours = os.pipe()
    try:
        return subprocess.run(
            program_command(module, *words),
            stdin=theirs,
            capture_output=True,
            timeout=seconds,
            check=False,
            env=program_environment(),
        )
    finally:
        os.close(theirs)
        os.close(ours)


def program_command(module: str, *words: str) -> list[str]:
    """Return the words that run a program of this package; nothing is imported from the present folder."""
    return [sys.executable, "-P", "-m", module, *words]


def program_environment() -> dict[str, str]:
    """Return the variables of a program of this package: those of this process, with this very package found first."""
    source = str(Path(__file__).parents[2])
    before = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": source if not before else f"{source}{os.pathsep}{before}"}


def _start(make: Carried, stopped: Seen) -> None:
    global _do, _stopped
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process decides when to stop
    end_with_parent()
    _stopped = stopped.read()
    _do = make.value()


def _call(piece: tuple[Any, ...]) -> tuple[Any, float] | None:
    """Return what is found for a piece, and the CPU seconds that took; None if no more are to be begun."""
    assert _do is not None
    assert _stopped is not None
    if _stopped[0]:
        return None
    began = time.process_time()
    return _do(*piece), time.process_time() - began


def check_picklable(make: Callable[[], Any]) -> None:
    """Refuse what cannot be sent to another process."""
    import pickle

    try:
        pickle.dumps(make)
    except Exception as error:
        raise InputError(f"agents and games that cannot be sent to other processes need processes=1: {error}") from None
