"""The wheel: built, put into an environment with its own dependencies and no extras, and used there."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src" / "counterpoise"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of a copy of the sources: a build leaves files beside them, which a later one would pack again."""
    folder = tmp_path_factory.mktemp("wheel")
    copy = folder / "project"
    shutil.copytree(ROOT / "src", copy / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    words = ["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, copy]
    subprocess.run([sys.executable, *words], check=True, capture_output=True, text=True, env=plain_environment())
    (found,) = folder.glob("*.whl")
    return found


def plain_environment():
    """Return the variables of this process without those that lead Python to other sources or caches."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "NUMBA"))}


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory):
    """An environment of the wheel and what it depends on, as links to what is installed here: nothing is fetched."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    install = [sys.executable, "-m", "pip", "--python", folder, "install", "--quiet", "--no-deps", "--no-index", wheel]
    subprocess.run(install, check=True, capture_output=True, text=True, env=plain_environment())
    paths = {"base": str(folder), "platbase": str(folder)}
    libraries = Path(sysconfig.get_path("purelib", "venv", vars=paths))
    for name in dependencies(libraries):
        for file in distribution(name).files:
            top = file.parts[0]
            if top not in ("..", "__pycache__") and not (libraries / top).exists():
                (libraries / top).symlink_to(distribution(name).locate_file(top))
    return folder


def dependencies(libraries):
    """Return the distributions that the wheel asks for, and those that they ask for, extras left out."""
    (metadata,) = libraries.glob("counterpoise-*.dist-info/METADATA")
    asked = [line.partition(": ")[2] for line in metadata.read_text().splitlines() if line.startswith("Requires-Dist")]
    found = set()
    while asked:
        wanted = Requirement(asked.pop())
        if wanted.name not in found and (wanted.marker is None or wanted.marker.evaluate({"extra": ""})):
            found.add(wanted.name)
            asked += distribution(wanted.name).requires or []
    return found


@pytest.mark.long
def test_a_wheel_holds_all_data_and_no_tests(wheel):
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if not name.endswith("/")}
    sources = {
        f"counterpoise/{path.relative_to(SOURCES).as_posix()}"
        for path in SOURCES.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {name for name in packed if ".dist-info/" not in name} == sources


@pytest.mark.long
def test_a_wheel_without_extras_is_of_use(environment, tmp_path):
    """Listing, solving, a picture, a spot and a match; what needs an extra says which, in one sentence."""
    home = plain_environment() | {"COUNTERPOISE_CACHE": str(tmp_path / "cache")}

    def call(*words):
        program = environment / "bin" / "counterpoise"
        return subprocess.run([program, *words], cwd=tmp_path, env=home, capture_output=True, text=True)

    def ask(*words):
        done = call(*words, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    check = [sys.executable, "-m", "pip", "--python", environment, "check"]
    checked = subprocess.run(check, capture_output=True, text=True, env=plain_environment())
    assert checked.returncode == 0, checked.stdout
    where = "import counterpoise, importlib.util as util; print(counterpoise.__file__, util.find_spec('jax'))"
    found = subprocess.run([environment / "bin" / "python", "-c", where], env=home, capture_output=True, text=True)
    assert found.stdout.startswith(str(environment))
    assert found.stdout.split()[-1] == "None"

    assert {"kuhn_poker", "leduc_poker"} <= {one["name"] for one in ask("games")["games"]}
    assert ask("solve", "kuhn_poker", "-a", "cfr+", "-n", "1000", "--out", "kuhn.cpz")["exploitability"] < 1e-3
    assert ask("tree", "kuhn_poker", "--strategy", "kuhn.cpz", "--plot", "kuhn.svg")["plot"] == "kuhn.svg"
    assert ask("match", "strategy:kuhn.cpz", "random", "--game", "kuhn_poker", "--hands", "50")["hands"] == 50
    spot = ask("spot", str(ROOT / "examples/spots/turn.toml"), "-n", "20")
    assert spot["iterations"] == 20
    assert 99 < sum(spot["ev"].values()) <= 100  # the pot, of which no more than the rake is lost
    for words, extra in (
        (("serve", "--headless"), "web"),
        (("train", "leduc_poker", "--method", "deep-cfr", "--iterations", "1", "--out", "deep.cpz"), "deep"),
        (("solve", "openspiel:kuhn_poker", "-n", "1"), "openspiel"),
    ):
        refused = call(*words)
        assert refused.returncode == 2, refused.stderr
        assert len(refused.stderr.splitlines()) == 1, refused.stderr
        assert f"counterpoise[{extra}]" in refused.stderr
