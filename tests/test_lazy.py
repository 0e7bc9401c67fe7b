"""Names are imported on first use, and nothing that a user can see changes by that."""

import json
import subprocess
import sys

import pytest

import counterpoise

PACKAGES = [
    "",
    ".abstraction",
    ".agents",
    ".cards",
    ".cli",
    ".exploit",
    ".games",
    ".play",
    ".logs",
    ".public",
    ".solvers",
    ".solvers.bet_sizes",
    ".solvers.saef",
    ".spots",
    ".store",
    ".tree",
    ".web",
    ".web.jobs",
]
HEAVY = ["matplotlib", "numba", "numpy", "pandas", "pydantic", "pyspiel", "rich", "scipy"]


def imported(code):
    """The heavy packages that are imported after `code` has run in a process of its own."""
    script = f"import json, sys\n{code}\nprint(json.dumps([name for name in {HEAVY!r} if name in sys.modules]))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_is_there(package):
    module = __import__(f"counterpoise{package}", fromlist=["__all__"])
    assert set(module.__all__) <= set(dir(module))
    for name in module.__all__:
        assert getattr(module, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        _ = module.nonsense


def test_star_imports_everything():
    names = {}
    exec("from counterpoise import *", names)
    assert set(counterpoise.__all__) <= set(names)


def test_file_does_not_hide_the_function_of_its_name():
    code = "import counterpoise.spots.estimate; from counterpoise import estimate"
    subprocess.run([sys.executable, "-c", f"{code}; assert callable(estimate)"], check=True)


def test_import_is_light():
    assert imported("import counterpoise") == []


def test_help_needs_no_arrays():
    code = (
        "from counterpoise.cli import main; sys.argv = ['counterpoise', '--help']\ntry: main()\nexcept SystemExit: pass"
    )
    assert imported(code) == ["rich"]


def test_kernels_need_no_scipy():
    assert "scipy" not in imported(
        "import counterpoise as cp\ncp.solve('kuhn_poker', iterations=1)\ndel sys.modules['scipy']"
    )
