"""Every command that takes a file, with kernels that check every index against the bounds of its array.

A process compiles them with ``NUMBA_BOUNDSCHECK``, into a cache of its own that stays from one run of the tests to the
next. Whatever a sound file holds, and whatever a changed one holds that is not refused, no kernel looks outside of its
arrays.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.broken.child import Child
from tests.store.broken.others import block_changes, made_other
from tests.store.broken.samples import SAMPLES, made
from tests.store.broken.test_broken_files import all_changes, by_field, faults, rotated

NAMES = tuple(name for name, sample in SAMPLES.items() if not sample.needs_jax)
OUTSIDE = """
import numpy as np
from counterpoise.kernels.regret_matching import even_weights
even_weights(3, np.zeros(2), 0)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of samples."""
    return tmp_path_factory.mktemp("samples")


@pytest.fixture(scope="module")
def environment(request: pytest.FixtureRequest) -> dict[str, str]:
    """What lets Numba compile checks of bounds; kernels that were compiled without them are elsewhere."""
    cache = request.config.cache
    assert cache is not None
    return {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(cache.mkdir("kernels that check bounds"))}


@pytest.fixture(scope="module")
def checked(environment: dict[str, str]) -> Iterator[Child]:
    with Child(environment) as child:
        yield child


@pytest.mark.slow
def test_an_index_outside_is_found(environment: dict[str, str]) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", OUTSIDE], env=os.environ | environment, capture_output=True, check=False
    )
    assert ran.returncode == 1
    assert b"IndexError: index is out of bounds" in ran.stderr


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_kernels_stay_inside_their_arrays(name: str, folder: Path, checked: Child) -> None:
    """With the file as it is, and with every change of one of its arrays that is not refused."""
    for use in range(len(SAMPLES[name].uses)):
        ending = checked.do(name, use, made(folder, name), folder)
        assert ending.how == "fine", (use, ending.told)
    arrays = {
        field: own for field, own in by_field(all_changes(folder, name)).items() if not field.startswith("header.")
    }
    assert not list(faults(checked, folder, name, rotated(arrays, len(SAMPLES[name].uses))))


@pytest.mark.long
def test_blocks_of_regrets_stay_inside_their_arrays(folder: Path, checked: Child) -> None:
    """Whatever code and bits a block has: its kernels look nothing up outside of their tables."""
    name, broken = "block.regrets", folder / "broken.regrets"
    sound = made_other(folder, name)
    for change in block_changes(sound.read_bytes()):
        broken.write_bytes(change.content)
        ending = checked.do(name, 1, broken, folder)
        assert ending.how in ("fine", "refused"), (change.how, ending.told)
    assert checked.do(name, 0, sound, folder).how == "fine"
