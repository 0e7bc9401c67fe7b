"""Compile the kernels that many tests call, each once, before two workers would compile the same ones at a time.

``python -m tests.compile_kernels`` does it two processes at a time, those that compile longest first.
"""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

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
SPOTS = """
import counterpoise as cp
spot = cp.Spot(board="2s 2h 2d 2c 3s", pot=2, stack=2, oop="AsAh", ip="KsKh", river={"bet": ["100%"]})
solution = cp.solve_spot(spot, iterations=1, progress=False)
cp.search_spot(solution, "r:0", iterations=1, progress=False)
"""
PRUNING = """
from counterpoise.solvers import solve
for change in ("partial-pruning", "rbp(theta=2)", "total-rbp(theta=2)", "threshold"):
    solve("kuhn_poker", f"cfr/{change}", iterations=3, progress=False)
solve("kuhn_poker", "hedge/threshold/rbp", iterations=3, progress=False)
"""
TRAINING = """
import tempfile
import counterpoise as cp
game = "limit_holdem(board=[0, 3], ranks=4, max_bets=2)"
with tempfile.TemporaryDirectory() as cache:
    cards = cp.abstraction("IR-KE-KO", buckets=(3, 3), deck=cp.load(game).deck, cache=cache, progress=False)
for method in ("external", "vector"):
    cp.train(game, cards, iterations=10, method=method, progress=False)
"""


def compile_by(code: str) -> int:
    """Run a program that calls kernels in a process of its own; return its exit code."""
    return subprocess.run([sys.executable, "-c", code], check=False).returncode


def main() -> None:
    """Run all programs."""
    with ThreadPoolExecutor(2) as pool:
        if any(list(pool.map(compile_by, (ALGORITHMS, SPOTS, PRUNING, TRAINING)))):
            raise SystemExit("the kernels do not compile")


if __name__ == "__main__":
    main()
