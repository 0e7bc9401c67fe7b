"""What all commands share: options named as they are typed, long inputs cut, Ctrl-C during imports, lazy modules."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import counterpoise as cp
from counterpoise.cli.app import MODULES, PURPOSES, _build, name_options
from tests.spots.conftest import TURN

OPTIONS = {
    "target": "--target",
    "resume": "--resume",
    "warm_start": "--warm-start",
    "iterations": "--iterations",
    "searcher": "--searcher",
}


@pytest.mark.parametrize(
    ("sentence", "translated"),
    [
        ("target must be a positive number, not 0", "--target must be a positive number, not 0"),
        ("warm_start and resume exclude each other", "--warm-start and --resume exclude each other"),
        ("a run needs warm_start", "a run needs --warm-start"),
        ("player must be oop or ip", "--searcher must be oop or ip"),
        ("egt: target must be 3", "egt: target must be 3"),  # a setting of an algorithm, not the option
        ("the target must be met", "the target must be met"),
        ("iterations are many", "iterations are many"),
        ("--warm-start is named already", "--warm-start is named already"),
        ("my_warm_start.cpz does not exist", "my_warm_start.cpz does not exist"),
    ],
)
def test_names_of_options(sentence: str, translated: str) -> None:
    assert name_options(sentence, OPTIONS) == translated


@pytest.fixture
def spot(tmp_path: Path) -> Path:
    cp.Spot(**TURN).save(tmp_path / "turn.toml")
    cp.solve_spot(tmp_path / "turn.toml", iterations=2, progress=False).save(tmp_path / "turn.cpz")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "start"),
    [
        (["solve", "kuhn_poker", "-n", "0"], "--iterations must be"),
        (["solve", "kuhn_poker", "--target", "-1"], "--target must be"),
        (["solve", "kuhn_poker", "--seconds", "0"], "--seconds must be"),
        (["solve", "kuhn_poker", "--seed", "-1"], "--seed must be"),
        (["solve", "kuhn_poker", "--warm-iterations", "3"], "--warm-iterations needs --warm-start"),
        (["solve", "--warm-start", "turn.cpz", "--resume", "turn.cpz"], "--warm-start and --resume exclude"),
        (["race", "kuhn_poker", "-n", "0"], "--iterations must be"),
        (["race", "kuhn_poker", "--target", "0"], "--target must be"),
        (["race", "kuhn_poker", "--seconds", "-2"], "--seconds must be"),
        (["race", "kuhn_poker", "--seed", "-1"], "--seed must be"),
        (["race", "kuhn_poker", "-a", "cfr,"], "--algorithms must be names with commas"),
        (["race", "kuhn_poker", "-a", "cfr,cfr"], "--algorithms lists cfr twice"),
        (["spot", "turn.toml", "--threads", "0"], "--threads must be"),
        (["spot", "turn.toml", "--bits", "3"], "--bits must be"),
        (["spot", "turn.toml", "--target", "0"], "--target must be"),
        (["spot", "turn.toml", "--estimate", "--target", "0"], "--target must be"),
        (["spot", "turn.toml", "--seconds", "0"], "--seconds must be"),
        (["spot", "turn.toml", "-n", "0"], "--iterations must be"),
        (["search", "turn.cpz", "--gifts", "x"], "--gifts must be"),
        (["search", "turn.cpz", "--method", "x"], "--method must be"),
        (["search", "turn.cpz", "--searcher", "x"], "--searcher must be"),
        (["search", "turn.cpz", "--facing", "x"], "--facing must be"),
        (["search", "turn.cpz", "--gifts", "lower", "--gift-scale", "nan"], "--gift-scale must be"),
        (["search", "turn.cpz", "--threads", "0"], "--threads must be"),
        (["reproduce", "brown-3.2-leduc", "--data", "nowhere"], "--data must be"),
    ],
)
def test_complaints_name_options(refuse: Any, spot: Path, words: list[str], start: str) -> None:
    if words[0] == "reproduce":
        from counterpoise.reproduce import EXPERIMENTS

        words = [words[0], next(iter(EXPERIMENTS)), *words[2:]]
    assert refuse(*words).startswith(start)


LONG = "x" * 20_000


@pytest.mark.parametrize(
    "words",
    [
        ["solve", LONG],
        ["solve", "kuhn_poker", "-a", LONG],
        ["solve", "kuhn_poker", "-a", f"dcfr(alpha={LONG})"],
        ["solve", "kuhn_poker", "-n", "9" * 9000],
        ["solve", "kuhn_poker", "--target", LONG],
        ["race", "kuhn_poker", "-a", f"cfr,{LONG}"],
        ["race", "kuhn_poker", "--x", LONG],
        ["algorithms", LONG],
        ["evaluate", "turn.toml", "--game", LONG],
        ["spot", "turn.toml", "--node", LONG],
        ["spot", "turn.toml", "--threads", "9" * 4000],
        ["spot", "turn.toml", "-a", LONG],
        ["search", "turn.cpz", "--node", LONG],
        ["search", "turn.cpz", "--look", LONG],
        ["search", "turn.cpz", "--method", LONG],
        ["search", "turn.cpz", "--gifts", LONG],
        ["search", "turn.cpz", "--searcher", LONG],
        ["search", "turn.cpz", "--bet", LONG],
        ["search", "turn.cpz", "--facing", LONG],
        ["reproduce", LONG],
        [LONG],
        ["solve", f"--{LONG}"],
    ],
    ids=lambda words: " ".join(word[:12] for word in words),
)
def test_long_inputs_are_cut(refuse: Any, spot: Path, words: list[str]) -> None:
    assert len(refuse(*words)) < 1000


def test_links_that_lead_nowhere(refuse: Any, tmp_path: Path, spot: Path) -> None:
    """A loop of symbolic links is refused wherever a file is named."""
    for name in ("loop.cpz", "loop.png"):
        (tmp_path / name).symlink_to(tmp_path / name)
    for words in (
        ("solve", "kuhn_poker", "--out", "loop.cpz"),
        ("solve", "kuhn_poker", "--out", "loop.cpz", "--plot", "x.png"),
        ("solve", "kuhn_poker", "--out", "x.cpz", "--plot", "loop.png"),
        ("race", "kuhn_poker", "--plot", "loop.png"),
        ("spot", "turn.toml", "--out", "loop.cpz"),
        ("spot", "turn.cpz", "--out", "loop.cpz"),
        ("search", "turn.cpz", "--out", "loop.cpz"),
        ("evaluate", "loop.cpz"),
        ("solve", "--resume", "loop.cpz"),
        ("spot", "loop.cpz"),
        ("search", "loop.cpz"),
    ):
        sentence = refuse(*words)
        assert "loop" in sentence
        assert "Too many levels of symbolic links" in sentence


def test_a_folder_for_the_results_of_a_folder_is_made(call: Any, refuse: Any, spot: Path) -> None:
    (spot / "spots").mkdir()
    (spot / "turn.toml").rename(spot / "spots" / "turn.toml")
    result = call("spot", "spots", "-n", 2, "--out", "new/results")
    assert result.exit_code == 0, result.stderr
    assert [path.name for path in (spot / "new" / "results").iterdir()] == ["turn.toml.cpz"]
    assert "cannot make the folder turn.cpz/results" in refuse("spot", "spots", "--out", "turn.cpz/results")
    assert "cannot make the folder /proc/results" in refuse("spot", "spots", "--out", "/proc/results")


def test_every_command_has_a_module_that_imports_nothing_heavy() -> None:
    code = "import sys\nfrom counterpoise.cli.app import MODULES, _build\nfor name in MODULES: _build(name)\n"
    code += "print([name for name in ('numpy', 'numba', 'pydantic', 'counterpoise.reproduce') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    assert all(_build(name).name == name for name in MODULES)


def test_help_groups_commands_by_purpose(call: Any) -> None:
    """Every command is in one group of the help, and the options of a race are those it has."""
    grouped = [name for names in PURPOSES.values() for name in names]
    assert set(MODULES) <= set(grouped)
    assert len(grouped) == len(set(grouped))
    told = call("--help").stdout
    places = [told.index(purpose) for purpose in PURPOSES]
    assert places == sorted(places)
    assert "─ Commands" not in told
    assert places[1] > told.index("solve") > places[0]
    race = " ".join(call("race", "--help").stdout.split())
    assert "--resume" not in race
    assert "warm start" not in race
    assert "Iterations of each" in race


PRESS_AT = """
import os, signal, sys
at, sys.argv[1:] = sys.argv[1], sys.argv[2:]
signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background may ignore it

