"""The first page and the editor open in a browser and say what is wrong beside the field."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.web.browser.conftest import Browsing


@pytest.mark.slow
def test_start_and_editor(window: Callable[..., Browsing]) -> None:
    """The page works without reading anything: one click from an example to its editor, which sizes it at once."""
    one = window()
    one.go("/")
    one.page.get_by_role("link", name="Change it first").click()
    page = one.page
    page.get_by_text("8,814 nodes").wait_for()
    page.get_by_label("Pot, chips").fill("12.5")
    page.get_by_text("pot must be a whole number of chips").wait_for()
    assert page.get_by_label("Pot, chips").get_attribute("aria-invalid") == "true"
    assert page.get_by_role("button", name="Solve", exact=True).is_disabled()
