"""The jobs of the library: their states, and buttons to stop, resume and delete them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

from nicegui import ui

from counterpoise.errors import InputError
from counterpoise.web.components.controls import button, complaint, link_button, note, panel, row
from counterpoise.web.jobs.state import JobState, Status
from counterpoise.web.pages.address import address
from counterpoise.web.pages.library_parts.confirming import DeleteButton
from counterpoise.web.pages.library_parts.state import time_words
from counterpoise.web.pages.query import sentence
from counterpoise.web.server import Server

KINDS = {
    "solve-spot": "Solving",
    "search-node": "Safe search",
    "optimise-sizes": "Best sizes",
    "race-game": "Race",
}
EVERY = 1.0
"""Seconds between two looks at the jobs."""
MOST = 30
"""Jobs that are listed."""


class JobsPanel:
    """All jobs, the newest first; `changed` is called when one was deleted."""

    def __init__(self, server: Server, changed: Callable[[], Awaitable[None]]) -> None:
        self.server, self.jobs, self._changed = server, server.jobs, changed
        self._shown: list[tuple[str, Status]] | None = None
        with panel("Jobs"):
            self.problem = complaint()
            self.empty = note("No job yet. What you solve or race is listed here, and can be resumed later.")
            self.list = ui.element("ul").classes("cp-list")
        self.look()
        ui.timer(EVERY, self.look)

    def look(self) -> None:
        """Show the jobs if one has begun, ended or gone."""
        found = self.jobs.list()[:MOST]
        now = [(state.id, state.status) for state in found]
        if now == self._shown:
            return
        self._shown = now
        self.list.clear()
        self.empty.set_visibility(not found)
        with self.list:
            for state in found:
                self._job(state)

    def _job(self, state: JobState) -> None:
        words = f"{KINDS[state.request.kind]}: {state.name or state.id}"
        with ui.element("li").classes("cp-item"), row():
            note(f"{words} – {state.status}, {time_words(state.created)}").classes("cp-item__words")
            ui.element("div").classes("cp-spread")
            page, word = ("/lab", "job") if state.request.kind == "race-game" else ("/solution", "name")
            link_button("Open", address(page, {word: state.id}))
            if state.live:
                button("Stop", partial(self._do, self.jobs.stop, state.id))
            else:
                if state.status in ("stopped", "interrupted", "failed"):
                    button("Resume", partial(self._do, self.jobs.resume, state.id))
                DeleteButton(
                    "Delete the job",
                    f"Delete the job “{words}” with all files that it has saved?",
                    partial(self._delete, state.id),
                )

    async def _do(self, act: Callable[[str], JobState], id: str) -> None:
        try:
            await asyncio.to_thread(act, id)
        except InputError as error:
            self.problem.set_text(sentence(error))
        else:
            self.problem.set_text("")
        self.look()

    async def _delete(self, id: str) -> None:
        try:
            await asyncio.to_thread(self.jobs.delete, id)
        except InputError as error:
            self.problem.set_text(sentence(error))
        self.look()
        await self._changed()
