"""The trainer in a browser: a question by keys, what an answer loses, statistics that a reload does not change."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

import counterpoise as cp
from tests.web.browser.conftest import Browsing
from tests.web.browser.fields import looks_well
from tests.web.conftest import TURN, Running

pytestmark = pytest.mark.long


@pytest.fixture(params=["desktop", "phone"])
def size(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def turn(site: Running) -> str:
    client = site.client()
    job = client.submit({"kind": "solve-spot", "spot": cp.Spot(**TURN).to_dict(), "target": 1.0})
    return str(client.wait(job.id).id)


def test_nothing_to_learn_from(window: Callable[..., Browsing]) -> None:
    """Without a solution the page says how to get one."""
    one = window()
    one.go("/trainer")
    one.page.get_by_text("solve a spot first").wait_for()
    looks_well(one, "trainer-empty-desktop")


def test_questions_and_answers(window: Callable[..., Browsing], turn: str, size: str, site: Running) -> None:
    """Three answers by keys lose what the solution says; reload and back change neither question nor statistics."""
    one = window(size)
    page = one.page
    before = site.client().statistics().all.decisions
    one.go("/trainer?number=4")
    actions = page.get_by_role("group", name="Your answer")
    for number in range(3):
        actions.get_by_role("button").first.wait_for()
        page.keyboard.press("c")
        page.get_by_role("region", name="What each action is worth with this hand").wait_for()
        told = page.get_by_text(re.compile(r"loses \d+\.\d\d chips")).inner_text()
        worth = page.get_by_role("region", name="What each action is worth with this hand")
        values = [float(text) for text in worth.locator("tbody tr td:nth-child(2)").all_inner_texts()]
        mine = worth.locator("tbody tr", has_text="yours").locator("td:nth-child(2)").inner_text()
        lost = float(re.search(r"loses (\d+\.\d\d)", told)[1])
        assert lost == pytest.approx(max(values) - float(mine), abs=0.6 if max(values) >= 100 else 0.06)
        if number == 1:
            one.reload()
            page.get_by_text(told).wait_for()
        if number < 2:
            page.keyboard.press("n")
            page.get_by_text(told).wait_for(state="detached")
    assert site.client().statistics().all.decisions == before + 3
    looks_well(one, f"trainer-{size}")
    page.get_by_role("group", name="Street").get_by_role("button", name="Flop").click()
    page.locator(".cp-error", has_text="comes to a decision").wait_for()
    page.go_back()
    page.get_by_text(told).wait_for()
