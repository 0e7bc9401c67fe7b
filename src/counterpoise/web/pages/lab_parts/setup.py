"""Choosing a race: a game, algorithms, and when to stop."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from functools import partial
from typing import Any

from nicegui import ui
from pydantic import ValidationError

from counterpoise.errors import InputError
from counterpoise.web.api.errors import validation_sentence
from counterpoise.web.api.games import all_catalogues
from counterpoise.web.components.controls import Field, button, complaint, enable, heading, note, panel, row
from counterpoise.web.components.upload import Upload
from counterpoise.web.jobs.requests import RaceGame
from counterpoise.web.jobs.state import JobState
from counterpoise.web.pages.lab_parts.state import OPENSPIEL, LabView
from counterpoise.web.pages.query import BETWEEN, sentence
from counterpoise.web.server import Server

RECENT = 8
"""Races that are listed."""
LIMITS = {
    "iterations": "Iterations",
    "target": "Exploitability aimed at",
    "seconds": "Seconds per algorithm",
    "seed": "Seed",
}


class RaceForm:
    """The form of a race."""

    def __init__(self, server: Server, state: LabView) -> None:
        self.server, self.state = server, state

    async def start(self) -> None:
        """Build the form and the list of races."""
        known = await asyncio.to_thread(all_catalogues)
        names = [str(entry["name"]) for entry in known.games]
        self.about = {str(one["name"]): str(one["description"]) for one in known.algorithms}
        files = await asyncio.to_thread(partial(self.server.library.entries, kind="game"))
        self.games = {name: name for name in names} | {entry.name: f"{entry.title} (.efg)" for entry in files}
        self.games |= {OPENSPIEL: "a game of OpenSpiel"}
        if self.state.game not in self.games:
            self.games[self.state.game] = self.state.game
        heading("Race algorithms on a game", 1)
        with panel("Game"):
            with ui.element("div").classes("cp-fields cp-fields--wide"):
                Field("Game", self.state.game, self._game, kind="select", options=self.games)
                self.settings = Field("Settings of the game", self.state.settings, partial(self._set, "settings"))
                Upload("Upload a game (.efg)", ".efg", self._uploaded)
            self.words = note()
        with panel("Algorithms"):
            with ui.element("div").classes("cp-choice").props('role=group aria-label="Algorithms"'):
                self.buttons = {name: button(name, partial(self._toggle, name)) for name in self.about}
            self.names = Field(f"By name, with settings; “{BETWEEN}” between them", self.state.algorithms, self._named)
        with panel("When to stop, at the first of these"):
            with ui.element("div").classes("cp-fields"):
                for name, words in LIMITS.items():
                    Field(words, getattr(self.state, name), partial(self._set, name), kind="number")
            self.problem = complaint()
            with row():
                self.go = button("Start the race", self._race, main=True)
        self._show()
        with panel("Races so far"):
            races = [one for one in self.server.jobs.list() if isinstance(one.request, RaceGame)][:RECENT]
            if not races:
                note("None yet. Start one above: it goes on when this page is closed, and its runs are kept.")
            with ui.element("ul").classes("cp-list"):
                for one in races:
                    with ui.element("li"):
                        ui.link(_words(one), LabView(job=one.id).address)

    def _show(self) -> None:
        for name, made in self.buttons.items():
            made.props["aria-pressed"] = "true" if name in self.state.field else "false"
            made.props["title"] = self.about[name]
        self.names.show(self.state.algorithms)
        outside = self.state.game == OPENSPIEL
        self.settings.props["label"] = "Name in OpenSpiel, with settings" if outside else "Settings of the game"
        self.settings.props["hint"] = "goofspiel(num_cards=4,imp_info=True)" if outside else "such as players=3"
        known: dict[str, Any] = next(
            (one for one in all_catalogues().games if one["name"] == self.state.game), {"description": ""}
        )
        self.words.set_text(str(known["description"]))

    def _game(self, name: str) -> None:
        self.settings.show("")
        self._set("settings", "")
        self._set("game", name)

    def _uploaded(self, name: str) -> None:
        ui.navigate.to(replace(self.state, game=name, settings="").address)

    def _toggle(self, name: str) -> None:
        field = self.state.field
        changed = [one for one in field if one != name] if name in field else [*field, name]
        self._set("algorithms", BETWEEN.join(changed) or BETWEEN)

    def _named(self, text: str) -> None:
        self._set("algorithms", text or BETWEEN)

    def _set(self, name: str, value: str) -> None:
        self.state = replace(self.state, **{name: value})
        ui.navigate.history.replace(self.state.address)
        self.problem.set_text("")
        self._show()

    async def _race(self) -> None:
        enable(self.go, False)
        try:
            request = self.state.request
            id = await asyncio.to_thread(partial(self.server.jobs.submit, request, request.game))
        except ValidationError as error:
            self.problem.set_text(sentence(validation_sentence(error.errors())))
        except InputError as error:
            self.problem.set_text(sentence(error))
        else:
            ui.navigate.to(LabView(job=id).address)
        enable(self.go, True)


def _words(state: JobState) -> str:
    assert isinstance(state.request, RaceGame)
    when = time.strftime("%d %b %Y, %H:%M", time.localtime(state.created))
    return f"{state.request.game}: {', '.join(state.request.algorithms)} ({state.status}, {when})"
