"""The documentation runs: every Python block of the tutorials and README, and the generated page is up to date."""

import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import counterpoise

ROOT = Path(__file__).parent.parent


def python_blocks(page):
    return re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL)


QUICK = ("README.md", "docs/tutorial.md", "docs/extending.md", "docs/jobs.md", "docs/published-agents.md")
SLOW = (
    "docs/less-work.md",
    "docs/spots.md",
    "docs/search.md",
    "docs/abstraction.md",
    "docs/exploit.md",
    "docs/play.md",
    "docs/arena.md",
    "docs/judging.md",
    "docs/best-response.md",
    "docs/acpc.md",
    "docs/upi.md",
    "docs/agents.md",
    "docs/blueprints.md",
    "docs/networks.md",
    "docs/many-machines.md",
)


@pytest.mark.parametrize("page", [*QUICK, *(pytest.param(page, marks=pytest.mark.slow) for page in SLOW)])
def test_pages_run_from_top_to_bottom(page, tmp_path, monkeypatch):
    """In a process of its own: what a page registers stays there."""
    monkeypatch.setenv("COUNTERPOISE_CACHE", str(tmp_path / "cache"))
    blocks = python_blocks(ROOT / page)
    assert blocks
    script = tmp_path / "page.py"
    script.write_text("\n".join(blocks))
    subprocess.run([sys.executable, script], cwd=tmp_path, check=True)


def test_page_of_algorithms_is_up_to_date(tmp_path):
    """docs/algorithms.md is what the registry says now."""
    subprocess.run([sys.executable, ROOT / "docs" / "generate.py", "--check"], check=True)


CITED = re.compile(
    r"\b(?:[A-Z][a-z-]+(?: et al\.| and [A-Z][a-z-]+) (?:19|20)\d\d"
    r"|[A-Z][a-z-]+ (?:19|20)\d\d(?=, (?:section|chapter|figure|table)))"
)


def test_every_cited_work_has_an_entry_in_the_references():
    """A citation is an author and a year; nothing is cited by a code that a reader cannot look up."""
    entries = re.findall(r"^\*\*(.+?)\.\*\*", (ROOT / "docs" / "references.md").read_text(), flags=re.MULTILINE)
    texts = [path for kind in ("py", "toml") for path in (ROOT / "src").rglob(f"*.{kind}")]
    for path in [*texts, *(ROOT / "docs").glob("*.md")]:
        text = " ".join(path.read_text().split())
        for cited in set(CITED.findall(text)):
            assert any(entry.endswith(cited) for entry in entries), f"{path.name} cites {cited}"
        assert not re.search(r"\b(BROWN|JOHANSON|REBEL|DLS|TRBP) \d", text), path.name


MODULES = [
    name
    for _, name, _ in pkgutil.walk_packages(counterpoise.__path__, "counterpoise.")
    if ".kernels" not in name and not name.endswith("__main__")
]


@pytest.mark.parametrize("name", ["counterpoise", *MODULES])
def test_doctests(name):
    """Examples in docstrings run, and every module and public name explains itself."""
    module = importlib.import_module(name)
    assert module.__doc__
    assert doctest.testmod(module).failed == 0
