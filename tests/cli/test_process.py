"""The installed command as a process: exit codes, clean streams, Ctrl-C, and what is imported."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import counterpoise as cp

START = [sys.executable, "-m", "counterpoise"]


def start(*words: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*START, *words], capture_output=True, text=True, timeout=300, check=False, **options)  # type: ignore[call-overload, no-any-return]


@pytest.mark.slow
def test_json_and_nothing_else(tmp_path: Path) -> None:
    done = start("solve", "kuhn_poker", "-n", "100", "--json", "--out", str(tmp_path / "k.cpz"))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["iterations"] == 100
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""
    judged = start("evaluate", str(tmp_path / "k.cpz"), "--json")
    assert judged.returncode == 0
    ours, theirs = (json.loads(process.stdout)["exploitability"] for process in (done, judged))
    assert theirs == pytest.approx(ours)


@pytest.mark.slow
def test_exit_codes() -> None:
    assert start("solve", "kuhn_poker", "-n", "5", "--target", "1e-9").returncode == 1
    wrong = start("solve", "kuhn_pokr")
    assert wrong.returncode == 2
    assert wrong.stdout == ""
    assert wrong.stderr.startswith("error: unknown game 'kuhn_pokr': did you mean kuhn_poker")
    assert wrong.stderr.count("\n") == 1


@pytest.mark.long
def test_ctrl_c_keeps_the_result(tmp_path: Path) -> None:
    out = tmp_path / "run.cpz"
    cp.solve("kuhn_poker", "cfr+", iterations=2)  # the process below finds the kernels compiled
    words = ["solve", "kuhn_poker", "-a", "cfr+", "-n", str(10**12), "--out", str(out)]
    process = subprocess.Popen([*START, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    lines = [process.stderr.readline(), process.stderr.readline()]
    assert "histories" in lines[0]
    assert "left" in lines[1]  # said after two seconds of iterating
    process.send_signal(signal.SIGINT)
    told, complaints = process.communicate(timeout=60)
    assert process.returncode == 1, complaints
    assert "Ctrl-C" in told
    assert "Traceback" not in complaints
    run = cp.load_run(out)
    assert run.iterations > 0
    assert sorted(tmp_path.iterdir()) == [out]
    more = cp.solve("kuhn_poker", "cfr+", iterations=run.iterations + 10, resume=out)
    assert more.iterations == run.iterations + 10


@pytest.mark.slow
@pytest.mark.parametrize("words", [["games"], ["games", "--json"]])
def test_reader_that_leaves_early(words: list[str]) -> None:
    with subprocess.Popen([*START, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == ""


@pytest.mark.slow
@pytest.mark.parametrize("words", [["games"], ["algorithms", "--json"], ["--help"], ["solve", "kuhn_poker", "-n", "1"]])
def test_light_commands_import_nothing_heavy(words: list[str]) -> None:
    program = (
        "import atexit, sys\n"
        "heavy = ('matplotlib', 'scipy.optimize', 'scipy.sparse', 'pandas', 'pyspiel', 'counterpoise.reproduce')\n"
        "atexit.register(lambda: print([m for m in heavy if m in sys.modules], file=sys.stderr))\n"
        "from counterpoise.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "[]"


@pytest.mark.slow
def test_no_color(tmp_path: Path) -> None:
    done = start("solve", "kuhn_poker", "-n", "5", env=os.environ | {"NO_COLOR": "1", "FORCE_COLOR": "1"})
    assert "\x1b[3" not in done.stdout + done.stderr
