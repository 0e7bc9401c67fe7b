"""Compile the kernels that many tests call, each once, before two workers would compile the same ones at a time.

``python -m tests.compile_kernels`` does it in two processes: one for spots, one for the algorithms on general games.
"""

import subprocess
import sys

SPOT = """
import counterpoise as cp
spot = cp.Spot(board="2s 2h 2d 2c 3s", pot=2, stack=2, oop="AsAh", ip="KsKh", river={"bet": ["100%"]})
solution = cp.solve_spot(spot, iterations=1, progress=False)
cp.solve_spot(spot, iterations=1, progress=False, warm_start=solution)
cp.search_spot(solution, "r:0", iterations=1, progress=False)
"""
ALGORITHMS = """
from counterpoise.solvers import ALGORITHMS, solve
for name in ALGORITHMS:
    solve("kuhn_poker", name, iterations=1, progress=False)
from counterpoise.exploit import counter_strategy
counter_strategy("kuhn_poker", "random", iterations=1, progress=False)
from counterpoise.play import match
match("kuhn_poker", [solve("kuhn_poker", iterations=1, progress=False), "random"], 5000, progress=False)
match("limit_holdem", ["probe", "random"], 5000, progress=False)
"""


def main() -> None:
    """Run both at the same time."""
    jobs = [subprocess.Popen([sys.executable, "-c", code]) for code in (SPOT, ALGORITHMS)]
    for job in jobs:
        if job.wait():
            raise SystemExit("the kernels do not compile")


if __name__ == "__main__":
    main()
