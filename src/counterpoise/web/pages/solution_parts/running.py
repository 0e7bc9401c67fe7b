"""The tab of the run: how the solution came about, and its files."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from counterpoise.web.components.controls import heading, link_button, note
from counterpoise.web.components.data_table import Column, DataTable
from counterpoise.web.components.line_plot import LinePlot
from counterpoise.web.pages.address import address
from counterpoise.web.pages.solution_parts.reading import Shown
from counterpoise.web.pages.solution_parts.state import SolutionState
from counterpoise.web.pages.solution_parts.tabs import Page, QuietTab

LEFT_OUT = ("trace", "root", "hands", "frequencies_before")


class RunTab(QuietTab):
    """The curve of exploitability, all figures, and what can be exported."""

    def __init__(self, page: Page) -> None:
        heading("Export", 3)
        self.exports = ui.element("div").classes("cp-row")
        heading("Exploitability", 3)
        self.plot = LinePlot("Exploitability", "iterations", "% of the pot", log_x=True, log_y=True)
        heading("Figures", 3)
        self.table = DataTable("Figures of the run")

    async def show(self, shown: Shown) -> None:
        """Show a solution."""
        export_links(self.exports, shown.state, shown.node.id, dealing=bool(shown.node.cards))
        solved = shown.solved
        self.plot.show(
            {"exploitability": [(point.iteration, point.exploitability) for point in solved.trace]}, solved.target
        )
        figures: dict[str, Any] = {key: value for key, value in solved.to_json().items() if key not in LEFT_OUT}
        self.table.show(
            [Column("name", "Figure", "text"), Column("value", "Value", "text")],
            [[name.replace("_", " "), _words(value)] for name, value in figures.items() if not isinstance(value, list)],
        )


def export_links(box: ui.element, state: SolutionState, node: str, *, dealing: bool) -> None:
    """Put links into a box that save the node's table and picture, the spot and the solution as files."""
    box.clear()
    stem = node.replace(":", "-")
    files = {
        "csv": ("Table (CSV)", f"{stem}.csv"),
        "png": ("Picture (PNG)", f"{stem}.png"),
        "toml": ("Spot (TOML)", "spot.toml"),
        "cpz": ("Solution (.cpz)", "solution.cpz"),
    }
    with box:
        for format, (words, file) in files.items():
            query = {"name": state.name, "format": format, "node": node, "cards": "true" if dealing else ""}
            link_button(words, address("/api/v1/solutions/export", query), download=file)
        if dealing:
            note("Table and picture are those over all cards.")


def _words(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.5g}"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_words(one)}" for key, one in value.items())
    return str(value)
