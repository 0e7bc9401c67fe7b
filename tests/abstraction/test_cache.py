"""The folder of finished steps: read again, damaged, old, or too large."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.abstraction.cache import MOST_DAYS, STEPS_VERSION, Arrays, Cache
from counterpoise.abstraction.config import StreetConfig, parse_name
from counterpoise.abstraction.keys import SETTINGS, street_key
from counterpoise.cards import Deck
from counterpoise.errors import InputError
from counterpoise.store.cpz import read_cpz, write_cpz


def never() -> Arrays:
    raise AssertionError("computed again")


def fine(path: Path, arrays: Arrays) -> None:
    """Take whatever is in a file."""


def test_steps_are_computed_once(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.prepare()
    steps = cache.steps("street", [1])
    made: Arrays = {"rows": np.arange(3), "objective": np.array(0.5)}
    steps.part("run-0", lambda: made, fine)
    again = Cache(tmp_path).steps("street", [1]).part("run-0", never, fine)
    assert again["rows"].tolist() == [0, 1, 2]
    assert float(again["objective"]) == 0.5
    other = cache.steps("street", [2])
    assert other.part("run-0", lambda: {"rows": np.zeros(1)}, fine)["rows"].tolist() == [0]
    steps.whole(lambda: made, fine)
    assert len(list(cache.folder.iterdir())) == 2, "the parts of a finished street are gone, those of others stay"
    assert steps.whole(never, fine)["rows"].tolist() == [0, 1, 2]


def test_damaged_step_is_computed_again(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.prepare()
    steps = cache.steps("street", [])
    steps.whole(lambda: {"rows": np.arange(3)}, fine)
    for file in cache.folder.iterdir():
        file.write_bytes(file.read_bytes()[:-30])
    assert steps.whole(lambda: {"rows": np.arange(4)}, fine)["rows"].tolist() == [0, 1, 2, 3]
    assert steps.whole(never, fine)["rows"].tolist() == [0, 1, 2, 3]


def _with(name: str, value: Any) -> Callable[[Arrays], Arrays]:
    """Return what puts a value into the middle of an array."""

    def change(arrays: Arrays) -> Arrays:
        array = arrays[name].copy()
        array.reshape(-1)[array.size // 2] = value
        return arrays | {name: array}

    return change


STREETS: tuple[Callable[[Arrays], Arrays], ...] = (
    _with("rows", 30_000),
    _with("rows", -9),
    lambda arrays: arrays | {"rows": arrays["rows"][:-1]},
    lambda arrays: arrays | {"rows": arrays["rows"].astype(np.float64)},
    lambda arrays: arrays | {"more": np.zeros(3)},
    lambda arrays: arrays | {"filled": np.array(2**40)},
)
PARTS: dict[str, Callable[[Arrays], Arrays]] = {"rows": _with("rows", 30_000), "run": _with("centres", np.inf)}
CARDS: dict[str, Callable[[Arrays], Arrays]] = {
    "clusters": _with("cluster_of", 200),
    "public": _with("public", -(10**6)),
}


def test_steps_that_cannot_be_are_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever stands in the files, with checksums that fit: the abstraction is the same."""
    monkeypatch.setitem(Cache.prepare.__globals__, "_remove", lambda path: None)  # parts stay, as of a killed build

    def build() -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        for name, more in (("IR-KE-KO", {}), ("IR-PHS-PHS", {"public": 2})):
            settings: dict[str, Any] = {"deck": Deck(4), "sample": 1000, "cache": tmp_path, "progress": False, **more}
            made = cp.abstraction(name, (3, 4, 4), threads=1, **settings)
            found |= {f"{name} {key}": array.tobytes() for key, array in made.parts()[1].items()}
        return found

    clean = build()
    kept = {path: path.read_bytes() for path in sorted(Cache(tmp_path).folder.glob("*.cpz"))}
    whole = [path for path in kept if re.search("-street-[0-9a-f]+$", path.stem) and "rows" in read_cpz(path)[1]]
    rounds = [
        {path: STREETS[(at + first) % len(STREETS)] for at, path in enumerate(whole)} for first in (0, len(whole))
    ]
    rounds[0] |= {path: change for path in kept for what, change in CARDS.items() if f"-{what}-" in path.name}
    rounds.append({path: change for path in kept for what, change in PARTS.items() if f"-{what}-0" in path.name})
    assert all(len(changed) >= 4 for changed in rounds)
    for changed in rounds:
        for path, change in changed.items():
            write_cpz(path, "abstraction step", {}, change(read_cpz(path)[1]))
            if path not in whole:  # the street was not finished
                whole_street = path.with_name(re.sub("-(rows|run)-0$", "", path.stem) + ".cpz")
                if whole_street != path:
                    whole_street.unlink(missing_ok=True)
        assert build() == clean
        for path, content in kept.items():
            path.write_bytes(content)


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
