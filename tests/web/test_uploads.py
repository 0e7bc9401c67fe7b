"""Uploads are bounded together, and checked by the schema of their kind in a process with little memory and time."""

from __future__ import annotations

import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.store.cpz import read_cpz, write_cpz
from counterpoise.web import library_files, uploads
from counterpoise.web.library import Library
from counterpoise.web.library_files import check_file
from tests.store.broken.samples import made

INFLATED = 100 * 2**20
HEADER = {"leaf_values_version": 1, "game": "kuhn_poker", "blueprint": "x", "picks": [[0, 0]]}


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "library")


def write_leaf_values(path: Path, means: NDArray[np.float64], level: int = 1) -> None:
    """Write a sound file of leaf values."""
    write_cpz(path, "leaf values", HEADER, {"means": means.astype(np.float32).reshape(1, 1, 1, -1)}, level=level)


@pytest.fixture
def swelling(tmp_path: Path) -> bytes:
    """A small file that inflates to very much."""
    path = tmp_path / "swelling.cpz"
    write_leaf_values(path, np.zeros(INFLATED // 4))
    return path.read_bytes()


@pytest.mark.slow
def test_what_inflates_is_never_held_in_the_server(library: Library, swelling: bytes, tmp_path: Path) -> None:
    assert len(swelling) < 2**20
    tracemalloc.start()
    entry = library.upload("swelling.cpz", [swelling], 2**30)
    check_file(library.path(entry.name), arrays=True)  # nor by whoever checks it
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < INFLATED / 8


def test_what_inflates_a_thousandfold_is_refused(library: Library, tmp_path: Path) -> None:
    """A file of 3 MB that claims 3 GB: nothing of it is inflated, neither here nor in the process that checks it."""
    path = tmp_path / "bomb.cpz"
    write_leaf_values(path, np.zeros(2**18))
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as file:
        for name, content in members.items():
            file.writestr(name, content)
        entry = file.getinfo("means.npy")
        entry.compress_size, entry.file_size, entry.compress_type = 2**20, 3 * 10**9, zipfile.ZIP_DEFLATED
    tracemalloc.start()
    with pytest.raises(InputError, match=r"^bomb\.cpz would unpack to 3,000 MB, more than 200 times its size"):
        library.upload("bomb.cpz", [path.read_bytes()], 2**30)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**24
    assert list((library.root / "uploads").iterdir()) == []


def test_a_file_that_would_fill_the_temporary_folder_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_leaf_values(tmp_path / "large.cpz", np.arange(2_000_000), level=0)
    monkeypatch.setattr(library_files, "MOST_UNPACKED", 2**20)
    with pytest.raises(InputError, match=r"would unpack to \d+ MB, and a file that is taken in may have 1 MB here$"):
        check_file(tmp_path / "large.cpz", arrays=True)


def test_an_edited_array_is_refused(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "edited.cpz"
    write_leaf_values(path, np.arange(100_000), level=0)
    content = bytearray(path.read_bytes())
    content[200_000] ^= 1
    with pytest.raises(InputError, match=r"^edited\.cpz (was changed|is not a whole)"):
        library.upload("edited.cpz", [bytes(content)], 2**30)


@pytest.mark.slow
def test_a_made_up_file_is_refused(library: Library, tmp_path: Path) -> None:
    """Its checksums fit, but an index of it points far outside of what kernels would look up."""
    header, arrays = read_cpz(made(tmp_path, "ko"))
    arrays["cluster_of"] = arrays["cluster_of"].astype(np.int64)
    arrays["cluster_of"][5] = -(10**9)
    write_cpz(tmp_path / "made up.cpz", "abstraction", header, arrays)
    with pytest.raises(InputError, match=r"^made up\.cpz is damaged: array 'cluster_of' must hold uint8, not int64$"):
        library.upload("made up.cpz", [(tmp_path / "made up.cpz").read_bytes()], 2**30)
    assert list((library.root / "uploads").iterdir()) == []
    assert library.upload("sound.cpz", [(tmp_path / "ko.cpz").read_bytes()], 2**30).kind == "abstraction"


def test_uploads_have_a_bound_together(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MOST_TOGETHER", 3000)
    monkeypatch.setattr(uploads, "check_apart", lambda path: None)
    library.upload("a.toml", [b"x" * 2000], 2**20)
    with pytest.raises(InputError, match="all uploads together may have"):
        library.upload("b.toml", [b"x" * 2000], 2**20)
    assert [path.name for path in (library.root / "uploads").iterdir()] == ["a.toml"]


def test_a_check_that_takes_too_long_ends(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "CHECK_SECONDS", 0.01)
    with pytest.raises(InputError, match=r"^a\.toml takes too long to check$"):
        library.upload("a.toml", [b"pot = 1"], 2**20)
