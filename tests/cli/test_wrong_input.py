"""Every wrong input: exit code 2, one sentence that names it, no traceback, no file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import counterpoise as cp
from counterpoise.games import GAMES
from counterpoise.games.kuhn import KuhnPoker

PRISONERS = "matrix(row_payoffs=[[3, 0], [5, 1]], column_payoffs=[[3, 5], [0, 1]])"


@dataclass(frozen=True)
class Forgetful(KuhnPoker):
    """The second player forgets the card it held; the first one forgets its own move."""

    def infoset(self, state: Any) -> str:
        return state.cards[len(state.moves) % 2]


@dataclass(frozen=True)
class Crooked(KuhnPoker):
    def chance(self, state: Any) -> list[tuple[str, float]]:
        return [(deal, 0.9 * probability) for deal, probability in super().chance(state)]


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "kuhn.cpz"
    cp.solve("kuhn_poker", "cfr+", iterations=10).save(path)
    return path


@pytest.fixture
def no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails the test if a game is enumerated: the complaint must come before work starts."""

    def forbidden(*_: object, **__: object) -> None:
        raise AssertionError("work started before the input was checked")

    for module in ("solvers.run", "solvers.race", "tree.evaluation"):
        monkeypatch.setattr(f"counterpoise.{module}.enumerate_game", forbidden)


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["solve", "kuhn"], ["unknown game 'kuhn'", "kuhn_poker"]),
        (["solve"], ["name the game"]),
        (["solve", "missing.efg"], ["missing.efg"]),
        (["solve", "openspiel:no_such_game"], ["OpenSpiel"]),
        (["solve", "kuhn_poker(player=3)"], ["no parameter 'player'", "players"]),
        (["solve", "kuhn_poker(players=two)"], ["players", "'two'"]),
        (["solve", "kuhn_poker(players=3"], ["cannot be read"]),
        (["solve", "kuhn_poker", "-a", "cfrr"], ["unknown algorithm 'cfrr'", "cfr"]),
        (["solve", "kuhn_poker", "-a", ""], ["unknown algorithm ''"]),
        (["solve", "kuhn_poker", "-a", "dcfr(alfa=2)"], ["no parameter 'alfa'", "alpha"]),
        (["solve", "kuhn_poker", "-a", "dcfr(alpha=[])"], ["alpha"]),
        (["solve", "kuhn_poker", "--target", "0"], ["--target", "positive", "0"]),
        (["solve", "kuhn_poker", "--target", "-0.1"], ["--target", "-0.1"]),
        (["solve", "kuhn_poker", "--target", "nan"], ["--target", "nan"]),
        (["solve", "kuhn_poker", "--target", "small"], ["--target", "'small'"]),
        (["solve", "kuhn_poker", "--seconds", "0"], ["--seconds"]),
        (["solve", "kuhn_poker", "-n", "0"], ["--iterations", "at least 1", "0"]),
        (["solve", "kuhn_poker", "-n", "-5"], ["--iterations", "-5"]),
        (["solve", "kuhn_poker", "-n", "1e3"], ["--iterations", "'1e3'", "whole number"]),
        (["solve", "kuhn_poker", "--seed", "-1"], ["--seed", "-1"]),
        (["solve", "kuhn_poker", "--out", "missing/run.cpz"], ["missing", "does not exist"]),
        (["solve", "kuhn_poker", "--out", "."], ["is a folder"]),
        (["solve", "kuhn_poker", "--out", "/proc/run.cpz"], ["cannot write /proc/run.cpz"]),
        (["solve", "kuhn_poker", "--plot", "curve.jpg"], ["curve.jpg", ".png, .svg or .pdf"]),
        (["solve", "kuhn_poker", "--plot", "curve"], [".png, .svg or .pdf"]),
        (["solve", "kuhn_poker", "--plot", "missing/curve.png"], ["does not exist"]),
        (["solve", "kuhn_poker", "--out", "same.png", "--plot", "same.png"], ["same.png", "two files"]),
        (["solve", "--resume", "missing.cpz"], ["missing.cpz does not exist"]),
        (["solve", "--resume", "."], ["folder"]),
        (["solve", "kuhn_poker", "--warm-start", "missing.cpz"], ["missing.cpz does not exist"]),
        (["solve", "kuhn_poker", "--warm-start", "a.cpz", "--resume", "b.cpz"], ["--warm-start and --resume"]),
        (["solve", "kuhn_poker", "--warm-iterations", "5"], ["--warm-iterations needs --warm-start"]),
        (["solve", "kuhn_poker", "--warm-start", "a.cpz", "--warm-iterations", "0"], ["--warm-iterations", "not 0"]),
        (["solve", "kuhn_poker", "--warm-start", "a.cpz", "--warm-iterations", "x"], ["--warm-iterations", "'x'"]),
        (["solve", "kuhn_poker", "--itera", "5"], ["--itera", "did you mean --iterations?"]),
        (["solve", "kuhn_poker", "leduc_poker"], ["leduc_poker"]),
        (["solve", "kuhn_poker", "-n"], ["-n", "argument"]),
        (["slove", "kuhn_poker"], ["'slove'", "did you mean solve?"]),
        (["race"], ["GAME"]),
        (["race", "kun_poker"], ["kuhn_poker"]),
        (["race", "kuhn_poker", "-a", "cfr,,dcfr"], ["'cfr,,dcfr'"]),
        (["race", "kuhn_poker", "-a", "cfr,cfr"], ["cfr twice"]),
        (["race", "kuhn_poker", "-a", "cfr,dcfr(alpha=1.5,bta=0)"], ["'bta'", "beta"]),
        (["race", "kuhn_poker", "--plot", "race.gif"], ["race.gif"]),
        (["race", "kuhn_poker", "--x", "days"], ["--x", "'days'", "seconds"]),
        (["race", "kuhn_poker", "-n", "0"], ["--iterations"]),
        (["evaluate"], ["FILE"]),
        (["evaluate", "missing.cpz"], ["missing.cpz does not exist"]),
        (["reproduce"], ["--list"]),
        (["reproduce", "no-such-figure"], ["no-such-figure"]),
        (["games", "--jsn"], ["--json"]),
    ],
)  # fmt: skip
def test_is_refused_before_work(refuse: Any, words: list[str], parts: list[str]) -> None:
    sentence = refuse(*words)
    for part in parts:
        assert part in sentence


