"""Choosing a table: opponents, game, seats; and the sessions that there are already."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from functools import partial

from nicegui import ui
from pydantic import ValidationError

from counterpoise.errors import InputError
from counterpoise.web.api.errors import validation_sentence
from counterpoise.web.api.games import all_catalogues
from counterpoise.web.components.controls import (
    Choice,
    Field,
    button,
    complaint,
    enable,
    heading,
    link_button,
    note,
    panel,
    row,
)
from counterpoise.web.library import Entry
from counterpoise.web.pages.play_parts.state import PlayView, brief_names
from counterpoise.web.pages.query import BETWEEN, sentence
from counterpoise.web.pages.start import told_apart
from counterpoise.web.play.models import MOST_SEATS, SessionView
from counterpoise.web.play.sessions import seats_of
from counterpoise.web.server import Server

OF_FILES = {"solution": "spot", "run": "strategy", "blueprint": "blueprint", "rebel": "rebel"} | dict.fromkeys(
    ("deep-cfr", "single-deep-cfr", "nfsp", "regression-cfr"), "strategy"
)
"""The agent that follows a file of the library, by the file's kind, or by the method that trained its networks."""
NEED_FILES = ("spot", "strategy", "implicit")
"""Agents that are offered with a file only."""
MADE_FOR = "As the opponent knows it"
RECENT = 8
"""Sessions that are listed."""


class TableForm:
    """The form of a new table."""

    def __init__(self, server: Server, state: PlayView) -> None:
        self.server, self.state = server, state

    async def start(self) -> None:
        """Build the form and the list of sessions."""
        agents, self.about = await asyncio.to_thread(offered_agents, self.server)
        self.agents = agents
        names = [str(game["name"]) for game in all_catalogues().games]
        games = {"": MADE_FOR} | {name: name for name in names}
        heading("Play against an agent", 1)
        with panel("A new table"):
            with ui.element("div").classes("cp-fields cp-fields--wide"):
                numbers = {str(number): str(number) for number in range(2, MOST_SEATS + 1)}
                Field("Seats", str(self.state.players), partial(self._set, "seats"), kind="select", options=numbers)
                Field("Game", self.state.game, partial(self._set, "game"), kind="select", options=games)
                Field("Settings of the game", self.state.settings, partial(self._set, "settings"), hint="stack=50")
            self.seats = ui.element("div").classes("cp-fields cp-fields--wide")
            self.opponents: list[Field] = []
            self.words = note()
            self.text = Field(
                f"Opponents by name, with settings; “{BETWEEN}” between them", self.state.agents, self._named
            )
            with row():
                speeds = {"": "Full thinking time", "yes": "A tenth of it"}
                self.speed = Choice("Thinking time of agents that search", speeds, self.state.fast, self._fast)
                self.go = button("Sit down", self._begin, main=True)
            self.problem = complaint()
        self._show_seats()
        with panel("Your sessions"):
            sessions = self.server.sessions.all()[:RECENT]
            if not sessions:
                note("None yet. Sit down above: the hands that you play are kept and listed here.")
            with ui.element("ul").classes("cp-list"):
                for view in sessions:
                    self._session(view)

    def _session(self, view: SessionView) -> None:
        opponents = brief_names(", ".join(view.request.agents))
        when = time.strftime("%d %b %Y, %H:%M", time.localtime(view.created))
        with ui.element("li").classes("cp-row"):
            note(f"{opponents}: {view.hands} hands, {view.total:+,.6g} {view.unit}, {when}")
            ui.element("div").classes("cp-spread")
            if view.open or view.hands:
                words = "Go on" if view.open else "Look"
                made = link_button(words, PlayView(session=view.id).address)
                made.props["aria-label"] = f"{words}: session of {when} against {opponents}"

    def _show_seats(self) -> None:
        """Show one choice per opponent; the last one that is named takes all seats that are left.

        Choices stay while the number of seats does: one that is replaced could not hear what is chosen meanwhile.
        """
        named = self.state.opponents or ["blueprint"]
        number = self.state.players - 1
        if len(self.opponents) != number:
            self.seats.clear()
            with self.seats:
                words = ["Opponent"] if number == 1 else [f"Opponent {seat + 1}" for seat in range(number)]
                self.opponents = [
                    Field(word, "", partial(self._choose, seat), kind="select") for seat, word in enumerate(words)
                ]
        for seat, field in enumerate(self.opponents):
            chosen = named[min(seat, len(named) - 1)]
            fitting = {name: words for name, words in self.agents.items() if fits_table(name, self.state.players)}
            field.choices(fitting | ({} if chosen in fitting else {chosen: self.agents.get(chosen, chosen)}))
            field.show(chosen)
        self.words.set_text(self.about.get(named[0].partition("(")[0], ""))

    def _choose(self, seat: int, name: str) -> None:
        named = self.state.opponents or ["blueprint"]
        full = [named[min(place, len(named) - 1)] for place in range(self.state.players - 1)]
        full[seat] = name
        while len(full) > 1 and full[-1] == full[-2]:
            full.pop()
        self._set("agents", BETWEEN.join(full))
        self.text.show(self.state.agents)

    def _named(self, text: str) -> None:
        self._set("agents", text)

    def _fast(self, fast: str) -> None:
        self._set("fast", fast)
        self.speed.show(fast)

    def _set(self, name: str, value: str) -> None:
        self.state = replace(self.state, **{name: value})
        ui.navigate.history.replace(self.state.address)
        self.problem.set_text("")
        if name in ("seats", "agents"):
            self._show_seats()

    async def _begin(self) -> None:
        enable(self.go, False)
        self.problem.set_text("")
        try:
            session, _ = await asyncio.to_thread(self.server.sessions.begin, self.state.request)
        except ValidationError as error:
            self.problem.set_text(sentence(validation_sentence(error.errors())))
        except InputError as error:
            self.problem.set_text(sentence(error))
        else:
            ui.navigate.to(PlayView(session=session.id).address)
        enable(self.go, True)


