"""Curves as an SVG of our own: exploitability while a job runs, equity distributions, races."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nicegui.element import Element

Points = Sequence[tuple[float, float]]


class LinePlot(Element, component="line_plot.js"):
    """One line per series against named axes, each linear or logarithmic."""

    def __init__(
        self, label: str, x_label: str, y_label: str, *, log_x: bool = False, log_y: bool = False, height: int = 220
    ) -> None:
        super().__init__()
        self._props.update(
            {
                "label": label,
                "xLabel": x_label,
                "yLabel": y_label,
                "logX": log_x,
                "logY": log_y,
                "height": height,
                "series": [],
            }
        )

    def show(self, series: Mapping[str, Points], target: float | None = None) -> None:
        """Show points by the name of their series, and perhaps a dashed line at a value that is aimed at."""
        with self._props.suspend_updates():
            self._props["series"] = [{"name": name, "points": list(points)} for name, points in series.items()]
            self._props["target"] = target
        self.update()
