"""Stale kernels are dropped wherever Numba keeps them, and only ours."""

import os
import subprocess
import sys

import pytest
from numba.core import caching, config

from counterpoise.kernels import cache as kernel_cache


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of two folders with one kernel source, instead of the real one."""
    folder = tmp_path / "package"
    (folder / "kernels").mkdir(parents=True)
    (folder / "kernels" / "some.py").write_text("x = 1\n")
    monkeypatch.setattr(kernel_cache, "PACKAGE", folder)
    monkeypatch.setattr(config, "CACHE_DIR", "")
    return folder


def cached_kernel(folder):
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "some.f-1.py311.nbi"
    file.touch()
    return file


def test_kernels_go_when_a_source_changes(package):
    kernel = cached_kernel(package / "kernels" / "__pycache__")
    kernel_cache.discard_stale_kernels()
    assert not kernel.exists()
    kernel = cached_kernel(package / "kernels" / "__pycache__")
    kernel_cache.discard_stale_kernels()
    assert kernel.exists()
    (package / "kernels" / "some.py").write_text("x = 22\n")
    kernel_cache.discard_stale_kernels()
    assert not kernel.exists()


def test_kernels_go_when_a_layout_or_numba_changes(package, monkeypatch):
    """Fields swapped in a layout, which is a file of its own, would otherwise be read one for the other."""
    layout = package / "kernels" / "layouts.py"
    layout.write_text("class Layout(NamedTuple):\n    a: int\n    b: int\n")
    kernel_cache.discard_stale_kernels()
    kernel = cached_kernel(package / "kernels" / "__pycache__")
    before = layout.stat()
    layout.write_text("class Layout(NamedTuple):\n    b: int\n    a: int\n")
    os.utime(layout, ns=(before.st_atime_ns, before.st_mtime_ns))
    kernel_cache.discard_stale_kernels()
    assert not kernel.exists()
    kernel = cached_kernel(package / "kernels" / "__pycache__")
    monkeypatch.setattr(kernel_cache.numba, "__version__", "0.0")
    kernel_cache.discard_stale_kernels()
    assert not kernel.exists()


@pytest.mark.parametrize(
    ("imported", "dropped"),
    [
        ("from package.kernels.parts import part", True),
        ("from package.kernels import parts", True),
        ("import package.kernels.parts", True),
        ("from package.kernels.between import part", True),
        ("from package.kernels.other import part", False),
    ],
)
def test_kernels_go_when_what_they_call_changes(package, imported, dropped):
    """Directly or through another source; a change elsewhere leaves them."""
    sources = package / "kernels"
    (sources / "some.py").write_text(f"{imported}\n")
    (sources / "between.py").write_text("from package.kernels.parts import part\n")
    (sources / "other.py").write_text("part = 1\n")
    (sources / "parts.py").write_text("part = 1\n")
    kernel_cache.discard_stale_kernels()
    kernel = cached_kernel(sources / "__pycache__")
    (sources / "parts.py").write_text("part = 2\n")
    kernel_cache.discard_stale_kernels()
    assert kernel.exists() != dropped


def test_every_cache_folder_has_its_own_mark(package, tmp_path, monkeypatch):
    """A mark beside the sources says nothing about kernels that lie in NUMBA_CACHE_DIR."""
    kernel_cache.discard_stale_kernels()
    elsewhere = tmp_path / "elsewhere"
    monkeypatch.setattr(config, "CACHE_DIR", str(elsewhere))
    source = package / "kernels" / "some.py"
    ours = elsewhere / caching._CacheLocator.get_suitable_cache_subpath(str(source))
    kernel = cached_kernel(ours)
    foreign = cached_kernel(elsewhere / "kernels_0123")
    kernel_cache.discard_stale_kernels()
    assert not kernel.exists()
    assert foreign.exists(), "another package has a source of the same name"
    kernel = cached_kernel(ours)
    kernel_cache.discard_stale_kernels()
    assert kernel.exists()


def test_installation_that_may_not_be_written(package, tmp_path, monkeypatch):
    """Numba then caches in the user's own folder: kernels of an earlier version there are stale."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    (package / "__pycache__").write_text("not a folder, so that no mark can be written")
    source = package / "kernels" / "some.py"
    ours = tmp_path / "home" / "numba" / caching._CacheLocator.get_suitable_cache_subpath(str(source))
    kernel = cached_kernel(ours)
    kernel_cache.discard_stale_kernels()
    assert not kernel.exists()
    kernel = cached_kernel(ours)
    kernel_cache.discard_stale_kernels()
    assert kernel.exists()


def test_folder_is_the_one_that_numba_uses(tmp_path):
    """The real thing: with NUMBA_CACHE_DIR set, the kernels lie where they are looked for."""
    script = (
        "from pathlib import Path; from counterpoise.kernels import cache as kernel_cache\n"
        "from counterpoise.tree.kernels import sequence_form as tree_kernels\n"
        "place = kernel_cache._in(Path(kernel_cache.config.CACHE_DIR))\n"
        "assert Path(tree_kernels.gradient.stats.cache_path) == place(Path(tree_kernels.__file__).parent)\n"
        "assert (place(kernel_cache.PACKAGE) / kernel_cache.MARK).is_file()\n"
    )
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", script], env=environment, check=True)


LOAD = """
import sys
from counterpoise.cards.evaluator import evaluate

def compiler():
    return "numba.np.arraymath" in sys.modules

print(evaluate([[0, 4, 8, 12, 16]])[0] > 0, compiler())

from numba import njit

@njit
def largest(numbers):
    return numbers.max()

import numpy as np
print(largest(np.arange(5)), compiler(), evaluate([[1, 5, 9, 13, 17]])[0] > 0)
"""


def test_a_cached_kernel_loads_without_the_compiler():
    """What Numba compiles arrays with is imported when something is compiled, and what was loaded before still runs."""
    subprocess.run([sys.executable, "-c", LOAD], check=True, capture_output=True)  # compiles where nobody has yet
    done = subprocess.run([sys.executable, "-c", LOAD], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["True False", "4 True True"]
