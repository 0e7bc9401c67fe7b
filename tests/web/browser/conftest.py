"""A real browser on a real server: Debian's Chromium, driven by Playwright, and axe for accessibility.

`make test` and `make test-long` install both. Nothing waits for a time to pass, only for conditions to come true. A
page that writes an error to the console, or that asks another machine for anything, fails its test.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.web.conftest import Running

sync_api = pytest.importorskip("playwright.sync_api", reason="browser tests need Playwright: pip install playwright")

ROOT = Path(__file__).parents[3]
SCREENS = ROOT / "out" / "screens"
AXE = Path(os.environ.get("COUNTERPOISE_AXE", Path(sys.prefix) / "axe" / "package" / "axe.min.js"))
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SIZES = {"desktop": (1280, 900), "phone": (390, 844)}
WAIT = 180_000
"""Milliseconds that a condition may take to come true: the machine may be busy."""
HARMLESS = re.compile(r"WebSocket connection .* failed|net::ERR_|Failed to load resource")  # while a page is left


@pytest.fixture(scope="module")  # Playwright's event loop would be in the way of the other tests of a process
def browser() -> Iterator[sync_api.Browser]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("browser tests need Chromium: apt-get install chromium")
    sync_api.expect.set_options(timeout=WAIT)
    with sync_api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server as a user starts it, on a free port, with a library of its own."""
    running = Running(tmp_path_factory.mktemp("library"), "--port", "0")
    running.client()
    yield running
    running.end()


class Browsing:
    """A window on the site, which notes what goes wrong in it."""

    def __init__(self, page: sync_api.Page, address: str) -> None:
        self.page, self.address = page, address
        self.problems: list[str] = []
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", self._console)
        page.on("request", self._request)

    def go(self, path: str) -> None:
        """Open a page, once it hears what is pressed."""
        self.page.goto(self.address + path)
        self._connected()

    def reload(self) -> None:
        self.page.reload()
        self._connected()

    def _connected(self) -> None:
        self.page.locator("body[data-live]").wait_for()

    def theme(self, name: str) -> None:
        """Choose a theme, light or dark, and wait until its colours are there."""
        self.page.get_by_label("Theme").select_option(name)
        self.page.locator(f"body.body--{name}").wait_for()
        self.page.wait_for_function("document.getAnimations().every((one) => one.playState !== 'running')")

    def screen(self, name: str) -> None:
        SCREENS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=SCREENS / f"{name}.png", full_page=True)

    def overflow(self) -> int:
        """Return by how many pixels the page is wider than its window."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - window.innerWidth"))

    def violations(self) -> list[str]:
        """Return what axe finds serious or critical."""
        if not AXE.exists():
            pytest.skip(f"accessibility tests need axe-core at {AXE}: npm pack axe-core")
        self.page.evaluate(AXE.read_text(encoding="utf-8"))
        found = self.page.evaluate("axe.run(document, {resultTypes: ['violations']}).then(found => found.violations)")
        return [
            f"{one['id']} ({one['impact']}): {one['nodes'][0]['html'][:160]}"
            for one in found
            if one["impact"] in ("serious", "critical")
        ]

    def _console(self, message: sync_api.ConsoleMessage) -> None:
        if message.type == "error" and not HARMLESS.search(message.text):
            self.problems.append(message.text)

    def _request(self, request: sync_api.Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.netloc != urlsplit(self.address).netloc:
            self.problems.append(f"asked {request.url}")


@pytest.fixture
def window(browser: sync_api.Browser, site: Running) -> Iterator[Callable[..., Browsing]]:
    """Open windows of a size ("desktop" or "phone"); at the end nothing may have gone wrong in them."""
    opened: list[Browsing] = []

    def open_window(size: str = "desktop") -> Browsing:
        width, height = SIZES[size]
        context = browser.new_context(viewport={"width": width, "height": height}, accept_downloads=True)
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        page = context.new_page()
        page.set_default_timeout(WAIT)
        opened.append(Browsing(page, site.address))
        return opened[-1]

    yield open_window
    for one in opened:
        one.page.context.close()
        assert one.problems == []
