"""The page of a solution: its job while it is solved, then every node of it as a square, tables and reports."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from fastapi import Request
from nicegui import events, ui

from counterpoise.errors import InputError
from counterpoise.spots import SpotSearch
from counterpoise.web.components.card_grid import ALL_CARDS, CardGrid
from counterpoise.web.components.controls import (
    Choice,
    board,
    complaint,
    figure,
    heading,
    link_button,
    note,
    panel,
    row,
)
from counterpoise.web.components.frame import frame, page
from counterpoise.web.components.lines_tree import LinesTree
from counterpoise.web.components.strategy_grid import COLOURS, StrategyGrid
from counterpoise.web.pages.address import address
from counterpoise.web.pages.solution_parts.comparing import CompareTab
from counterpoise.web.pages.solution_parts.hands import HandsTab
from counterpoise.web.pages.solution_parts.job_panel import JobPanel
from counterpoise.web.pages.solution_parts.locking import LockTab
from counterpoise.web.pages.solution_parts.reading import Shown, read
from counterpoise.web.pages.solution_parts.reports import BlockersTab, CardsTab, EquityTab
from counterpoise.web.pages.solution_parts.running import RunTab
from counterpoise.web.pages.solution_parts.searching import SearchTab
from counterpoise.web.pages.solution_parts.sizing import SizesTab
from counterpoise.web.pages.solution_parts.state import TABS, SolutionState
from counterpoise.web.pages.solution_parts.tabs import Page, Tab
from counterpoise.web.processes import ID
from counterpoise.web.server import Server

MAKE_TAB: dict[str, Callable[[Page], Tab]] = {
    "hands": HandsTab,
    "equity": EquityTab,
    "blockers": BlockersTab,
    "cards": CardsTab,
    "lock": LockTab,
    "search": SearchTab,
    "compare": CompareTab,
    "sizes": SizesTab,
    "run": RunTab,
}


def register(server: Server) -> None:
    """Register the page at /solution; its query is a `SolutionState`."""

    @page("/solution")
    async def solution_page(request: Request) -> None:
        state = SolutionState.of(dict(request.query_params))
        with frame("Solution", "spot"):
            await SolutionPage(server, state).start()


class SolutionPage:
    """One open page of a solution."""

    def __init__(self, server: Server, state: SolutionState) -> None:
        self.server, self.state = server, state
        self.tab: Tab | None = None
        self.tab_name = ""

    async def start(self) -> None:
        """Build the page; the result only if there is one already."""
        job = self._job()
        self.top = ui.element("div").classes("cp-row")
        if job is not None:
            try:
                JobPanel(self.server.jobs, job, self._build_result)
            except InputError as error:
                complaint(str(error))
        self.problem = complaint()
        self.result = ui.element("div").classes("cp-stack")
        ui.on("cp-address", self._take_address)
        ui.on("cp-undo", lambda _: ui.navigate.back())
        ui.on("cp-redo", lambda _: ui.navigate.forward())
        if job is None or not self._live(job):
            await self._build_result()

    async def go(self, **changes: str) -> None:
        """Show another state, which gets an address of its own."""
        self.state = replace(self.state, **changes)
        ui.navigate.history.push(self.state.address)
        await self._show()

    async def _take_address(self, event: events.GenericEventArguments) -> None:
        """Show the state of the address that back or forward has led to."""
        self.state = SolutionState.from_address(event.args)
        await self._show()

    # ---- building ----

    async def _build_result(self) -> None:
        """Build what shows a solution, and show it."""
        self.result.clear()
        self.tab, self.tab_name = None, ""
        if self._job() is not None and not self._has_result():
            return
        try:
            shown = await asyncio.to_thread(read, self.server, self.state)
        except InputError as error:
            self._complain(error)
            return
        with self.result:
            self._build_figures(shown)
            self.lines = LinesTree(self._go_to)
            with ui.element("div").classes("cp-columns cp-columns--result"):
                with panel():
                    self.colours = Choice("Colour of the square", COLOURS, self.state.colour, self._colour)
                    self.grid = StrategyGrid(select=self._select, brushed=self._brushed)
                    with ui.element("div") as self.deal:
                        heading("Choose the next card")
                        self.cards = CardGrid("Next card", self._deal)
                    self.unreached = note()
                with panel():
                    self.tabs = Choice("Reports and tools", TABS, self.state.tab, self._open_tab)
                    self.body = ui.element("div").classes("cp-stack")
        await self._show()

    def _build_figures(self, shown: Shown) -> None:
        solved = shown.solved
        self.top.clear()
        with self.top:
            heading(solved.spot.name or "Solution", 1)
            self.board = ui.element("div")
            ui.element("div").classes("cp-spread")
            link_button("Edit the spot", address("/spot", {"name": self._file()}))
        with panel():
            if isinstance(solved, SpotSearch):
                verdict = note(solved.verdict)
                verdict.classes("cp-good" if solved.safe else "cp-error", remove="cp-note")
            self._build_sizes_found()
            with row().style("gap: 10px 34px"):
                self.evs = {player: figure("", f"EV of {player.upper()} here, chips") for player in ("oop", "ip")}
                self.equities = {player: figure("", f"equity of {player.upper()} here") for player in ("oop", "ip")}
                figure(f"{solved.exploitability_pct:.3g} %", "exploitability, of the pot")
                figure(f"{solved.iterations:,}", "iterations")

    def _build_sizes_found(self) -> None:
        """Say which sizes were found, if the job sought them."""
        job = self._job()
        state = self.server.jobs.state(job) if job is not None else None
        if state is None or state.request.kind != "optimise-sizes" or state.result is None:
            return
        result = state.result
        sizes = "; ".join(
            f"{street} " + " and ".join(word if isinstance(word, str) else f"{word:g} %" for word in words)
            for street, words in result["sizes"].items()
        )
        note(f"Best sizes of {str(result['seat']).upper()}: {sizes}; {gain_words(result['gain_pct'])}.")

    # ---- showing ----

    async def _show(self) -> None:
        """Show the state: the square and the line at once, then what takes longer."""
        state = self.state
        try:
            shown = await asyncio.to_thread(read, self.server, state)
            if self.state is not state:  # another click has come meanwhile
                return
            self.problem.set_text("")
            self._present(shown)
            if not shown.valued:
                shown = await asyncio.to_thread(shown.with_values)
                if self.state is not state:
                    return
                self._present(shown)
            await self._show_tab(shown)
        except InputError as error:
            if self.state is state:
                self._complain(error)

    def _present(self, shown: Shown) -> None:
        """Show the square of a node and the line to it."""
        node, state = shown.node, shown.state
        self.lines.show(shown.steps, node.id)
        decides = node.hands is not None
        if state.tab != "lock":
            self.grid.paint_with(None, shown.locked)
        if decides:
            self.grid.show(node, state.colour, state.hand)
        self.grid.set_visibility(decides)
        self.colours.set_visibility(decides)
        self.colours.show(state.colour)
        self.deal.set_visibility(not decides)
        if not decides:
            self.cards.show(disabled=[card for card in ALL_CARDS if card not in node.cards])
        self.unreached.set_text("" if node.reached else "The line is never played here: its strategies mean little.")
        self.board.clear()
        with self.board:
            board(node.board)
        for numbers, values, scale, unit in ((self.evs, node.ev, 1, ""), (self.equities, node.equity, 100, " %")):
            for player, number in numbers.items():
                value = (values or {}).get(player)
                number.set_text("–" if value is None else f"{scale * value:.2f}{unit}")

    async def _show_tab(self, shown: Shown) -> None:
        name = shown.state.tab
        self.tabs.show(name)
        if self.tab is None or self.tab_name != name:
            self.body.clear()
            with self.body:
                self.tab = MAKE_TAB[name](self)
            self.tab_name = name
        await self.tab.show(shown)

    def _complain(self, error: InputError) -> None:
        self.problem.set_text(str(error)[:1].upper() + str(error)[1:])

    # ---- clicks ----

    async def _go_to(self, node: str) -> None:
        await self.go(node=node)

    async def _deal(self, card: str) -> None:
        await self.go(node=f"{self.state.node}:{card}")

    async def _colour(self, colour: str) -> None:
        await self.go(colour=colour)

    async def _open_tab(self, name: str) -> None:
        await self.go(tab=name)

    async def _select(self, kind: str) -> None:
        await self.go(hand=kind)

    async def _brushed(self, kinds: list[str]) -> None:
        if self.tab is not None:
            await self.tab.brushed([str(kind) for kind in kinds])

    # ---- the job ----

    def _job(self) -> str | None:
        """Return the id of the job whose result is shown, if it is one's."""
        parts = self.state.name.split("/")
        id = parts[1] if parts[0] == "jobs" and len(parts) > 1 else self.state.name
        return id if ID.fullmatch(id) else None

    def _live(self, job: str) -> bool:
        try:
            return self.server.jobs.state(job).live
        except InputError:
            return False

    def _has_result(self) -> bool:
        job = self._job()
        try:
            return job is None or self.server.jobs.state(job).file is not None
        except InputError:
            return True

    def _file(self) -> str:
        return self.state.name if "/" in self.state.name else f"jobs/{self.state.name}/result.cpz"


def gain_words(percent: float) -> str:
    """Return what sizes that were found win against those of the spot.

    >>> gain_words(0.5), gain_words(-0.08)
    ('they win 0.50 % of the pot more than the sizes of the spot', 'no sizes win more than those of the spot: \
these win 0.08 % of the pot less')
    """
    if percent < 0:
        return f"no sizes win more than those of the spot: these win {-percent:.2f} % of the pot less"
    return f"they win {percent:.2f} % of the pot more than the sizes of the spot"
