"""One file of the library: what it holds, where it opens, tags, another name, a copy, deletion."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from nicegui import ui

from counterpoise.errors import InputError
from counterpoise.web.components.controls import Field, button, complaint, figure, link_button, note, row
from counterpoise.web.library import JOBS, OPENED, Entry
from counterpoise.web.pages.address import address
from counterpoise.web.pages.lab_parts.state import LabView
from counterpoise.web.pages.library_parts.confirming import DeleteButton
from counterpoise.web.pages.library_parts.state import size_words
from counterpoise.web.pages.play_parts.state import PlayView
from counterpoise.web.pages.query import sentence
from counterpoise.web.server import Server

COPIES = {"solution": "solutions", "search": "solutions", "run": "runs", "spot": "spots", "blueprint": "blueprints"}
"""The folder for the copy of a file, by its kind."""


class Item:
    """What is shown of a file that is open.

    `renamed` gets the name that it has afterwards, or nothing; `tagged` is called when only its tags have changed.
    """

    def __init__(
        self,
        server: Server,
        entry: Entry,
        renamed: Callable[[str], Awaitable[None]],
        tagged: Callable[[], Awaitable[None]],
    ) -> None:
        self.server, self.library, self.entry = server, server.library, entry
        self._renamed, self._tagged = renamed, tagged
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
                DeleteButton(
                    "Delete",
                    f"Delete {entry.name} for good? It frees {size_words(entry.size_bytes)}.",
                    self._delete,
                )

    @property
    def _foreign(self) -> bool:
        return self.entry.name.startswith((f"{JOBS}/", f"{OPENED}/"))

    async def _tag(self, text: str) -> None:
        tags = _tags_in(text)
        if await self._do(lambda: self.library.tag(self.entry.name, tags).name) is not None:
            await self._tagged()

    async def _rename(self) -> None:
        await self._move(lambda: self.library.rename(self.entry.name, self.name.text.strip()).name)

    async def _copy(self) -> None:
        folder = COPIES.get(self.entry.kind, "uploads")
        ending = self.entry.name.rpartition(".")[2]
        title = "".join(letter for letter in self.entry.title if letter.isalnum() or letter in " -_").strip() or "copy"

        def copy() -> str:
            return self.library.copy(self.entry.name, self.library.free_name(f"{folder}/{title}.{ending}")).name

        await self._move(copy)

    async def _delete(self) -> None:
        def delete() -> str:
            self.library.delete(self.entry.name, self.library.deletion_token(self.entry.name))
            return ""

        await self._move(delete)

    def show_tags(self, entry: Entry) -> None:
        """Show the tags of the same file if they were changed elsewhere."""
        if entry.tags != self.entry.tags and set(entry.tags) != set(_tags_in(self.tags.text)):
            self.tags.show(", ".join(entry.tags))
        self.entry = entry

    async def _move(self, act: Callable[[], str]) -> None:
        name = await self._do(act)
        if name is not None:
            await self._renamed(name)

    async def _do(self, act: Callable[[], str]) -> str | None:
        """Return the name that the file has afterwards; None if it was refused, which is said."""
        try:
            name = await asyncio.to_thread(act)
        except InputError as error:
            self.problem.set_text(sentence(error))
            return None
        self.problem.set_text("")
        return name


def _tags_in(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


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
