"""A disk that has no more room: the file is named, what was there before stays, nothing half-written is left."""

from __future__ import annotations

import os
import re
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.store.cpz import write_cpz


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Let the operating system refuse every byte beyond a size, as a full disk does."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def _match(**files: Any) -> None:
    cp.match("kuhn_poker", ["random", "random"], 400, progress=False, **files)


WRITERS: dict[str, Callable[[Path], Any]] = {
    "strategy.cpz": lambda path: cp.solve("kuhn_poker", "cfr", iterations=3, progress=False).strategy.save(path),
    "random.cpz": lambda path: write_cpz(path, "run", {}, {"x": np.random.default_rng(0).random(10_000)}),
    "hands.jsonl": lambda path: _match(log=path),
    "match.results": lambda path: _match(resume=path),
}


@pytest.mark.parametrize("name", WRITERS)
def test_the_file_is_named(name: str, tmp_path: Path) -> None:
    (tmp_path / "before").mkdir()
    WRITERS[name](tmp_path / "before" / name)  # kernels are compiled and cached
    path = tmp_path / name
    with files_of_at_most(300), pytest.raises(OSError, match=re.escape(str(path))):
        WRITERS[name](path)
    whole = {path.name} if not name.endswith(".cpz") else set()  # a log keeps the hands that were counted
    assert set(os.listdir(tmp_path)) == whole | {"before"}


@pytest.mark.filterwarnings("ignore:before.cpz could not be saved")
def test_a_command_says_so_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    from counterpoise.cli import app

    monkeypatch.chdir(tmp_path)
    Path("before.cpz").write_bytes(b"as it was")
    for words, said in (
        (["match", "random", "random", "--game", "kuhn_poker", "--hands", "400", "--log", "a.jsonl"], "a.jsonl"),
        (["solve", "kuhn_poker", "-n", "3", "--out", "before.cpz"], "before.cpz"),
    ):
        with pytest.raises(SystemExit):  # kernels are compiled and cached
            app(args=[*words[:-1], f"whole-{words[-1]}"], prog_name="counterpoise")
        capsys.readouterr()
        with files_of_at_most(300), pytest.raises(SystemExit) as end:
            app(args=words, prog_name="counterpoise")
        told = capsys.readouterr().err
        assert end.value.code == 1
        assert f"{said}: File too large" in told
        assert told.count("error:") == 1
    assert Path("before.cpz").read_bytes() == b"as it was"
