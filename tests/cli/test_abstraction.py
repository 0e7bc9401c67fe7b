"""`counterpoise abstraction`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

SMALL = ("--ranks", 5, "--sample", 3000)


@pytest.fixture
def built(ask: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("COUNTERPOISE_CACHE", str(tmp_path / "kept"))
    answer = ask("abstraction", "IR-PHS-PHS", "--buckets", "5,4,4,4", "--out", "a.cpz", *SMALL)
    assert answer["buckets"] == {"preflop": 5, "flop": 4, "turn": 4, "river": 4}
    return Path("a.cpz")


def test_look_up(ask: Any, call: Any, built: Path) -> None:
    row = ask("abstraction", built, "--board", "AsKdQc")
    assert row["street"] == "flop"
    assert len(row["row"]) == 190
    assert min(row["row"]) == -1
    hand = ask("abstraction", built, "--board", "AsKdQc", "--hand", "AhAd")
    assert (hand["street"], hand["buckets"]) == ("flop", 4)
    assert hand["bucket"] == max(row["row"])
    assert len(hand["others"]) == row["row"].count(hand["bucket"]) - 1
    assert ask("abstraction", built, "--hand", "AhAd")["street"] == "preflop"
    river = ask("abstraction", built, "--board", "As Kd Qc Jh Th", "--hand", "AhAd", "--plot", "bucket.png")
    assert (river["street"], river["plot"]) == ("river", "bucket.png")
    assert Path("bucket.png").stat().st_size > 1000
    assert "with it" in call("abstraction", built, "--board", "AsKdQc", "--hand", "AhAd").stdout
    assert "hands by bucket" in call("abstraction", built, "--board", "AsKdQc").stdout
    assert "perfect recall" in call("abstraction", built).stdout


def test_compare(ask: Any, call: Any, built: Path) -> None:
    ask("abstraction", "IR-PHS-PHS", "--buckets", "5,8,8,8", "--out", "b.cpz", *SMALL)
    same = ask("abstraction", "--compare", built, built)
    assert [street["rand_index"] for street in same["streets"]] == pytest.approx([1.0] * 4)
    finer = ask("abstraction", "--compare", built, "b.cpz")["streets"][1]
    assert finer["buckets"] == [4, 8]
    assert finer["shared_bits"] == pytest.approx(finer["bits"][0], abs=0.3)
    assert 0 < finer["rand_index"] < 1
    assert "adjusted Rand index" in call("abstraction", "--compare", built, "b.cpz").stdout


def test_estimate(ask: Any) -> None:
    answer = ask("abstraction", "IR-KE-KO", "--buckets", "169,200,200,200", "--estimate")
    assert answer["memory"] < 8e9


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("IR-KE-KX", "--buckets", "1,1,1,1", "--out", "x.cpz"), "names no abstraction"),
        (("IR-KE-KO", "--buckets", "170,1,1,1", "--out", "x.cpz"), "at most 169"),
        (("IR-KE-KO", "--buckets", "1,1,1,1"), "--out is missing"),
        (("IR-KE-KO", "--buckets", "1,1,1,1", "--out", "x.txt"), "ending in .cpz"),
        (("IR-KE-KO", "--buckets", "1,1,1,1", "--out", "no/x.cpz"), "does not exist"),
        (("IR-KE-KO", "--out", "x.cpz"), "buckets must be 4 numbers"),
        (("IR-KE-KO", "--buckets", "1,1,1,1", "--hand", "AsAh"), "is built, not looked into"),
        (("no.cpz", "--hand", "AsAh"), "no.cpz does not exist"),
        (("no.cpz", "--plot", "x.png"), "--plot needs --hand"),
        (("no.cpz", "--buckets", "3"), "is looked into, not built"),
        (("no.toml", "--out", "x.cpz"), "cannot read no.toml"),
        ((), "is missing"),
        (("--compare", "a.cpz", "b.cpz"), "a.cpz does not exist"),
        (("--compare", "a.cpz", "b.cpz", "--seed", "3"), "--seed makes no sense"),
    ],
)
def test_wrong_input(refuse: Any, words: tuple[str, ...], sentence: str) -> None:
    assert sentence in refuse("abstraction", *words)


def test_wrong_cards(call: Any, built: Path) -> None:
    for words, sentence in (
        (("--board", "AsKd"), "0, 3, 4, 5 cards"),
        (("--board", "AsKd2c"), "2c is not in the deck"),
        (("--board", "AsKdQc", "--hand", "AsAd"), "shares a card"),
    ):
        result = call("abstraction", built, *words)
        assert result.exit_code == 2
        assert sentence in result.stderr
