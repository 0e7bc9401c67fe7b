"""A field that uploads a file into the library; what is wrong with the file stands below it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui.element import Element


class Upload(Element, component="upload.js"):
    """`done` gets the name that the file has in the library."""

    def __init__(self, label: str, endings: str, done: Callable[[str], Any]) -> None:
        super().__init__()
        self._props.update({"label": label, "accept": endings})
        self.on("done", lambda event: done(str(event.args)))
