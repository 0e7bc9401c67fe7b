"""The trainer: a decision from a saved solution, your answer, what it loses, and how your answers are in all."""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from fastapi import Request
from nicegui import events, ui
from pydantic import ValidationError

from counterpoise.cards.deck import split_cards
from counterpoise.errors import InputError
from counterpoise.web.components.action_bar import ActionBar
from counterpoise.web.components.controls import (
    Choice,
    Field,
    board,
    complaint,
    figure,
    heading,
    link_button,
    note,
    panel,
    row,
)
from counterpoise.web.components.data_table import Column, DataTable
from counterpoise.web.components.frame import frame, page
from counterpoise.web.pages.address import address
from counterpoise.web.pages.query import Query, sentence
from counterpoise.web.pages.start import short_name, told_apart
from counterpoise.web.server import Server
from counterpoise.web.trainer import Drill, Group, Question, Statistics, Verdict

STREETS = {"any": "Every street", "flop": "Flop", "turn": "Turn", "river": "River"}
SIDES = {"any": "Both players", "oop": "OOP", "ip": "IP"}
NUMBERS = 2**31


@dataclass(frozen=True)
class TrainerState(Query):
    """What the page shows."""

    PATH: ClassVar[str] = "/trainer"

    solution: str = ""
    number: str = ""
    """Which question."""
    player: str = "any"
    street: str = "any"
    answer: str = ""
    """The action that was answered, if one was."""

    @property
    def drill(self) -> Drill:
        """The question that is asked."""
        return Drill.model_validate(
            {"solution": self.solution, "number": self.number or "0", "player": self.player, "street": self.street}
        )


def register(server: Server) -> None:
    """Register the page at /trainer; its query is a `TrainerState`."""

    @page("/trainer")
    async def trainer_page(request: Request) -> None:
        with frame("Trainer", "trainer"):
            await TrainerPage(server, TrainerState.of(dict(request.query_params))).start()


