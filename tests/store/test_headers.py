"""Headers of all kinds of files: files of earlier versions, every damaged field, and files of random bytes."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.store import read_cpz, write_cpz
from counterpoise.store.headers import RunHeader, SearchHeader, SpotHeader

OLD = Path(__file__).parent / "version_0_1_0"
LOADERS: dict[str, Callable[[Path], Any]] = {
    "strategy": cp.load_strategy,
    "run": cp.load_run,
    "spot": cp.load_solution,
    "search": cp.load_search,
}
KINDS = {path.stem: read_cpz(path)[0]["kind"] for path in sorted(OLD.glob("*.cpz"))}
MACHINERY = ("Errno", "object at 0x", "malformed", "Value error", "NoneType", "validation", "Traceback")


def attempt(kind: str, path: Path) -> tuple[Any, str]:
    """What a file holds, or the sentence that refuses it, without words of the machinery and not endless."""
    try:
        return LOADERS[kind](path), ""
    except cp.InputError as error:
        sentence = str(error)
    assert not any(word in sentence for word in MACHINERY), sentence[:1000]
    assert len(sentence) < len(str(path)) + 400, sentence[:1000]
    assert str(path) in sentence, sentence[:1000]
    return None, sentence


@pytest.mark.parametrize("name", KINDS)
def test_files_of_version_0_1_0_load_or_say_how_to_make_them_again(name: str) -> None:
    found, sentence = attempt(KINDS[name], OLD / f"{name}.cpz")
    if sentence:
        assert KINDS[name] in ("spot", "search")
        assert sentence.endswith("again")
        return
    if KINDS[name] == "run":
        assert cp.exploitability(found.game, found) == pytest.approx(found.exploitability)
    if KINDS[name] in ("spot", "search"):
        assert sum(found.root.frequencies.values()) == pytest.approx(1)


def test_a_run_of_version_0_1_0_goes_on_bit_for_bit() -> None:
    earlier = cp.load_run(OLD / "run.cpz")
    again = cp.solve("kuhn_poker", resume=earlier, iterations=40, progress=False)
    straight = cp.solve("kuhn_poker", "cfr+", iterations=40, progress=False)
    assert again.strategy == straight.strategy
    assert cp.load_run(OLD / "warm.cpz").warm_start is not None


WRONG: tuple[Any, ...] = (None, "x", -1, 1.5, [], {}, True, float("nan"), float("inf"), 10**400, [["a"]], "9" * 5000)


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "model"), [("run", RunHeader), ("warm", RunHeader), ("turn", SpotHeader), ("search", SearchHeader)]
)
def test_every_wrong_field_is_a_sentence(name: str, model: Any, tmp_path: Path) -> None:
    header, arrays = read_cpz(OLD / f"{name}.cpz")
    kind, path = header["kind"], tmp_path / "x.cpz"
    for field in model.model_fields:
        for wrong in (*WRONG, "left out"):
            changed = {key: value for key, value in header.items() if key != field or wrong != "left out"}
            if wrong != "left out":
                changed[field] = wrong
            write_cpz(path, kind, changed, arrays)
            attempt(kind, path)


@pytest.mark.parametrize("seconds", ["3", None, [3], float("nan"), -2, True, 1e400])
def test_seconds_that_are_no_plain_number(seconds: Any, tmp_path: Path) -> None:
    header, arrays = read_cpz(OLD / "run.cpz")
    write_cpz(tmp_path / "x.cpz", "run", header | {"seconds": seconds}, arrays)
    with pytest.raises(cp.InputError, match=r"x\.cpz is damaged: its header is incomplete \(seconds cannot be "):
        cp.solve("kuhn_poker", resume=tmp_path / "x.cpz")


@pytest.mark.parametrize("name", ["run", "strategy"])
def test_flipped_and_lost_bytes(name: str, tmp_path: Path) -> None:
    """Whatever happens to a file, it loads as it was or one sentence without words of the machinery refuses it."""
    whole, path, draw = (OLD / f"{name}.cpz").read_bytes(), tmp_path / "x.cpz", random.Random(5)
    before = cp.load_strategy(OLD / f"{name}.cpz")
    for _ in range(300):
        content = bytearray(whole)
        for _ in range(draw.choice((1, 1, 2, 8))):
            content[draw.randrange(len(content))] = draw.randrange(256)
        if draw.random() < 0.3:
            del content[draw.randrange(len(content)) :]
        path.write_bytes(content)
        found, sentence = attempt(KINDS[name], path)
        if not sentence:
            assert np.array_equal(getattr(found, "strategy", found).probabilities, before.probabilities)
