"""With Numba's compiler switched off the kernels of hold'em matches play the same hands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import json
import numpy as np
import counterpoise as cp
from counterpoise.abstraction import AbstractionConfig
from counterpoise.play import compiled
streets = [{"method": "PHS", "buckets": 3}, {"method": "KO", "buckets": 5, "restarts": 1, "iterations": 4}]
cards = cp.abstraction(AbstractionConfig(streets=streets, deck={"ranks": 3}), progress=False, threads=1)
game = cp.load("no_limit_holdem(board=[0, 3], ranks=3, stacks=[300, 500])")
uniform = cp.Blueprint.uniform(game, cards)
weights = np.random.default_rng(0).random(uniform.layout.size).astype(np.float32)
blueprint = cp.Blueprint(game, cards, weights)
compiled.FEWEST_HANDS = 1
found = cp.match(game, [blueprint.packed(), blueprint.purified()], 60, duplicate=True, progress=False)
print(json.dumps([found.compiled, [[agent.mean, agent.deviation, agent.decisions] for agent in found.agents]]))
"""


@pytest.mark.long
def test_match_without_jit(tmp_path: Path) -> None:
    figures = []
    for off in ("0", "1"):
        environment = os.environ | {"NUMBA_DISABLE_JIT": off, "COUNTERPOISE_CACHE": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", PROGRAM], capture_output=True, text=True, env=environment
        )
        assert done.returncode == 0, done.stderr
        figures.append(json.loads(done.stdout))
    assert figures[0] == figures[1]
    assert figures[0][0]
