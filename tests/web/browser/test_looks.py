"""Every view at both widths and in both themes: axe finds nothing serious, nothing is cut off; pictures for the eye."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

import counterpoise as cp
from tests.web.browser.conftest import ROOT, SIZES, Browsing
from tests.web.browser.fields import says
from tests.web.conftest import Running

pytestmark = pytest.mark.long

VIEWS = {
    "start": ("/", "Solved lately"),
    "spot": ("/spot", "8,814 nodes"),
    "hands": ("/solution?name={turn}&node=r:0:c&hand=QJs", "Made hand"),
    "equity": ("/solution?name={turn}&node=r:0:c:c:3c&colour=ev&tab=equity", "share of the range, %"),
    "blockers": ("/solution?name={turn}&node=r:0:c&colour=equity&tab=blockers", "Removes of OOP"),
    "cards": ("/solution?name={turn}&node=r:0:c:c&tab=cards", "Equity OOP"),
    "lock": ("/solution?name={turn}&node=r:0&tab=lock", "Lock these hands"),
    "search": ("/solution?name={turn}&node=r:0:b50&tab=search", "Method"),
    "sizes": ("/solution?name={turn}&tab=sizes", "Find the best sizes"),
    "compare": ("/solution?name={turn}&tab=compare&other={turn}", "mean distance"),
    "run": ("/solution?name={turn}&tab=run", "Figures"),
}
IN_THE_DARK = {"desktop": ("spot", "hands", "equity", "cards", "run"), "phone": ("spot", "hands")}
"""What is looked at in the dark theme too, which changes colours only."""


@pytest.fixture(scope="module")
def turn(site: Running) -> str:
    client = site.client()
    spot = cp.Spot.load(ROOT / "examples" / "spots" / "turn.toml")
    return client.wait(client.solve(spot.to_dict(), target=2.0).id).id


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_views(window: Callable[..., Browsing], turn: str, size: str, theme: str) -> None:
    one = window(size)
    found: dict[str, object] = {}
    for name in VIEWS if theme == "light" else IN_THE_DARK[size]:
        path, sign = VIEWS[name]
        one.go(path.format(turn=turn))
        one.page.get_by_text(sign).first.wait_for()
        one.theme(theme)
        one.screen(f"{name}-{size}-{theme}")
        if violations := one.violations():
            found[name] = violations
        if (wider := one.overflow()) > 0:
            found[f"{name}: wider than the window"] = wider
    assert found == {}


def test_keyboard_only(window: Callable[..., Browsing]) -> None:
    """From the first page to a node of a solved spot without a mouse; the focus can be seen."""
    one = window()
    one.go("/?")
    page = one.page

    def press_until(name: str) -> None:
        for _ in range(60):
            page.keyboard.press("Tab")
            focused = page.evaluate(
                "document.activeElement.ariaLabel || document.activeElement.innerText || ''"
            ).strip()
            if re.match(name, focused):
                return
        raise AssertionError(f"{name} is not reached by Tab")

    press_until("Solve the example")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineWidth")
    assert outline == "3px"
    page.keyboard.press("Enter")
    says(one, "Done")
    page.get_by_role("grid", name=re.compile(" at r:0$")).wait_for()
    press_until("check")
    page.keyboard.press("Enter")
    square = page.get_by_role("grid", name=re.compile(" at r:0:c$"))
    square.wait_for()
    press_until("AA:")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.get_by_role("group", name="Hands of KK").wait_for()
