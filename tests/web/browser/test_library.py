"""The library in a browser: search, tags, upload, rename, resume, delete with confirmation."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

import counterpoise as cp
from tests.web.browser.conftest import Browsing
from tests.web.browser.fields import field, looks_well
from tests.web.conftest import TURN, Running

pytestmark = pytest.mark.long


@pytest.fixture(params=["desktop", "phone"])
def size(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_empty(window: Callable[..., Browsing]) -> None:
    """An empty library says what to do."""
    one = window("phone")
    one.go("/library")
    one.page.get_by_text("Nothing here yet").wait_for()
    looks_well(one, "library-empty-phone")


def test_upload_tag_search_delete(window: Callable[..., Browsing], tmp_path: Path, site: Running, size: str) -> None:
    """A spot is uploaded, tagged, found by its tag, renamed, kept when asked first, and deleted when confirmed."""
    one = window(size)
    page = one.page
    one.go("/library")
    (tmp_path / "wrong.txt").write_text("x")
    page.get_by_label("A file of this program or of Gambit").set_input_files(tmp_path / "wrong.txt")
    page.locator(".cp-upload .cp-error").wait_for()
    cp.Spot(**TURN).save(tmp_path / f"mine-{size}.toml")
    page.get_by_label("A file of this program or of Gambit").set_input_files(tmp_path / f"mine-{size}.toml")
    field(one, "Name").wait_for()
    field(one, "Tags, commas between them").fill("x" * 60)
    page.locator(".cp-item .cp-error", has_text="tag").wait_for()
    field(one, "Tags, commas between them").fill(f"river plan, {size}")
    page.get_by_text(f"Tags: {size}, river plan").wait_for()
    expect(field(one, "Tags, commas between them")).to_be_focused()  # the rest of the list changes around it
    expect(page.locator(".cp-item .cp-error")).to_have_text("")
    site.client().tag(site.client().library(tag=size)[0].name, [size, "river plan", "third"])  # from elsewhere
    field(one, "Kind").select_option("spot")
    page.get_by_text(f"Tags: {size}, river plan, third").wait_for()
    expect(field(one, "Tags, commas between them")).to_have_value(f"{size}, river plan, third")
    field(one, "Tags, commas between them").fill(f"river plan, {size}")
    page.get_by_text(re.compile(f"^Tags: {size}, river plan$")).wait_for()
    one.reload()
    page.get_by_text(f"Tags: {size}, river plan").wait_for()
    field(one, "Tag").select_option(size)
    page.wait_for_url(re.compile(f"tag={size}"))
    page.get_by_text(re.compile("^1 of ")).wait_for()
    field(one, "Name").fill(f"spots/plan {size}.toml")
    page.get_by_role("button", name="Rename").click()
    page.get_by_text(re.compile(rf"spots/plan {size}\.toml")).first.wait_for()
    field(one, "Search").fill("no such words")
    page.get_by_text("No file has all of these words").wait_for()
    field(one, "Search").fill("small turn")
    page.get_by_role("button", name="Delete", exact=True).wait_for()
    looks_well(one, f"library-{size}")
    page.get_by_role("button", name="Delete", exact=True).focus()
    page.keyboard.press("Enter")
    page.get_by_text(re.compile("Delete spots/plan .* for good\\? It frees")).wait_for()
    one.screen(f"library-delete-{size}-light")
    page.keyboard.press("Enter")  # the focus is on "Keep it"
    page.get_by_role("button", name="Delete", exact=True).wait_for()
    names = [entry.name for entry in site.client().library()]
    assert f"spots/plan {size}.toml" in names
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="Delete for good").click()
    page.get_by_text("No file has all of these words").or_(page.get_by_text("Nothing here yet")).wait_for()
    names = [entry.name for entry in site.client().library()]
    assert f"spots/plan {size}.toml" not in names


def test_resume_and_delete_a_job(window: Callable[..., Browsing], site: Running) -> None:
    """A stopped job is resumed from the library; its result is copied; the job is deleted after a question."""
    one = window()
    page = one.page
    spot = cp.Spot(**TURN).to_dict()
    id = site.client().submit({"kind": "solve-spot", "spot": spot, "target": 1e-6, "iterations": 10**8}).id
    one.go("/library")
    jobs = page.locator("section", has=page.get_by_role("heading", name="Jobs"))
    jobs.get_by_text(re.compile("running")).wait_for()
    next(event for event in site.client().events(id) if event.kind == "trace")
    jobs.get_by_role("button", name="Stop").click()
    jobs.get_by_text(re.compile("stopped")).wait_for()
    jobs.get_by_role("button", name="Resume").click()
    jobs.get_by_text(re.compile("running")).wait_for()
    jobs.get_by_role("button", name="Stop").click()
    jobs.get_by_text(re.compile("stopped")).wait_for()
    one.go(f"/library?open=jobs/{id}/result.cpz")
    page.get_by_role("button", name="Keep a copy outside of the job").click()
    page.wait_for_url(re.compile("open=solutions/"))
    jobs.get_by_role("button", name="Delete the job").click()
    jobs.get_by_role("button", name="Delete for good").click()
    jobs.get_by_text("No job yet").wait_for()
    page.get_by_text("1 of 1 shown").wait_for()
    page.get_by_role("link", name="Train with it").click()
    page.get_by_role("group", name="Your answer").get_by_role("button").first.wait_for()
