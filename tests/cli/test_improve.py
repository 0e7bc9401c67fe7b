"""`counterpoise improve`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import counterpoise as cp
from counterpoise.blueprint import Blueprint
from counterpoise.cli import app
from tests.blueprint.conftest import few_buckets  # noqa: F401
from tests.blueprint.improving import HUNL_24, OneSize


@pytest.fixture(scope="module")
def day(few_buckets, tmp_path_factory) -> tuple[Path, Path]:  # noqa: F811
    """A blueprint and a log of a match that it played."""
    place = tmp_path_factory.mktemp("day")
    blueprint = Blueprint.uniform(cp.load(HUNL_24), few_buckets)
    blueprint.save(place / "b.cpz")
    game = "no_limit_holdem(ranks=6, stack=20, sizes=any)"
    cp.match(game, [f"blueprint:{place / 'b.cpz'}", OneSize(0.8)], 30, log=place / "day.jsonl", progress=False)
    return place / "b.cpz", place / "day.jsonl"


@pytest.mark.slow
def test_a_night_and_the_next(ask: Callable[..., dict[str, Any]], day: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "branches.cpz"
    first = ask("improve", *day, "--hands", 500, "--out", out)
    assert first["bets"] > 20
    assert first["distance_after"] < first["distance"]
    assert [one["kind"] for one in first["solved"]] == ["defensive", "defensive", "offensive"]
    assert first["gaps"][0]["score"] >= first["gaps"][1]["score"]
    second = ask("improve", *day, "--hands", 500, "--branches", out, "--out", out)
    assert second["distance"] == pytest.approx(first["distance_after"])
    assert second["branches"] > first["branches"]


def test_it_prints(day: tuple[Path, Path], tmp_path: Path) -> None:
    words = ["improve", *map(str, day), "--hands", "200", "--out", str(tmp_path / "x.cpz")]
    found = CliRunner().invoke(app, words)
    assert found.exit_code == 0, found.output
    assert "defensive" in found.output
    assert "the deal" in found.output


def test_wrong_input(day: tuple[Path, Path], tmp_path: Path) -> None:
    blueprint, log = map(str, day)
    for words, sentence in (
        ([blueprint, log], "--out FILE is missing"),
        ([blueprint, log, "--out", "x.txt"], "--out must name a file ending in .cpz"),
        ([log, log, "--out", "x.cpz"], "is not a whole .cpz file"),
        ([blueprint, "missing.jsonl", "--out", "x.cpz"], "missing.jsonl"),
        ([blueprint, log, "--branches", blueprint, "--out", "x.cpz"], "holds a blueprint, not a branch set"),
        ([blueprint, log, "--hands", "0", "--out", "x.cpz"], "hands must be a whole number"),
    ):
        found = CliRunner().invoke(app, ["improve", *words])
        assert found.exit_code == 2, words
        assert sentence in " ".join(found.output.split()), found.output
