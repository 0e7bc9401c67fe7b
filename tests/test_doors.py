"""Naming one thing imports that one: what five walks of a user bring in, and catalogues asked by many at once."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from counterpoise.agents.base import AGENTS
from counterpoise.deep.learner import METHODS
from counterpoise.games.base import GAMES
from counterpoise.solvers.base import ALGORITHMS, MODIFIERS

COUNT = """
import atexit, sys
atexit.register(lambda: print(sum(name.startswith("counterpoise") for name in sys.modules), file=sys.stderr))
from counterpoise.cli import main
main()
"""
TURN = str(Path(__file__).parents[1] / "examples/spots/turn.toml")


def count_modules(*words: str, cwd: Path) -> tuple[int, subprocess.CompletedProcess[str]]:
    """Return how many modules of the package a command has imported when it ends."""
    done = subprocess.run([sys.executable, "-c", COUNT, *words], cwd=cwd, capture_output=True, text=True, timeout=600)
    return int(done.stderr.split()[-1]), done


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "most"),
    [
        ("solve leduc_poker -a dcfr --iterations 2", 65),
        (f"spot {TURN} --node r:0:c --grid", 109),
        ("match libratus blueprint --hands 1", 157),
        ("train leduc_poker --method deep-cfr --iterations 1 --out x.cpz", 98),
    ],
)
def test_a_walk_imports_what_it_names(words: str, most: int, tmp_path: Path) -> None:
    found, done = count_modules(*words.split(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert found <= most


def test_a_missing_option_is_refused_before_anything_heavy(tmp_path: Path) -> None:
    found, done = count_modules("train", "leduc_poker", "--method", "deep-cfr", cwd=tmp_path)
    assert done.returncode == 2
    assert "--out is missing" in done.stderr
    assert found <= 20


@pytest.mark.parametrize("catalogue", [GAMES, AGENTS, ALGORITHMS, MODIFIERS, METHODS], ids=lambda one: one.kind)
def test_the_source_says_what_is_registered(catalogue) -> None:
    """Every name found in the source is registered by that module, and nothing else in the package is."""
    read = set(catalogue.modules)
    for name, module in catalogue.modules.items():
        assert catalogue[name].__module__ == module
        assert catalogue[name].registered_name == name
    for package in catalogue._packages:
        for file in Path(import_module(package).__file__).parent.glob("*.py"):
            if file.stem not in ("__init__", "__main__"):
                import_module(f"{package}.{file.stem}")
    own = {name for name in catalogue if catalogue[name].__module__.startswith("counterpoise.")}
    assert own == read
    assert read


THREADS = """
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from counterpoise.games.base import GAMES
from counterpoise.solvers.base import ALGORITHMS
many = 50
start = Barrier(many)
def first(number):
    start.wait()
    catalogue = (GAMES, ALGORITHMS)[number % 2]
    names = list(catalogue)
    name = names[number // 2 % len(names)]
    return catalogue[name].registered_name == name and len(names)
with ThreadPoolExecutor(many) as pool:
    found = list(pool.map(first, range(many)))
assert len(set(found)) == 2 and all(found), found
"""


def test_fifty_threads_may_be_the_first_to_ask() -> None:
    done = subprocess.run([sys.executable, "-c", THREADS], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
