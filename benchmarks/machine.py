"""The machine that the figures come from: what it is, and how fast it is this minute."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from counterpoise.reproduce.harness.last_run import processor_name

PACKAGES = ("counterpoise", "open_spiel", "LiteEFG", "numba", "numpy")
COMPILER = "g++"
FLAGS = ("-O3", "-march=native", "-ffast-math")


def calibrate() -> float:
    """CPU seconds of five million integer additions in a Python loop, to compare machines and minutes.

    The names are global, as in a script; local ones would be more than twice as fast.
    """
    loop = "total = 0\nfor number in range(5_000_000):\n    total += number\n"
    script = f"import time\nbegan = time.process_time()\n{loop}print(time.process_time() - began)"
    return float(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout)


def machine() -> dict[str, str]:
    """Processor, cores, interpreter and the versions under comparison."""
    found = {"cpu": processor_name(), "cores": str(os.cpu_count()), "python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "missing"
    return found


class Yardstick:
    """`yardstick.cpp`, a plain C++ loop over one river betting tree, compiled for this machine.

    `problem` says why there is none, if so; `measure` then must not be called.
    """

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="counterpoise-bench-")
        self.program = Path(self.folder.name) / "yardstick"
        self.problem = ""
        if shutil.which(COMPILER) is None:
            self.problem = f"no yardstick: {COMPILER} is not installed"
            return
        source = Path(__file__).with_name("yardstick.cpp")
        command = [COMPILER, *FLAGS, "-o", str(self.program), str(source)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            self.problem = f"no yardstick: {COMPILER} stopped: {(done.stderr.strip() or 'no message').splitlines()[0]}"

    def measure(self) -> float:
        """CPU nanoseconds per node x hand x traversal, the best of its own ten repeats."""
        said = subprocess.run([str(self.program)], capture_output=True, text=True, check=True).stdout
        return float(said.split(" ns per")[0].split()[-1])

    def capacity(self, copies: int, repeats: int = 3) -> float:
        """How many times the work of one copy on the wall so many copies at once do: `copies` on a quiet machine."""
        walls: dict[int, list[float]] = {1: [], copies: []}
        for _ in range(repeats):
            for count, seconds in walls.items():
                began = time.perf_counter()
                running = [subprocess.Popen([str(self.program)], stdout=subprocess.DEVNULL) for _ in range(count)]
                for one in running:
                    one.wait()
                seconds.append(time.perf_counter() - began)
        return copies * min(walls[1]) / min(walls[copies])
