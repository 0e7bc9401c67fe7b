"""`counterpoise spot`: solving, estimating, walking, resuming, folders; JSON keys and one sentence for wrong input."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import Result

import counterpoise as cp
from counterpoise.spots.solve import SpotJob
from counterpoise.store import read_cpz
from tests.spots.conftest import RIVER, TURN
from tests.spots.test_every_algorithm import COMPUTED, NAMES, PLAIN

KEYS = {"ev", "exploitability_pct", "iterations", "seconds", "cpu_seconds", "memory_mb", "nodes", "root"}
PNG = b"\x89PNG\r\n\x1a\n"
START = [sys.executable, "-c", "from counterpoise.cli import main; main()"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "turn.toml"
    cp.Spot(**TURN).save(path)
    return path


@pytest.fixture
def solved(file: Path, call: Callable[..., Result]) -> Path:
    path = file.with_suffix(".cpz")
    assert call("spot", file, "-n", 20, "--out", path).exit_code == 0
    return path


def test_json_has_the_keys(ask: Callable[..., dict[str, Any]], file: Path) -> None:
    answer = ask("spot", file, "--target", 2, "--threads", 1, "--bits", 16)
    assert set(answer) >= KEYS
    assert answer["exploitability_pct"] <= 2
    assert answer["ev"]["oop"] + answer["ev"]["ip"] == pytest.approx(100, abs=0.01)
    assert answer["root"]["actions"] == ["c", "b50"]
    assert sum(answer["root"]["frequencies"]) == pytest.approx(1)
    assert answer["bits"] == 16
    assert answer["trace"][-1]["iteration"] == answer["iterations"]
    assert answer["target"] == 2


def test_json_names_the_target_in_force(ask: Callable[..., dict[str, Any]], file: Path) -> None:
    assert ask("spot", file)["target"] == 0.5
    assert ask("spot", file, "-n", 3)["target"] is None


def test_predictive_variants_need_a_third_table(ask: Callable[..., dict[str, Any]], file: Path) -> None:
    two, three = (ask("spot", file, "--estimate", "-a", name)["memory_mb"] for name in ("dcfr", "pcfr+"))
    assert three["32"] > 1.2 * two["32"]


def test_nodes_that_nobody_reaches(ask: Callable[..., dict[str, Any]], call: Callable[..., Result], file: Path) -> None:
    lock = [{"node": "r:0", "strategy": {"random": {"check": 1.0}}}]
    cp.Spot(**TURN, lock=lock).save(file)
    ask("spot", file, "-n", 20, "--out", "locked.cpz")
    node = ask("spot", "locked.cpz", "--node", "r:0:b50")["node"]
    assert node["reached"] is False
    assert node["frequencies"] == [None, None]
    assert node["ev"] == node["equity"] == {"oop": None, "ip": None}
    assert {row["ev"] for row in node["hands"]} == {None}
    told = call("spot", "locked.cpz", "--node", "r:0:b50", "--grid")
    assert "never reached" in told.stdout
    assert "nan" not in told.stdout
    answer = ask("spot", "locked.cpz", "--node", "r:0:b50:c", "--cards", "--plot", "x.png")
    assert answer["cards"] is None
    assert answer["plot"] is None
    assert "never reached" in call("spot", "locked.cpz", "--node", "r:0:b50:c", "--cards", "--plot", "x.png").stdout


def test_people_are_told(call: Callable[..., Result], file: Path) -> None:
    result = call("spot", file, "--grid")
    assert result.exit_code == 0
    assert result.stderr.startswith("turn: ")
    assert "nodes" in result.stderr
    for words in ("EV", "exploitability", "iterations", "memory", "OOP to act, pot 100", "bet 50", "c = check"):
        assert words in result.stdout


def test_target_not_reached(call: Callable[..., Result], file: Path) -> None:
    result = call("spot", file, "-n", 1, "--target", 0.001)
    assert result.exit_code == 1
    assert "not reached" in result.stdout


def test_estimate(call: Callable[..., Result], ask: Callable[..., dict[str, Any]], file: Path) -> None:
    answer = ask("spot", file, "--estimate")
    assert set(answer) >= {"nodes", "memory_mb", "cpu_seconds", "bits", "available_mb"}
    assert answer["memory_mb"]["16"] < answer["memory_mb"]["32"]
    told = call("spot", file, "--estimate")
    assert told.exit_code == 0
    assert "about" in told.stdout
    assert told.stderr == ""


@pytest.mark.long
def test_walking_a_solution(ask: Callable[..., dict[str, Any]], call: Callable[..., Result], solved: Path) -> None:
    answer = ask("spot", solved, "--node", "r:0:b50")
    node = answer["node"]
    assert node["player"] == "ip"
    assert node["actions"] == ["f", "c"]
    assert node["reached"] is True
    assert {row["hand"] for row in node["hands"]} == {"KdQd", "JhTh", "AdQc"}
    assert ask("spot", solved, "--node", "r:0:b50:c")["node"]["cards"][0] == "Ac"
    cards = ask("spot", solved, "--node", "r:0:b50:c", "--cards", "--plot", "cards.png")
    assert len(cards["cards"]) == 48
    assert Path("cards.png").read_bytes().startswith(PNG)
    told = call("spot", solved, "--node", "r:0:b50", "--grid", "--plot", "grid.png")
    assert told.exit_code == 0
    assert "r:0:b50   Ks 7d 4c Jd   IP to act, pot 150" in told.stdout
    assert Path("grid.png").read_bytes().startswith(PNG)
    told = call("spot", solved, "--node", "r:0:c:c:2h", "--cards")
    assert "equity oop" in told.stdout


def test_resuming(ask: Callable[..., dict[str, Any]], file: Path, solved: Path) -> None:
    straight = ask("spot", file, "-n", 40)
    more = ask("spot", "--resume", solved, "-n", 40, "--out", "more.cpz")
    assert more["iterations"] == 40
    assert more["ev"] == straight["ev"]
    cp.Spot(**TURN, name="renamed").save(file)
    assert ask("spot", file, "--resume", solved, "-n", 21)["name"] == "renamed"
    assert cp.load_solution("more.cpz").iterations == 40


@pytest.mark.long
def test_warm_starting(
    ask: Callable[..., dict[str, Any]], refuse: Callable[..., str], file: Path, solved: Path
) -> None:
    found = ask("spot", file, "--warm-start", solved, "--warm-iterations", 30, "-n", 10)
    assert found["iterations"] == 40
    assert found["trace"][0]["iteration"] == 30
    assert "--warm-start makes no sense here" in refuse("spot", "--resume", solved, "--warm-start", solved)
    assert "--warm-iterations makes no sense here" in refuse("spot", file, "--warm-iterations", 5)
    cp.Spot(**TURN | {"pot": 90}).save(file)
    assert "for another pot: 100, not 90" in refuse("spot", file, "--warm-start", solved)


@pytest.mark.parametrize("algorithm", [*NAMES, *COMPUTED])
def test_every_algorithm_is_looked_at_searched_and_resumed(
    ask: Callable[..., dict[str, Any]], file: Path, algorithm: str
) -> None:
    """A file that any algorithm has saved takes part in everything, and resuming continues bit for bit."""
    cp.Spot(**PLAIN).save(file)
    words = ("spot", file, "-a", algorithm, "--threads", 1, "--node", "r:0:c:c:2h")
    solved = ask(*words, "-n", 12, "--out", "x.cpz")
    shown = ask("spot", "x.cpz", "--node", "r:0:c:c:2h")
    assert (shown["node"], shown["ev"], shown["iterations"]) == (solved["node"], solved["ev"], 12)
    searched = ask("search", "x.cpz", "--node", "r:0", "-n", 2)
    assert sum(searched["frequencies_before"].values()) == pytest.approx(1)
    straight = ask(*words, "-n", 20, "--out", "straight.cpz")
    resumed = ask("spot", "--resume", "x.cpz", "-n", 20, "--node", "r:0:c:c:2h", "--out", "resumed.cpz")
    assert resumed["node"] == straight["node"]
    (_, once), (_, twice) = read_cpz("straight.cpz"), read_cpz("resumed.cpz")
    assert once.keys() == twice.keys()
    for name, array in once.items():
        np.testing.assert_array_equal(twice[name], array)


def test_a_solution_that_cannot_be_saved_is_shown(
    call: Callable[..., Result], file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: Any) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr("counterpoise.spots.files.write_solution", fail)
    for options in ((), ("--no-river",)):
        with pytest.warns(UserWarning, match="the disk is full"):
            result = call("spot", file, "-n", 10, "--out", "x.cpz", *options)
        assert result.exit_code == 1
        assert "exploitability" in result.stdout
        assert "saved to" not in result.stdout
        assert "the solution could not be saved to x.cpz: the disk is full" in result.stderr


def test_a_solution_without_its_river_is_not_said_to_be_resumable(
    call: Callable[..., Result], file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = SpotJob.result
    stopped = lambda job, measured, history: result(job, measured, replace(history, interrupted=True))  # noqa: E731
    monkeypatch.setattr(SpotJob, "result", stopped)
    told = [call("spot", file, "-n", 2, "--out", "x.cpz", *options).stdout for options in ((), ("--no-river",))]
    assert ["--resume x.cpz continues from here" in text for text in told] == [True, False]
    assert all("by Ctrl-C" in text for text in told)


def test_saving_without_the_river(ask: Callable[..., dict[str, Any]], file: Path) -> None:
    ask("spot", file, "-n", 20, "--out", "small.cpz", "--no-river")
    assert ask("spot", "small.cpz", "--node", "r:0:c:c:2h")["node"]["player"] == "oop"


@pytest.mark.slow
def test_folder(call: Callable[..., Result], tmp_path: Path) -> None:
    folder, out = tmp_path / "spots", tmp_path / "out"
    folder.mkdir()
    out.mkdir()
    cp.Spot(**TURN).save(folder / "a.toml")
    cp.Spot(**RIVER).save(folder / "b.json")
    result = call("spot", folder, "-n", 10, "--out", out, "--json")
    assert result.exit_code == 0, result.stderr
    answers = json.loads(result.stdout)["spots"]
    assert [answer["name"] for answer in answers] == ["a", "b"]
    assert all(set(answer) >= KEYS for answer in answers)
    assert sorted(path.name for path in out.iterdir()) == ["a.toml.cpz", "b.json.cpz"]
    (folder / "c.toml").write_text("pot = 'x'")
    result = call("spot", folder, "-n", 10)
    assert result.exit_code == 2
    assert [line.split()[0] for line in result.stdout.splitlines()] == ["spot", "a", "b"]
    assert "c.toml: " in result.stderr
    estimated = call("spot", folder, "--estimate")
    assert estimated.exit_code == 2
    assert "expected CPU" in estimated.stdout


def test_other_files_of_a_folder_are_skipped(call: Callable[..., Result], tmp_path: Path) -> None:
    folder = tmp_path / "spots"
    folder.mkdir()
    cp.Spot(**RIVER).save(folder / "a.toml")
    (folder / "package.json").write_text('{"name": "something"}')
    for options in (("--estimate",), ("-n", 1)):
        assert "1 other file is not a spot" in call("spot", folder, *options).stdout
        assert json.loads(call("spot", folder, *options, "--json").stdout)["skipped"] == 1


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--estimate",)])
def test_absurd_trees_are_refused_before_they_are_built(
    refuse: Callable[..., str], tmp_path: Path, options: tuple[str, ...]
) -> None:
    sizes = {"bet": [f"{k}%" for k in range(3, 60)], "raise": [f"{k}%" for k in range(3, 60)]}
    cp.Spot(**TURN | {"stack": 10**6, "turn": sizes, "river": sizes}).save(tmp_path / "absurd.toml")
    assert "give fewer sizes" in refuse("spot", tmp_path / "absurd.toml", *options)


def test_a_doubtful_rake_is_told(tmp_path: Path) -> None:
    cp.Spot(**RIVER, rake={"percent": 5}).save(tmp_path / "raked.toml")
    text = (tmp_path / "raked.toml").read_text().replace("percent = 5.0", "percent = 0.05")
    (tmp_path / "raked.toml").write_text(text)
    done = subprocess.run(
        [*START, "spot", "raked.toml", "--estimate", "--json"], capture_output=True, text=True, check=True
    )
    assert done.stderr == "warning: rake.percent = 0.05 is 0.05 per cent of the pot: write 5 for five per cent\n"


@pytest.mark.slow
def test_a_folder_tells_each_spot_as_it_comes(
    call: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "spots"
    folder.mkdir()
    for name in "abc":
        cp.Spot(**RIVER).save(folder / f"{name}.toml")

    def fail_on_b(path: Path, **options: Any) -> Any:
        if path.stem == "b":
            raise MemoryError
        return cp.solve_spot(path, **options)

    monkeypatch.setattr("counterpoise.spots.folder.solve_spot", fail_on_b)
    result = call("spot", folder, "-n", 3)
    assert result.exit_code == 2
    starts = [line.split(":")[0] for line in result.stderr.splitlines()]
    assert starts == ["a", "error", "c"]
    assert "b.toml: the memory does not suffice" in result.stderr
    assert [line.split()[0] for line in result.stdout.splitlines()] == ["spot", "a", "c"]


def test_evaluate_names_the_command_for_spots(refuse: Callable[..., str], solved: Path) -> None:
    sentence = refuse("evaluate", solved)
    assert "is a solved spot" in sentence
    assert "counterpoise spot" in sentence


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "name the spot file to solve"),
        (["missing.toml"], "cannot read missing.toml: No such file or directory"),
        (["turn.toml", "--target", "0"], "--target must be a positive number, not 0"),
        (["turn.toml", "--target", "x"], "'x' is not a number"),
        (["turn.toml", "-n", "0"], "--iterations must be a whole number of at least 1, not 0"),
        (["turn.toml", "--bits", "8"], "--bits must be 16 or 32, not 8"),
        (["turn.toml", "--threads", "0"], "--threads must be a whole number from 1 to 1024, not 0"),
        (["turn.toml", "-a", "egt"], "egt does not run on spots"),
        (["turn.toml", "--node", "r:0:b51"], "'b51' is not in the tree here, only c, b50"),
        (["turn.toml", "--plot", "x.txt"], "the file name must end in .png, .svg or .pdf"),
        (["turn.toml", "--out", "missing/x.cpz"], "does not exist"),
        (["turn.toml", "--no-river"], "name the file with --out"),
        (["river.toml", "--no-river", "--out", "x.cpz"], "--no-river makes no sense here: the spot begins on the"),
        (["turn.toml", "--out", "turn.toml"], "--out names turn.toml, which is read"),
        (["turn.cpz", "--out", "../" * 9 + "{here}/turn.cpz"], "--out names turn.cpz, which is read"),
        (["turn.toml", "--out", "link.cpz"], "--out names turn.toml, which is read"),
        (["turn.toml", "--out", "sol.bin"], "--out must name a file ending in .cpz, not sol.bin"),
        (["turn.toml", "--cards", "-n", str(10**9)], "node 'r:0' comes before any deal"),
        (["turn.toml", "--node", "r:0:c:c", "--grid"], "--grid makes no sense here: node 'r:0:c:c' deals a card"),
        (["turn.cpz", "--node", "r:0:c:c", "--grid"], "--grid makes no sense here"),
        (["turn.toml", "--estimate", "--out", "x.cpz"], "--out makes no sense here: --estimate solves nothing"),
        (["turn.toml", "--estimate", "--grid"], "--grid makes no sense here: --estimate solves nothing"),
        (["turn.toml", "--estimate", "-n", "3"], "--iterations makes no sense here: --estimate solves nothing"),
        (["spots", "--estimate", "--no-river"], "--no-river makes no sense here: --estimate solves nothing"),
        (["turn.toml", "--estimate", "-a", "egt"], "egt does not run on spots"),
        (["turn.toml", "--out", "x.png", "--plot", "x.png"], "they need two files"),
        (["turn.cpz", "-n", "3"], "--iterations makes no sense here: turn.cpz is solved already"),
        (["turn.cpz", "--node", "r:0:b50:f"], "is the end of the hand, it is folded"),
        (["spots", "--grid"], "--grid makes no sense here: spots is a folder"),
        (["spots", "--out", "turn.toml"], "--out must name a folder"),
        (["spots"], "spots holds no spot file"),
        (["turn.toml", "--resume", "turn.toml"], "is not a whole .cpz file"),
        (["turn.toml", "--tarket", "3"], "did you mean --target?"),
    ],
)
def test_wrong_input(refuse: Callable[..., str], solved: Path, words: list[str], sentence: str) -> None:
    (solved.parent / "spots").mkdir()
    cp.Spot(**RIVER).save(solved.parent / "river.toml")
    (solved.parent / "link.cpz").symlink_to("turn.toml")
    words = [word.replace("{here}", str(solved.parent)) for word in words]
    assert sentence in refuse("spot", *words)


def test_help_lists_it(call: Callable[..., Result]) -> None:
    assert "spot " in call("--help").stdout
    assert "--estimate" in call("spot", "--help").stdout


@pytest.mark.long
def test_ctrl_c_keeps_the_solution(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "run.cpz"
    cp.solve_spot(file, iterations=1, progress=False)  # the process below finds the kernels compiled
    words = ["spot", str(file), "-n", str(10**9), "--out", str(out)]
    process = subprocess.Popen([*START, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    assert "nodes" in process.stderr.readline()
    while "left" not in process.stderr.readline():  # said after two seconds of iterating
        assert process.poll() is None
    for _ in range(50):  # also while it is finishing
        process.send_signal(signal.SIGINT)
    told, complaints = process.communicate(timeout=60)
    assert process.returncode == 1, complaints
    assert "by Ctrl-C" in told
    assert "Traceback" not in complaints
    found = cp.load_solution(out)
    assert found.iterations > 0
    more = cp.solve_spot(resume=out, iterations=found.iterations + 1, progress=False)
    assert more.iterations == found.iterations + 1
