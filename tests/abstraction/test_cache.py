"""The folder of finished steps: read again, damaged, old, or too large."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from counterpoise.abstraction.cache import MOST_DAYS, STEPS_VERSION, Arrays, Cache
from counterpoise.abstraction.config import StreetConfig, parse_name
from counterpoise.abstraction.keys import SETTINGS, street_key
from counterpoise.cards import Deck
from counterpoise.errors import InputError


def never() -> Arrays:
    raise AssertionError("computed again")


def test_steps_are_computed_once(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.prepare()
    steps = cache.steps("street", [1])
    made: Arrays = {"rows": np.arange(3), "objective": np.array(0.5)}
    steps.part("run-0", lambda: made)
    again = Cache(tmp_path).steps("street", [1]).part("run-0", never)
    assert again["rows"].tolist() == [0, 1, 2]
    assert float(again["objective"]) == 0.5
    other = cache.steps("street", [2])
    assert other.part("run-0", lambda: {"rows": np.zeros(1)})["rows"].tolist() == [0]
    steps.whole(lambda: made)
    assert len(list(cache.folder.iterdir())) == 2, "the parts of a finished street are gone, those of others stay"
    assert steps.whole(never)["rows"].tolist() == [0, 1, 2]


def test_damaged_step_is_computed_again(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.prepare()
    steps = cache.steps("street", [])
    steps.whole(lambda: {"rows": np.arange(3)})
    for file in cache.folder.iterdir():
        file.write_bytes(file.read_bytes()[:-30])
    assert steps.whole(lambda: {"rows": np.arange(4)})["rows"].tolist() == [0, 1, 2, 3]
    assert steps.whole(never)["rows"].tolist() == [0, 1, 2, 3]


def test_folder_is_tidied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Older versions, files unused for long and remains of killed processes are removed; others stay."""
    cache = Cache(tmp_path)
    cache.prepare()
    ages = {
        "v0-old.cpz": 0,
        "street-older.cpz": 0,
        f"v{STEPS_VERSION}-used.cpz": 1,
        f"v{STEPS_VERSION}-unused.cpz": MOST_DAYS + 1,
    }
    ages |= {".counterpoise-0-1-left": 2, ".counterpoise-0-1-written": 0}
    for name, days in ages.items():
        file = cache.folder / name
        file.write_bytes(b"0" * 100)
        os.utime(file, (time.time() - 86400 * days,) * 2)
    cache.prepare()
    left = {file.name for file in cache.folder.iterdir()}
    assert left == {f"v{STEPS_VERSION}-used.cpz", ".counterpoise-0-1-written"}
    newer = cache.folder / f"v{STEPS_VERSION}-newer.cpz"
    newer.write_bytes(b"0" * 100)
    monkeypatch.setitem(Cache.prepare.__globals__, "MOST_BYTES", 150)
    cache.prepare()
    assert {file.name for file in cache.folder.iterdir()} == {newer.name, ".counterpoise-0-1-written"}


def test_keys_depend_on_what_is_needed_only() -> None:
    """Builds that differ in one street share the others; those built from it differ too."""

    def changed(name: str, before: dict[str, Any], after: dict[str, Any]) -> list[int]:
        one, two = (parse_name(name, **settings) for settings in (before, after))
        return [street for street in range(4) if street_key(one, street) != street_key(two, street)]

    four, river, flop = ({"buckets": counts} for counts in ((4, 4, 4, 4), (4, 4, 4, 5), (4, 5, 4, 4)))
    assert changed("IR-KE-KO", four, four) == []
    assert changed("IR-KE-KO", four, river) == [3]
    assert changed("IR-KE-KO", four, flop) == [1]
    assert changed("PR-KE-KO", four, river) == [3]
    assert changed("PR-KE-KO", four, flop) == [1, 2, 3], "hands are clustered inside the buckets before"
    assert changed("IR-KP-KO", four, river) == [0, 1, 2, 3], "shares of the next street's buckets"
    assert changed("IR-KE-KO", four, four | {"clusters": "kmeans"}) == [3]
    three = {"buckets": (4, 4, 4)}  # canonical hands need no number
    assert changed("IR-C-KE-KE-KO", three, three | {"public": 3}) == [1, 2, 3]
    assert changed("IR-C-KE-KE-KO", three, three | {"seed": 1}) == [1, 2, 3]
    assert changed("IR-C-KE-KE-KO", three, three | {"deck": Deck(ranks=6)}) == [0, 1, 2, 3]
    assert changed("IR-KE-KO", four, four | {"sample": 2000}) == [0, 1, 2, 3]
    for method, fields in SETTINGS.items():
        assert fields <= set(StreetConfig.model_fields), method


def test_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot make the folder"):
        Cache(tmp_path / "file").prepare()


def test_files_that_cannot_be_removed_stay(tmp_path: Path) -> None:
    """A folder among the files of another version: tidying goes on with the next one."""
    folder = tmp_path / "abstraction"
    (folder / "v0-street-a.cpz").mkdir(parents=True)
    (folder / "v0-street-b.cpz").write_text("")
    Cache(tmp_path).prepare()
    assert [path.name for path in folder.iterdir()] == ["v0-street-a.cpz"]
