"""The frame of every page: one header with the menu and the theme, and the main part below it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nicegui import ui

_FOLDER = Path(__file__).parent
MENU = {
    "spot": ("Spot", "/spot"),
    "play": ("Play", "/play"),
    "trainer": ("Trainer", "/trainer"),
    "lab": ("Lab", "/lab"),
    "library": ("Library", "/library"),
}
"""The pages of the header by the name of their module: title and address."""

RESPONSE_SECONDS = 120.0
"""How long a page may take to be built: on a busy machine, or while a large solution is read."""


def page(path: str) -> ui.page:
    """Return the decorator of a function that builds the page at a path."""
    return ui.page(path, response_timeout=RESPONSE_SECONDS)


@contextmanager
def frame(title: str, active: str = "") -> Iterator[None]:
    """Lay out a page: `title` names the tab of the browser, `active` is the module whose menu entry is marked."""
    from counterpoise.web.pages import PAGES

    ui.page_title(f"{title} – Counterpoise" if title else "Counterpoise")
    ui.add_css((_FOLDER / "theme.css").read_text(encoding="utf-8"))
    ui.add_body_html(f"<script>{(_FOLDER / 'theme.js').read_text(encoding='utf-8')}</script>")
    client = ui.context.client
    client.on_connect(lambda: client.run_javascript("document.body.dataset.live = ''"))
    ui.html('<a class="cp-skip" href="#cp-main">Skip to the content</a>', sanitize=False)
    with ui.element("header").classes("cp-header"):
        ui.link("Counterpoise", "/").classes("cp-brand")
        with ui.element("nav").classes("cp-menu").props('aria-label="Pages"'):
            for module, (name, address) in MENU.items():
                if module in PAGES:
                    link = ui.link(name, address)
                    if module == active:
                        link.props("aria-current=page")
        ui.html(
            '<select id="cp-theme" class="cp-theme" aria-label="Theme" onchange="counterpoiseTheme(this.value)">'
            '<option value="system">System</option><option value="light">Light</option>'
            '<option value="dark">Dark</option></select>',
            sanitize=False,
        )
    with ui.element("div").classes("cp-main").props("id=cp-main tabindex=-1"):
        yield
