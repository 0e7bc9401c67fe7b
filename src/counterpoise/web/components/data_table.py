"""A table that sorts by its headings, and filters by words and by the names in chosen columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

from nicegui import json
from nicegui.element import Element

Cell = str | float | None


class Column(NamedTuple):
    """A column: `share` is written in per cent, `number` in about four characters, `figure` in four digits.

    Several names in one `text` cell stand between commas.
    """

    key: str
    label: str
    kind: Literal["text", "share", "number", "figure"] = "number"


class DataTable(Element, component="data_table.js", dependencies=["counterpoise_cards.mjs"]):
    """Rows whose first cell names them; `row` gets that name when one is clicked."""

    def __init__(
        self,
        label: str,
        *,
        search: str = "",
        hint: str = "",
        filters: Sequence[str] = (),
        row: Callable[[str], Any] | None = None,
    ) -> None:
        super().__init__()
        self._props.update(
            {
                "label": label,
                "search": search,
                "hint": hint,
                "filters": list(filters),
                "columns": [],
                "data": "[]",
            }
        )
        if row is not None:
            self.on("row", lambda event: row(str(event.args)))

    def show(
        self,
        columns: Sequence[Column],
        rows: Sequence[Sequence[Cell]],
        preset: str = "",
        also: Sequence[Sequence[str]] = (),
    ) -> None:
        """Show these columns and rows; `preset` is what the search starts with.

        `also` are names by which each row is found without showing them, if a word that is searched begins them.
        """
        with self._props.suspend_updates():
            self._props["columns"] = [column._asdict() for column in columns]
            # One text: NiceGUI watches every cell of a list for changes, which takes longer than everything else.
            self._props["data"] = json.dumps([[_rounded(cell) for cell in row] for row in rows])
            self._props["also"] = json.dumps(also)
            self._props["preset"] = preset
        self.update()


def _rounded(cell: Cell) -> Cell:
    return round(cell, 5) if isinstance(cell, float) else cell
