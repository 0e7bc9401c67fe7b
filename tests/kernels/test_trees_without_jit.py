"""With Numba's JIT switched off everything runs as plain Python and finds the same strategies."""

import json
import os
import subprocess
import sys

import numpy as np

import counterpoise as cp

ALGORITHMS = [
    "cfr+",
    "pcfr+",
    "cfr(fallback=argmax)",
    "hedge",
    "fp",
    "egt",
    "cfr-br",
    "cfr/partial-pruning",
    "cfr/rbp(theta=2)",
    "cfr/total-rbp(theta=2)",
    "cfr/threshold",
    "hedge/threshold(d=1)/rbp(theta=2)",
    "regret-free-cfr",
    "cs-mccfr",
    "es-mccfr",
    "es-mccfr(lazy=True)",
    "os-mccfr",
]
PROGRAM = """
import json, sys
import counterpoise as cp
runs = [cp.solve("kuhn_poker", name, iterations=20, seed=3, progress=False) for name in sys.argv[1:]]
print(json.dumps([[run.nodes_touched, run.exploitability, *run.strategy.probabilities.tolist()] for run in runs]))
"""


def test_kuhn_is_solved_alike_without_the_jit():
    """Warnings of NumPy's scalars are errors here, because a newcomer who steps through would see them."""
    command = [sys.executable, "-W", "error::RuntimeWarning", "-c", PROGRAM, *ALGORITHMS]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    for name, found in zip(ALGORITHMS, json.loads(done.stdout), strict=True):
        run = cp.solve("kuhn_poker", name, iterations=20, seed=3, progress=False)
        assert found[0] == run.nodes_touched, name
        np.testing.assert_allclose(found[1:], [run.exploitability, *run.strategy.probabilities], atol=1e-12)
