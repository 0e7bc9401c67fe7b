"""What the site does with its pages beside Markdown: links to files beside docs/ become text, for it has pages only."""

import re
from typing import Any

OUTSIDE = re.compile(r"\[([^\]]+)\]\(\.\./[^)]+\)")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Return a page in which links out of docs/ are plain text."""
    return OUTSIDE.sub(r"\1", markdown)
