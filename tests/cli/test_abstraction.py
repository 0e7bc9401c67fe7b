"""`counterpoise abstraction`."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

from .test_process import START

SMALL = ("--ranks", 5, "--sample", 3000)


@pytest.fixture
def built(ask: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("COUNTERPOISE_CACHE", str(tmp_path / "kept"))
    answer = ask("abstraction", "IR-PHS-PHS", "--buckets", "5,4,4,4", "--out", "a.cpz", *SMALL)
    assert answer["buckets"] == {"preflop": 5, "flop": 4, "turn": 4, "river": 4}
    return Path("a.cpz")


def test_streets_and_canonical_hands_are_told(call: Any, built: Path) -> None:
    """Two numbers are two streets; as many buckets as hands are canonical ones, whatever was asked for."""
    told = call("abstraction", "IR-PHS-PHS", "--buckets", "25,4", "--out", "two.cpz", *SMALL)
    assert "2 streets: preflop and flop" in told.stderr, "before the build"
    assert "2 streets: preflop and flop" in told.stdout
    assert "25 buckets (C: as many as different hands)" in told.stdout
    assert "turn" not in told.stdout
    estimate = call("abstraction", "IR-PHS-PHS", "--buckets", "5,4,3", "--estimate", *SMALL).stdout
    assert "3 streets: preflop, flop and turn" in estimate


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
    told = call("abstraction", "--compare", built, "b.cpz").stdout
    assert re.search(r"A +a.cpz +\n +B +b.cpz +\n", told)
    assert "1 if A and B put the same hands together" in told


def test_estimate(ask: Any, call: Any) -> None:
    words = ("abstraction", "IR-KE-KO", "--buckets", "169,9000,9000,9000", "--estimate")
    answer = ask(*words)
    assert answer["memory"] < 8e9
    assert answer["limit_holdem"]["total_infosets"] == 57_331_352
    assert "57,331,352 information sets, 1.2 GB" in call(*words).stdout
    assert "--fit limits" not in call(*words).stdout
    fitted = call("abstraction", "IR-KE-KO", "--buckets", "169,?,?,?", "--fit", "100MB", "--estimate").stdout
    assert "--fit limits the solver's tables, not the build" in fitted
    two = ask("abstraction", "IR-C-KO", "--buckets", "169,200", "--estimate")
    assert two["limit_holdem"]["infosets"] == [1352, 14_000]


def test_what_fits(ask: Any) -> None:
    words = ("--estimate", "--fit", "500MB")
    answer = ask("abstraction", "IR-KE-KO", "--buckets", "169,?,?,?", *words)["limit_holdem"]
    assert answer["buckets"] == [169, 3773, 3773, 3773]
    assert answer["memory"] <= 500e6
    moved = ask("abstraction", "IR-C-KE-KE-KO", "--buckets", "?,?,1950", *words)["limit_holdem"]
    assert moved["buckets"] == [169, 18_543, 18_543, 1950]
    assert moved["memory"] <= 500e6


def contents(file: Path) -> dict[str, bytes]:
    """The bytes of every member of a file; the archive itself also says when it was written."""
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.long
def test_interrupted_and_killed_builds_continue(tmp_path: Path) -> None:
    """Ctrl-C after a street, then a kill inside the next one: the third start ends with the bytes of a fresh build."""
    name = ("IR-KE-KO", "--buckets", "10,30,60,20", "--ranks", "6", "--sample", "20000", "--out")
    folder = tmp_path / "kept" / "abstraction"

    def start(out: str, kept: str) -> subprocess.Popen[str]:
        environment = os.environ | {"COUNTERPOISE_CACHE": str(tmp_path / kept)}
        words = [*START, "abstraction", *name, out]
        return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)

    def wait_for(process: subprocess.Popen[str], pattern: str) -> None:
        while not any(re.fullmatch(pattern, file.name) for file in folder.glob("v*")):
            assert process.poll() is None, "it ended before it could be stopped"
            time.sleep(0.005)

    fresh = start("fresh.cpz", "fresh")
    told, complaints = fresh.communicate(timeout=300)
    assert fresh.returncode == 0, complaints
    assert "60 buckets (KE)" in told

    stopped = start("again.cpz", "kept")
    wait_for(stopped, r"v\d+-street-\w+.cpz")  # parts of a street have another dash
    for _ in range(3):
        stopped.send_signal(signal.SIGINT)
    told, complaints = stopped.communicate(timeout=60)
    assert stopped.returncode == 1, complaints
    assert told == ""
    assert f"streets finished; all that is finished is kept in {folder}: start the same build again" in complaints
    assert "error" not in complaints
    assert "Traceback" not in complaints

    killed = start("again.cpz", "kept")
    wait_for(killed, r".*-run-1.cpz")
    killed.kill()
    killed.communicate(timeout=60)
    assert killed.returncode == -signal.SIGKILL
    assert not Path("again.cpz").exists()

    last = start("again.cpz", "kept")
    _, complaints = last.communicate(timeout=300)
    assert last.returncode == 0, complaints
    assert contents(Path("again.cpz")) == contents(Path("fresh.cpz"))
    assert len(list(folder.iterdir())) == 5, "nothing but finished streets and opponent clusters is left"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("IR-KE-KX", "--buckets", "1,1,1,1", "--out", "x.cpz"), "names no abstraction"),
        (("IR-KE-KO", "--buckets", "170,1,1,1", "--out", "x.cpz"), "at most 169"),
        (
            ("IR-KE-KO", "--buckets", "0,1,1,1", "--out", "x.cpz"),
            "buckets of the preflop must be a whole number from 1",
        ),
        (("IR-C-PHS", "--buckets", "9999999,30", "--ranks", "5", "--out", "x.cpz"), "must be 25 or left out, as C"),
        (("IR-KE-KO", "--buckets", "1,1,1,1"), "--out is missing"),
        (("IR-KE-KO", "--buckets", "1,1,1,1", "--out", "x.txt"), "ending in .cpz"),
        (("IR-KE-KO", "--buckets", "1,1,1,1", "--out", "no/x.cpz"), "does not exist"),
        (("IR-KE-KO", "--out", "x.cpz"), "buckets must be 4 numbers"),
        (("IR-KE-KO", "--buckets", "169,?,?,?", "--estimate"), "needs --fit"),
        (("IR-C-KE", "--buckets", "?,?", "--estimate", "--fit", "4GB"), "must be 169 or left out, as C gives each"),
        (("IR-KE-KO", "--buckets", "169,?,?,?", "--estimate", "--fit", "4"), "'4' is not a size"),
        (("IR-KE-KO", "--buckets", "169,?,?,?", "--estimate", "--fit", "4kB"), "needs 160,888 bytes; 4,000"),
        (("IR-KE-KO", "--buckets", "1,1,1,1", "--estimate", "--fit", "4GB"), "--fit makes no sense here"),
        (("PR-KE-KO", "--buckets", "?,2,2,2", "--estimate", "--fit", "4GB"), "--fit is for imperfect recall"),
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
