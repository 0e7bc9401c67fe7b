"""`counterpoise spot --optimise-sizes` and `--simplify`."""

from __future__ import annotations

import signal
import subprocess

import pytest

import counterpoise as cp
from counterpoise.cli.app import MISSED
from tests.cli.test_process import START
from tests.spots.sizes.test_optimise import TURN
from tests.spots.sizes.test_simplify import SPOT


@pytest.fixture
def river(tmp_path):
    path = tmp_path / "river.toml"
    SPOT.save(path)
    return path


def test_json_picture_and_file(ask, call, river, tmp_path):
    out, plot = tmp_path / "better.toml", tmp_path / "sizes.png"
    answer = ask("spot", river, "--optimise-sizes", 1, "--seat", "ip", "--out", out, "--plot", plot, "--threads", 1)
    (size,) = answer["sizes"]["river"]
    assert 20 < size < 200
    assert answer["gain_pct"] == pytest.approx(answer["sets"][0]["ev_pct"] - answer["sets"][1]["ev_pct"])
    assert answer["out"] == str(out)
    assert plot.stat().st_size > 10_000
    assert cp.Spot.load(out).river["bet"]["ip"] == [f"{size:g}%"]
    again = ask("spot", out, "--target", 0.1)
    assert again["ev"]["ip"] == pytest.approx(answer["ev"]["ip"], abs=0.3)


def test_table_for_people(call, river):
    result = call("spot", river, "--optimise-sizes", 1, "--seat", "ip", "--threads", 1)
    assert result.exit_code == 0, result.stderr
    assert "ip's bets; oop keeps its sizes" in result.stdout
    assert "the spot's own" in result.stdout
    assert "33/75/150 %" in result.stdout
    assert "about" in result.stderr  # the estimate


def test_gain_below_the_solving_error_is_said_to_be_so(call, river):
    result = call("spot", river, "--optimise-sizes", 2, "--seat", "ip", "--target", 5, "--threads", 1)
    assert "not more than the solving error" in result.stdout


def test_simplify(ask, call, river, tmp_path):
    answer = ask("spot", river, "--simplify", 0.5, "--seat", "ip", "--threads", 1, "--out", tmp_path / "simple.json")
    assert answer["cost_pct"] <= 0.5
    assert 1 <= len(answer["sizes"]["river"]) < 4
    assert cp.Spot.load(tmp_path / "simple.json").river["bet"]["oop"] == SPOT.river["bet"]
    result = call("spot", river, "--simplify", 0.5, "--seat", "ip", "--threads", 1, "--menu", "50,100,allin")
    assert "left out" in result.stdout


def test_estimate_solves_nothing(ask, call, river):
    assert ask("spot", river, "--optimise-sizes", 1, "--estimate")["cpu_seconds"] > 0
    assert "all solves together" in call("spot", river, "--simplify", 1, "--estimate").stdout


def test_stopped_it_prints_the_best_so_far(call, river, monkeypatch):
    from counterpoise.spots.sizes.solves import SizeSolver

    solve = SizeSolver.solve

    def solve_and_stop(self, name, seat, words):
        solve(self, name, seat, words)
        if name == "found":
            self._token.cancel()

    monkeypatch.setattr(SizeSolver, "solve", solve_and_stop)
    result = call("spot", river, "--optimise-sizes", 1, "--seat", "ip", "--threads", 1)
    assert result.exit_code == MISSED
    assert "by Ctrl-C: these are the best sizes so far" in result.stdout
    assert "found" in result.stdout


@pytest.mark.slow
def test_ctrl_c_after_the_first_solve(tmp_path):
    """The process tells of each solve on standard error; Ctrl-C then ends it with what it has."""
    spot, out = tmp_path / "turn.toml", tmp_path / "better.toml"
    TURN.save(spot)
    words = ["spot", str(spot), "--optimise-sizes", "2", "--seat", "ip", "--target", "0.01", "--out", str(out)]
    process = subprocess.Popen([*START, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    while not (line := process.stderr.readline()).startswith("the spot's own: EV"):
        assert line, "it ended before the first solve"
    process.send_signal(signal.SIGINT)
    told, complaints = process.communicate(timeout=120)
    assert process.returncode == MISSED, complaints
    assert "by Ctrl-C: these are the best sizes so far" in told
    assert "Traceback" not in complaints
    assert cp.Spot.load(out).pot == TURN.pot


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--optimise-sizes", 3), "--optimise-sizes must be a whole number from 1 to 2, not 3"),
        (
            ("--optimise-sizes", 1, "--size-range", "0.1:0.5"),
            "--size-range 0.1 to 0.5 % of the pot leaves no",
        ),
        (("--optimise-sizes", 1, "--size-range", "400:500"), "leaves no legal bet: the stack is 300 % of the pot"),
        (("--optimise-sizes", 1, "--size-range", "50"), "is not a range of sizes"),
        (("--optimise-sizes", 1, "--simplify", 1), "exclude each other"),
        (("--optimise-sizes", 1, "--seat", "btn"), "--seat must be oop or ip, not 'btn'"),
        (("--optimise-sizes", 1, "--out", "better.cpz"), "--out must name a spot file ending in .toml or .json"),
        (("--optimise-sizes", 1, "--menu", "50"), "--menu makes no sense here"),
        (("--optimise-sizes", 1, "--node", "r:0"), "--node makes no sense here"),
        (("--optimise-sizes", 1, "--seconds", 3), "--seconds makes no sense here"),
        (("--simplify", 0), "--simplify must be a positive number"),
        (("--simplify", 1, "--plot", "a.png"), "--plot makes no sense here"),
        (("--seat", "ip"), "--seat makes no sense here: it needs --optimise-sizes or --simplify"),
    ],
)
def test_wrong_input(refuse, river, words, sentence):
    assert sentence in refuse("spot", river, *words)


@pytest.mark.parametrize("words", [("--optimise-sizes", 1), ("--simplify", 1), ("--simplify", 1, "--menu", "50")])
def test_without_bets_the_seat_must_be_named(ask, refuse, tmp_path, words):
    path = tmp_path / "nobet.toml"
    cp.Spot.from_dict(TURN.to_dict() | {"turn": {"bet": []}, "river": {"bet": [], "donk": ["50%"]}}).save(path)
    assert "--seat must be named, oop or ip: neither player of the spot has bets" in refuse("spot", path, *words)
    assert ask("spot", path, *words, "--seat", "oop", "--estimate")["nodes"] > 0


def test_reading_and_writing_one_file_is_refused(refuse, river):
    assert "which is read" in refuse("spot", river, "--simplify", 1, "--out", river)
