"""The first page and the editor open in a browser; addresses of the API are never answered by a page."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest

from tests.web.browser.conftest import Browsing
from tests.web.conftest import Running


@pytest.mark.slow
def test_start_and_editor(window: Callable[..., Browsing]) -> None:
    """The page works without reading anything: one click from an example to its editor, which sizes it at once."""
    one = window()
    one.go("/")
    one.page.get_by_role("link", name="Change it first").click()
    page = one.page
    page.get_by_text("8,814 nodes").wait_for()
    page.get_by_label("Pot, chips").fill("12.5")
    page.get_by_text("Not to be solved yet: pot must be a whole number of chips").wait_for()
    assert page.get_by_label("Pot, chips").get_attribute("aria-invalid") == "true"
    assert page.get_by_role("button", name="Solve", exact=True).is_disabled()


@pytest.mark.slow
def test_what_the_api_does_not_know_is_no_page(site: Running) -> None:
    for path in ("/api/v1/nosuch", "/api/v1/jobs/a/b/c", "/api/v1", "/api/v2/jobs"):
        for method in ("GET", "POST", "DELETE"):
            answer = httpx.request(method, site.address + path)
            assert answer.status_code == 404
            assert answer.json()["detail"] == f"nothing is at {path!r}: /api/v1/docs lists the calls of the API"
    answer = httpx.put(site.address + "/api/v1/spots/estimate")
    assert (answer.status_code, answer.headers["allow"], answer.json()) == (
        405,
        "POST",
        {"detail": "Method Not Allowed"},
    )
    page = httpx.get(site.address + "/nosuch")
    assert page.status_code == 404
    assert page.headers["content-type"].startswith("text/html")
    assert httpx.get(site.address + "/library").status_code == 200
