"""Counterpoise: compute, play and judge strategies for adversarial games with hidden information.

>>> import counterpoise as cp
>>> run = cp.solve("kuhn_poker", "cfr+", iterations=1000)
>>> round(run.value[0], 3)  # -1/18
-0.056
"""

from counterpoise.kernel_cache import discard_stale_kernels

discard_stale_kernels()  # before anything below loads a cached kernel

from counterpoise.errors import InputError
from counterpoise.games import CHANCE, TERMINAL, Game, check_game, from_efg, from_openspiel, load, write_efg
from counterpoise.solvers import (
    Algorithm,
    RegretMatching,
    Run,
    Solver,
    TracePoint,
    algorithm,
    load_run,
    make_algorithm,
    solve,
)
from counterpoise.solvers import (
    make_solver as solver,
)
from counterpoise.tree import (
    Strategy,
    Tree,
    best_response,
    enumerate_game,
    exact,
    expected_value,
    exploitability,
    load_strategy,
    nash_conv,
)

__version__ = "0.1.0"

__all__ = [
    "CHANCE",
    "TERMINAL",
    "Algorithm",
    "Game",
    "InputError",
    "RegretMatching",
    "Run",
    "Solver",
    "Strategy",
    "TracePoint",
    "Tree",
    "algorithm",
    "best_response",
    "check_game",
    "enumerate_game",
    "exact",
    "expected_value",
    "exploitability",
    "from_efg",
    "from_openspiel",
    "load",
    "load_run",
    "load_strategy",
    "make_algorithm",
    "nash_conv",
    "solve",
    "solver",
    "write_efg",
]
