"""The turn of the examples is solved in a browser, walked, locked, searched, compared and exported."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib.image
import pytest
from playwright.sync_api import expect

import counterpoise as cp
from counterpoise.web.pages.address import pack
from tests.web.browser.conftest import ROOT, Browsing
from tests.web.browser.fields import says
from tests.web.conftest import Running

pytestmark = pytest.mark.long

EXAMPLE = ROOT / "examples" / "spots" / "turn.toml"
TARGET = "2"


@pytest.fixture(scope="module")
def turn(site: Running) -> str:
    """The id of the job that has solved the example, coarsely."""
    client = site.client()
    job = client.submit({"kind": "solve-spot", "spot": cp.Spot.load(EXAMPLE).to_dict(), "target": float(TARGET)})
    return client.wait(job.id).id


@pytest.fixture(params=["desktop", "phone"])
def size(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def square(one: Browsing, node: str) -> Any:
    """Return the square of a node, once it is shown."""
    found = one.page.get_by_role("grid", name=re.compile(rf" at {re.escape(node)}$"))
    found.first.wait_for()
    return found.first


def tab(one: Browsing, name: str) -> None:
    one.page.get_by_role("group", name="Reports and tools").get_by_role("button", name=name, exact=True).click()


def option(one: Browsing, node: str) -> Any:
    return one.page.locator(f'.cp-option[data-node="{node}"]')


def test_solve_and_walk(window: Callable[..., Browsing], size: str) -> None:
    """Solve the example from the editor, walk to a river; reload and back show the same states."""
    one = window(size)
    page = one.page
    one.go("/spot?template=turn")
    page.get_by_text("8,814 nodes").wait_for()
    page.get_by_label("Target, % of the pot").fill(TARGET)
    page.get_by_text("to 2 % of the pot").wait_for()
    page.get_by_role("button", name="Solve", exact=True).click()
    says(one, "Done")
    square(one, "r:0")
    option(one, "r:0:c").click()
    square(one, "r:0:c")
    option(one, "r:0:c:b50").click()
    square(one, "r:0:c:b50")
    option(one, "r:0:c:b50:c").click()
    page.get_by_role("grid", name="Next card").get_by_role("button", name="3 of clubs").click()
    river = "r:0:c:b50:c:3c"
    square(one, river)
    colours = page.get_by_role("group", name="Colour of the square")
    colours.get_by_role("button", name="EQR").click()
    square(one, river).locator("[data-kind=QJs]").click()
    page.get_by_role("group", name="Hands of QJs").wait_for()
    address = page.url
    assert "node=r:0:c:b50:c:3c" in address
    assert "colour=eqr" in address
    before = square(one, river).locator("[data-kind=QJs]").get_attribute("aria-label")
    one.reload()
    after = square(one, river).locator("[data-kind=QJs]").get_attribute("aria-label")
    assert before == after
    assert colours.get_by_role("button", name="EQR").get_attribute("aria-pressed") == "true"
    page.get_by_role("group", name="Hands of QJs").wait_for()
    option(one, f"{river}:c").click()
    square(one, f"{river}:c")
    page.go_back()
    square(one, river)
    assert page.url == address
    other = window(size)  # the link, sent to somebody else
    other.go(address.removeprefix(one.address))
    assert square(other, river).locator("[data-kind=QJs]").get_attribute("aria-label") == before
    assert one.overflow() <= 0


def test_strategy_is_the_library_s(window: Callable[..., Browsing], turn: str, site: Running) -> None:
    """What a cell says is what the saved solution says of the hands in it."""
    one = window()
    one.go(f"/solution?name={turn}&node=r:0:c")
    words = square(one, "r:0:c").locator("[data-kind=AKs]").get_attribute("aria-label")
    node = cp.load_solution(_download(one, "Solution (.cpz)")).node("r:0:c")
    shares = node.strategy("AKs")
    expected = ", ".join(
        f"{name} {100 * share:.0f} %" for name, share in zip(node.action_names, shares.values(), strict=True)
    )
    assert words == f"AKs: {expected}"


def test_tables_and_reports(window: Callable[..., Browsing], turn: str, size: str) -> None:
    """Hands sort and filter by made hand and draw; blockers, equity and the report over all cards are there."""
    one = window(size)
    page = one.page
    one.go(f"/solution?name={turn}&node=r:0:c")
    square(one, "r:0:c")
    table = page.get_by_role("region", name="Hands of this decision")
    table.get_by_role("button", name="EV", exact=True).click()
    values = [float(text) for text in table.locator("tbody tr td:nth-child(6)").all_inner_texts()]
    assert values == sorted(values, reverse=True)
    page.get_by_label("Draws").select_option("flush draw")
    assert set(table.locator("tbody tr td:nth-child(10)").all_inner_texts()) >= {"flush draw"}
    for text in table.locator("tbody tr td:nth-child(10)").all_inner_texts():
        assert "flush draw" in text
    tab(one, "Equity")
    page.get_by_role("img", name=re.compile("Equity of both ranges. OOP ends at")).wait_for()
    tab(one, "Blockers")
    page.get_by_role("region", name="Blockers").get_by_role("cell", name="As", exact=True).wait_for()
    one.go(f"/solution?name={turn}&node=r:0:c:c&tab=cards")
    heat = page.get_by_role("grid", name="Every card that may come")
    heat.get_by_role("button", name=re.compile(r"A of hearts: \d")).wait_for()
    page.get_by_role("button", name="Equity IP").first.click()
    heat.get_by_role("button", name=re.compile(r"A of hearts: \d+ %")).wait_for()
    expect(page.get_by_role("region", name="Every card that may come").locator("tbody tr")).to_have_count(48)
    assert one.overflow() <= 0
    heat.get_by_role("button", name=re.compile("A of hearts")).click()
    square(one, "r:0:c:c:Ah")


def test_lock_and_compare(window: Callable[..., Browsing], turn: str) -> None:
    """Paint a lock, undo one by words, solve again; the locked hands do as they were told, beside the old solution."""
    one = window()
    page = one.page
    one.go(f"/solution?name={turn}&node=r:0:c&tab=lock")
    page.get_by_role("group", name="Action of the brush").get_by_role("button", name="Check").click()
    start = square(one, "r:0:c").locator("[data-kind=AA]").bounding_box()
    stop = square(one, "r:0:c").locator("[data-kind=AQs]").bounding_box()
    page.mouse.move(start["x"] + 8, start["y"] + 8)
    page.mouse.down()
    page.mouse.move(stop["x"] + 8, stop["y"] + 8, steps=1)  # so fast that AKs is never under the mouse
    page.mouse.up()
    page.get_by_text("OOP check: AKs: check 100 %").wait_for()
    page.get_by_text("OOP check: AQs: check 100 %").wait_for()
    square(one, "r:0:c").get_by_label("AQs: check 100 %, bet 50 0 %, bet 100 0 %, locked").wait_for()
    page.get_by_label("Hands", exact=True).fill("KK")
    page.get_by_label("Probability of the action, %").fill("25")
    page.get_by_role("button", name="Lock these hands").click()
    page.get_by_text("OOP check: KK: check 25 %, the rest as they mix now").wait_for()
    one.reload()
    page.get_by_text("OOP check: KK: check 25 %, the rest as they mix now").wait_for()
    page.get_by_role("button", name="Remove the lock of KK").click()
    page.get_by_text("OOP check: KK").wait_for(state="detached")
    page.get_by_label("Check", exact=True).fill("50")
    page.get_by_role("button", name="Lock the whole node").click()
    page.get_by_text("OOP check: all hands: check").wait_for()
    page.get_by_role("button", name="Remove the lock of random").click()
    page.get_by_text("OOP check: all hands").wait_for(state="detached")
    page.get_by_label("Hands", exact=True).fill("72o")
    page.get_by_role("button", name="Lock these hands").click()
    page.get_by_text("no such hand is in the range of ip").wait_for()
    page.locator(".cp-field", has_text="Target, % of the pot").last.locator("input").fill("3")
    page.get_by_role("button", name="Solve again").click()
    page.wait_for_url(re.compile(f"name=(?!{turn})"))
    says(one, "Done")
    label = square(one, "r:0:c").locator("[data-kind=AKs]").get_attribute("aria-label")
    assert label is not None
    assert label.startswith("AKs: check 100 %")
    assert label.endswith(", locked")
    tab(one, "Lock")
    page.get_by_text("OOP check: locked in this solution").wait_for()
    page.get_by_role("button", name="Unlock: OOP check").click()
    page.get_by_text("OOP check: its lock will be left out").wait_for()
    page.get_by_role("button", name="Lock again: OOP check").click()
    page.get_by_text("OOP check: locked in this solution").wait_for()
    tab(one, "Compare")
    page.get_by_text("mean distance of the strategies").wait_for()
    page.get_by_text(re.compile(rf"{turn}: exploitable for")).wait_for()
    expect(page.get_by_role("grid", name=re.compile(" at r:0:c$"))).to_have_count(2)
    one.screen("locked-desktop-light")


def test_safe_search(window: Callable[..., Browsing], turn: str) -> None:
    """Search a river with another size, and a bet that the solution does not know; the verdict is a sentence."""
    one = window()
    page = one.page
    one.go(f"/solution?name={turn}&node=r:0:c:c:3c&tab=search")
    square(one, "r:0:c:c:3c")
    page.get_by_label("River bets").fill("33%, 120%")
    page.get_by_role("button", name="Search", exact=True).click()
    page.wait_for_url(re.compile(f"name=(?!{turn})"))
    page.get_by_text(re.compile("^(Safe|Not safe).*:")).wait_for()
    square(one, "r:0:c:c:3c")
    assert page.get_by_text("bet 33").first.is_visible()
    one.screen("verdict-desktop-light")
    one.go(f"/solution?name={turn}&node=r:0:c:c:3c&tab=search")
    square(one, "r:0:c:c:3c")
    page.get_by_label("After a bet to, chips (not in the solution)").fill("77")
    page.get_by_role("button", name="Search", exact=True).click()
    page.wait_for_url(re.compile(f"name=(?!{turn})"))
    page.get_by_text(re.compile("^(Safe|Not safe).*:")).wait_for()
    square(one, "r:0:c:c:3c:b77")


def test_exports_read_back(window: Callable[..., Browsing], turn: str, site: Running) -> None:
    """Every export is what it says: the table, the picture, the spot and the solution."""
    one = window()
    one.go(f"/solution?name={turn}&node=r:0:c&tab=run")
    square(one, "r:0:c")
    solution = cp.load_solution(_download(one, "Solution (.cpz)"))
    node = solution.node("r:0:c")
    with _download(one, "Table (CSV)").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(node.rows())
    assert float(rows[0]["ev"]) == pytest.approx(node.rows()[0]["ev"])
    assert cp.Spot.load(_download(one, "Spot (TOML)", "spot.toml")) == cp.Spot.load(EXAMPLE)
    with one.page.expect_download() as waiting:
        one.page.get_by_role("button", name="Picture (PNG)").click()  # drawn by the page
    assert waiting.value.suggested_filename == "r-0-c.png"
    drawn = matplotlib.image.imread(waiting.value.path(), format="png")
    colours = {tuple(pixel) for pixel in (255 * drawn[::3, ::3, :3]).round().astype(int).reshape(-1, 3).tolist()}
    view = site.client().node(turn, "r:0:c")
    assert {tuple(bytes.fromhex(action.colour[1:])) for action in view.actions} <= colours


def test_stop_go_on_finer(window: Callable[..., Browsing]) -> None:
    """A job is stopped, goes on, and is solved finer; closing the window does not stop it."""
    one = window()
    page = one.page
    one.go("/spot?template=turn")
    page.get_by_text("8,814 nodes").wait_for()
    page.get_by_label("Target, % of the pot").fill("0.0001")
    page.get_by_text("to 0.0001 % of the pot").wait_for()
    page.get_by_role("button", name="Solve", exact=True).click()
    page.get_by_role("img", name=re.compile("Exploitability. exploitability ends at")).wait_for()
    one.screen("running-desktop-light")
    address = page.url
    one.go("/")
    one.go(address.removeprefix(one.address))
    page.get_by_role("button", name="Stop").click()
    says(one, "Stopped: what it found is kept")
    square(one, "r:0")
    page.get_by_role("button", name="Go on").click()
    says(one, "Solving")
    page.get_by_role("button", name="Stop").click()
    says(one, "Stopped: what it found is kept")
    page.get_by_label("Finer target, % of the pot").fill("20")
    page.get_by_role("button", name="Solve finer").click()
    says(one, "Done")


def test_best_sizes(window: Callable[..., Browsing], site: Running) -> None:
    """The best size of a small river is found, said in a sentence, and its solution opened."""
    client = site.client()
    river = {"board": "Ks 7d 4c Jd 2s", "pot": 100, "stack": 150, "river": {"bet": ["50%"], "raise": ["60%"]}}
    ranges = {"oop": "AhKh,9d8d,7c7s:0.5,QhJh", "ip": "KdQd,JhTh:0.75,AdQc,5d3d"}
    solved = client.wait(client.solve(river | ranges, target=0.5).id).id
    one = window()
    one.go(f"/solution?name={solved}&tab=sizes")
    one.page.get_by_role("button", name="Find the best sizes").click()
    one.page.wait_for_url(re.compile(f"name=(?!{solved})"))
    one.page.get_by_text(re.compile(r"^Best sizes of OOP: river \d+")).wait_for()
    square(one, "r:0")


def test_nothing_there(window: Callable[..., Browsing], turn: str) -> None:
    """Names and nodes that do not exist are told in a sentence."""
    one = window()
    one.go("/solution?name=solutions/none.cpz")
    one.page.get_by_text("The library has no file").wait_for()
    one.go(f"/solution?name={turn}&node=r:0:b13")
    one.page.get_by_text("b13").first.wait_for()
    locks = pack([{"node": "r:0:c:b13", "strategy": {"AA": {"c": 1.0}}}])
    one.go(f"/solution?name={turn}&tab=lock&locks={locks}")
    one.page.get_by_role("alert").filter(has_text="b13").wait_for()
    one.go("/spot?spot=nonsense")
    one.page.get_by_text("the address is damaged").wait_for()


def _download(one: Browsing, name: str, rename: str = "") -> Path:
    """Return the file behind a link of the tab Run."""
    if not one.page.get_by_role("link", name=name).count():
        tab(one, "Run")
    with one.page.expect_download() as waiting:
        one.page.get_by_role("link", name=name).click()
    path = Path(waiting.value.path())
    wanted = path.with_name(f"{path.name}-{rename or waiting.value.suggested_filename}")
    path.rename(wanted)
    return wanted