class Press:
    def find_spec(self, name, path, target=None):
        if name == at:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Press())
from counterpoise.cli import main
main()
"""


@pytest.mark.parametrize("module", ["typer", "counterpoise.cli.solve", "numpy", "numba", "counterpoise.solvers.run"])
def test_ctrl_c_during_imports(module: str) -> None:
    """No traceback, and the exit code of anything interrupted."""
    command = [sys.executable, "-c", PRESS_AT, module, "solve", "leduc_poker", "-n", str(10**9)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (1, ""), done.stderr
    assert done.stderr == "error: interrupted before there was a result\n"


KINDS = {
    "run.cpz": "judge it with counterpoise evaluate run.cpz, continue it with counterpoise solve --resume run.cpz",
    "strategy.cpz": "judge it with counterpoise evaluate strategy.cpz",
    "turn.cpz": "it is a solved spot, look at it with counterpoise spot turn.cpz",
    "search.cpz": "look at it with counterpoise search search.cpz",
}


def test_a_file_of_another_kind_names_the_command_that_takes_it(refuse: Any, call: Any, spot: Path) -> None:
    run = cp.solve("kuhn_poker", "cfr+", iterations=2)
    run.save(spot / "run.cpz")
    run.strategy.save(spot / "strategy.cpz")
    cp.search_spot(spot / "turn.cpz", iterations=2, progress=False).save(spot / "search.cpz")
    for words, wrong in (
        (["evaluate"], ["turn.cpz", "search.cpz"]),
        (["solve", "--resume"], ["strategy.cpz", "turn.cpz", "search.cpz"]),
        (["solve", "kuhn_poker", "--warm-start"], ["turn.cpz", "search.cpz"]),
        (["spot"], ["run.cpz", "strategy.cpz", "search.cpz"]),
        (["spot", "--resume"], ["run.cpz", "strategy.cpz", "search.cpz"]),
        (["spot", "turn.toml", "--warm-start"], ["run.cpz", "strategy.cpz", "search.cpz"]),
        (["search"], ["run.cpz", "strategy.cpz"]),
        (["search", "turn.cpz", "--into"], ["run.cpz", "strategy.cpz", "search.cpz"]),
    ):
        for name in wrong:
            sentence = refuse(*words, name)
            assert sentence.startswith(f"{name} holds a "), sentence
            assert sentence.endswith(KINDS[name]), sentence


@pytest.mark.slow
def test_a_game_beyond_all_bounds_is_refused_in_little_memory() -> None:
    pytest.importorskip("pyspiel")
    code = (  # VmHWM: ru_maxrss would begin with the memory of this process
        "import re, sys\n"
        "sys.argv = ['counterpoise', 'solve', 'openspiel:chess']\n"
        "from counterpoise.cli import main\n"
        "try:\n    main()\n"
        "finally:\n    print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 2
    assert "openspiel:chess is too large to enumerate" in done.stderr
    assert int(done.stdout) < 600_000  # kB


@pytest.mark.parametrize(
    ("error", "ending"), [(MemoryError("Unable to allocate 1 PiB"), " (Unable to allocate 1 PiB)"), (MemoryError(), "")]
)
def test_too_little_memory_is_one_sentence(
    refuse: Any, monkeypatch: pytest.MonkeyPatch, error: MemoryError, ending: str
) -> None:
    """Settings may be allowed and still too large for this machine."""
    pytest.importorskip("jax")

    def out_of_memory(method: object) -> None:
        raise error

    monkeypatch.setattr("counterpoise.deep.run._as_method", out_of_memory)
    found = refuse("train", "kuhn_poker", "--method", "nfsp", "-n", "1", "--out", "a.cpz")
    assert found == f"the memory does not suffice for this: ask for less at once{ending}"
