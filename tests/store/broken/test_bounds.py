"""Every command that takes a file, with kernels that check the bounds of every index."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.broken.child import Child
from tests.store.broken.samples import SAMPLES, made


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of samples."""
    return tmp_path_factory.mktemp("samples")


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Child]:
    """A process whose kernels are compiled anew, with checks, into a cache of its own."""
    cache = tmp_path_factory.mktemp("kernels")
    with Child({"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(cache)}) as child:
        yield child


@pytest.mark.long
@pytest.mark.timeout(1800)  # most of it compiles
@pytest.mark.parametrize("name", [name for name, sample in SAMPLES.items() if not sample.needs_jax])
def test_kernels_stay_inside_their_arrays(name: str, folder: Path, checked: Child) -> None:
    for use in range(len(SAMPLES[name].uses)):
        ending = checked.do(name, use, made(folder, name), folder, seconds=1200)
        assert ending.how == "fine", (use, ending.told)
