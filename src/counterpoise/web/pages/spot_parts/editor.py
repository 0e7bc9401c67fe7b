"""The editor: fields, two ranges and a board around one form, whose every change is checked, sized and undoable."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from counterpoise.cards import Range
from counterpoise.errors import InputError
from counterpoise.spots import Estimate, Spot, estimate
from counterpoise.web.components.card_grid import CardGrid
from counterpoise.web.components.controls import (
    Field,
    button,
    complaint,
    enable,
    heading,
    note,
    panel,
    row,
)
from counterpoise.web.components.range_grid import RangeGrid, canonical
from counterpoise.web.jobs.requests import SolveSpot
from counterpoise.web.pages.address import address, pack
from counterpoise.web.pages.query import positive_number
from counterpoise.web.pages.spot_parts.form import (
    CARD,
    FIELDS,
    POSTFLOP,
    Form,
    form_of,
    owner,
    spot_of,
    streets_without_bets,
)
from counterpoise.web.pages.spot_parts.templates import TITLES, presets, template
from counterpoise.web.pages.spot_parts.undo import Undo
from counterpoise.web.server import Server

TARGET = "0.5"
SEATS = {"oop": "Out of position (OOP)", "ip": "In position (IP)"}
LABELS = {
    "bet.oop": "Bet, OOP",
    "bet.ip": "Bet, IP",
    "raise.oop": "Raise, OOP",
    "raise.ip": "Raise, IP",
    "donk": "Donk bet, OOP (empty: as bets)",
}


class Editor:
    """One open editor."""

    def __init__(self, server: Server, form: Form, locks: list[Any]) -> None:
        self.server, self.locks = server, locks
        self.form = {name: form.get(name, "") for name in FIELDS}
        self.target = form.get("target", TARGET)
        self.steps = Undo(dict(self.form))
        self.spot: Spot | None = None
        self.fields: dict[str, Field] = {}
        self.grids: dict[str, RangeGrid] = {}
        self.counts: dict[str, TextElement] = {}
        self._checking = self._stale = False

    async def start(self) -> None:
        """Build the page and check what it shows."""
        with row():
            heading("Spot", 1)
            ui.element("div").classes("cp-spread")
            self.undo_button = button("Undo", self.undo)
            self.redo_button = button("Redo", self.redo)
        self._build_solve()
        self._build_board()
        with ui.element("div").classes("cp-columns"):
            for seat, title in SEATS.items():
                self._build_range(seat, title)
        self._build_sizes()
        ui.on("cp-undo", lambda _: self.undo())
        ui.on("cp-redo", lambda _: self.redo())
        self._show()
        await self.check()

    # ---- parts of the page ----

    def _build_solve(self) -> None:
        with panel("Solve"):
            with ui.element("div").classes("cp-fields"):
                self.templates = Field(
                    "Template", "", self._take_template, kind="select", options={"": "choose one"} | TITLES
                )
                self._field("name", "Name")
                self.target_field = Field(
                    "Target, % of the pot", self.target, self._take_target, kind="number", hint="0.5"
                )
            self.size = note("…").props("aria-live=polite")
            self.warning = note().props("aria-live=polite")
            self.problem = complaint()
            with row():
                self.solve_button = button("Solve", self.solve, main=True)
                self.reason = note().classes("cp-error", remove="cp-note")
                button("Save to the library", self.save)
                self.saved = note()

    def _build_board(self) -> None:
        with panel("Board and chips"), ui.element("div").classes("cp-columns"):
            with ui.element("div"):
                self._field("board", "Board", hint="Qs Jh 2h")
                self.cards = CardGrid("Cards of the board", self._pick)
            with ui.element("div").classes("cp-fields"):
                self._field("pot", "Pot, chips", kind="number")
                self._field("stack", "Stack behind, chips", kind="number")
                self._field("rake.percent", "Rake, %", kind="number")
                self._field("rake.cap", "Rake cap, chips", kind="number", hint="no cap")
                self._field("min_bet", "Smallest bet, chips", kind="number")
                self.fields["deck"] = Field(
                    "Deck",
                    self.form["deck"],
                    lambda text: self.change("deck", text),
                    kind="select",
                    options={"standard": "52 cards", "short": "36 cards (short deck)"},
                )

    def _build_range(self, seat: str, title: str) -> None:
        with panel(title):
            self.counts[seat] = note()
            self.grids[seat] = RangeGrid(f"Range of {seat.upper()}", self.form[seat], partial(self.change, seat))
            self._field(seat, "Range in words: paste or copy", kind="area", hint="TT+, AKs:0.5, AsKh")
            with row().classes("cp-row--end"):
                Field(
                    "Preset",
                    "",
                    partial(self._take_preset, seat),
                    kind="select",
                    options={"": "choose one"} | {name: name for name in presets()},
                )
                button("Copy", partial(self._copy, seat))
                button("Clear", partial(self.change, seat, ""))

    def _build_sizes(self) -> None:
        with panel("Bet sizes"):
            note(
                "Sizes between commas: 50% of the pot, 3x the bet faced (raises), 20c chips, e geometric, "
                "2e in two streets, allin."
            )
            self.streets: dict[str, ui.element] = {}
            for street in POSTFLOP:
                with ui.element("div") as self.streets[street]:
                    heading(street.capitalize(), 3)
                    with ui.element("div").classes("cp-fields cp-fields--wide"):
                        for kind, label in LABELS.items():
                            self._field(f"{street}.{kind}", label, hint="none" if kind != "donk" else "as bets")

    def _field(self, name: str, label: str, **more: str) -> None:
        self.fields[name] = Field(label, self.form[name], lambda text: self.change(name, text), **more)  # type: ignore[arg-type]

    # ---- changes ----

    async def change(self, field: str, text: str) -> None:
        """Take a new text of a field; the state before it can be brought back."""
        if text == self.form[field]:
            return
        self.form[field] = text
        self.steps.record(dict(self.form))
        self._show()
        await self.check()

    async def undo(self) -> None:
        """Bring back the state before the last change."""
        await self._back_to(self.steps.undo())

    async def redo(self) -> None:
        """Bring back what was undone last."""
        await self._back_to(self.steps.redo())

    async def _back_to(self, form: Form | None) -> None:
        if form is not None:
            self.form = dict(form)
            self._show()
            await self.check()

    async def _take_template(self, name: str) -> None:
        if name in TITLES:
            self.locks = []
            self.form = form_of(template(name))
            self.steps.record(dict(self.form))
            self._show()
            await self.check()

    async def _take_preset(self, seat: str, name: str) -> None:
        if name in presets():
            await self.change(seat, presets()[name])

    def _copy(self, seat: str) -> None:
        ui.clipboard.write(self.form[seat])

    async def _take_target(self, text: str) -> None:
        self.target = text
        await self.check()

    async def _pick(self, card: str) -> None:
        cards = CARD.findall(self.form["board"])
        if card in cards:
            cards.remove(card)
        elif len(cards) < 5:
            cards.append(card)
        await self.change("board", " ".join(cards))

    # ---- what is shown ----

    def _show(self) -> None:
        """Put the form into the fields."""
        for name, field in self.fields.items():
            field.show(self.form[name])
        for seat, grid in self.grids.items():
            grid.show(self.form[seat])
        cards = [card[0].upper() + card[1].lower() for card in CARD.findall(self.form["board"])]
        self.cards.show(chosen=cards, short=self.form["deck"] == "short")
        first = min(max(0, len(cards) - 3), 2)
        for number, street in enumerate(POSTFLOP):
            self.streets[street].set_visibility(number >= first)
        enable(self.undo_button, self.steps.can_undo)
        enable(self.redo_button, self.steps.can_redo)

    async def check(self) -> None:
        """Check the form and say what solving it will take; the address then holds the form.

        One check at a time: what changes meanwhile is checked after it.
        """
        state = {"form": self.form | {"target": self.target}} | ({"lock": self.locks} if self.locks else {})
        ui.navigate.history.replace(address("/spot", {"spot": pack(state)}))
        self._stale = True
        if self._checking:
            return
        self._checking = True
        try:
            while self._stale:
                self._stale = False
                checked = await asyncio.to_thread(self._checked)
        finally:
            self._checking = False
        self._show_check(*checked)

    def _show_check(self, spot: Spot | None, forecast: Estimate | None, complaints: dict[str, str]) -> None:
        self.spot = spot
        for name, field in self.fields.items():
            field.complain(complaints.get(name, ""))
        self.target_field.complain(complaints.get("target", ""))
        self.problem.set_text(complaints.get("", ""))
        about = [sentence for field, sentence in complaints.items() if field]  # their fields may be far below
        self.reason.set_text(f"Not to be solved yet: {'; '.join(about)}" if about else "")
        self.warning.set_text(_without_bets(streets_without_bets(self.form)) if spot is not None else "")
        for seat, label in self.counts.items():
            label.set_text(_count(self.form[seat]))
        self.size.set_text(_size_words(forecast, self.locks) if forecast is not None else "")
        enable(self.solve_button, forecast is not None)

    def _checked(self) -> tuple[Spot | None, Estimate | None, dict[str, str]]:
        try:
            spot = spot_of(self.form, self.locks)
        except InputError as error:
            return None, None, {owner(str(error), self.form): str(error)}
        try:
            return spot, estimate(spot, target=self._target(), memory_mb=self.server.jobs.memory_mb), {}
        except InputError as error:
            return spot, None, {"target" if str(error).startswith("target") else "": str(error)}

    def _target(self) -> float:
        return positive_number("target", self.target)

    # ---- what is done with the spot ----

    async def solve(self) -> None:
        """Queue the job that solves the spot, and go to its page."""
        if self.spot is None:
            return
        try:
            request = SolveSpot(spot=self.spot, target=self._target())
            id = await asyncio.to_thread(self.server.jobs.submit, request)
        except InputError as error:
            self.problem.set_text(str(error))
            return
        ui.navigate.to(address("/solution", {"name": id}))

    async def save(self) -> None:
        """Keep the spot in the library."""
        if self.spot is None:
            return
        try:
            name = self.server.library.save_spot(self.spot, self.spot.name or "spot").name
        except InputError as error:
            self.problem.set_text(str(error))
        else:
            self.saved.set_text(f"saved as {name}")


def _count(text: str) -> str:
    """Return how many hands a range has."""
    try:
        found = Range.from_string(canonical(text)) if text.strip() else None
    except InputError:
        return ""
    return "no hands" if found is None else f"{found.combos:,.6g} hands, {100 * found.combos / 1326:.1f} % of all"


def _without_bets(streets: list[str]) -> str:
    return f"Nobody can bet on the {' and the '.join(streets)}: no size is given there." if streets else ""


def _size_words(forecast: Estimate, locks: list[object]) -> str:
    seconds = forecast.cpu_seconds
    time = f"{seconds:.1f} seconds" if seconds < 100 else f"{seconds / 60:,.0f} minutes"
    locked = f" {len(locks)} locked decision{'s' if len(locks) > 1 else ''}." if locks else ""
    return (
        f"{forecast.nodes:,} nodes, {forecast.memory_mb[forecast.bits]:,.0f} MB of {forecast.available_mb:,.0f} MB, "
        f"about {time} on one core to {forecast.target:g} % of the pot.{locked}"
    )
