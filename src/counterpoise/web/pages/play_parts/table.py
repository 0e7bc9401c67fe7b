"""The table: seats, board, what happened, what may be done, the score; below it hands and thoughts."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from dataclasses import replace

from nicegui import events, ui
from nicegui.elements.mixins.text_element import TextElement

from counterpoise.errors import InputError
from counterpoise.web.components.action_bar import ActionBar
from counterpoise.web.components.controls import (
    Choice,
    board,
    button,
    complaint,
    figure,
    heading,
    link_button,
    note,
    panel,
    row,
)
from counterpoise.web.components.data_table import Cell, Column, DataTable
from counterpoise.web.pages.play_parts.state import TABS, PlayView, brief_names
from counterpoise.web.pages.play_parts.thinking import ThoughtsPanel
from counterpoise.web.pages.query import sentence
from counterpoise.web.play.models import Answer, Estimate, Score, Seat, TableView
from counterpoise.web.server import Server

EVERY = 0.5
"""Seconds between two looks while somebody else acts."""
SCORE_EVERY = 4
"""Looks between two questions for the score, while hands are being judged."""
WAITING = ("starting", "thinking")
STATUS = {
    "starting": "The agents are sitting down …",
    "your turn": "Your turn.",
    "thinking": "The others are thinking …",
    "hand over": "The hand is over.",
    "ended": "The session has ended.",
}


class TablePage:
    """A session; every click asks the session's process in a thread of its own."""

    def __init__(self, server: Server, state: PlayView) -> None:
        self.sessions, self.state = server.sessions, state
        self.table: TableView | None = None
        self.score: Score | None = None
        self._ticks = 0

    async def start(self) -> None:
        """Build the page and show the table as it is."""
        with row():
            heading("Play", 1)
            ui.element("div").classes("cp-spread")
            file = f"{self.state.session}.phhs"
            self.phh = link_button("Hands (PHH)", f"/api/v1/play/{self.state.session}/phh", download=file)
            self.phh.set_visibility(self._has_phh())
            self.leave_button = button("Leave the table", self._leave)
            link_button("Another table", "/play")
        self.problem = complaint()
        self.ended = ui.element("div")
        self.ended.set_visibility(False)
        self.place = ui.element("div").classes("cp-columns cp-columns--result")
        try:
            table = await asyncio.to_thread(self.sessions.look, self.state.session)
        except InputError as error:
            self._show_ended(error)
            return
        with self.place:
            with panel():
                self.seats = ui.element("ul").classes("cp-seats").props('aria-label="Seats"')
                self.middle = ui.element("div").classes("cp-row")
                self.status = note().props("aria-live=polite")
                self.bar = ActionBar("Your actions", self._act, self._next, self._amount)
                self.notice = note()
                note(
                    "Keys: f fold, c check or call, r and an amount to bet or raise to, n next hand; elsewhere the "
                    "numbers. An amount: chips of this street, 3bb, 50%, pot, 2.5x (the bet you face) or allin."
                )
            with panel("Score"):
                with row().style("gap: 10px 34px"):
                    self.total = figure("–", "your result so far")
                    self.raw = figure("–", "per hand, as paid")
                    self.aivat = figure("–", "per hand by AIVAT")
                self.judged = note()
                self.tabs = Choice("About the hands", TABS, self.state.tab, self._tab)
                self.body = ui.element("div").classes("cp-stack")
        ui.on("cp-address", self._take_address)
        await self._show(table)
        await self._show_score()
        await self._show_tab()
        ui.timer(EVERY, self._look)

    async def go(self, **changes: str) -> None:
        """Show another state, which gets an address of its own."""
        self.state = replace(self.state, **changes)
        ui.navigate.history.push(self.state.address)
        await self._show_tab()

    # ---- showing ----

    async def _show(self, table: TableView) -> None:
        before, self.table = self.table, table
        self.seats.props["data-version"] = table.version
        self.seats.clear()
        with self.seats:
            for seat in table.seats:
                _seat(seat)
        self.middle.clear()
        with self.middle:
            if table.board:
                board(table.board)
            if table.pot is not None:
                figure(f"{table.pot:,}", "pot, chips")
            if table.cards and len(table.cards) != 4:
                figure(table.cards, "what you know")
        self.phh.set_visibility(self._has_phh())
        self.status.set_text(_status(table))
        self.notice.set_text(table.notice)
        if table.status == "your turn":
            amounts = None
            if table.least_bet is not None and table.most_bet is not None:
                amounts = table.least_bet, table.most_bet
            menu = [(one.action, one.words) for one in table.menu]
            bets = any(one.words.startswith("raise") for one in table.menu) or bool(table.to_call)
            self.bar.show(menu, amounts=amounts, amount_words="Raise" if bets else "Bet")
        else:
            self.bar.show(next="Next hand" if table.status == "hand over" else "")
        over = table.status == "hand over"
        if over and (before is None or before.status != "hand over"):
            await self._show_score()
            if self.state.tab != "hand":
                await self._show_tab()
        if self.state.tab == "hand" and before is not None:
            await self._show_tab()

    async def _show_tab(self) -> None:
        """Show what is told below the score."""
        self.tabs.show(self.state.tab)
        table = self.table
        assert table is not None
        self.body.clear()
        with self.body:
            if self.state.tab == "thoughts":
                await ThoughtsPanel(self.sessions, self.state, self.go).start(table)
            elif self.state.tab == "history":
                await self._history(table)
            else:
                self._story(table)

    def _story(self, table: TableView) -> None:
        heading(f"Hand {table.hand}", 3)
        with ui.element("ol").classes("cp-story"):
            for line in table.story:
                TextElement(tag="li", text=brief_names(line))
        if not table.story:
            note("Nothing has happened yet.")

    async def _history(self, table: TableView) -> None:
        try:
            hands = await asyncio.to_thread(self.sessions.history, self.state.session)
        except InputError as error:
            complaint(sentence(error))
            return
        if not hands:
            note("No hand is over yet.")
            return
        made = DataTable("Hands that are over", search="Search", hint="b300", row=self._open_hand)
        columns = [
            Column("hand", "Hand", "text"),
            Column("won", f"Won, {table.unit}"),
            Column("line", "What happened", "text"),
        ]
        rows: list[list[Cell]] = [
            [str(one.hand), one.payoffs[one.your_seat], " ".join(one.history)] for one in reversed(hands)
        ]
        made.show(columns, rows)
        note("A click on a hand tells what the others thought in it.")

    async def _show_score(self) -> None:
        try:
            self.score = score = await asyncio.to_thread(self.sessions.score, self.state.session)
        except InputError:  # the agents are still sitting down
            return
        self.total.set_text(f"{_number(score.total)} {score.unit}" if score.hands else "–")
        self.raw.set_text(_estimate(score.money, score.unit))
        self.aivat.set_text(_estimate(score.aivat, score.unit))
        words = f"{score.hands} {'hand' if score.hands == 1 else 'hands'}" + (
            f", {score.judged} judged" if score.aivat else ""
        )
        self.judged.set_text(f"{words}. {sentence(score.missing)}." if score.missing and score.hands else f"{words}.")

    def _show_ended(self, error: InputError) -> None:
        """Say what is known of a session that is not open."""
        known = next((one for one in self.sessions.all() if one.id == self.state.session), None)
        self.leave_button.set_visibility(False)
        self.problem.set_text(sentence(error) if known is None or known.error else "")
        self.ended.clear()
        self.ended.set_visibility(True)
        self.place.clear()
        if known is not None:
            with self.ended, panel("This session has ended"):
                note(
                    f"{known.hands} hands against {', '.join(known.request.agents)}: {known.total:+,.6g} {known.unit}."
                )
                note("Its hands are kept: “Hands (PHH)” above saves them. “Another table” begins a new session.")

    def _has_phh(self) -> bool:
        try:
            self.sessions.phh(self.state.session)
        except InputError:  # the game has no hand histories, or there is no such session, or it only starts
            return False
        return True

    # ---- what happens ----

    async def _look(self) -> None:
        if self.table is None:
            return
        self._ticks += 1
        if self.table.status in WAITING:
            await self._do(lambda: self.sessions.look(self.state.session))
        elif self._ticks % SCORE_EVERY == 0 and self.score is not None and _judging(self.score):
            await self._show_score()

    async def _do(self, ask: Callable[[], TableView]) -> None:
        """Ask the session's process for something, and show the table after it."""
        try:
            table = await asyncio.to_thread(ask)
        except InputError as error:
            self.problem.set_text(sentence(error))
            if not any(one.id == self.state.session and one.open for one in self.sessions.all()):
                self.table = None
                self._show_ended(error)
            return
        self.problem.set_text("")
        if self.table is None or table.version != self.table.version or table.status == "starting":
            await self._show(table)

    async def _act(self, action: str) -> None:
        await self._do(lambda: self.sessions.act(self.state.session, Answer(action=action)))

    async def _amount(self, text: str) -> None:
        await self._do(lambda: self.sessions.act(self.state.session, Answer(amount=text[:20])))

    async def _next(self) -> None:
        await self._do(lambda: self.sessions.next_hand(self.state.session))

    async def _leave(self) -> None:
        await asyncio.to_thread(self.sessions.leave, self.state.session)
        ui.navigate.to(self.state.address)

    async def _tab(self, name: str) -> None:
        await self.go(tab=name)

    async def _open_hand(self, hand: str) -> None:
        await self.go(tab="thoughts", hand=hand, at="", kind="")

    async def _take_address(self, event: events.GenericEventArguments) -> None:
        self.state = PlayView.from_address(event.args)
        await self._show_tab()