def fits_table(name: str, seats: int) -> bool:
    """Return whether an agent can sit at a table with this number of seats, as far as its name says.

    >>> fits_table("pluribus", 3), fits_table("pluribus", 2), fits_table("always-call", 3)
    (False, True, True)
    >>> fits_table("spot:solutions/turn.cpz", 3)
    False
    """
    return seats_of(name) in (None, seats)


def offered_agents(server: Server) -> tuple[dict[str, str], dict[str, str]]:
    """Return the agents that can be chosen, by name with words, and what is said of each.

    Agents that need a file or a folder are offered with each of the library that they follow.
    """
    options, about = dict[str, str](), dict[str, str]()
    for agent in all_catalogues().agents:
        name = str(agent["name"])
        if name not in NEED_FILES and "folder that it is given" not in str(agent["trained"]):
            options[name], about[name] = name, str(agent["description"])
    followed = [entry for entry in server.library.entries() if _follower(entry) is not None]
    for folder, name in server.library.agent_folders().items():
        options[f"{name}:{folder}"] = f"{name} of {folder}"
        about[f"{name}:{folder}"] = f"Plays what counterpoise train-agent {name} has put into {folder} of the library."
    words = [(entry, f"{entry.kind} {entry.title} ({entry.details.get('board') or entry.name})") for entry in followed]
    for entry, word in told_apart(words):
        name = f"{_follower(entry)}:{entry.name}"
        options[name], about[name] = word, f"Follows the {entry.kind} {entry.title} of the library."
    return options, about


def _follower(entry: Entry) -> str | None:
    """Return the agent that follows a file of the library, if one does."""
    method = str(entry.details.get("method")).partition("(")[0]
    return OF_FILES.get(method if entry.kind == "networks" else entry.kind)
