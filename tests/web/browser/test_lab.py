"""Races in a browser: live curves, reload in the middle, the strategies of the runs, files; games of other programs."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

import counterpoise as cp
from tests.web.browser.conftest import Browsing
from tests.web.browser.fields import field, looks_well, says

pytestmark = pytest.mark.long

GAME = """EFG 2 R "pennies" { "a" "b" }
p "" 1 1 "first" { "H" "T" } 0
p "" 2 1 "second" { "H" "T" } 0
t "" 1 "" { 1 -1 }
t "" 2 "" { -1 1 }
p "" 2 1 "second" { "H" "T" } 0
t "" 3 "" { -1 1 }
t "" 4 "" { 1 -1 }
"""


@pytest.fixture(params=["desktop", "phone"])
def size(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_race_of_two(window: Callable[..., Browsing], size: str) -> None:
    """Race two algorithms on Leduc, reload in the middle, look at both against all axes and into their strategies."""
    one = window(size)
    page = one.page
    one.go("/lab")
    group = page.get_by_role("group", name="Algorithms")
    group.get_by_role("button", name="cfr", exact=True).click()
    group.get_by_role("button", name="dcfr", exact=True).and_(page.locator('[aria-pressed="true"]')).wait_for()
    field(one, "Iterations").fill("400")
    page.wait_for_url(re.compile("iterations=400"))
    one.reload()
    assert field(one, "Iterations").input_value() == "400"
    assert group.get_by_role("button", name="cfr", exact=True).get_attribute("aria-pressed") == "false"
    looks_well(one, f"lab-setup-{size}")
    page.get_by_role("button", name="Start the race").click()
    page.wait_for_url(re.compile("job="))
    page.get_by_role("img", name=re.compile(r"Exploitability. cfr\+ ends at")).wait_for()
    one.reload()
    says(one, "Done")
    page.get_by_role("group", name="Against").get_by_role("button", name="Nodes").click()
    page.wait_for_url(re.compile("against=nodes_touched"))
    page.get_by_role("img", name=re.compile(r"cfr\+ ends at .*; dcfr ends at")).wait_for()
    page.get_by_role("group", name="Run").get_by_role("button", name="dcfr").click()
    page.get_by_text(re.compile(r"^\d+ information sets")).wait_for()
    field(one, "Information sets with").fill("K")
    page.wait_for_url(re.compile("text=K"))
    page.get_by_text(re.compile(r"^\d+ information sets, 1 to 50")).wait_for()
    looks_well(one, f"lab-race-{size}")
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Run of dcfr (.cpz)").click()
    path = Path(waiting.value.path())
    run = path.with_name(f"{path.name}-dcfr.cpz")
    path.rename(run)
    strategy = cp.load_strategy(run)
    row = page.get_by_role("region", name="Information sets").locator("tbody tr").first
    infoset, player, told = row.locator("td").all_inner_texts()
    expected = strategy[(int(player), infoset)]
    assert told == ", ".join(f"{action} {100 * share:.1f} %" for action, share in expected.items())
    table = page.get_by_role("region", name="Where the algorithms are")
    last = [float(text) for text in table.locator("tbody tr td:nth-child(3)").all_inner_texts()]
    assert last[1] == pytest.approx(cp.exploitability(cp.load("leduc_poker"), strategy), rel=1e-3)
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Plot (PNG)").click()
    assert Path(waiting.value.path()).read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    field(one, "Go on to, iterations").fill("450")
    page.get_by_role("button", name="Run longer").click()
    table.get_by_role("cell", name="450").nth(1).wait_for()


def test_game_of_gambit(window: Callable[..., Browsing], tmp_path: Path) -> None:
    """An uploaded .efg file is raced on; a damaged one, an unknown game and no algorithm are told in a sentence."""
    one = window()
    page = one.page
    one.go("/lab")
    (tmp_path / "bad.efg").write_text("EFG nonsense")
    page.get_by_label("Upload a game (.efg)").set_input_files(tmp_path / "bad.efg")
    page.locator(".cp-upload .cp-error").wait_for()
    (tmp_path / "pennies.efg").write_text(GAME)
    page.get_by_label("Upload a game (.efg)").set_input_files(tmp_path / "pennies.efg")
    page.wait_for_url(re.compile("game=uploads/pennies"))
    page.get_by_role("button", name="Start the race").click()
    says(one, "Done")
    expect(page.get_by_role("region", name="Information sets").locator("tbody tr")).to_have_count(2)
    one.go("/lab?game=nonsense")
    page.get_by_role("button", name="Start the race").click()
    page.locator(".cp-error", has_text="nonsense").wait_for()
    one.go("/lab?algorithms=;")
    page.get_by_role("button", name="Start the race").click()
    page.locator(".cp-error", has_text=re.compile("[Aa]lgorithms")).wait_for()
    one.go("/lab?job=none")
    page.get_by_text("There is no job").wait_for()
    one.go("/lab?run=runs/none.cpz")
    page.get_by_text("The library has no file").wait_for()


def test_game_of_openspiel(window: Callable[..., Browsing]) -> None:
    """A game of OpenSpiel is named with its settings."""
    pytest.importorskip("pyspiel")
    one = window()
    page = one.page
    one.go("/lab?algorithms=cfr%2B&iterations=20")
    field(one, "Game").select_option("openspiel")
    field(one, "Name in OpenSpiel, with settings").fill("kuhn_poker(players=2)")
    page.wait_for_url(re.compile("settings=kuhn_poker"))
    page.get_by_role("button", name="Start the race").click()
    page.get_by_role("heading", name="Race on openspiel:kuhn_poker(players=2)").wait_for()
    says(one, "Done")
    page.get_by_text("12 information sets").wait_for()
