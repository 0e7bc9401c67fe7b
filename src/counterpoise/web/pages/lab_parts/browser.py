"""The strategy of a run, information set by information set."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial

from nicegui import ui

from counterpoise.errors import InputError
from counterpoise.web.api.games import saved_strategy, strategy_page
from counterpoise.web.api.models import StrategyPage
from counterpoise.web.components.controls import Choice, Field, button, complaint, enable, note, row
from counterpoise.web.components.data_table import Column, DataTable
from counterpoise.web.pages.lab_parts.state import LabView
from counterpoise.web.pages.query import sentence
from counterpoise.web.server import Server

AT_ONCE = 50
"""Information sets that are shown at a time."""
MOST_PLAYERS = 10
COLUMNS = [
    Column("infoset", "Information set", "text"),
    Column("player", "Player", "text"),
    Column("strategy", "Strategy", "text"),
]


class StrategyBrowser:
    """Information sets of one of several runs; `go` shows another state of the page."""

    def __init__(self, server: Server, go: Callable[..., Awaitable[None]]) -> None:
        self.server, self.go, self.state = server, go, LabView()
        self.empty = note("The strategies can be looked at when the race has ended or was stopped.")
        with ui.element("div").classes("cp-stack") as self.box:
            self.runs = Choice("Run", {}, "", self._run)
            with ui.element("div").classes("cp-fields cp-fields--wide"):
                self.text = Field("Information sets with", "", self._search, hint="K:pb")
                players = {"": "all"} | {str(seat): str(seat) for seat in range(MOST_PLAYERS)}
                self.player = Field("Player", "", self._player, kind="select", options=players)
            self.problem = complaint()
            self.count = note().props("aria-live=polite")
            self.table = DataTable("Information sets")
            with row():
                self.back = button("Earlier ones", partial(self._turn, -AT_ONCE))
                self.on = button("Further ones", partial(self._turn, AT_ONCE))

    async def show(self, state: LabView, files: Mapping[str, str]) -> None:
        """Show the state's run out of files by name."""
        self.state = state
        self.empty.set_visibility(not files)
        self.box.set_visibility(bool(files))
        if not files:
            return
        run = state.run if state.run in files else next(iter(files))
        self.runs.offer({name: name for name in files}, run)
        self.runs.set_visibility(len(files) > 1)
        self.text.show(state.text)
        self.player.show(state.player)
        try:
            page = await asyncio.to_thread(self._page, files[run])
        except InputError as error:
            self.problem.set_text(sentence(error))
            return
        self.problem.set_text("")
        self.count.set_text(
            f"{page.total:,} information sets"
            + (f", {self._start + 1:,} to {self._start + len(page.rows):,} shown" if page.total > AT_ONCE else "")
        )
        self.table.show(
            COLUMNS,
            [
                [
                    one.infoset,
                    str(one.player),
                    ", ".join(f"{action} {100 * share:.1f} %" for action, share in one.strategy.items()),
                ]
                for one in page.rows
            ],
        )
        for made, wanted in ((self.back, self._start > 0), (self.on, self._start + AT_ONCE < page.total)):
            made.set_visibility(page.total > AT_ONCE)
            enable(made, wanted)

    @property
    def _start(self) -> int:
        return int(self.state.start) if self.state.start.isdecimal() and len(self.state.start) < 10 else 0

    def _page(self, file: str) -> StrategyPage:
        path = self.server.library.path(file)
        strategy = saved_strategy(path, path.stat().st_mtime_ns)
        player = int(self.state.player) if self.state.player.isdecimal() else None
        return strategy_page(strategy, self.state.text, player, self._start, AT_ONCE)

    async def _run(self, name: str) -> None:
        await self.go(run=name, start="0")

    async def _search(self, text: str) -> None:
        await self.go(text=text, start="0")

    async def _player(self, player: str) -> None:
        await self.go(player=player, start="0")

    async def _turn(self, by: int) -> None:
        await self.go(start=str(max(0, self._start + by)))