def test_imperfect_recall(refuse: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES._entries, "forgetful", Forgetful)
    assert "imperfect recall" in refuse("solve", "forgetful", "--out", "f.cpz", "--plot", "f.png")


def test_chance_that_does_not_sum_to_one(refuse: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES._entries, "crooked", Crooked)
    sentence = refuse("solve", "crooked", "--out", "f.cpz")
    assert "chance probabilities sum to" in sentence
    assert "0.9" in sentence


FORGETFUL = """EFG 2 R "Forgetful" { "A" "B" }
""
p "" 1 1 "first" { "L" "R" } 0
p "" 1 2 "second" { "l" "r" } 0
t "" 1 "" { 1, -1 }
t "" 2 "" { 0, 0 }
p "" 1 2 "second" { "l" "r" } 0
t "" 3 "" { 0, 0 }
t "" 4 "" { 2, -2 }
"""

CROOKED = """EFG 2 R "Crooked" { "A" "B" }
""
c "" 1 "coin" { "H" 0.5 "T" 0.4 } 0
t "" 1 "" { 1, -1 }
t "" 2 "" { -1, 1 }
"""


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (FORGETFUL, "imperfect recall"),
        (CROOKED, "0.9"),
        ("EFG 2 R", "game.efg, line 1, column 8: expected the title in quotes, found the end"),
        ("", "game.efg, line 1, column 1: expected EFG, found the end"),
        ("\x00\xff", "game.efg, line 1, column 1: expected EFG, found '\\x00"),
    ],
)
def test_gambit_files(refuse: Any, tmp_path: Path, content: str, part: str) -> None:
    (tmp_path / "game.efg").write_text(content)
    assert part in refuse("solve", "game.efg", "--out", "f.cpz", "--plot", "f.png")


def test_general_sum_game_for_a_zero_sum_method(refuse: Any) -> None:
    assert "two-player zero-sum" in refuse("solve", PRISONERS, "-a", "egt", "--out", "f.cpz")
    assert "3 players" in refuse("solve", "kuhn_poker(players=3)", "-a", "egt")


def test_race_asks_every_algorithm_before_the_first_one_runs(refuse: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("counterpoise.solvers.solver_job.Driver", None)
    assert "two-player zero-sum" in refuse("race", PRISONERS, "-a", "cfr,egt", "--plot", "race.png")


@pytest.mark.parametrize(
    "words", [["evaluate"], ["solve", "--resume"], ["solve", "kuhn_poker", "--warm-start"]], ids=lambda words: words[-1]
)
class TestDamagedFiles:
    def test_truncated(self, refuse: Any, saved: Path, words: list[str]) -> None:
        saved.write_bytes(saved.read_bytes()[:-100])
        assert "kuhn.cpz is not a whole .cpz file" in refuse(*words, saved)

    def test_edited(self, refuse: Any, saved: Path, words: list[str]) -> None:
        content = bytearray(saved.read_bytes())
        where = content.find(b"probabilities.npy") + 60
        content[where] ^= 0xFF
        saved.write_bytes(content)
        assert "kuhn.cpz" in refuse(*words, saved)

    def test_something_else(self, refuse: Any, saved: Path, words: list[str]) -> None:
        saved.write_text("not a zip file")
        assert "kuhn.cpz" in refuse(*words, saved)


def test_resume_for_another_game_or_algorithm(refuse: Any, saved: Path) -> None:
    assert "is a run on kuhn_poker, not on leduc_poker" in refuse("solve", "leduc_poker", "--resume", saved)
    assert "is a run of cfr+, not of dcfr" in refuse("solve", "--resume", saved, "-a", "dcfr")
    assert "seed 0, not 3" in refuse("solve", "--resume", saved, "--seed", 3)


def test_a_strategy_alone_cannot_be_resumed(refuse: Any, saved: Path, tmp_path: Path) -> None:
    cp.load_strategy(saved).save(tmp_path / "alone.cpz")
    assert "holds a strategy, not a run" in refuse("solve", "--resume", tmp_path / "alone.cpz")


def test_warm_start_from_another_game_or_for_another_algorithm(refuse: Any, saved: Path) -> None:
    assert "its infosets are not those of leduc_poker" in refuse("solve", "leduc_poker", "--warm-start", saved)
    assert "hedge keeps something else" in refuse("solve", "kuhn_poker", "-a", "hedge", "--warm-start", saved)
    assert "two-player zero-sum" in refuse("solve", PRISONERS, "--warm-start", saved)


def test_write_protected(refuse: Any) -> None:
    """/proc takes no files, not even from root."""
    assert "cannot write /proc/run.cpz" in refuse("solve", "kuhn_poker", "--out", "/proc/run.cpz")
    assert "cannot write /proc/run.png" in refuse("solve", "kuhn_poker", "--plot", "/proc/run.png")
