"""Memory of one spot with 16 bits, in a process of its own: `python benchmarks/spot_memory.py SPOT_FILE` prints JSON.

Kernels are loaded before the level from which growth is counted.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from worker import MEGABYTE, Memory

from counterpoise.progress import SilentProgress
from counterpoise.solvers.public.solver import PublicSolver
from counterpoise.spots import Spot
from counterpoise.spots.engine import build_tree, compile_kernels, settings_of

BITS = 16


def main() -> None:
    settings = settings_of(None)
    compile_kernels(settings, BITS, SilentProgress())
    memory = Memory()
    tree = build_tree(Spot.load(Path(sys.argv[1])), BITS)
    solver = PublicSolver(settings, tree)
    solver.step()
    solver.exploitability()
    growth = memory.figures()["growth"] * MEGABYTE / 1e6
    tables = sum(array.nbytes for array in tree.arrays().values()) / 1e6
    print(json.dumps({"megabytes": tree.megabytes, "tables": tables, "growth": growth}))


if __name__ == "__main__":
    main()
