"""`counterpoise arena`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

WORDS = ["always-call", "always-fold", "probe", "--game", "limit_holdem(ranks=4)", "--hands", 20, "--lbr-hands", 4]


@pytest.mark.slow
def test_one_table_and_one_picture(call: Callable[..., Result], tmp_path: Path) -> None:
    """The command prints a cross table with intervals, totals, LBR, time and memory, and draws it."""
    result = call("arena", *WORDS, "--no-memory", "--plot", tmp_path / "arena.png")
    assert result.exit_code == 0, result.stderr
    told = result.stdout
    rows = {line.split()[0]: line for line in told.splitlines() if " ± " in line and not line.startswith(" ")}
    assert {"always-call", "always-fold", "probe"} <= set(rows)
    assert "local best response" in told
    assert "750" in told
    assert (tmp_path / "arena.png").read_bytes()[:4] == b"\x89PNG"


def test_means_without_luck_are_explained(call: Callable[..., Result], tmp_path: Path) -> None:
    """Where AIVAT knows all hands of both, only rounding is left of the interval, and that is said."""
    for name in ("cfr", "cfr+"):
        made = call("solve", "kuhn_poker", "-a", name, "-n", 20, "--out", tmp_path / f"{name}.cpz")
        assert made.exit_code == 0, made.stderr
    agents = [f"strategy:{tmp_path / name}.cpz" for name in ("cfr", "cfr+")]
    told = call("arena", *agents, "--game", "kuhn_poker", "--hands", 200, "--lbr-hands", 0, "--no-memory").stdout
    assert "no luck is left in the mean, only rounding" in told


@pytest.mark.slow
def test_json(ask: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    found = ask("arena", *WORDS, "--no-memory", "--resume", tmp_path / "folder")
    assert (found["hands"], found["seats"], found["unit"], found["interrupted"]) == (20, 2, "mbb", False)
    assert sorted(agent["rank"] for agent in found["agents"]) == [1, 2, 3]
    fold = next(agent for agent in found["agents"] if agent["name"] == "always-fold")
    assert (fold["lbr"], fold["lbr_ci95"], fold["memory_mb"]) == (750.0, 0.0, None)
    again = ask("arena", *WORDS, "--no-memory", "--resume", tmp_path / "folder")
    assert again["matches"] == found["matches"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["arena", "alway-call", "random"], "unknown agent 'alway-call': did you mean always-call"),
        (["arena", *WORDS[:5], "--hands", 0], "--hands must be"),
        (["arena", *WORDS, "--plot", "arena.txt"], "cannot draw arena.txt"),
        (["arena", *WORDS, "--resume", __file__], "--resume must name a folder"),
        (["arena", "blueprint:none.cpz", "random"], "none.cpz does not exist"),
    ],
)
def test_wrong_input(refuse: Callable[..., str], words: list[Any], sentence: str) -> None:
    assert refuse(*words).startswith(sentence)
