"""The tab of comparison: another solution of the same board beside this one, at the same node."""

from __future__ import annotations

import asyncio

from nicegui import ui

from counterpoise.errors import InputError
from counterpoise.web.components.controls import Field, complaint, figure, heading, note, row
from counterpoise.web.components.data_table import Column, DataTable
from counterpoise.web.components.strategy_grid import StrategyGrid
from counterpoise.web.pages.solution_parts.reading import Shown, read
from counterpoise.web.pages.solution_parts.state import SolutionState
from counterpoise.web.pages.solution_parts.tabs import Page, QuietTab
from counterpoise.web.pages.start import short_name
from counterpoise.web.views.reports import Comparison, compare


class CompareTab(QuietTab):
    """The other solution's square, the figures of both, and the hands that differ most."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.choice = Field("Compare with", "", self._choose, kind="select")
        self.problem = complaint()
        with ui.element("div").classes("cp-panel") as self.box:
            self.title = heading("", 3)
            with row():
                self.mean = figure("", "mean distance of the strategies")
                self.evs = {
                    player: figure("", f"EV of {player.upper()}, this and the other") for player in ("oop", "ip")
                }
            self.grid = StrategyGrid(select=self._select)
            self.table = DataTable("Hands by distance", search="Hand", hint="AK")
            note("Distance: 0 the same strategy, 100 % nothing in common. EV: the other's less this one's, in chips.")

    async def show(self, shown: Shown) -> None:
        """Show both solutions at a node."""
        state = shown.state
        self.choice.choices({"": "choose one"} | await asyncio.to_thread(self._others, shown))
        self.choice.show(state.other)
        self.box.set_visibility(False)
        self.problem.set_text("")
        if not state.other:
            return
        try:
            other, found = await asyncio.to_thread(self._compared, shown)
        except InputError as error:
            self.problem.set_text(str(error))
            return
        self.box.set_visibility(True)
        self.title.set_text(f"{state.other}: exploitable for {found.second.exploitability_pct:.2g} % of the pot")
        mean = found.mean_distance
        self.mean.set_text("–" if mean is None else f"{100 * mean:.1f} %")
        for player, number in self.evs.items():
            one, two = found.first.ev[player], found.second.ev[player]
            number.set_text("–" if one is None or two is None else f"{one:.2f} and {two:.2f}")
        self.grid.show(other.node, state.colour, state.hand)
        rows = sorted(zip(found.hands, found.distance, found.ev_difference, strict=True), key=lambda one: -one[1])
        self.table.show(
            [Column("hand", "Hand", "text"), Column("distance", "Distance", "share"), Column("ev", "EV difference")],
            [list(one) for one in rows],
        )

    def _compared(self, shown: Shown) -> tuple[Shown, Comparison]:
        state = shown.state
        id = shown.node.id
        other = read(self.page.server, SolutionState(state.other, node=id)).with_values()
        one, two = shown.opened, other.opened
        if one.solved.spot.cards != two.solved.spot.cards:
            boards = one.solved.spot.board, two.solved.spot.board
            raise InputError(f"the solutions are of other boards, {boards[0]} and {boards[1]}")
        compared = (state.name, one.solved, one.decision(id)), (state.other, two.solved, two.decision(id))
        return other, compare(*compared)

    def _others(self, shown: Shown) -> dict[str, str]:
        """Return the solutions of the same board, by name."""
        library, board = self.page.server.library, shown.solved.spot.board
        entries = [entry for kind in ("solution", "search") for entry in library.entries(kind=kind)]
        same = [entry for entry in entries if str(entry.details.get("board", "")).split() == board.split()]
        names = {short_name(entry.name): entry for entry in same}
        return {
            name: f"{entry.title or name} ({entry.kind}, {entry.details.get('exploitability_pct', 0):.2g} %, {name})"
            for name, entry in names.items()
            if name != short_name(shown.state.name)
        }

    async def _choose(self, name: str) -> None:
        await self.page.go(other=name)

    async def _select(self, kind: str) -> None:
        await self.page.go(hand=kind)
