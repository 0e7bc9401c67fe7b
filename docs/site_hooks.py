"""What the site does beside Markdown: notebooks become pages, and links to files beside docs/ become text."""

import json
import re
from html import escape
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

NOTEBOOKS = Path(__file__).parents[1] / "examples" / "notebooks"
OUTSIDE = re.compile(r"\[([^\]]+)\]\(\.\./[^)]+\)")
NOTEBOOK = re.compile(r"\]\((?:\.\./examples/notebooks/)?(\w+)\.ipynb\)")
FROM_NOTEBOOK = re.compile(r"\]\(\.\./\.\./docs/(\S+?)\)")


def on_files(files: Files, config: Any) -> Files:
    """Add a page for every notebook, under notebooks/."""
    for notebook in sorted(NOTEBOOKS.glob("*.ipynb")):
        page = f"notebooks/{notebook.stem}.md"
        files.append(File.generated(config, page, content=notebook_page(notebook)))
    return files


def notebook_page(path: Path) -> str:
    """Return a notebook as Markdown: its text, its code, and what is kept of its outputs."""
    parts = []
    for cell in json.loads(path.read_text())["cells"]:
        source = "".join(cell["source"])
        parts.append(f"```python\n{source}\n```" if cell["cell_type"] == "code" else source)
        parts += [shown(output) for output in cell.get("outputs", ())]
    parts.append(f"*This page is the notebook examples/notebooks/{path.name}, run from top to bottom.*")
    return "\n\n".join(parts) + "\n"


def shown(output: dict[str, Any]) -> str:
    """Return an output in its richest form: a picture, a table, or text."""
    data = output.get("data", {"text/plain": output.get("text", [])})
    if "image/svg+xml" in data:
        picture = "".join(data["image/svg+xml"])
        return f'<div class="picture">\n{picture[picture.index("<svg") :].strip()}\n</div>'
    if "text/html" in data:
        return f"<div>\n{''.join(data['text/html']).strip()}\n</div>"
    return f'<pre class="output">{escape("".join(data["text/plain"]).rstrip())}</pre>'


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Return a page whose links to notebooks lead to their pages; links out of docs/ are plain text."""
    if page.file.src_uri.startswith("notebooks/"):
        return NOTEBOOK.sub(r"](\1.md)", FROM_NOTEBOOK.sub(r"](../\1)", markdown))
    return OUTSIDE.sub(r"\1", NOTEBOOK.sub(r"](notebooks/\1.md)", markdown))


def on_page_content(html: str, page: Any, **_: Any) -> str:
    """Return a page as it is; fail if functions show `**options` there instead of the keywords that they take."""
    if "Unpack" in html and page.file.src_uri == "api.md":
        raise PluginError("keywords_extension.py has not spelled out the keywords of a function")
    return html
