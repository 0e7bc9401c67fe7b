"""With Numba's compiler switched off a small abstraction is built too, and is the one that compiled code builds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import json
import counterpoise as cp
from counterpoise.abstraction import AbstractionConfig
streets = [{"method": "KE", "buckets": 4, "restarts": 1, "iterations": 4, "bins": 8},
           {"method": "KO", "buckets": 5, "restarts": 1, "iterations": 4}]
config = AbstractionConfig(streets=streets, deck={"ranks": 3}, sample=1000)
table = cp.abstraction(config, progress=False, threads=1)
print(json.dumps([table.row(board).tolist() for board in ("", "As Kd Qc", "As Ks Qs", "Ah Ad Kc")]))
"""


@pytest.mark.long
def test_build_without_jit(tmp_path: Path) -> None:
    rows = []
    for off in ("0", "1"):
        environment = os.environ | {"NUMBA_DISABLE_JIT": off, "COUNTERPOISE_CACHE": str(tmp_path / off)}
        done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
        rows.append(json.loads(done.stdout))
    assert rows[0] == rows[1]
