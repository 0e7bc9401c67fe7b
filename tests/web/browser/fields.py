"""What the browser tests of several pages share: fields by their label, and looks in both themes."""

from __future__ import annotations

import re
from typing import Any

from tests.web.browser.conftest import Browsing


def field(one: Browsing, label: str) -> Any:
    """Return the field of a label, whose text in a select would otherwise count its options."""
    return one.page.locator(f'.cp-field:has(> span:text-is("{label}"))').locator("input, select, textarea")


def says(one: Browsing, words: str) -> None:
    """Wait until the status of a job begins with these words; other jobs' states may stand elsewhere on the page."""
    one.page.locator("p.cp-note[aria-live]").filter(has_text=re.compile(f"^{words}")).wait_for()


def looks_well(one: Browsing, name: str) -> None:
    """Take a picture in both themes; axe finds nothing serious in either, and nothing is wider than the window."""
    for theme in ("dark", "light"):
        one.theme(theme)
        one.screen(f"{name}-{theme}")
        found = one.violations()
        assert not found, found
        wider = one.overflow()
        assert wider <= 0, f"{wider} pixels wider than the window"
