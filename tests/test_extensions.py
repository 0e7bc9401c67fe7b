"""Users' own things: files that --load names, what children of a command know of them, and installed packages."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from counterpoise.cli import app
from counterpoise.cli.app import MODULES, _build

MINE = '''
"""A game, an algorithm, an agent, a leaf evaluator and an experiment; beside it a file of helpers."""

from dataclasses import dataclass

import counterpoise as cp
from helpers_of_mine import PRIZE


@cp.register("my_pennies")
@dataclass(frozen=True)
class Pennies(cp.ObservedRules):
    """Matching pennies in which a match of two heads wins a prize. Infosets read "P1:"."""

    prize: float = PRIZE
    """What two heads win."""
    players = 2

    def initial(self):
        return ""

    def player(self, state):
        return cp.TERMINAL if len(state) == 2 else len(state)

    def actions(self, state):
        return ("h", "t")

    def next(self, state, action):
        return state + action

    def public(self, state):
        return (state,) if len(state) == 2 else ()

    def private(self, state, seat):
        return f"P{seat + 1}"

    def payoffs(self, state):
        won = {"hh": self.prize, "tt": 1.0}.get(state, -1.0)
        return (won, -won)


@cp.algorithm("my-cfr")
@dataclass(frozen=True, kw_only=True)
class MyCFR(cp.RegretMatching):
    """CFR with a linear average."""

    source = "ours"

    def weights(self, t):
        return t


@cp.agent("my-agent")
@dataclass
class Headstrong(cp.Agent):
    """Takes the first action."""

    def act(self, observation):
        return observation.actions[0]


@cp.leaf_evaluator("my-leaves")
@dataclass(frozen=True)
class Blank:
    """Leaves the search to the agent."""

    def at(self, belief, seat):
        return None


@cp.experiment("my-experiment", title="Pennies", source="nobody 2020", seconds=1, claims={"third": "it is worth 1/3"})
def pennies(lab):
    from counterpoise.reproduce import Claim, Table

    value = cp.exact("my_pennies").value[0]
    yield Table("value", ["value"], [[f"{value:.4f}"]])
    yield Claim("third", lambda: (abs(value - 1 / 3) < 1e-9, f"{value:.4f}"))
'''

MATCH = "match my-agent random --game my_pennies --hands 9 --processes 2 --log hands.jsonl --json"
RUN = """
import contextlib, io, json, sys
from counterpoise.cli import app
answers = []
for words in json.load(sys.stdin):
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        try:
            app(words, prog_name="counterpoise")
        except SystemExit as left:
            answers.append([left.code, told.getvalue()])
print(json.dumps(answers))
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    (tmp_path / "helpers_of_mine.py").write_text("PRIZE = 3.0\n")
    file = tmp_path / "mine.py"
    file.write_text(MINE)
    return file


def python(code: str, folder: Path, given: object = None, **environment: str) -> str:
    """Return what a process prints."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        input=json.dumps(given),
        capture_output=True,
        text=True,
        timeout=600,
        env=os.environ | environment,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_command_takes_files_of_ones_own() -> None:
    for name in MODULES:
        assert any("--load" in parameter.opts for parameter in _build(name).params), name


@pytest.mark.long
def test_a_file_brings_all_five_kinds(mine: Path, tmp_path: Path) -> None:
    """One process runs several commands; that of the match starts others, which know the agent and the game too."""
    commands = [
        ["solve", "my_pennies(prize=2)", "-a", "my-cfr", "-n", "9", "--load", "mine.py", "--out", "p.cpz", "--json"],
        ["--load", "mine.py", "games", "my_pennies", "--json"],
        ["evaluate", "p.cpz", "--json"],
        MATCH.split(),
        ["judge", "hands.jsonl", "--load", "mine.py", "--json"],
        ["reproduce", "my-experiment", "--json"],
        ["agents", "--json"],
    ]
    answers = json.loads(python(RUN, tmp_path, commands).splitlines()[-1])
    assert [code for code, _ in answers] == [0] * len(commands), answers
    solved, game, judged, match, _, report, agents = (json.loads(told) for _, told in answers)
    assert (solved["game"], solved["algorithm"]) == ("my_pennies(prize=2)", "my-cfr")
    assert game["value"][0] == pytest.approx(1 / 3)  # (3 * 1 - 1 * 1) / (3 + 1 + 1 + 1)
    assert game["parameters"]["prize"]["meaning"] == "What two heads win."
    assert judged["exploitability"] == solved["exploitability"]
    assert match["hands"] == 9
    assert (report["claims"][0]["id"], report["claims"][0]["holds"]) == ("third", True)
    assert "my-agent" in [entry["name"] for entry in agents["agents"]]


@pytest.mark.slow
def test_children_know_the_file_and_strangers_do_not(mine: Path, tmp_path: Path) -> None:
    """The environment hands it on; a saved file that names the game never imports anything."""
    python(
        "import pickle, subprocess, sys, counterpoise as cp\n"
        "from counterpoise.extensions import Carried, load_files\n"
        f"load_files([{str(mine)!r}])\n"
        "open('carried', 'wb').write(pickle.dumps(Carried(cp.load('my_pennies'))))\n"
        "code = 'import counterpoise as cp; print(cp.load(\"my_pennies\").prize)'\n"
        "done = subprocess.run([sys.executable, '-P', '-c', code], capture_output=True, text=True)\n"
        "assert done.stdout == '3.0\\n', done.stderr\n",
        tmp_path,
    )
    python(
        "import pickle, counterpoise as cp\n"
        "from counterpoise.games.registry import load_saved_game\n"
        "try: load_saved_game('p.cpz', 'my_pennies')\n"
        "except cp.InputError as error: assert '--load FILE.py' in str(error)\n"
        "else: raise AssertionError\n"
        "assert pickle.load(open('carried', 'rb')).value.prize == 3\n"
        "assert load_saved_game('p.cpz', 'my_pennies').prize == 3\n",
        tmp_path,
    )
    mine.write_text(mine.read_text() + "# on another machine")
    python(
        "import pickle, counterpoise as cp\n"
        "try: pickle.load(open('carried', 'rb'))\n"
        "except cp.InputError as error: assert 'is not the file that was loaded' in str(error), error\n"
        "else: raise AssertionError\n",
        tmp_path,
    )


WRONG = {
    "missing": (None, "there is no such file"),
    "text.txt": ("", "ends in .py"),
    "syntax.py": ("x = (\n", "line 1: '(' was never closed"),
    "fails.py": ("x = 1\ny = x / 0\n", "line 2: ZeroDivisionError: division by zero"),
    "leaves.py": ("import sys\nsys.exit('no')\n", "line 2: SystemExit: no"),
    "taken.py": (
        MINE.replace("my_pennies", "kuhn_poker").replace("helpers_of_mine", "math").replace("PRIZE", "pi"),
        "",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_file_that_cannot_be_loaded_is_told(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    content, reason = WRONG[name]
    file = name if "." in name else f"{name}.py"
    if content is not None:
        (tmp_path / file).write_text(content)
    told = CliRunner().invoke(app, ["games", "--load", file], prog_name="counterpoise")
    assert told.exit_code == 2
    assert told.stdout == ""
    assert told.stderr.startswith(f"error: {file} cannot be loaded: ")
    assert len(told.stderr.splitlines()) == 1
    assert (reason or "game 'kuhn_poker' is registered twice") in told.stderr
    assert str(tmp_path / file) not in os.environ.get("COUNTERPOISE_LOAD", "")


BROKEN = """
from dataclasses import dataclass
import counterpoise as cp