def _seat(seat: Seat) -> None:
    """Add a seat: who sits there, the cards if they are known, and the chips."""
    classes = "cp-seat" + (" cp-seat--you" if seat.you else "") + (" cp-seat--folded" if seat.folded else "")
    with ui.element("li").classes(classes):
        words = "You" if seat.you else brief_names(seat.name)
        heading(words + (" (button)" if seat.button else "") + (", folded" if seat.folded else ""), 3)
        if seat.cards:
            if seat.behind is None:  # the words of another game
                note(seat.cards)
            else:
                board(seat.cards, "Cards")
        if seat.behind is not None:
            note(f"{seat.behind:,} behind" + (f", bet {seat.bet:,}" if seat.bet else ""))


def _status(table: TableView) -> str:
    if table.status == "hand over" and table.last is not None:
        won = table.last.won
        result = "Nobody won" if won == 0 else f"You {'won' if won > 0 else 'lost'} {abs(won):,.6g} {table.unit}"
        return f"Hand {table.last.hand} is over. {result}."
    if table.status == "your turn" and table.to_call:
        return f"Your turn: {table.to_call:,} to call."
    return STATUS[table.status]


def _judging(score: Score) -> bool:
    """Return whether AIVAT still judges hands."""
    return score.judged < score.hands and (score.missing is None or "being judged" in score.missing)


def _estimate(estimate: Estimate | None, unit: str) -> str:
    """Return a mean with its interval."""
    if estimate is None or estimate.mean is None:
        return "–"
    known = estimate.ci95 is not None and 0 < estimate.ci95 < math.inf  # 0: so far all hands paid alike
    half = f" ± {_number(estimate.ci95 or 0.0)[1:]}" if known else ""
    return f"{_number(estimate.mean)}{half} {unit}"


def _number(value: float) -> str:
    """Return a number with its sign, whole if it is large."""
    return f"{value:+,.0f}" if abs(value) >= 100 else f"{value:+.3g}"