class TrainerPage:
    """One open page of the trainer."""

    def __init__(self, server: Server, state: TrainerState) -> None:
        self.server, self.trainer, self.state = server, server.trainer, state

    async def start(self) -> None:
        """Build the page: the choice of a solution, the question, the statistics."""
        heading("Trainer", 1)
        options = await asyncio.to_thread(_solutions, self.server)
        if not options and not self.state.solution:
            with panel("No solution to learn from yet"):
                note("The trainer asks about solutions of the library: solve a spot first, or upload a solution.")
                with row():
                    link_button("Solve a spot", "/spot", main=True)
                    link_button("Upload a solution", "/library")
            return
        if not self.state.solution:
            self.state = replace(self.state, solution=next(iter(options)))
        if self.state.solution not in options:
            options = {self.state.solution: self.state.solution} | options
        if not self.state.number:
            self.state = replace(self.state, number=str(secrets.randbelow(NUMBERS)))
            ui.navigate.history.replace(self.state.address)
        with panel("What to train"), row().classes("cp-row--end"):
            self.choice = Field(
                "Solution", self.state.solution, partial(self._train, "solution"), kind="select", options=options
            )
            self.sides = Choice("Player", SIDES, self.state.player, partial(self._train, "player"))
            self.streets = Choice("Street", STREETS, self.state.street, partial(self._train, "street"))
        with ui.element("div").classes("cp-columns cp-columns--result"):
            with panel():
                self.question = ui.element("div").classes("cp-stack")
                self.problem = complaint()
                self.bar = ActionBar("Your answer", self._answer, self._next)
                self.verdict = ui.element("div").classes("cp-stack").props("aria-live=polite")
            with panel("Your answers so far"):
                self.statistics = ui.element("div").classes("cp-stack")
        ui.on("cp-address", self._take_address)
        await self._show(keep=False)

    async def _show(self, *, keep: bool) -> None:
        """Show the question of the state, and what its answer loses if there is one; `keep` counts that answer."""
        state = self.state
        for choice, value in ((self.sides, state.player), (self.streets, state.street)):
            choice.show(value)
        self.choice.show(state.solution)
        verdict: Verdict | None = None
        try:
            drill = state.drill
            question = await asyncio.to_thread(self.trainer.ask, drill)
            if state.answer:
                verdict = await asyncio.to_thread(partial(self.trainer.judge, drill, state.answer, keep=keep))
        except (InputError, ValidationError) as error:
            damaged = "The address is damaged: choose what to train above"
            self.problem.set_text(damaged if isinstance(error, ValidationError) else sentence(error))
            for box in (self.question, self.verdict):
                box.clear()
            self.bar.show(next="Another question")
            return
        self.problem.set_text("")
        self._ask(question)
        self.verdict.clear()
        if verdict is None:
            self.bar.show([(action.label, action.words) for action in question.actions])
        else:
            self.bar.show(next="Next question")
            with self.verdict:
                self._judge(question, verdict)
        self._count(await asyncio.to_thread(self.trainer.statistics, state.solution))

    def _ask(self, question: Question) -> None:
        self.question.clear()
        with self.question:
            heading(f"You are {question.player.upper()} with")
            with row():
                board(" ".join(split_cards(question.hand)), "Your hand")
                note("on")
                board(question.board)
                figure(f"{question.pot:,}", "pot, chips")
            steps = [
                f"{before.player.upper()}: {step.words}" if before.player != "chance" else f"{step.words} is dealt"
                for before, step in zip(question.path, question.path[1:], strict=False)
            ]
            note("Before: " + "; ".join(steps) + ". What do you do?" if steps else "You act first. What do you do?")

    def _judge(self, question: Question, verdict: Verdict) -> None:
        words = {action.label: action.words for action in question.actions}
        good = "Good: " if verdict.good else ""
        lost = f"{words[verdict.action]} loses {verdict.lost:.2f} chips, {verdict.lost_pct:.2f} % of the pot"
        best = "" if verdict.action == verdict.best else f"; {words[verdict.best]} is best"
        told = note(sentence(f"{good}{lost}{best}."))
        told.classes("cp-good" if verdict.good else "cp-error", remove="cp-note")
        table = DataTable("What each action is worth with this hand")
        table.show(
            [
                Column("action", "Action", "text"),
                Column("ev", "EV, chips"),
                Column("share", "Solution", "share"),
                Column("yours", "You", "text"),
            ],
            [
                [words[name], verdict.ev[name], verdict.strategy[name], "yours" if name == verdict.action else ""]
                for name in words
            ],
        )
        ui.link(
            "Look at this decision in the solution",
            address("/solution", {"name": self.state.solution, "node": question.node}),
        )

    def _count(self, found: Statistics) -> None:
        self.statistics.clear()
        with self.statistics:
            if not found.all.decisions:
                note("None yet. Every answer is counted here, by street and by player.")
                return
            with row().style("gap: 10px 34px"):
                figure(f"{found.all.decisions:,}", "decisions")
                figure(f"{100 * found.all.good / found.all.decisions:.0f} %", "good: at most 0.5 % of the pot lost")
                figure(f"{found.all.lost_pct:.2f} %", "of the pot lost per decision")
            table = DataTable("Answers by street and player")
            groups = found.by_street | {player.upper(): group for player, group in found.by_player.items()}
            table.show(
                [
                    Column("of", "Of", "text"),
                    Column("decisions", "Decisions", "text"),
                    Column("good", "Good", "share"),
                    Column("lost", "Lost, % of the pot"),
                ],
                [_row(name, group) for name, group in groups.items() if group.decisions],
            )
            heading("The latest", 3)
            latest = DataTable("The latest answers")
            latest.show(
                [Column("hand", "Hand", "text"), Column("line", "Line", "text"), Column("lost", "Lost, % of the pot")],
                [[f"{one.hand} {one.action}", one.line or one.node, one.lost_pct] for one in found.latest],
            )

    async def _go(self, *, keep: bool = False, **changes: str) -> None:
        self.state = replace(self.state, **changes)
        ui.navigate.history.push(self.state.address)
        await self._show(keep=keep)

    async def _answer(self, action: str) -> None:
        if not self.state.answer:
            await self._go(keep=True, answer=action)

    async def _next(self) -> None:
        number = int(self.state.number) + 1 if self.state.number.isdecimal() else 0
        await self._go(number=str(number % NUMBERS), answer="")

    async def _train(self, name: str, value: str) -> None:
        self.state = replace(self.state, **{name: value})
        await self._go(answer="")

    async def _take_address(self, event: events.GenericEventArguments) -> None:
        self.state = TrainerState.from_address(event.args)
        await self._show(keep=False)


def _row(name: str, group: Group) -> list[str | float | None]:
    return [name, str(group.decisions), group.good / group.decisions, group.lost_pct]


def _solutions(server: Server) -> dict[str, str]:
    """Return the solutions of the library: the name that opens each, and words for it."""
    entries = server.library.entries(kind="solution")
    words = [(entry, f"{entry.title} ({entry.details.get('board')})") for entry in entries]
    return {short_name(entry.name): word for entry, word in told_apart(words)}
