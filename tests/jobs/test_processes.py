"""Processes that work for another one end with it, however that one was killed, whatever they are doing then."""

from __future__ import annotations

import functools
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from counterpoise.errors import InputError
from counterpoise.jobs.processes import EACH, KeptProcesses, map_in_order
from counterpoise.progress import CancelToken

HEAD = "import os, sys, threading, time\n"
"""Each program says the number of its worker, which works for ever, and waits."""
PROGRAMS = {
    "a process of a match": """
from counterpoise.jobs.processes import map_in_order
from counterpoise.progress import CancelToken
def work(number):
    print(os.getpid(), flush=True)
    while True:
        pass
def make():
    return work
list(map_in_order(make, work, iter([(0,), (1,)]), 2, CancelToken()))
""",
    "a program that checks a file": """
from counterpoise.jobs.processes import end_with_input, run_program
if "child" in sys.argv:
    end_with_input()
    while True:
        pass
import counterpoise.jobs.processes as processes
processes.program_command = lambda module, *words: [sys.executable, sys.argv[0], "child"]
def tell():
    import psutil
    while not (children := psutil.Process().children()):
        time.sleep(0.05)
    print(children[0].pid, flush=True)
threading.Thread(target=tell).start()
run_program("any", seconds=600)
""",
    "a job of a server": """
import subprocess
from counterpoise.web.processes import obey
if "child" in sys.argv:
    obey(sys.stdin, lambda line: None, lambda: None)
    while True:
        pass
child = subprocess.Popen([sys.executable, sys.argv[0], "child"], stdin=subprocess.PIPE)
print(child.pid, flush=True)
child.wait()
""",
}


CPU_SECONDS_LEFT = 4.0
"""What a process may still work after the one that started it is gone: a server's jobs have a second for last words."""


@pytest.mark.parametrize("what", PROGRAMS)
def test_nothing_outlives_a_killed_parent(what: str, tmp_path) -> None:
    """The worker never ends by itself, and never rests: how long it lives on is the CPU time that it still takes."""
    program = tmp_path / "program.py"
    program.write_text(HEAD + PROGRAMS[what])
    with subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        worker = psutil.Process(int(parent.stdout.readline()))
        others = [one for one in psutil.Process(parent.pid).children(recursive=True) if one != worker]
        try:
            began = cpu_seconds(worker)
            assert began is not None
            os.kill(parent.pid, signal.SIGKILL)
            while (now := cpu_seconds(worker)) is not None:
                assert now - began < CPU_SECONDS_LEFT
                time.sleep(0.05)
            assert not psutil.wait_procs(others, timeout=60)[1]  # those at rest take no CPU time to go by
        finally:
            for one in (worker, *others):
                if one.is_running():
                    one.kill()


def cpu_seconds(process: psutil.Process) -> float | None:
    """Return the CPU time of a process, None if it has ended."""
    try:
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        spent = process.cpu_times()
    except psutil.NoSuchProcess:
        return None
    return spent.user + spent.system


def fragile(folder: str, deaths: int) -> Callable[[int], int]:
    """Return work whose fourth piece kills the process that does it, some times."""

    def work(number: int) -> int:
        marks = list(Path(folder).iterdir())
        if number == 3 and len(marks) < deaths:
            (Path(folder) / str(len(marks))).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return number * number

    return work


def test_pieces_of_a_killed_process_are_done_again(tmp_path) -> None:
    for deaths in (1, 9):
        (folder := tmp_path / str(deaths)).mkdir()
        make = functools.partial(fragile, str(folder), deaths)
        work = map_in_order(make, make(), ((k,) for k in range(6)), 2, CancelToken())
        if deaths == 1:
            assert list(work) == [k * k for k in range(6)]
        else:
            with pytest.raises(InputError, match="have died 4 times in a row"):
                list(work)


def stubborn(folder: str) -> Callable[[int], int]:
    """Return work of which every piece kills three processes."""

    def work(number: int) -> int:
        marks = list(Path(folder).glob(f"{number}-*"))
        if len(marks) < 3:
            (Path(folder) / f"{number}-{len(marks)}").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    return work


def test_a_piece_is_blamed_for_the_processes_that_died_over_it_only(tmp_path) -> None:
    """Not for those that died over another one while it waited there."""
    processes = KeptProcesses(1)
    plan = ((k,) for k in range(3))
    found = processes.map_in_order(functools.partial(stubborn, str(tmp_path)), plan, CancelToken())
    assert list(found) == [0, 1, 2]
    processes.close()


def patient(folder: str) -> Callable[[int], int]:
    """Return work that says that it has begun, and waits."""

    def work(number: int) -> int:
        (Path(folder) / str(number)).touch()
        while not (Path(folder) / "go").exists():
            time.sleep(0.01)
        return number

    return work


def test_pieces_that_have_not_begun_are_left_after_a_cancel(tmp_path) -> None:
    token, make = CancelToken(), functools.partial(patient, str(tmp_path))

    def plan() -> Iterator[tuple[int]]:
        for number in range(EACH * 2):
            yield (number,)
        while not all((tmp_path / name).exists() for name in "01"):
            time.sleep(0.01)
        token.cancel()
        threading.Timer(2, (tmp_path / "go").touch).start()

    assert list(map_in_order(make, make(), plan(), 2, token)) == [0, 1]
    assert {path.name for path in tmp_path.iterdir()} == {"0", "1", "go"}
