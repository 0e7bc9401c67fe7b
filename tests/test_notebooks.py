"""The notebooks of examples/ run from top to bottom, and show what is kept in the files."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))


@pytest.mark.long
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_it_has_kept(path, tmp_path, monkeypatch):
    monkeypatch.setenv("COUNTERPOISE_CACHE", str(tmp_path / "cache"))
    script = ROOT / "examples" / "notebooks" / "execute.py"
    done = subprocess.run([sys.executable, script, "--check", path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_notebooks_are_kept_with_their_results():
    """Six of them, every one executed in order, without an error, an address in memory or a time; on the site, too."""
    assert len(NOTEBOOKS) == 6
    pages = (ROOT / "mkdocs.yml").read_text()
    for path in NOTEBOOKS:
        cells = json.loads(path.read_text())["cells"]
        code = [cell for cell in cells if cell["cell_type"] == "code"]
        assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
        kept = json.dumps([cell["outputs"] for cell in code])
        assert '"error"' not in kept
        assert not re.search(r"0x[0-9a-f]{6}|\bms\b|CPU \d", kept)
        assert "image/svg+xml" in kept or path.stem.startswith("6")
        assert f"notebooks/{path.stem}.md" in pages
        text = "".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
        for target in re.findall(r"\]\(([^)]+)\)", text):
            assert (path.parent / target).is_file(), target
