"""Ranges are painted with the mouse and the keyboard; every change can be undone and stands in the address."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from counterpoise.cards import Range
from counterpoise.web.pages.address import unpack
from tests.web.browser.conftest import WAIT, Browsing

pytestmark = pytest.mark.long


@pytest.fixture
def editor(window: Callable[..., Browsing]) -> Callable[..., Browsing]:
    def opened(size: str = "desktop") -> Browsing:
        one = window(size)
        one.go("/spot")
        one.page.get_by_text("8,814 nodes").wait_for()
        return one

    return opened


def cell(one: Browsing, seat: str, kind: str) -> Any:
    return one.page.get_by_role("grid", name=f"Range of {seat}").locator(f'[data-kind="{kind}"]')


def text(one: Browsing, seat: int) -> str:
    return str(one.page.get_by_label("Range in words: paste or copy").nth(seat).input_value())


def in_address(one: Browsing, seat: int) -> str:
    """Return the range that a reload would show: the address follows what is painted a moment later."""
    packed = dict(parse_qsl(urlsplit(one.page.url).query)).get("spot")
    return str(unpack(packed)["form"][("oop", "ip")[seat]]) if packed else ""


def wait_for(one: Browsing, seat: int, hands: str, where: Callable[[Browsing, int], str] = text) -> None:
    """Wait until the text of a range means these hands."""
    until = time.monotonic() + WAIT / 1e3
    while time.monotonic() < until:
        if Range.from_string(where(one, seat) or "22") == Range.from_string(hands):
            return
        one.page.wait_for_timeout(100)  # between two looks
    raise AssertionError(f"{where(one, seat)!r} is not {hands!r}")


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_paint(editor: Callable[..., Browsing], size: str) -> None:
    """Dragging paints, with a weight; single suits; undo and redo; a reload shows the same."""
    one = editor(size)
    page = one.page
    page.get_by_role("button", name="Clear").first.click()
    page.get_by_text("Not to be solved yet: oop: no hand is in the range").wait_for()
    first, last = cell(one, "OOP", "AA"), cell(one, "OOP", "AQs")
    first.scroll_into_view_if_needed()
    start, stop = first.bounding_box(), last.bounding_box()
    page.mouse.move(start["x"] + 8, start["y"] + 8)
    page.mouse.down()
    page.mouse.move(stop["x"] + 8, stop["y"] + 8, steps=1)  # so fast that AKs is never under the mouse
    page.mouse.up()
    wait_for(one, 0, "AA,AKs,AQs")
    page.get_by_text(re.compile(r"\d nodes")).wait_for()  # complaints above the square are gone: nothing moves any more
    page.get_by_label("Range of OOP: weight of the brush").fill("50")
    cell(one, "OOP", "KK").click()
    wait_for(one, 0, "AA,AKs,AQs,KK:0.5")
    page.get_by_role("button", name="Suits of KK").first.click()
    page.get_by_role("group", name="Suits of KK").get_by_role("button", name=re.compile("KsKh")).click()
    without = "AA,AKs,AQs,KK:0.5,KsKh:0"
    wait_for(one, 0, without, in_address)
    one.reload()
    page.get_by_role("grid", name="Range of OOP").wait_for()
    wait_for(one, 0, without)
    assert cell(one, "OOP", "KK").get_attribute("aria-label") == "KK 42 %"
    assert one.overflow() <= 0


def test_a_finger_scrolls_over_a_range(editor: Callable[..., Browsing]) -> None:
    """On a phone a square is as wide as the page: moving up and down scrolls and paints nothing, sideways paints."""
    one = editor("phone")
    page, before = one.page, text(one, 0)
    touch = page.context.new_cdp_session(page)
    touch.send("Emulation.setTouchEmulationEnabled", {"enabled": True})

    def drag(kind: str, right: float, down: float) -> None:
        box = cell(one, "OOP", kind).bounding_box()
        for step in range(11):
            place = {"x": box["x"] + 8 + right * step / 10, "y": box["y"] + 8 + down * step / 10}
            touch.send(
                "Input.dispatchTouchEvent", {"type": "touchMove" if step else "touchStart", "touchPoints": [place]}
            )
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    cell(one, "OOP", "72o").scroll_into_view_if_needed()
    scrolled = page.evaluate("window.scrollY")
    drag("A2o", 0, 150)
    page.wait_for_function(f"window.scrollY < {scrolled - 50}")
    cell(one, "OOP", "72o").scroll_into_view_if_needed()
    drag("72o", cell(one, "OOP", "72o").bounding_box()["width"] + 1, 0)
    wait_for(one, 0, f"{before},72o,62o")  # the cell that the finger scrolled from is as it was


def test_keyboard(editor: Callable[..., Browsing]) -> None:
    """Arrow keys move over the square, Enter and Space paint; Ctrl+Z brings back what was."""
    one = editor()
    before = text(one, 1)
    cell(one, "IP", "AA").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight"):
        one.page.keyboard.press(key)
    one.page.keyboard.press("Enter")
    wait_for(one, 1, f"{before},QTs:0")
    one.page.keyboard.press("ArrowRight")
    one.page.keyboard.press(" ")
    wait_for(one, 1, f"{before},QTs:0,Q9s:0")
    one.page.keyboard.press("Control+z")
    wait_for(one, 1, f"{before},QTs:0")
    one.page.get_by_role("button", name="Undo").click()
    wait_for(one, 1, before)
    one.page.get_by_role("button", name="Redo").click()
    wait_for(one, 1, f"{before},QTs:0")


def test_board_sizes_and_complaints(editor: Callable[..., Browsing]) -> None:
    """The board is picked by cards; a wrong size is told beside its field; what does not fit says what to cut."""
    one = editor()
    page = one.page
    picker = page.get_by_role("grid", name="Cards of the board")
    picker.get_by_role("button", name="8 of diamonds").click()
    page.get_by_role("heading", name="Flop").wait_for()
    assert page.get_by_label("Board", exact=True).input_value() == "Qs Jh 2h"
    page.get_by_text("Nobody can bet on the flop").wait_for()
    picker.get_by_role("button", name="8 of diamonds").click()
    page.get_by_role("heading", name="Flop").wait_for(state="hidden")
    page.get_by_label("Bet, IP").nth(1).fill("50%, half")
    page.get_by_text("Not to be solved yet: turn.bet.ip: 'half' is not a bet size").wait_for()
    assert page.get_by_label("Bet, IP").nth(1).get_attribute("aria-invalid") == "true"
    page.get_by_label("Bet, IP").nth(1).fill("30c, e")
    page.get_by_role("button", name="Solve", exact=True).wait_for()
    page.get_by_text(re.compile(r"\d nodes")).wait_for()
    page.get_by_label("Preset").first.select_option("Pairs")
    wait_for(one, 0, "22+")
    page.get_by_label("Range in words: paste or copy").first.fill("AA,KK:0.25,QQx")
    page.get_by_text("Not to be solved yet: oop: range token 'QQx' cannot be read").wait_for()
    page.get_by_label("Range in words: paste or copy").first.fill("AA,KK:0.25")
    page.get_by_text("7.5 hands").wait_for()
    page.get_by_role("button", name="Copy").first.click()
    page.wait_for_function("navigator.clipboard.readText().then((text) => text === 'AA,KK:0.25')")
    page.get_by_label("Template").select_option("flop_srp")
    page.get_by_text("212,095 nodes").wait_for()
    many = ", ".join(f"{size}%" for size in range(10, 200, 5))
    page.get_by_label("Bet, OOP").first.fill(many)
    page.get_by_label("Raise, IP").first.fill(many)
    page.get_by_text(re.compile("leave out|even without|give fewer sizes")).wait_for()
    assert page.get_by_role("button", name="Solve", exact=True).is_disabled()
