"""Whether kernels must be compiled is told from memory and the cache, without running anything."""

import os
import subprocess
import sys

from counterpoise.kernels.compiling import needs_compiling

PROGRAM = """
import counterpoise as cp
from counterpoise.kernels.compiling import needs_compiling
from counterpoise.tree.kernels.sequence_form import gradient, normalise
print(needs_compiling([normalise]), needs_compiling([gradient, normalise]))
tree = cp.tree.enumerate_game("kuhn_poker")
tree.behaviour(cp.Strategy.uniform(tree).probabilities)
print(needs_compiling([normalise]), needs_compiling([gradient, normalise]))
"""


def run(folder, **variables):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder)} | variables
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_a_kernel_needs_compiling_until_it_is_in_memory_or_in_the_cache(tmp_path):
    assert run(tmp_path) == ["True True", "False True"]
    assert run(tmp_path) == ["False True", "False True"]


def test_without_the_jit_nothing_needs_compiling(tmp_path):
    assert run(tmp_path, NUMBA_DISABLE_JIT="1") == ["False False", "False False"]
    assert not needs_compiling([])
