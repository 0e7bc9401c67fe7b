"""Every command that takes a file, with kernels that check the bounds of every index.

Without Numba's compiler kernels are plain Python on NumPy arrays, which refuse an index beyond their end. That checks
what ``NUMBA_BOUNDSCHECK`` checks, and nothing has to be compiled anew for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.broken.child import Child
from tests.store.broken.others import block_changes, made_other
from tests.store.broken.samples import SAMPLES, made


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of samples."""
    return tmp_path_factory.mktemp("samples")


@pytest.fixture(scope="module")
def checked() -> Iterator[Child]:
    with Child({"NUMBA_DISABLE_JIT": "1"}) as child:
        yield child


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name, sample in SAMPLES.items() if not sample.needs_jax])
def test_kernels_stay_inside_their_arrays(name: str, folder: Path, checked: Child) -> None:
    for use in range(len(SAMPLES[name].uses)):
        ending = checked.do(name, use, made(folder, name), folder)
        assert ending.how == "fine", (use, ending.told)


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
