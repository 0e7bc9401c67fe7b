"""The first page: an example that is solved at one click, templates, and what was solved lately."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Sequence

from fastapi.responses import RedirectResponse
from nicegui import ui

from counterpoise.errors import InputError
from counterpoise.web.components.controls import board, button, complaint, heading, link_button, note, panel, row
from counterpoise.web.components.frame import frame, page
from counterpoise.web.jobs.requests import SolveSpot
from counterpoise.web.library import Entry
from counterpoise.web.pages.address import address
from counterpoise.web.pages.spot_parts.templates import FIRST, TITLES, template
from counterpoise.web.server import Server

RECENT = 8
"""Solutions that are listed."""
FIRST_TARGET = 0.5
"""How far the example is solved, in per cent of the pot."""


def register(server: Server) -> None:
    """Register the page at /; `open` is the name in the library of the file that the server was started with."""

    @page("/")
    async def start(open: str = "") -> RedirectResponse | None:
        if open:
            solved = open.lower().endswith(".cpz")
            return RedirectResponse(address("/solution" if solved else "/spot", {"name": open}))
        recent = await asyncio.to_thread(_recent, server)
        with frame("", ""):
            heading("Solve a spot of hold'em and look at every hand of it", 1)
            _example(server)
            with ui.element("div").classes("cp-columns"):
                with panel("Begin with a template"):
                    for name, title in TITLES.items():
                        ui.link(title, address("/spot", {"template": name}))
                with panel("Solved lately"):
                    if not recent:
                        note("Nothing yet. What you solve is kept in the library and listed here.")
                    for name, words in recent:
                        ui.link(words, address("/solution", {"name": name}))
        return None


def _example(server: Server) -> None:
    spot = template(FIRST)
    with panel("An example, one click away"):
        with row():
            board(spot.board)
            note(f"Pot {spot.pot}, {spot.stack} behind. Both ranges and all bet sizes are filled in.")
        problem = complaint()

        def solve() -> None:
            try:
                id = server.jobs.submit(SolveSpot(spot=spot, target=FIRST_TARGET))
            except InputError as error:
                problem.set_text(str(error))
            else:
                ui.navigate.to(address("/solution", {"name": id}))

        with row():
            button("Solve the example", solve, main=True)
            link_button("Change it first", address("/spot", {"template": FIRST}))


def _recent(server: Server) -> list[tuple[str, str]]:
    """Return the newest solutions: the name that opens each, and words for it."""
    found = [entry for kind in ("solution", "search") for entry in server.library.entries(kind=kind)]
    newest = sorted(found, key=lambda entry: -entry.modified)[:RECENT]
    return [(short_name(entry.name), words) for entry, words in told_apart([(one, _words(one)) for one in newest])]


def told_apart(entries: Sequence[tuple[Entry, str]]) -> list[tuple[Entry, str]]:
    """Return files with words for each; where several have the same words, those say when each was saved."""
    often = Counter(words for _, words in entries)
    return [(entry, words if often[words] == 1 else f"{words}, {_when(entry)}") for entry, words in entries]


def _when(entry: Entry) -> str:
    return time.strftime("saved %d %b %Y, %H:%M:%S", time.localtime(entry.modified))


def short_name(name: str) -> str:
    """Return the id of a job for the name of its result, and other names as they are.

    >>> short_name("jobs/20260101-120000-0123abcd/result.cpz"), short_name("solutions/turn.cpz")
    ('20260101-120000-0123abcd', 'solutions/turn.cpz')
    """
    parts = name.split("/")
    return parts[1] if len(parts) == 3 and parts[0] == "jobs" and parts[2] == "result.cpz" else name


def _words(entry: Entry) -> str:
    details = entry.details
    error = details.get("exploitability_pct")
    figure = f", exploitable for {error:.2f} % of the pot" if isinstance(error, float) else ""
    return f"{entry.title}: {details.get('board')}, {entry.kind}{figure}"
