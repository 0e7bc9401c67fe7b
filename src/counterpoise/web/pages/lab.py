"""The lab: choose a race of algorithms on a game, watch it, look into the strategies of its runs."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from fastapi import Request
from nicegui import events, ui

from counterpoise.errors import InputError
from counterpoise.web.components.controls import complaint, figure, heading, link_button, panel, row
from counterpoise.web.components.frame import frame, page
from counterpoise.web.pages.address import address
from counterpoise.web.pages.lab_parts.browser import StrategyBrowser
from counterpoise.web.pages.lab_parts.race import RacePage
from counterpoise.web.pages.lab_parts.setup import RaceForm
from counterpoise.web.pages.lab_parts.state import LabView
from counterpoise.web.pages.query import sentence
from counterpoise.web.server import Server


def register(server: Server) -> None:
    """Register the page at /lab; its query is a `LabView`."""

    @page("/lab")
    async def lab_page(request: Request) -> None:
        state = LabView.of(dict(request.query_params))
        with frame("Lab", "lab"):
            if state.job:
                await RacePage(server, state).start()
            elif state.run:
                await RunPage(server, state).start()
            else:
                await RaceForm(server, state).start()


class RunPage:
    """A run of the library: its figures and its strategy."""

    def __init__(self, server: Server, state: LabView) -> None:
        self.server, self.state = server, state

    async def start(self) -> None:
        """Build the page."""
        try:
            entry = await asyncio.to_thread(self.server.library.entry, self.state.run)
        except InputError as error:
            heading("Run", 1)
            complaint(sentence(error))
            ui.link("See what the library has", "/library")
            return
        with row():
            heading(f"Run on {entry.title}", 1)
            ui.element("div").classes("cp-spread")
            file = address("/api/v1/library/file", {"name": entry.name})
            link_button("Run (.cpz)", file, download=entry.name.rpartition("/")[2])
        with panel(), row().style("gap: 10px 34px"):
            for name, value in entry.details.items():
                words = f"{value:,.4g}" if isinstance(value, float) else str(value)
                figure(words, name)
        with panel("Strategy"):
            self.browser = StrategyBrowser(self.server, self.go)
        ui.on("cp-address", self._take_address)
        await self.browser.show(self.state, {self.state.run: self.state.run})

    async def go(self, **changes: str) -> None:
        """Show another state, which gets an address of its own."""
        changes.pop("run", None)
        self.state = replace(self.state, **changes)
        ui.navigate.history.push(self.state.address)
        await self.browser.show(self.state, {self.state.run: self.state.run})

    async def _take_address(self, event: events.GenericEventArguments) -> None:
        self.state = LabView.from_address(event.args)
        await self.browser.show(self.state, {self.state.run: self.state.run})
