"""With Numba's compiler switched off everything still runs: public games find what they find compiled."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.public import build_dense
from counterpoise.solvers import make_algorithm
from counterpoise.spots.engine import build_game

SPOTS = {
    "river": {
        "board": "Ks 7d 4c Jd 2s",
        "oop": "AhKh,QhJh,9h8h",
        "ip": "KdQd,JhTh:0.75,AdAc",
        "river": {"bet": ["100%"]},
    },
    "turn": {
        "board": "Ks 7d 4c Jd",
        "oop": "AhKh,QhJh",
        "ip": "KdQd,AdAc",
        "turn": {"bet": ["100%"]},
        "river": {"bet": ["100%"]},
    },
}
RUNS = [
    ("kuhn_poker", "dcfr", 32, 4),
    ("kuhn_poker", "pcfr+", 32, 4),
    ("kuhn_poker", "cfr-br", 32, 4),
    ("kuhn_poker", "flop(start=1)", 32, 4),
    ("kuhn_poker", "hedge(rate=theory)", 32, 4),
    ("kuhn_poker", "pcs", 32, 4),
    ("leduc_poker", "dcfr", 32, 2),
    ("river", "dcfr", 32, 4),
    ("river", "dcfr", 16, 4),
    ("river", "es-mccfr", 32, 20),
    ("turn", "dcfr", 32, 1),
]


def figures(place, algorithm, bits, iterations):
    """Exploitability, values, and the strategies at the root after a few iterations."""
    game = build_game(cp.Spot(pot=10, stack=10, **SPOTS[place])) if place in SPOTS else build_dense(place)
    solver = make_algorithm(algorithm).on(game, seed=1, bits=bits)
    solver.step(iterations)
    strategy = game.root.strategy(solver.result()).ravel().tolist()
    return [solver.exploitability(), *solver.values().tolist(), *strategy]


@pytest.fixture(scope="module")
def interpreted():
    """The figures of all runs in a process without the compiler."""
    program = (
        "import json; from tests.kernels.test_without_jit import *; print(json.dumps([figures(*r) for r in RUNS]))"
    )
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-W", "ignore", "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("run", RUNS, ids=lambda run: " ".join(map(str, run[:3])))
def test_figures_are_those_of_compiled_kernels(run, interpreted):
    """To the rounding of float32, of 16 bits where numbers have 16."""
    tolerance = 1e-5 if run[2] == 32 else 1e-3
    np.testing.assert_allclose(interpreted[RUNS.index(run)], figures(*run), rtol=tolerance, atol=tolerance)
