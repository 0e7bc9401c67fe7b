"""Memory of one spot with 16 bits, in a process of its own: `python benchmarks/spot_memory.py SPOT_FILE` prints JSON.

Kernels are loaded before the level from which growth is counted.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from kernels import load_kernels
from worker import MEGABYTE, Memory

from counterpoise.spots import Spot
from counterpoise.spots.engine import build_game, make_solver, settings_of

BITS = 16


def main() -> None:
    settings = settings_of(None)
    load_kernels(settings, BITS)
    memory = Memory()
    solver = make_solver(settings, build_game(Spot.load(Path(sys.argv[1]))), 1, BITS)
    solver.step()
    solver.exploitability()
    growth = memory.figures()["growth"] * MEGABYTE / 1e6
    print(json.dumps({"megabytes": solver.megabytes, "tables": solver.live_bytes / 1e6, "growth": growth}))


if __name__ == "__main__":
    main()
