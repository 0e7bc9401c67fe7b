"""The page of the library: all saved files, searched and opened; uploads; jobs."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial

from fastapi import Request
from nicegui import events, ui
from nicegui.elements.mixins.text_element import TextElement

from counterpoise.web.components.controls import Field, button, heading, link_button, note, panel, row
from counterpoise.web.components.frame import frame, page
from counterpoise.web.components.upload import Upload
from counterpoise.web.library import Entry
from counterpoise.web.library_files import SUFFIXES
from counterpoise.web.pages.library_parts.item import Item
from counterpoise.web.pages.library_parts.jobs import JobsPanel
from counterpoise.web.pages.library_parts.state import Shelf, size_words, time_words
from counterpoise.web.server import Server

MOST = 100
"""Files that are listed; the search finds the others."""


def register(server: Server) -> None:
    """Register the page at /library; its query is a `Shelf`."""

    @page("/library")
    async def library_page(request: Request) -> None:
        with frame("Library", "library"):
            await LibraryPage(server, Shelf.of(dict(request.query_params))).start()


class LibraryPage:
    """One open page of the library."""

    def __init__(self, server: Server, state: Shelf) -> None:
        self.server, self.library, self.state = server, server.library, state
        self._asked = 0
        self._listed: list[tuple[Entry, bool]] = []
        self.item: Item | None = None
        self.tags: list[TextElement] = []

    async def start(self) -> None:
        """Build the page."""
        with row():
            heading("Library", 1)
            self.size = note()
        with ui.element("div").classes("cp-columns cp-columns--result"):
            with panel("Files"):
                with ui.element("div").classes("cp-fields"):
                    self.text = Field("Search", self.state.text, partial(self._set, "text"), hint="turn Ks")
                    self.kind = Field("Kind", self.state.kind, partial(self._set, "kind"), kind="select")
                    self.tag = Field("Tag", self.state.tag, partial(self._set, "tag"), kind="select")
                self.count = note().props("aria-live=polite")
                self.list = ui.element("ul").classes("cp-list")
                self.rest = ui.element("div").classes("cp-stack")
            with ui.element("div").classes("cp-stack"):
                JobsPanel(self.server, self._show)
                with panel("Upload"):
                    Upload("A file of this program or of Gambit", ",".join(SUFFIXES), self._uploaded)
                    note(f"Taken: {', '.join(SUFFIXES)}. Every file is checked before it is kept.")
        ui.on("cp-address", self._take_address)
        await self._show()

    async def _show(self) -> None:
        """Show the files of the state."""
        state = self.state
        self._asked += 1
        asked = self._asked
        found = await asyncio.to_thread(self.library.entries, state.text, state.kind, state.tag)
        everything = await asyncio.to_thread(self.library.entries)
        size = await asyncio.to_thread(self.library.size_bytes)
        if asked != self._asked:
            return  # who has asked since then shows what there is
        files = "file" if len(everything) == 1 else "files"
        self.size.set_text(f"{len(everything)} {files}; the folder takes {size_words(size)} on the disk.")
        self.text.show(state.text)
        for field, value, names in (
            (self.kind, state.kind, {entry.kind for entry in everything}),
            (self.tag, state.tag, {tag for entry in everything for tag in entry.tags}),
        ):
            field.choices({"": "all"} | {name: name for name in sorted(names | ({value} - {""}))})
            field.show(value)
        self.count.set_text(f"{len(found)} of {len(everything)} shown" if everything else "")
        self._list(found[:MOST])
        self.rest.clear()
        with self.rest:
            if not everything:
                note("Nothing here yet. Solve a spot, race algorithms, or upload a file: it is kept and listed here.")
                with row():
                    link_button("Solve a spot", "/spot", main=True)
                    link_button("Race algorithms", "/lab")
            elif not found:
                note("No file has all of these words: search for fewer.")
            elif len(found) > MOST:
                note(f"{len(found) - MOST} more: search for the one that you want.")

    def _list(self, found: list[Entry]) -> None:
        """List files; what is being typed into the open one stays as long as only its tags change."""
        now = [(entry.model_copy(update={"tags": []}), entry.name == self.state.open) for entry in found]
        if now != self._listed:
            self._listed, self.item = now, None
            self.list.clear()
            with self.list:
                self.tags = [self._item(entry, entry.name == self.state.open) for entry in found]
        for place, entry in zip(self.tags, found, strict=True):
            place.set_text("Tags: " + ", ".join(entry.tags))
            place.set_visibility(bool(entry.tags))
            if self.item is not None and entry.name == self.state.open:
                self.item.show_tags(entry)

    def _item(self, entry: Entry, open: bool) -> TextElement:
        """Add a file; return the place for its tags."""
        with ui.element("li").classes("cp-item"):
            title = button(entry.title, partial(self._open, "" if open else entry.name))
            title.classes("cp-item__title").props["aria-expanded"] = "true" if open else "false"
            words = [entry.kind, size_words(entry.size_bytes), time_words(entry.modified), entry.name]
            note(", ".join(words)).classes("cp-item__words")
            tags = note()
            if open:
                self.item = Item(self.server, entry, self._open, self._show)
        return tags

    async def _go(self, **changes: str) -> None:
        self.state = replace(self.state, **changes)
        ui.navigate.history.push(self.state.address)
        await self._show()

    async def _set(self, name: str, value: str) -> None:
        await self._go(**{name: value})

    async def _open(self, name: str) -> None:
        await self._go(open=name)

    async def _uploaded(self, name: str) -> None:
        await self._go(text="", kind="", tag="", open=name)

    async def _take_address(self, event: events.GenericEventArguments) -> None:
        self.state = Shelf.from_address(event.args)
        await self._show()
