"""Names and files that describe abstractions, and wrong ones."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

import counterpoise as cp
from counterpoise.abstraction import AbstractionConfig, config as config_module, estimate_build, parse_name, read_config
from counterpoise.abstraction.config import DeckConfig, StreetConfig
from counterpoise.errors import InputError

WRONG = [
    ("IR-KX-KO", (1, 1, 1, 1), "names no abstraction"),
    ("KE-KO", (1, 1, 1, 1), "names no abstraction"),
    ("IR-KE", (1,), "names no abstraction"),
    ("IR-C-KE-KE-KO", (1, 1, 1, 1, 1), "buckets must be 4 numbers"),
    ("IR-KE-KO", (170, 200, 200, 200), "buckets of the preflop must be at most 169"),
    ("IR-KE-KO", (169, 1_300_000, 200, 200), "at most 1,286,792"),
    ("IR-KE-KO", ("many", 1, 1, 1), "whole numbers such as 200"),
    ("IR-KE-KO", ("5x2", 1, 1, 1), "only PHS is cut twice"),
    ("IR-KE-KO", (0, 1, 1, 1), "IR-KE-KO: buckets of the preflop must be a whole number from 1 to .*, not 0"),
    ("IR-C-KE-KE-KO", (170, 1, 1, 1), "buckets of the preflop must be 169 or left out, as C"),
    ("IR-C-KE", (169, 2, 2), "buckets of the flop must be 1286792 or left out, as C"),
    ("IR-KE-KO", 200, "buckets must be a list of numbers, one per street, not 200"),
    ("PR-C-C-PHS-PHS", (2, 2), "perfect recall of 1,286,792 buckets"),
    ("PR-KP-KO", (2, 2, 2, 2), "KP needs a street after it, imperfect recall"),
    ("IR-KE-KP", (2, 2, 2, 2), "KP needs a street after it"),
]


@pytest.mark.parametrize(("name", "buckets", "words"), WRONG)
def test_wrong_names(name: str, buckets: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        parse_name(name, buckets)


def test_names_of_johanson() -> None:
    """The twelve names and names of four parts."""
    for recall in ("PR", "IR"):
        for early in ("PHS", "KE", "KO"):
            for river in ("PHS", "KO"):
                found = parse_name(f"{recall}-{early}-{river}", (10, 10, 10, 10))
                assert [street.method for street in found.streets] == [early] * 3 + [river]
    assert parse_name("PR-PHS-PHS", (10, 10, 10, 10)).buckets(3) == 10_000
    four = parse_name("IR-C-KE-KE-KO", (169, 9000, 9000, 9000))
    assert [four.buckets(street) for street in range(4)] == [169, 9000, 9000, 9000]
    assert parse_name("IR-KE-KO", (169, 2, 2, 2)).streets[0].method == "C"  # as many as there are


def test_toml_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        """
        recall = "imperfect"
        seed = 3
        [deck]
        ranks = 5
        [[streets]]
        method = "C"
        [[streets]]
        method = "PHS"
        feature = "ehs"
        buckets = 3
        cuts = [0.4, 0.6]
        """
    )
    config = read_config(file)
    assert config.streets[1].cuts == (0.4, 0.6)
    table = cp.abstraction(file, progress=False)
    board = [48, 44, 40]
    strength, row = table.features(board)[:, 0], table.row(board)
    live = row >= 0
    assert (row[live] == (strength[live] >= 0.4).astype(int) + (strength[live] >= 0.6)).all()
    with pytest.raises(InputError, match="says everything itself"):
        cp.abstraction(file, (1, 2))


TWO = "[[streets]]\nmethod = 'C'\n[[streets]]\nmethod = 'PHS'\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("streets = 3", "streets must be a list of two to four tables, one per street, not 3"),
        ("streets = [1, 2]", "the preflop must be a table, not 1"),
        ("recall = 'good'\nstreets = []", "recall must be perfect or imperfect, not 'good'"),
        (f"{TWO}buckets = 2.5", "buckets of the flop must be a whole number from 1 to 2,147,483,647, not 2.5"),
        (f"{TWO}bin = 30", "the flop has no field 'bin': did you mean bins?"),
        (f"{TWO}bins = 1", "bins of the flop must be a whole number from 2 to 1,000, not 1"),
        (f"{TWO}centroid = 'median'\n[[streets]]\nmethod = 'C'\nbucket = 3", "the turn has no field 'bucket': did you"),
        (f"{TWO}cuts = [2, 1]", "the flop: cuts must rise and be fewer than buckets"),
        (f"{TWO}cuts = ['low']", "cuts of the flop must be a list of numbers, not 'low'"),
        (f"{TWO}[deck]\nrank = 5", "deck has no field 'rank': did you mean ranks"),
        (f"{TWO}[deck]\nranks = 'A'", "ranks of deck must be a whole number from 2 to 13, not 'A'"),
        (f"deck = 5\n{TWO}", "deck must be a table with ranks, suits or ranking, not 5"),
        (f"seeds = 5\n{TWO}", "an abstraction has no field 'seeds': did you mean seed"),
        (
            "[[streets]]\nbuckets = 2\n[[streets]]\nmethod = 'C'",
            "method of the preflop must be given: C, PHS, KE, KO or KP",
        ),
        ("seed = 1", "streets must be given: a list of two to four tables"),
        (3 * TWO, "streets must be a list of two to four tables"),
        (f"{3 * TWO}bin = 3", "streets must be a list of two to four tables"),
        ("[[streets]]\nmethod = 'C'", "streets must be a list of two to four tables"),
        ("= 3", "is not TOML"),
    ],
)
def test_wrong_files(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text(text)
    with pytest.raises(InputError, match=words):
        read_config(file)


def test_every_field_has_a_sentence() -> None:
    """A wrong value of any field of a description says what is allowed."""
    allowed = config_module._ALLOWED
    nested = {"streets.": StreetConfig, "deck.": DeckConfig, "": AbstractionConfig}
    assert set(allowed) == {prefix + name for prefix, model in nested.items() for name in model.model_fields}


@pytest.mark.parametrize("deck", [16, "short", {"ranks": 5}])
def test_wrong_decks(deck: Any) -> None:
    with pytest.raises(InputError, match=r"deck must be a Deck, such as Deck\(ranks=6\), not "):
        cp.abstraction("IR-PHS-PHS", (2, 2), deck=deck, progress=False)


def test_missing_file() -> None:
    with pytest.raises(InputError, match="cannot read"):
        read_config("nowhere.toml")


def test_public_buckets_have_limits() -> None:
    with pytest.raises(InputError, match="at most 1,755"):
        parse_name("IR-KE-KO", (2, 2, 2, 2), public=2000)
    with pytest.raises(InputError, match="exclude"):
        parse_name("PR-KE-KO", (2, 2, 2, 2), public=3)


def test_memory_and_disk_are_asked_for_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    config: AbstractionConfig = parse_name("IR-KE-KO", (169, 200, 200, 200))
    needed = estimate_build(config)
    assert 5e8 < needed.memory < 8e9
    assert needed.disk < 2e8
    assert 60 < needed.cpu_seconds < 900
    with monkeypatch.context() as patched:
        patched.setattr(psutil, "virtual_memory", lambda: type("M", (), {"available": 10**8})())
        with pytest.raises(InputError, match=r"needs .* of memory and 100.0 MB are free; a smaller deck would"):
            cp.abstraction(config, progress=False, cache=tmp_path / "none")
        assert not (tmp_path / "none").exists()
        patched.setattr(psutil, "virtual_memory", lambda: type("M", (), {"available": 2 * 10**9})())
        large = parse_name("IR-KE-KO", (169, 9000, 9000, 9000))
        with pytest.raises(InputError, match=r"2.0 GB are free; a sample of 500,000 points would fit"):
            cp.abstraction(large, progress=False)
        assert estimate_build(large.model_copy(update={"sample": 500_000})).memory <= 2e9
        with pytest.raises(InputError, match=r"at most 1,953 buckets on each street would fit"):
            cp.abstraction("IR-KE-KO", (169, 200_000, 2_000_000, 200), progress=False)
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("D", (), {"free": 10**7})())
    with pytest.raises(
        InputError, match=r"needs .* on disk and 10.0 MB are free .* 25 buckets on each street would fit"
    ):
        cp.abstraction(config, progress=False)


BUILD = """
import json, re, sys
from pathlib import Path
import counterpoise as cp
from counterpoise.abstraction import estimate_build, parse_name
from counterpoise.cards import Deck
config = parse_name("IR-KE-KO", (10, 50, 50, 50), Deck(ranks=7), sample=20_000)
needed, sizes, unlink = estimate_build(config), [], Path.unlink
def watched(path, **more):
    sizes.append(sum(file.stat().st_size for file in path.parent.iterdir()))
    unlink(path, **more)
Path.unlink = watched
cp.abstraction(config, cache=sys.argv[1], progress=False)
memory = 1024 * int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
print(json.dumps([[needed.memory, memory], [needed.disk, max(sizes)]]))
"""


@pytest.mark.long
def test_estimates_are_near_the_truth(tmp_path: Path) -> None:
    """Memory and disk of a build of its own process are within a factor of 1.5 of what was told before.

    The peak is VmHWM: ru_maxrss of a process that was forked begins with that of the process that forked it.
    """
    done = subprocess.run([sys.executable, "-c", BUILD, str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for told, measured in json.loads(done.stdout):
        assert 1 / 1.5 < told / measured < 1.5
