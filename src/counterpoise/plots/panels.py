"""Figures of one or more panels, each a set of named curves; a name looks the same in every panel.

The palette is Okabe and Ito's without its yellow, which is too pale on white; line styles cycle with another
period than colours, so that neighbours differ in both and the figure survives a black-and-white printer.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from counterpoise.errors import InputError
from counterpoise.plots.figure import check_figure, write_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

Scale = Literal["linear", "log"]

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.6)), (0, (5, 1.4, 1.2, 1.4)), (0, (1.2, 1.2)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
INK, MUTED, GRID = "#222222", "#5a5a5a", "#dddddd"
MOST_DIRECT_LABELS, LONGEST_DIRECT_LABEL = 12, 30
LEGEND_ROW_INCHES = 0.22
FEW_POINTS = 6
"""A line of at most this many points has them marked: a single point would not be seen."""
FONT = 10.5


@dataclass(frozen=True)
class Curve:
    """Points of one line. `points=True` draws markers only, for published figures or measurements.

    `band` shades from a lower to an upper line, such as the range of several runs around their mean.
    """

    x: Sequence[float]
    y: Sequence[float]
    points: bool = False
    band: tuple[Sequence[float], Sequence[float]] | None = None

    def __post_init__(self) -> None:
        for values in (self.y, *(self.band or ())):
            if len(self.x) != len(values):
                raise InputError(f"a curve needs as many y as x values, not {len(values)} and {len(self.x)}")


@dataclass(frozen=True)
class Panel:
    """One pair of axes: its curves by name, labels, scales, and horizontal reference lines by name."""

    curves: Mapping[str, Curve]
    title: str = ""
    x_label: str = ""
    y_label: str = ""
    x_scale: Scale = "log"
    y_scale: Scale = "log"
    references: Mapping[str, float] = field(default_factory=dict)


def panels(
    parts: Sequence[Panel],
    path: str | os.PathLike[str],
    *,
    title: str = "",
    columns: int | None = None,
    size: tuple[float, float] | None = None,
) -> Path:
    """Draw the panels into a file whose suffix says its kind; return its path.

    One panel of a few curves gets its names at the ends of the lines, everything else one legend below.
    `columns` is how many panels share a row (default: up to three), `size` the inches of one panel.
    """
    target = check_figure(path)
    if not parts:
        raise InputError("a figure needs at least one panel")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(name for part in parts for name in part.curves))
    direct = len(parts) == 1 and _fit_beside(parts[0].curves)
    across = min(len(parts), columns or 3)
    down = math.ceil(len(parts) / across)
    width, height = size or ((7.2, 4.4) if len(parts) == 1 else (3.9, 3.3))
    legend_columns = _legend_columns(names, width * across)
    legend_inches = 0.0 if direct else LEGEND_ROW_INCHES * (math.ceil(len(names) / legend_columns) - 1)
    figure = Figure(figsize=(width * across, height * down + legend_inches), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    grid = figure.subplots(down, across, squeeze=False)
    for unused in grid.flat[len(parts) :]:
        unused.set_axis_off()
    for part, axes in zip(parts, grid.flat, strict=False):
        lines = _draw(part, axes, names)
        if direct:
            _label_ends(figure, axes, lines)
    if title:
        figure.suptitle(title, fontsize=FONT + 2.5, color=INK, x=0.012, ha="left", parse_math=False)
    if not direct:
        _legend(figure, parts, names, legend_columns)
    return write_figure(figure, target)


def _fit_beside(curves: Mapping[str, Curve]) -> bool:
    """Return whether the names fit at the ends of the lines: few, short, and of lines rather than points."""
    short = all(len(name) <= LONGEST_DIRECT_LABEL for name in curves)
    return short and len(curves) <= MOST_DIRECT_LABELS and not any(curve.points for curve in curves.values())


def _style(position: int, points: bool) -> dict[str, Any]:
    colour = COLOURS[position % len(COLOURS)]
    if points:
        marker = {"marker": MARKERS[position % len(MARKERS)], "markersize": 6, "markerfacecolor": "white"}
        return {"color": colour, "linestyle": "none", **marker}
    return {"color": colour, "linestyle": DASHES[position % len(DASHES)], "linewidth": 1.9}


def _draw(part: Panel, axes: Axes, names: Sequence[str]) -> dict[str, Line2D]:
    floor = _floor(part)
    lines = {}
    for name, curve in part.curves.items():
        x, y = _visible(curve, part, floor)
        position = names.index(name)
        style = _style(position, curve.points)
        if len(x) <= FEW_POINTS and not curve.points:
            style |= {"marker": "o", "markersize": 3.5}
        (lines[name],) = axes.plot(x, y, **style, zorder=3 + 0.01 * position)
        if curve.band is not None:
            edges = [_visible(Curve(curve.x, edge), part, floor) for edge in curve.band]
            if edges[0][0] == edges[1][0]:
                axes.fill_between(edges[0][0], edges[0][1], edges[1][1], color=style["color"], alpha=0.18, linewidth=0)
    axes.set_xscale(part.x_scale)
    axes.set_yscale(part.y_scale)
    for name, level in part.references.items():
        if math.isfinite(level) and (level > 0 or part.y_scale == "linear"):
            axes.axhline(level, color=MUTED, linewidth=1, linestyle=(0, (2, 2)), zorder=2)
            place: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
            axes.annotate(name, (0, level), (3, 3), **place, fontsize=FONT - 2, color=MUTED, parse_math=False)
    if not any(len(np.asarray(line.get_xdata())) for line in lines.values()):
        axes.set(xlim=(1, 10), ylim=(1, 10))  # nothing to show: any limits that a logarithm takes
    _furnish(part, axes)
    return lines


def _floor(part: Panel) -> float:
    """Return where a logarithmic axis shows zero: a decade below the smallest positive number drawn."""
    positive = [y for curve in part.curves.values() for y in curve.y if y > 0 and math.isfinite(y)]
    return min(positive, default=1e-15) / 10


def _visible(curve: Curve, part: Panel, floor: float) -> tuple[list[float], list[float]]:
    """Return the points that the axes can show: finite, positive x on a logarithmic axis, y lifted to the floor."""
    x, y = [], []
    for across, up in zip(curve.x, curve.y, strict=True):
        if not (math.isfinite(across) and math.isfinite(up)) or (part.x_scale == "log" and across <= 0):
            continue
        x.append(float(across))
        y.append(max(float(up), floor) if part.y_scale == "log" else float(up))
    return x, y


def _furnish(part: Panel, axes: Axes) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter

    axes.set_title(part.title, fontsize=FONT + 1, color=INK, loc="left", parse_math=False)
    axes.set_xlabel(part.x_label, fontsize=FONT, color=INK, parse_math=False)
    axes.set_ylabel(part.y_label, fontsize=FONT, color=INK, parse_math=False)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(MUTED)
    axes.tick_params(which="both", colors=MUTED, labelsize=FONT - 1)
    axes.grid(True, which="major", color=GRID, linewidth=0.7, zorder=0)
    axes.set_axisbelow(True)
    for scale, axis in ((part.x_scale, axes.xaxis), (part.y_scale, axes.yaxis)):
        if scale == "log":
            low, high = axis.get_view_interval()
            if high / low >= 30:  # within a decade or so the labels between powers of ten are needed
                axis.set_minor_locator(LogLocator(subs=(2, 3, 4, 5, 6, 7, 8, 9), numticks=50))
                axis.set_minor_formatter(NullFormatter())
    axes.margins(x=0.02)


def _label_ends(figure: Figure, axes: Axes, lines: Mapping[str, Line2D]) -> None:
    """Write each name beside the end of its line, pushed apart where ends are close."""
    figure.canvas.draw()  # settles the layout, so that heights can be compared with the size of the letters
    ends = []
    for name, line in lines.items():
        x, y = np.asarray(line.get_xdata(), dtype=float), np.asarray(line.get_ydata(), dtype=float)
        if len(x):
            height = axes.transAxes.inverted().transform(axes.transData.transform((x[-1], y[-1])))[1]
            ends.append((float(height), name, (x[-1], y[-1]), line.get_color()))
    ends.sort(key=lambda end: end[0])
    letter = FONT * figure.dpi / 72 / axes.get_window_extent().height
    levels = _spread([height for height, *_ in ends], 1.25 * letter)
    for (_, name, end, colour), level in zip(ends, levels, strict=True):
        place: dict[str, Any] = {"xycoords": "data", "textcoords": "axes fraction", "va": "center", "ha": "left"}
        look: dict[str, Any] = {"fontsize": FONT - 0.5, "color": _darker(colour), "parse_math": False}
        arrow = {"arrowstyle": "-", "color": colour, "linewidth": 0.8, "relpos": (0, 0.5)}
        axes.annotate(name, end, (1.03, level), annotation_clip=False, arrowprops=arrow, **place, **look)


def _spread(levels: Sequence[float], gap: float) -> list[float]:
    """Move sorted levels as little as needed to be `gap` apart: clusters that touch share their centre."""
    clusters: list[list[float]] = []
    for level in levels:
        clusters.append([level])
        while len(clusters) > 1 and _bottom(clusters[-1], gap) < _top(clusters[-2], gap) + gap:
            last = clusters.pop()
            clusters[-1] += last
    return [_bottom(cluster, gap) + k * gap for cluster in clusters for k in range(len(cluster))]


def _bottom(cluster: Sequence[float], gap: float) -> float:
    return sum(cluster) / len(cluster) - gap * (len(cluster) - 1) / 2


def _top(cluster: Sequence[float], gap: float) -> float:
    return _bottom(cluster, gap) + gap * (len(cluster) - 1)


def _darker(colour: Any) -> tuple[float, ...]:
    from matplotlib.colors import to_rgb

    return tuple(0.72 * channel for channel in to_rgb(colour))


def _legend_columns(names: Sequence[str], inches: float) -> int:
    longest = max((len(name) for name in names), default=1)
    return max(1, min(len(names), int(inches / (0.75 + 0.085 * longest))))


def _legend(figure: Figure, parts: Sequence[Panel], names: Sequence[str], columns: int) -> None:
    from matplotlib.lines import Line2D

    first = {name: curve for part in reversed(parts) for name, curve in part.curves.items()}
    handles = [Line2D([], [], **_style(k, first[name].points)) for k, name in enumerate(names)]
    legend = figure.legend(
        handles,
        names,
        loc="outside lower center",
        ncols=columns,
        frameon=False,
        fontsize=FONT - 0.5,
        handlelength=3.2,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)
