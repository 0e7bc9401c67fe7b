"""One file of the library: what it holds, where it opens, tags, another name, a copy, deletion."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from nicegui import ui

from counterpoise.errors import InputError
from counterpoise.web.components.controls import Field, button, complaint, figure, link_button, note, row
from counterpoise.web.library import JOBS, OPENED, Entry
from counterpoise.web.pages.address import address
from counterpoise.web.pages.keeping.confirming import Deletion
from counterpoise.web.pages.keeping.state import size_words
from counterpoise.web.pages.playing.state import PlayView
from counterpoise.web.pages.query import sentence
from counterpoise.web.pages.racing.state import LabView
from counterpoise.web.server import Server

COPIES = {"solution": "solutions", "search": "solutions", "run": "runs", "spot": "spots", "blueprint": "blueprints"}
"""The folder for the copy of a file, by its kind."""


class Item:
    """What is shown of a file that is open; `changed` gets the name that it has afterwards, or nothing."""

    def __init__(self, server: Server, entry: Entry, changed: Callable[[str], Awaitable[None]]) -> None:
        self.server, self.library, self.entry, self._changed = server, server.library, entry, changed
        if entry.problem:
            complaint(sentence(entry.problem))
        with row().style("gap: 8px 28px"):
            for name, value in entry.details.items():
                if value is not None and value != "":
                    words = f"{value:,.4g}" if isinstance(value, float) else str(value)
                    figure(words, name.replace("_pct", ", % of the pot").replace("_", " "))
        with row():
            for words, where in _places(entry).items():
                link_button(words, where)
            file = address("/api/v1/library/file", {"name": entry.name})
            link_button("Download", file, download=entry.name.rpartition("/")[2])
        self.problem = complaint()
        with ui.element("div").classes("cp-fields cp-fields--wide"):
            self.tags = Field("Tags, commas between them", ", ".join(entry.tags), self._tag)
            if not self._foreign:
                self.name = Field("Name", entry.name)
        with row():
            if entry.name.startswith(f"{JOBS}/"):
                button("Keep a copy outside of the job", self._copy)
                note("The file belongs to a job, with which it is deleted: see the list of jobs.")
            elif self._foreign:
                note("The file lies outside of the library, so it is not changed here.")
            else:
                button("Rename", self._rename)
                Deletion(
                    "Delete",
                    f"Delete {entry.name} for good? It frees {size_words(entry.size_bytes)}.",
                    self._delete,
                )

    @property
    def _foreign(self) -> bool:
        return self.entry.name.startswith((f"{JOBS}/", f"{OPENED}/"))

    async def _tag(self, text: str) -> None:
        tags = [word.strip() for word in text.split(",") if word.strip()]
        await self._do(lambda: self.library.tag(self.entry.name, tags).name)

    async def _rename(self) -> None:
        await self._do(lambda: self.library.rename(self.entry.name, self.name.text.strip()).name)

    async def _copy(self) -> None:
        folder = COPIES.get(self.entry.kind, "uploads")
        ending = self.entry.name.rpartition(".")[2]
        title = "".join(letter for letter in self.entry.title if letter.isalnum() or letter in " -_").strip() or "copy"

        def copy() -> str:
            return self.library.copy(self.entry.name, self.library.free_name(f"{folder}/{title}.{ending}")).name

        await self._do(copy)

    async def _delete(self) -> None:
        def delete() -> str:
            self.library.delete(self.entry.name, self.library.deletion_token(self.entry.name))
            return ""

        await self._do(delete)

    async def _do(self, act: Callable[[], str]) -> None:
        try:
            name = await asyncio.to_thread(act)
        except InputError as error:
            self.problem.set_text(sentence(error))
        else:
            await self._changed(name)


def _places(entry: Entry) -> dict[str, str]:
    """Return where a file opens, by what is done there."""
    kind, name = entry.kind, entry.name
    if kind in ("solution", "search"):
        found = {"Open": address("/solution", {"name": name}), "Edit the spot": address("/spot", {"name": name})}
        if kind == "solution":
            found["Train with it"] = address("/trainer", {"solution": name})
            found["Play against it"] = PlayView(agents=f"spot:{name}").address
        return found
    return {
        "spot": {"Open": address("/spot", {"name": name})},
        "run": {"Open": LabView(run=name).address, "Play against it": PlayView(agents=f"strategy:{name}").address},
        "game": {"Race on it": LabView(game=name).address},
        "blueprint": {"Play against it": PlayView(agents=f"blueprint:{name}").address},
    }.get(kind, {})
