"""What long commands print where standard error is no terminal: lines at an interval, whatever the command is at."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from typer.testing import Result

from counterpoise import progress

TRAIN = ["train", "limit_holdem(board=[0, 3], ranks=5, suits=2, max_bets=2)", "-n", 5000, "--out", "t.cpz"]
ARENA = ["arena", "always-call", "random", "--game", "kuhn_poker", "--hands", 300, "--lbr-hands", 0]
MATCH = ["match", "random", "always-call", "--game", "kuhn_poker", "--hands", 3000]
STAGES = {
    "train": (TRAIN, [r"training limit_holdem.*: \d+%, .*", "training limit_holdem.*public histories.*"]),
    "match": (MATCH, [r"random vs always-call: \d+%, .* deals .*, about .* left"]),
    "arena": (ARENA, [r"always-call vs random: \d+%, .* deals .*", "memory of always-call", "memory of random"]),
}


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line at every look at the clock instead of every half minute."""
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.0)
    monkeypatch.setattr(progress, "ESTIMATE_AFTER", 0.0)
    monkeypatch.setattr(progress, "TICK", 0.005)


@pytest.mark.slow
@pytest.mark.parametrize("name", STAGES)
def test_a_pipe_is_told_every_stage(call: Callable[..., Result], impatient: None, name: str) -> None:
    """Also with --json, as standard error is for people; every line says what is at work, and for how long."""
    words, stages = STAGES[name]
    found = call(*words, "--json")
    assert found.exit_code == 0, found.stderr
    lines = [line for line in found.stderr.splitlines() if line.endswith(" so far")]
    for stage in stages:
        assert any(re.fullmatch(f"{stage}, .* so far|{stage}: .* so far", line) for line in lines), found.stderr
    assert not any("nan" in line for line in lines)
    assert all(re.match(r"[a-z]", line) for line in lines)


def test_a_short_command_is_silent_in_a_pipe(call: Callable[..., Result]) -> None:
    assert call(*MATCH, "--json").stderr == ""
