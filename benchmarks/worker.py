"""One peer in a process of its own, driven through JSON lines; `Worker` is the driver's end, `main` the other.

Times are CPU seconds of all threads of the child. Memory is what the kernel counts as resident: the level
after importing (kernels of Counterpoise loaded), and the highest level since then.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from peers import INSTALL, PEERS, Peer

MEGABYTE = 2**20


class PeerError(Exception):
    """Why a peer has no figures, in a few words."""


class Worker:
    """A child process with one peer; `ask` sends a command and waits for its answer."""

    def __init__(self, peer: str) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="counterpoise-bench-")
        self.errors = Path(self.folder.name) / "errors"
        with self.errors.open("w") as errors:
            self.process = subprocess.Popen(
                [sys.executable, str(Path(__file__).resolve()), peer, self.folder.name],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            )
        try:
            self.started = self._answer()
        except PeerError:
            self.close()
            raise

    def ask(self, command: str, **arguments: Any) -> dict[str, Any]:
        """Run one of the commands of `_commands` in the child."""
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):  # a child that died says why through its answer
            self.process.stdin.write(json.dumps({"command": command, **arguments}) + "\n")
            self.process.stdin.flush()
        return self._answer()

    def close(self) -> None:
        """End the child."""
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.wait()
        self.folder.cleanup()

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            last = self.errors.read_text().strip().splitlines()[-1:] or ["no message"]
            raise PeerError(f"stopped: {last[0]}")
        answer: dict[str, Any] = json.loads(line)
        if "problem" in answer:
            raise PeerError(answer["problem"])
        return answer


def main() -> None:
    name, home = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # LiteEFG prints as it works

    def answer(**content: Any) -> None:
        answers.write(json.dumps(content) + "\n")
        answers.flush()

    began = time.process_time()
    try:
        peer = PEERS[name]()
    except ImportError as error:
        answer(problem=f"not installed ({error}); {INSTALL[name]}")
        return
    imported = time.process_time() - began
    os.environ["HOME"] = home  # LiteEFG writes its copy of a game there
    memory = Memory()
    answer(cpu=imported, resident=memory.resident)
    commands = _commands(peer)
    for line in sys.stdin:
        request = json.loads(line)
        command = commands[request.pop("command")]
        answer(**command(**request), **memory.figures())


def _commands(peer: Peer) -> dict[str, Callable[..., dict[str, Any]]]:
    def load(game: str, **chosen: Any) -> dict[str, Any]:
        began = time.process_time()
        peer.load(game, **chosen)
        return {"cpu": time.process_time() - began}

    def infosets() -> dict[str, Any]:
        return {"count": peer.infosets()}

    def iterate(iterations: int) -> dict[str, Any]:
        began = time.process_time()
        peer.iterate(iterations)
        return {"cpu": time.process_time() - began}

    def nash_conv(calls: int) -> dict[str, Any]:
        """The value, and the CPU seconds of the cheapest call."""
        cheapest = float("inf")
        for _ in range(calls):
            began = time.process_time()
            value = peer.nash_conv()
            cheapest = min(cheapest, time.process_time() - began)
        return {"cpu": cheapest, "value": value}

    return {"load": load, "infosets": infosets, "iterate": iterate, "nash_conv": nash_conv}


class Memory:
    """Resident memory now, and the peak since this object was made, in megabytes."""

    def __init__(self) -> None:
        gc.collect()
        with suppress(OSError, AttributeError):  # Linux only
            ctypes.CDLL(None).malloc_trim(0)  # give freed memory back, or growth would hide in it
            Path("/proc/self/clear_refs").write_text("5")  # reset VmHWM
        self.resident = self._status("VmRSS")

    def figures(self) -> dict[str, float]:
        peak = self._status("VmHWM")
        return {"peak": peak, "growth": peak - self.resident}

    def _status(self, field: str) -> float:
        try:
            lines = Path("/proc/self/status").read_text().splitlines()
        except OSError:  # not Linux: the lifetime peak is all there is
            unit = 1 if sys.platform == "darwin" else 1024
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / MEGABYTE
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(field))


if __name__ == "__main__":
    main()