@cp.algorithm("zero-cfr")
@dataclass(frozen=True)
class Zero(cp.RegretMatching):
    source = "none"

    def discounts(self, t):
        return 1 / 0


@cp.algorithm("half-cfr")
@dataclass(frozen=True)
class Half(Zero):
    def discounts(self, t):
        return t / (t + 2)


@cp.register("odd")
@dataclass(frozen=True)
class Odd:
    players = 2

    def chance(self, state):
        return {"a": 0.5, "b": 0.5}  # must be pairs

    def player(self, state):
        return cp.CHANCE

    initial = actions = next = infoset = payoffs = lambda *given: ()
"""


def test_what_fails_while_it_runs_is_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(BROKEN)
    told = []
    for game, name in (("kuhn_poker", "zero-cfr"), ("kuhn_poker", "half-cfr"), ("odd", "cfr")):
        words = ["solve", game, "-n", "3", "-a", name, "--load", "broken.py"]
        command = [sys.executable, "-m", "counterpoise", *words]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert "Traceback" not in done.stderr
        told.append(done.stderr)
    assert "broken.py failed: line 12: ZeroDivisionError: division by zero" in told[0]
    assert "half-cfr: discounts(t) must return two arrays" in told[1]
    assert "what broken.py gave could not be used: ValueError in " in told[2]


def test_installed_packages_are_imported_when_asked_for(mine: Path, tmp_path: Path) -> None:
    info = tmp_path / "mine-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    groups = {
        "games": ["my_pennies = mine:Pennies", "kuhn_poker = mine:Pennies", "broken = nowhere:X"],
        "algorithms": ["my-cfr = mine"],
        "agents": ["my-agent = mine:Headstrong"],
        "leaf_evaluators": ["my-leaves = mine:Blank"],
        "experiments": ["my-experiment = mine:pennies"],
    }
    lines: list[str] = []
    for group, points in groups.items():
        lines += [f"[counterpoise.{group}]", *points]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    python(
        "import sys, counterpoise as cp\n"
        "from counterpoise.agents import AGENTS\n"
        "from counterpoise.games import GAMES\n"
        "from counterpoise.reproduce import EXPERIMENTS\n"
        "from counterpoise.search import LEAF_EVALUATORS\n"
        "from counterpoise.solvers import ALGORITHMS\n"
        "names = {*GAMES, *ALGORITHMS, *AGENTS, *LEAF_EVALUATORS, *EXPERIMENTS.offered}\n"
        "assert {'my_pennies', 'my-cfr', 'my-agent', 'my-leaves', 'my-experiment', 'broken'} <= names\n"
        "assert cp.load('kuhn_poker').name == 'kuhn_poker' and 'mine' not in sys.modules\n"
        "assert EXPERIMENTS['my-experiment'].title == 'Pennies' and 'mine' in sys.modules\n"
        "assert cp.solve('my_pennies', 'my-cfr', iterations=3).game == 'my_pennies'\n"
        "assert cp.make_agent('my-agent').name == 'my-agent'\n"
        "try: cp.load('broken')\n"
        "except cp.InputError as error: assert 'the package mine offers' in str(error), error\n"
        "else: raise AssertionError\n",
        tmp_path,
        PYTHONPATH=str(tmp_path),
    )
