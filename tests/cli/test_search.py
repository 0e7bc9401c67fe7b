"""`counterpoise search`: figures, JSON keys, bets by street, an unknown bet, one sentence for wrong input."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

import counterpoise as cp
from tests.spots.conftest import TURN

START = [sys.executable, "-c", "from counterpoise.cli import main; main()"]
KEYS = {
    *("id", "start", "facing", "searcher", "method", "loss", "loss_pct", "mean_loss", "mean_loss_pct", "hands", "node"),
    *("smallest_margin", "mean_margin", "ev_before", "ev_after", "exploitability_pct", "iterations", "cpu_seconds"),
}


@pytest.fixture(scope="module")
def solution() -> cp.Solution:
    spot = cp.Spot(**(TURN | {"name": "turn", "oop": "AhKh,9d8d,7c7s:0.5,QhTh", "ip": "KdQd,JhTh:0.75,AdQc,8h8c"}))
    return cp.solve_spot(spot, target=0.2, progress=False, threads=1)


@pytest.fixture
def file(solution: cp.Solution, tmp_path: Path) -> Path:
    solution.save(tmp_path / "turn.cpz")
    return tmp_path / "turn.cpz"


def test_json_has_the_keys(ask: Callable[..., dict[str, Any]], file: Path) -> None:
    answer = ask("search", file, "--node", "r:0:c")
    assert set(answer) >= KEYS
    assert (answer["searcher"], answer["method"], answer["target"], answer["facing"]) == ("ip", "resolve", 0.5, None)
    assert answer["exploitability_pct"] <= 0.5
    assert answer["loss"] == pytest.approx(max(0, -answer["smallest_margin"]))
    assert min(hand["margin"] for hand in answer["hands"]) == pytest.approx(answer["smallest_margin"])
    assert answer["loss_pct"] == pytest.approx(100 * answer["loss"] / answer["pot"])
    assert answer["node"]["id"] == "r:0:c"
    assert {row["hand"] for row in answer["node"]["hands"]} == {"KdQd", "JhTh", "AdQc", "8c8h"}


def test_bets_by_street(ask: Callable[..., dict[str, Any]], file: Path) -> None:
    words = ("--bet", "25%", "--bet", "river:50%,allin", "--raise", "allin", "-n", 20)
    answer = ask("search", file, *words, "--look", "r:0:c:c:8h")
    assert answer["start"] == "r:0"
    assert answer["target"] is None
    assert answer["node"]["actions"] == ["c", "b50", "b150"]
    assert ask("search", file, *words)["node"]["actions"] == ["c", "b25"]
    assert ask("search", file, *words, "--look", "r:0:b25")["node"]["actions"] == ["f", "c", "b150"]


def test_an_unknown_bet(ask: Callable[..., dict[str, Any]], call: Callable[..., Result], file: Path) -> None:
    answer = ask("search", file, "--node", "r:0:c", "--facing", 80, "--method", "maxmargin", "--plot", "grid.png")
    assert (answer["facing"], answer["start"], answer["searcher"]) == ("b80", "r:0:c:b80", "oop")
    assert answer["node"]["pot"] == 180
    assert Path("grid.png").read_bytes().startswith(b"\x89PNG")
    told = call("search", file, "--node", "r:0:c", "--facing", 80, "--grid")
    assert told.exit_code == 0
    for words in ("b80, which the solution does not know", "can lose", "EV before", "OOP to act, pot 180"):
        assert words in told.stdout


def test_the_guarantee_in_words(call: Callable[..., Result], file: Path) -> None:
    told = call("search", file, "--node", "r:0:c", "--target", 0.1).stdout
    assert "resolve for ip" in told
    assert "hand of oop" in told
    assert "nan" not in told


def test_missing_the_target_is_exit_code_1(call: Callable[..., Result], file: Path) -> None:
    result = call("search", file, "-n", 2, "--target", 1e-6)
    assert result.exit_code == 1
    assert "not reached" in result.stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--node", "r:0:b51"), "'b51' is not in the tree here"),
        (("--node", "r:0:c:c"), "deals a card"),
        (("--facing", "50"), "this bet is in the tree, search node r:0:b50"),
        (("--facing", "1000"), "may bet 1 to 150 chips"),
        (("--facing", "half"), "facing must be whole chips"),
        (("--searcher", "me"), "player must be oop or ip"),
        (("--method", "safe"), "method must be"),
        (("--bet", "flop:50%"), "'flop' is no street from here on: turn, river"),
        (("--bet", "lots"), "'lots' is not a bet size"),
        (("--raise", "turn:0%"), "must be above 0"),
        (("--target", "-1"), "--target must be a positive number"),
        (("--plot", "grid.txt"), "grid.txt"),
        (("--bits", "7"), "bits must be 16 or 32"),
        (("--out", "new.txt"), "--out must name a file ending in .cpz"),
        (("--out", "turn.cpz"), "which is read"),
        (("--look", "r:0:b50:f"), "it is folded"),
        (("--node", "r:0:c", "--look", "r:0:b50"), "is not below r:0:c"),
        (("--look", "r:0:c:c", "--grid"), "nobody acts there"),
    ],
)
def test_wrong_input(refuse: Callable[..., str], file: Path, words: tuple[str, ...], sentence: str) -> None:
    assert sentence in refuse("search", file, *words)


def test_saved_and_looked_at(
    ask: Callable[..., dict[str, Any]], call: Callable[..., Result], refuse: Callable[..., str], file: Path
) -> None:
    before = ask("search", file, "--node", "r:0:c", "--facing", 80, "--out", "new.cpz")
    after = ask("search", "new.cpz")
    for key in KEYS - {"node"}:
        assert after[key] == before[key], key
    assert after["node"]["hands"] == before["node"]["hands"]
    assert call("search", "new.cpz", "--look", "r:0:c:b80:c:8h", "--grid").exit_code == 0
    assert "--facing makes no sense here" in refuse("search", "new.cpz", "--facing", 70)
    assert "is not below r:0:c:b80" in refuse("search", "new.cpz", "--look", "r:0")
    assert "not" in refuse("spot", "new.cpz")


def test_files_that_cannot_be_searched(refuse: Callable[..., str], solution: cp.Solution, tmp_path: Path) -> None:
    solution.save(tmp_path / "small.cpz", river=False)
    assert "no river strategies" in refuse("search", "small.cpz")
    assert "does not exist" in refuse("search", "nowhere.cpz")


def test_ctrl_c_keeps_what_was_found(file: Path) -> None:
    words = ["search", str(file), "-n", str(10**9)]
    process = subprocess.Popen([*START, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    while "left" not in process.stderr.readline():  # said after two seconds of iterating
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    told, complaints = process.communicate(timeout=60)
    assert process.returncode == 1, complaints
    assert "by Ctrl-C" in told
    assert "Traceback" not in complaints
