"""The program of a job's process: ``python -m counterpoise.web.jobs.worker FOLDER``.

It reads what to do from the job's folder, writes one JSON object per line on what was its standard output, and obeys
lines on its standard input: ``stop`` ends the work at the next safe point, with its result saved. The end of standard
input means that the server is gone, and does the same within a second, so that no process is left behind: work that
takes longer to save stays as its last checkpoint has it.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
import traceback
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from counterpoise.errors import Cancelled, InputError
from counterpoise.progress import CancelToken, SilentProgress, TimeLeft
from counterpoise.solvers import TracePoint
from counterpoise.store.json import plain_json
from counterpoise.web.jobs.state import TraceRow
from counterpoise.web.processes import obey

LOCK_SECONDS = 120.0
"""How long to wait for an earlier process of the same job, whose server is gone, to save its work and end."""
SHOWN_EVERY = 0.1
"""Seconds between two reports of progress at least."""
NICENESS = 10
"""A solve leaves the pages and the API the time that they need."""


class Reporter(SilentProgress):
    """Progress told to the server, line by line."""

    def __init__(self, out: IO[str]) -> None:
        self._out, self._lock = out, threading.Lock()
        self._clock, self._shown = TimeLeft(), 0.0

    def send(self, kind: str, **facts: Any) -> None:
        """Send one line; a server that is gone hears nothing, and the work still ends as it should."""
        line = json.dumps({"kind": kind} | {name: plain_json(value) for name, value in facts.items()})
        with self._lock, suppress(BrokenPipeError, ValueError):
            print(line, file=self._out, flush=True)

    def begin(self, job: str) -> None:
        """Tell what is done now."""
        self._clock = TimeLeft()
        self.send("begin", phase=job)

    def show(self, fraction: float | None, figure: str) -> None:
        """Report progress, not more often than a reader can follow."""
        left, now = self._clock.seconds_left(fraction), time.monotonic()
        if now - self._shown >= SHOWN_EVERY or (fraction or 0.0) >= 1:
            self._shown = now
            self.send("progress", fraction=fraction, figure=figure, seconds_left=left)

    def note(self, sentence: str) -> None:
        """Tell a sentence that stays."""
        self.send("note", note=sentence)

    def point(self, series: str, point: TracePoint) -> None:
        """Tell one measurement."""
        row = TraceRow(
            series=series,
            iteration=point.iteration,
            exploitability=point.exploitability,
            nodes_touched=point.nodes_touched,
            seconds=point.seconds,
        )
        self.send("trace", point=row.model_dump())


def main(folder: Path) -> None:
    """Do the work of a job's folder."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print belongs into the log
    reporter, cancel = Reporter(out), CancelToken()
    obey(sys.stdin, lambda line: cancel.cancel() if line.strip() == "stop" else None, cancel.cancel)
    try:
        with _only_process(folder):
            from counterpoise.web.jobs.requests import JobOrder

            order = JobOrder.load(folder)
            _bound(order.memory_mb, order.seconds, cancel)
            from counterpoise.web.jobs.work import do_work

            files, result = do_work(order, folder, reporter, cancel)
        reporter.send("done", result=result, files=files, stopped=cancel.cancelled)
    except InputError as error:
        reporter.send("failed", error=str(error))
    except Cancelled:
        reporter.send("done", result=None, files={}, stopped=True)
    except (MemoryError, RecursionError):
        traceback.print_exc()
        reporter.send("failed", error="the memory that a job may take does not suffice for this")
    except Exception as error:
        traceback.print_exc()
        told = f"{type(error).__name__}: {error}".splitlines()[0][:300]
        reporter.send("failed", error=f"the job ended with an error of the program ({told})")


class _only_process:
    """Holds the lock of the folder, so that two processes never work on one job."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "lock"

    def __enter__(self) -> None:
        self._file = self._path.open("w")
        until = time.monotonic() + LOCK_SECONDS
        while not _try_lock(self._file):
            if time.monotonic() > until:
                raise InputError("an earlier process still works on this job: try again when it has ended")
            time.sleep(0.2)

    def __exit__(self, *error: object) -> None:
        self._file.close()


def _try_lock(file: IO[str]) -> bool:
    try:
        import fcntl
    except ImportError:  # no such locks on this system
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


PROGRAM_MB = 3000.0
"""What the program itself may map beside the tables of a job: libraries, compiled code, stacks of threads."""


def _bound(memory_mb: float, seconds: float, cancel: CancelToken) -> None:
    """Bound memory and time of this process, and let others go first."""
    timer = threading.Timer(seconds, cancel.cancel)
    timer.daemon = True
    timer.start()
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    bound_memory(memory_mb)


def bound_memory(memory_mb: float) -> None:
    """Let this process have so much memory beside the program itself; more raises `MemoryError`."""
    try:
        import resource
    except ImportError:  # no such limits on this system: the estimate before allocating is the only bound
        return
    most = int((memory_mb + PROGRAM_MB) * 1e6)
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (most if hard < 0 else min(most, hard), hard))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
