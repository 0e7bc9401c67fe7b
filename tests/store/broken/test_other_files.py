"""Broken texts and blocks of regrets: used as far as they can be, else refused in a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.broken.child import Child
from tests.store.broken.others import OTHERS, Broken, made_other, other_changes
from tests.store.broken.test_broken_files import STRIDE, fault_of

FEW = 12
"""Changes of a file that every run of the tests tries."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of samples."""
    return tmp_path_factory.mktemp("others")


@pytest.fixture(scope="module")
def child() -> Iterator[Child]:
    with Child() as found:
        yield found


def faults(child: Child, folder: Path, name: str, tried: list[Broken]) -> Iterator[str]:
    """Yield what goes wrong with broken files of a sample."""
    path = folder / f"broken {name}"
    for number, change in enumerate(tried):
        path.write_bytes(change.content)
        ending = child.do(name, number % len(OTHERS[name].uses), path, folder)
        if fault := fault_of(ending):
            yield f"{name}, {change.how}: {fault}"


@pytest.mark.slow
def test_sound_files_are_used(folder: Path, child: Child) -> None:
    for name, sample in OTHERS.items():
        for use in range(len(sample.uses)):
            assert child.do(name, use, made_other(folder, name), folder).how == "fine", (name, use)


@pytest.mark.parametrize("name", OTHERS)
def test_some_changes(name: str, folder: Path, child: Child) -> None:
    every = other_changes(name, made_other(folder, name).read_bytes())
    assert not list(faults(child, folder, name, every[:: len(every) // FEW]))


@pytest.mark.long
@pytest.mark.parametrize("name", OTHERS)
def test_many_changes(name: str, folder: Path, child: Child) -> None:
    every = other_changes(name, made_other(folder, name).read_bytes())
    assert not list(faults(child, folder, name, every[::STRIDE]))
