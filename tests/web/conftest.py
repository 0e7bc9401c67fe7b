"""A small solved turn in a library of its own, the API over it without pages, and a server in a process of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import counterpoise as cp
from counterpoise.web.application import make_application
from counterpoise.web.client import Client
from counterpoise.web.jobs.jobs import JobLimits
from counterpoise.web.server import Server, ServerSettings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from fastapi.testclient import TestClient

TURN = {
    "name": "small turn",
    "board": "Ks 7d 4c Jd",
    "pot": 100,
    "stack": 150,
    "oop": "AhKh,9d8d,7c7s:0.5,QhJh",
    "ip": "KdQd,JhTh:0.75,AdQc,5d3d",
    "turn": {"bet": ["50%"]},
    "river": {"bet": ["allin"]},
}
ADDRESS = "http://127.0.0.1:8642"
SOLVED = "solutions/turn.cpz"


@pytest.fixture(scope="session")
def solved() -> cp.Solution:
    return cp.solve_spot(cp.Spot(**TURN), target=0.5, progress=False, threads=1)


@pytest.fixture(scope="session")
def solved_bytes(solved: cp.Solution, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("solved") / "turn.cpz"
    solved.save(path)
    return path.read_bytes()


def make_server(folder: Path, solved_bytes: bytes) -> Server:
    made = Server(folder, ServerSettings(limits=JobLimits(at_once=1, memory_mb=500.0, seconds=100.0)))
    made.library.path(SOLVED, must_exist=False).write_bytes(solved_bytes)
    cp.Spot(**TURN).save(made.library.root / "spots" / "turn.toml")
    return made


@pytest.fixture
def server(tmp_path: Path, solved_bytes: bytes) -> Iterator[Server]:
    """A server with a library of its own, which the test may change."""
    made = make_server(tmp_path / "library", solved_bytes)
    yield made
    made.close()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, solved_bytes: bytes) -> Iterator[Server]:
    """A server for all tests of a file: what there is stays, files may be added."""
    made = make_server(tmp_path_factory.mktemp("library"), solved_bytes)
    yield made
    made.close()


@pytest.fixture(scope="module")
def api(shared: Server) -> TestClient:
    return TestClient(make_application(shared, pages=False), base_url=f"{ADDRESS}/api/v1")


class Running:
    """A server that was started as a user does."""

    def __init__(self, folder: Path, *words: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "counterpoise", "serve", "--headless", "--library", str(folder), *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert self.process.stdout is not None
        self.lines: list[str] = []
        for line in self.process.stdout:
            self.lines.append(line)
            if found := re.search(r"Counterpoise is at (http://[^/]+)/(\?\S*)?", line):
                self.address = found[1]
                break
        else:
            raise AssertionError("".join(self.lines))

    def client(self, token: str | None = None) -> Client:
        until = time.monotonic() + 300
        client = Client(self.address, token, timeout=300)
        while True:
            try:
                client.jobs()
            except OSError:
                pass
            except Exception as error:
                if "refused" not in str(error) or time.monotonic() > until:
                    raise
            else:
                return client
            time.sleep(0.1)

    def kill(self) -> None:
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def end(self) -> str:
        """End it as Ctrl-C does; return what it said meanwhile."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        assert self.process.stdout is not None
        if self.process.stdout.closed:
            return ""
        with self.process.stdout as said:
            rest = said.read()
        self.process.wait(60)
        return rest


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Running]]:
    running: list[Running] = []

    def begin(*words: str) -> Running:
        running.append(Running(tmp_path / "library", *words))
        return running[-1]

    yield begin
    for one in running:
        one.end()
