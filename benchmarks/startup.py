"""What a user waits for before the first iteration: importing, compiling or loading kernels, enumerating games.

Each figure comes from fresh processes, the cheapest of several. Compiling cold uses an empty kernel cache.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from typing import NamedTuple

ENUMERATED = (
    "kuhn_poker",
    "leduc_poker",
    "leduc_poker(merge_suits=False)",
    "goofspiel(cards=5)",
    "leduc5",
    "liars_dice(dice=1, faces=6)",
)

_CLOCK = "import time; begin = time.process_time(), time.perf_counter()\n"
_STOP = "print(time.process_time() - begin[0], time.perf_counter() - begin[1])"
_IMPORT = _CLOCK + "import counterpoise\n" + _STOP
_SOLVE = _CLOCK + "import counterpoise\ncounterpoise.solve('kuhn_poker', 'cfr+', iterations=1)\n" + _STOP
_ENUMERATE = """
import json, sys, time
import counterpoise
found = {}
for name in json.loads(sys.argv[1]):
    begin = time.process_time()
    tree = counterpoise.enumerate_game(counterpoise.load(name))
    seconds = time.process_time() - begin
    found[name] = tree.nodes, tree.infosets, seconds, tree.memory_bytes
print(json.dumps(found))
"""


class Elapsed(NamedTuple):
    """Seconds of a child process from its first line on: of CPU, and on the wall."""

    cpu: float
    wall: float


class Enumeration(NamedTuple):
    """One game enumerated: its size, CPU seconds and the bytes of its arrays."""

    nodes: int
    infosets: int
    seconds: float
    array_bytes: int

    @property
    def microseconds_per_node(self) -> float:
        """CPU microseconds per history."""
        return self.seconds / self.nodes * 1e6


def startup(repeats: int) -> dict[str, Elapsed]:
    """Importing, the first solve with kernels cached, and the first solve with an empty kernel cache."""
    figures = {"import": _cheapest(_IMPORT, repeats)}
    with tempfile.TemporaryDirectory(prefix="counterpoise-bench-") as cache:
        figures["cold"] = _timed(_SOLVE, {"NUMBA_CACHE_DIR": cache})
        figures["warm"] = _cheapest(_SOLVE, repeats, {"NUMBA_CACHE_DIR": cache})
    return figures


def enumeration(repeats: int, games: tuple[str, ...] = ENUMERATED) -> dict[str, Enumeration]:
    """CPU time and size of enumerating each game in a fresh process."""
    best: dict[str, Enumeration] = {}
    for _ in range(repeats):
        for name, figures in json.loads(_run(_ENUMERATE, {}, json.dumps(games))).items():
            found = Enumeration(*figures)
            best[name] = min(best.get(name, found), found, key=lambda one: one.seconds)
    return best


def _cheapest(code: str, repeats: int, environment: dict[str, str] | None = None) -> Elapsed:
    return min(_timed(code, environment or {}) for _ in range(repeats))


def _timed(code: str, environment: dict[str, str]) -> Elapsed:
    cpu, wall = map(float, _run(code, environment).split())
    return Elapsed(cpu, wall)


def _run(code: str, environment: dict[str, str], *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout
