"""The tab of the run: how the solution came about, and its files."""

from __future__ import annotations

from functools import partial
from typing import Any

from nicegui import ui

from counterpoise.web.components.controls import button, heading, link_button, note
from counterpoise.web.components.data_table import Column, DataTable
from counterpoise.web.components.line_plot import LinePlot
from counterpoise.web.pages.address import address
from counterpoise.web.pages.solution_parts.reading import Shown
from counterpoise.web.pages.solution_parts.tabs import Page, QuietTab
from counterpoise.web.views.node import line_words

LEFT_OUT = ("trace", "root", "hands", "frequencies_before")


class RunTab(QuietTab):
    """The curve of exploitability, all figures, and what can be exported."""

    def __init__(self, page: Page) -> None:
        self.page = page
        heading("Export", 3)
        self.exports = ui.element("div").classes("cp-row")
        heading("Exploitability", 3)
        self.plot = LinePlot("Exploitability", "iterations", "% of the pot", log_x=True, log_y=True)
        heading("Figures", 3)
        self.table = DataTable("Figures of the run")

    async def show(self, shown: Shown) -> None:
        """Show a solution."""
        self._show_exports(shown)
        solved = shown.solved
        self.plot.show(
            {"exploitability": [(point.iteration, point.exploitability) for point in solved.trace]}, solved.target
        )
        figures: dict[str, Any] = {key: value for key, value in solved.to_json().items() if key not in LEFT_OUT}
        self.table.show(
            [Column("name", "Figure", "text"), Column("value", "Value", "text")],
            [[name.replace("_", " "), _words(value)] for name, value in figures.items() if not isinstance(value, list)],
        )

    def _show_exports(self, shown: Shown) -> None:
        """Offer the node's table and picture, the spot and the solution as files; the browser draws the square."""
        node, dealing = shown.node, bool(shown.node.cards)
        stem = node.id.replace(":", "-")
        files = {
            "csv": ("Table (CSV)", f"{stem}.csv"),
            "png": ("Picture (PNG)", f"{stem}.png"),
            "toml": ("Spot (TOML)", "spot.toml"),
            "cpz": ("Solution (.cpz)", "solution.cpz"),
        }
        self.exports.clear()
        with self.exports:
            for format, (words, file) in files.items():
                query = {
                    "name": shown.state.name,
                    "format": format,
                    "node": node.id,
                    "cards": "true" if dealing else "",
                }
                if format == "png" and not dealing:
                    title = f"{node.board}: {line_words(node.path)}, {node.player.upper()} to act"
                    button(words, partial(self.page.grid.save_picture, title, file))
                else:
                    link_button(words, address("/api/v1/solutions/export", query), download=file)
            if dealing:
                note("Table and picture are those over all cards.")


def _words(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.5g}"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_words(one)}" for key, one in value.items())
    return str(value)
