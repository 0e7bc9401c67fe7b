"""Ten hands in a browser, by keys and by mouse, at desktop and phone width; thoughts, score, history, reload."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

import counterpoise as cp
from tests.web.browser.conftest import Browsing
from tests.web.browser.fields import field, looks_well
from tests.web.conftest import TURN, Running

pytestmark = pytest.mark.long

OVER = re.compile(r"Hand (\d+) is over")


@pytest.fixture(params=["desktop", "phone"])
def size(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def turn(site: Running) -> str:
    """The name of a solved turn in the library."""
    client = site.client()
    job = client.submit({"kind": "solve-spot", "spot": cp.Spot(**TURN).to_dict(), "target": 1.0})
    return f"jobs/{client.wait(job.id).id}/result.cpz"


def settled(page: Any) -> str:
    """Wait until it is the person's turn or the hand is over; return which."""
    page.locator("body[data-live]").wait_for()
    page.wait_for_function(
        "/^Your turn|is over/.test(document.querySelector('.cp-panel p[aria-live]')?.textContent ?? '')"
    )
    return str(page.locator(".cp-panel p[aria-live]").first.inner_text())


def sit_down(one: Browsing, query: str) -> None:
    one.go(f"/play?{query}")
    one.page.get_by_role("button", name="Sit down").click()
    one.page.wait_for_url(re.compile("session="))


def play_hand(page: Any, act: Callable[[], None]) -> None:
    """Act until the hand is over."""
    for _ in range(30):
        said = settled(page)
        if "is over" in said:
            return
        version = page.locator(".cp-seats").get_attribute("data-version")
        act()
        page.locator(f'.cp-seats:not([data-version="{version}"])').wait_for()
    raise AssertionError("the hand does not end")


def test_ten_hands(window: Callable[..., Browsing], turn: str, size: str) -> None:
    """Ten hands against a solution: every other one by keys; the page survives a reload in the middle of a hand."""
    one = window(size)
    page = one.page
    one.go("/play")
    field(one, "Opponent").select_option(f"spot:{turn}")
    page.wait_for_url(re.compile("agents=spot:"))
    looks_well(one, f"play-setup-{size}")
    page.get_by_role("button", name="Sit down").click()
    page.wait_for_url(re.compile("session="))
    for hand in range(1, 11):
        keys = hand % 2 == 1
        settled(page)
        if hand == 5:
            before = page.locator(".cp-seats").inner_text()
            one.reload()
            settled(page)
            assert page.locator(".cp-seats").inner_text() == before

        def act(keys: bool = keys) -> None:
            call = page.get_by_role("group", name="Your actions").get_by_role("button")
            call = call.filter(has_text=re.compile("^(Check|Call)"))
            call.wait_for()  # before it is there, its key does nothing
            if keys:
                page.keyboard.press("c")
            else:
                call.click()

        play_hand(page, act)
        assert OVER.search(settled(page))[1] == str(hand)
        if hand < 10:
            page.get_by_role("button", name="Next hand").wait_for()
            page.keyboard.press("n")
            page.get_by_text(f"Hand {hand} is over").wait_for(state="detached")
    page.get_by_text(re.compile("10 hands, 10 judged")).wait_for()
    page.get_by_role("button", name="What did it think").click()
    grid = page.get_by_role("grid", name=re.compile("^Range and strategy of spot:"))
    grid.wait_for()
    expect(grid.locator('[data-kind][aria-label*=" %"]')).to_have_count(4)  # the kinds of hands of that range
    looks_well(one, f"play-thoughts-{size}")
    page.get_by_role("list", name="Decisions of the hand").get_by_role(
        "button", name=re.compile("you:", re.I)
    ).first.click()
    page.get_by_role("region", name="What your actions were worth").wait_for()
    address = page.url
    one.reload()
    page.get_by_role("region", name="What your actions were worth").wait_for()
    assert page.url == address
    page.get_by_role("button", name="Hands", exact=True).click()
    table = page.get_by_role("region", name="Hands that are over")
    table.locator("tbody tr").nth(9).wait_for()
    expect(table.locator("tbody tr")).to_have_count(10)
    won = sum(float(text.replace(",", "")) for text in table.locator("tbody tr td:nth-child(2)").all_inner_texts())
    total = page.locator(".cp-figure", has_text="your result so far").locator("b").inner_text()
    assert float(re.sub("[^-0-9.]", "", total)) == pytest.approx(won, rel=1e-3, abs=1)
    page.get_by_role("button", name="Leave the table").click()
    page.get_by_role("heading", name="This session has ended").wait_for()
    assert one.overflow() <= 0


def test_amounts_and_six_seats(window: Callable[..., Browsing]) -> None:
    """A raise typed at the keyboard is what the table says; a wrong amount is refused in a sentence; PHH reads back."""
    one = window()
    page = one.page
    one.go("/play")
    field(one, "Seats").select_option("6")
    field(one, "Opponent 5").wait_for()
    field(one, "Opponent 1").select_option("always-call")
    field(one, "Opponent 3").select_option("random")
    page.wait_for_url(re.compile("random"))
    one.reload()
    assert field(one, "Opponent 3").input_value() == "random"
    field(one, "Opponents by name, with settings; “;” between them").fill("always-call")
    page.get_by_role("button", name="Sit down").click()
    page.wait_for_url(re.compile("session="))
    settled(page)
    expect(page.locator(".cp-seat")).to_have_count(6)
    page.keyboard.type("r7")
    page.keyboard.press("Enter")
    page.get_by_text(re.compile("You cannot raise to 7 chips: it must be between .* and .*")).wait_for()
    page.keyboard.type("r7bb")
    page.keyboard.press("Enter")
    page.get_by_text("you: raise to 700").wait_for()
    looks_well(one, "play-six-desktop")
    play_hand(page, lambda: page.keyboard.press("c"))
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Hands (PHH)").click()
    path = Path(waiting.value.path())
    log = path.with_name(waiting.value.suggested_filename)
    path.rename(log)
    assert len(cp.read_log(log).records) == 1
    page.get_by_role("button", name="Leave the table").click()
    page.get_by_role("heading", name="This session has ended").wait_for()


def test_other_games_and_refusals(window: Callable[..., Browsing]) -> None:
    """Kuhn poker is played by numbers; agents, games and sessions that do not exist are told in a sentence."""
    one = window("phone")
    page = one.page
    sit_down(one, "agents=random&game=kuhn_poker")
    play_hand(page, lambda: page.keyboard.press("1"))
    page.get_by_role("button", name="What did it think").click()
    page.get_by_role("region", name="Range and strategy of random").or_(page.get_by_text("Nobody")).first.wait_for()
    assert not page.get_by_text("Hands (PHH)").is_visible()
    assert one.overflow() <= 0
    page.get_by_role("button", name="Leave the table").click()
    page.get_by_role("heading", name="This session has ended").wait_for()
    one.go("/play?agents=nonsense")
    page.get_by_role("button", name="Sit down").click()
    page.get_by_text(re.compile("nonsense")).and_(page.locator(".cp-error")).wait_for()
    one.go("/play?session=none")
    page.get_by_text("There is no session").wait_for()
