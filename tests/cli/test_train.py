"""`counterpoise train`."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import counterpoise as cp
from counterpoise.cli import app

GAME = "limit_holdem(board=[0, 3], ranks=7, suits=1, max_bets=2)"
FIELDS = ["game", "method", "iterations", "nodes", "nodes_per_cpu_second", "memory_mb", "cpu_seconds", "exploitability"]


def test_train_json(ask: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    """INTERFACE: the fields that other programs read, and the exploitability of a small game."""
    found = ask("train", GAME, "-n", 2000, "--out", tmp_path / "a.cpz", "--litmus", "--plot", tmp_path / "a.png")
    for field in FIELDS:
        assert field in found
    assert (found["game"], found["method"], found["iterations"]) == (cp.load(GAME).name, "external", 2000)
    assert 0 < found["exploitability"] < 2
    assert [one["name"] for one in found["litmus"]]
    assert (tmp_path / "a.png").stat().st_size > 1000
    longer = ask("train", "--resume", tmp_path / "a.cpz", "-n", 30_000, "--out", tmp_path / "a.cpz")
    assert longer["iterations"] == 30_000
    assert longer["exploitability"] < found["exploitability"]


def test_train_prints(tmp_path: Path) -> None:
    words = ["train", GAME, "-n", "200", "--method", "vector", "--out", str(tmp_path / "v.cpz"), "--litmus"]
    found = CliRunner().invoke(app, words)
    assert found.exit_code == 0, found.output
    for word in ("200 boards", "chips per hand, exact", "litmus test", "saved to"):
        assert word in found.output
    assert "never handed out" not in found.output


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["leduc_poker", "-n", "10"], "hold'em"),
        ([GAME], "minutes or iterations must say"),
        ([GAME, "-n", "10", "--method", "guess"], "unknown method 'guess': known: external, vector, clusters"),
        ([GAME, "-n", "10", "--skip", "never"], "none, regret or hand"),
        ([GAME, "-n", "10", "--abstraction", "nowhere.cpz"], "nowhere.cpz"),
        (
            [GAME, "-n", "10", "--processes", "2", "--cluster", "local:2"],
            "--processes and --cluster exclude each other",
        ),
        (
            [GAME, "-n", "10", "--cluster", "somewhere"],
            "cluster must be local:N with a number of workers, or HOST:PORT",
        ),
        ([GAME, "-n", "10", "--processes", "0"], "processes must be"),
        ([GAME, "-n", "10", "--method", "vector", "--processes", "2"], "method vector runs in one process"),
        ([GAME, "-n", "10", "--workers", "2"], "--workers makes no sense here: it is for networks"),
        (["leduc_poker", "-n", "1", "--method", "deep-cfr", "--cluster", "local:2"], "--cluster makes no sense here"),
    ],
)
def test_wrong_input(words: list[str], sentence: str, tmp_path: Path) -> None:
    """One sentence, exit code 2, no file."""
    found = CliRunner().invoke(app, ["train", *words, "--out", str(tmp_path / "x.cpz")])
    assert found.exit_code == 2
    assert sentence in found.output.replace("\n", " ")
    assert not list(tmp_path.iterdir())


@pytest.mark.long
def test_killed_process_continues_with_the_same_bytes(tmp_path: Path) -> None:
    """Killed while it trains, the run continues from its checkpoint and ends as one that was never stopped."""
    base = [sys.executable, "-m", "counterpoise", "train"]
    killed, whole = tmp_path / "killed.cpz", tmp_path / "whole.cpz"
    words = [GAME, "--seed", "3", "--period", "1000", "--out"]
    job = subprocess.Popen([*base, *words, str(killed), "--minutes", "5", "--checkpoint-minutes", "0.01"])
    checkpoint = tmp_path / "killed.training.cpz"
    until = time.monotonic() + 120
    while not checkpoint.exists() and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(0.3)
    job.send_signal(signal.SIGKILL)
    job.wait()
    reached = cp.load_blueprint(killed).made["iterations"]
    goal = str(max(2 * reached, reached + 5000))
    subprocess.run([*base, "--resume", str(killed), "-n", goal, "--out", str(killed), "--json"], check=True)
    subprocess.run([*base, *words, str(whole), "-n", goal, "--json"], check=True)
    assert cp.load_blueprint(killed).table.tobytes() == cp.load_blueprint(whole).table.tobytes()


@pytest.mark.slow
def test_a_figure_that_cannot_be_drawn_is_missed(tmp_path: Path) -> None:
    """Exploitability of large games is never measured: the figure that was asked for is not there, and that is said."""
    pytest.importorskip("jax")
    game = "limit_holdem(board=[0, 3], bets=[2, 2], ranks=4, suits=2)"
    words = ["--method", "single-deep-cfr(traversals=2, steps=1, batch=8, hidden=[4])", "-n", "1"]
    files = ["--out", str(tmp_path / "a.cpz"), "--plot", str(tmp_path / "a.png")]
    found = CliRunner().invoke(app, ["train", game, *words, *files])
    assert found.exit_code == 1
    assert found.stderr.endswith(f"error: {tmp_path / 'a.png'} was not drawn: exploitability was never measured\n")
    assert (tmp_path / "a.cpz").exists()
    assert not (tmp_path / "a.png").exists()
