"""The tabs of reports: equity distribution of both ranges, blockers, every card that may come."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Any, TypeVar

from counterpoise.errors import InputError
from counterpoise.web.components.card_grid import ALL_CARDS, CardGrid
from counterpoise.web.components.controls import Choice, figure, note, row
from counterpoise.web.components.data_table import Cell, Column, DataTable
from counterpoise.web.components.line_plot import LinePlot
from counterpoise.web.pages.solution_parts.reading import Shown
from counterpoise.web.pages.solution_parts.tabs import Page, QuietTab
from counterpoise.web.views.reports import (
    Blockers,
    CardsView,
    EquityDistribution,
    blockers,
    equity_distribution,
    view_cards,
)

Made = TypeVar("Made")
CARD = re.compile(r"[2-9TJQKA][shdc]")


class EquityTab(QuietTab):
    """The equity of both ranges, from the weakest hand to the strongest."""

    def __init__(self, page: Page) -> None:
        note("Each range from its weakest hand to its strongest: share of the range, and equity of the hand there.")
        with row():
            self.means = {player: figure("", f"equity of {player.upper()}") for player in ("oop", "ip")}
        self.plot = LinePlot("Equity of both ranges", "share of the range, %", "equity, %", height=300)

    async def show(self, shown: Shown) -> None:
        """Show a node."""
        found: EquityDistribution = await asyncio.to_thread(_made, shown, equity_distribution)
        self.plot.show(
            {
                player.upper(): [
                    (100 * share, 100 * equity) for share, equity in zip(one.share, one.equity, strict=True)
                ]
                for player, one in (("oop", found.oop), ("ip", found.ip))
            }
        )
        for player, number in self.means.items():
            mean = (shown.node.equity or {}).get(player)
            number.set_text("–" if mean is None else f"{100 * mean:.1f} %")


class BlockersTab(QuietTab):
    """Every card in the hand of the player to act: what changes with it."""

    def __init__(self, page: Page) -> None:
        self.hint = note()
        self.table = DataTable("Blockers", search="Card", hint="As")

    async def show(self, shown: Shown) -> None:
        """Show a node."""
        decides = shown.node.hands is not None
        self.table.set_visibility(decides)
        if not decides:
            self.hint.set_text("A card is dealt here: nobody acts.")
            return
        found: Blockers = await asyncio.to_thread(_made, shown, blockers)
        player, other = found.player.upper(), "IP" if found.player == "oop" else "OOP"
        self.hint.set_text(
            f"With each card in its hand: how much of {player}'s range that is, what {player} does, and how much of "
            f"{other}'s range the card removes. The first row is the whole range."
        )
        columns = [Column("card", "Card", "text"), Column("share", "Of range", "share")]
        columns += [Column(action.label, action.words.capitalize(), "share") for action in shown.node.actions]
        columns += [Column("ev", "EV", "number"), Column("removed", f"Removes of {other}", "share")]
        whole = shown.node.ev[found.player] if shown.node.ev else None
        rows: list[list[Cell]] = [["all", 1.0, *found.frequencies.values(), whole, None]]
        rows += [[one.card, one.share, *one.frequencies.values(), one.ev, one.opponent_share] for one in found.rows]
        self.table.show(columns, rows)


class CardsTab(QuietTab):
    """One line over every card that may come: a heat map and a table."""

    def __init__(self, page: Page) -> None:
        self.page, self.measure, self.dealing = page, "ev oop", False
        self.report: CardsView | None = None
        self.hint = note()
        self.choice = Choice("Measure of the heat map", {}, "", self._choose)
        self.map = CardGrid("Every card that may come", self._deal)
        self.table = DataTable("Every card that may come", search="Card", hint="8h", row=self._deal)

    async def show(self, shown: Shown) -> None:
        """Show the report of a node, or of the last deal before it."""
        self.hint.set_text("…")
        try:
            self.report = await asyncio.to_thread(_made, shown, lambda node: view_cards(node.over_cards()))
        except InputError as error:
            self.report = None
            self.hint.set_text(str(error)[:1].upper() + str(error)[1:])
        for element in (self.choice, self.map, self.table):
            element.set_visibility(self.report is not None)
        if self.report is None:
            return
        report, self.dealing = self.report, bool(shown.node.cards)
        player = report.player.upper()
        self.hint.set_text(f"{player} to act after each card. Click a card to go there.")
        names = {"ev oop": "EV OOP", "ev ip": "EV IP", "equity oop": "Equity OOP", "equity ip": "Equity IP"}
        names |= {
            f"frequency {name}": f"{player} {words}" for name, words in zip(report.actions, report.words, strict=True)
        }
        self.measure = self.measure if self.measure in names else "ev oop"
        self.choice.offer(names, self.measure)
        self._show_map()
        columns = [Column("card", "Card", "text")]
        columns += [
            Column(name, words.capitalize(), "share") for name, words in zip(report.actions, report.words, strict=True)
        ]
        columns += [Column("ev oop", "EV OOP"), Column("ev ip", "EV IP")]
        columns += [Column("equity oop", "Equity OOP", "share"), Column("equity ip", "Equity IP", "share")]
        self.table.show(
            columns,
            [
                [one.card, *one.frequencies.values(), one.ev["oop"], one.ev["ip"], one.equity["oop"], one.equity["ip"]]
                for one in report.rows
            ],
        )

    def _show_map(self) -> None:
        assert self.report is not None
        kind, _, name = self.measure.partition(" ")
        values = {
            one.card: one.frequencies[name] if kind == "frequency" else getattr(one, kind)[name]
            for one in self.report.rows
        }
        self.choice.show(self.measure)
        self.map.show(values=values, share=kind != "ev", disabled=[card for card in ALL_CARDS if card not in values])

    def _choose(self, measure: str) -> None:
        self.measure = measure
        self._show_map()

    async def _deal(self, card: str) -> None:
        if self.report is not None:
            await self.page.go(node=deal_node(self.report.node, card, self.dealing), tab="hands")


def deal_node(node: str, card: str, dealing: bool) -> str:
    """Return the node with a card after it, where one is dealt, or with another last card.

    >>> deal_node("r:0:c:c", "8h", True), deal_node("r:0:c:c:2c:c", "8h", False)
    ('r:0:c:c:8h', 'r:0:c:c:8h:c')
    """
    if dealing:
        return f"{node}:{card}"
    steps = node.split(":")
    last = max(place for place, step in enumerate(steps) if CARD.fullmatch(step))
    return ":".join([*steps[:last], card, *steps[last + 1 :]])


def _made(shown: Shown, made: Callable[[Any], Made]) -> Made:
    """Return what a function makes of the node."""
    return made(shown.opened.node(shown.node.id))
