"""Small games of limit hold'em past memory, and what tests ask of their folders."""

from __future__ import annotations

import atexit
import hashlib
from functools import cache
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from counterpoise.solvers.out_of_core import OutOfCoreRun, solve_out_of_core

SMALL = "limit_holdem(board=[0, 3], ranks=3, max_bets=2)"
TURN = "limit_holdem(board=[0, 3, 1], ranks=3, max_bets=1)"


def run(folder: Path | None, iterations: int, game: str = SMALL, **options) -> OutOfCoreRun:
    """Solve a game in parts of four first deals, and measure it at the end."""
    options = {"deals_per_part": 4, "progress": False, "measure_at": [iterations]} | options
    return solve_out_of_core(game, folder, iterations=iterations, **options)


def digest(folder: Path) -> str:
    """The SHA-256 of all regrets of a run."""
    found = hashlib.sha256()
    for path in sorted(path for path in folder.glob("*.regrets") if path.is_file()):
        found.update(path.name.encode() + path.read_bytes())
    return found.hexdigest()


@cache
def solved(game: str = SMALL, iterations: int = 6) -> tuple[Path, OutOfCoreRun]:
    """A run without a stop in one process, made once for all tests of a session; nobody may continue it."""
    folder = Path(mkdtemp(prefix="counterpoise-tests-"))
    atexit.register(rmtree, folder, ignore_errors=True)
    return folder, run(folder, iterations, game)
