"""A cross table as a picture: one coloured cell for each pair with its figure, and the totals with their intervals."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path

from counterpoise.intervals import rounded
from counterpoise.plots.figure import check_figure, write_figure
from counterpoise.plots.panels import COLOURS, GRID, INK, MUTED

CELL_INCHES = 0.95
LONGEST_NAME = 28


def draw_cross_table(
    names: Sequence[str],
    values: Sequence[Sequence[float]],
    half_widths: Sequence[Sequence[float]],
    totals: Sequence[tuple[float, float]],
    path: str | os.PathLike[str],
    *,
    title: str = "",
) -> Path:
    """Draw what the agents in the rows won from those in the columns; return the path of the file.

    A cell is blue where the row wins and orange where it loses, paler the nearer to 0, and grey-lettered where the 95 %
    interval holds 0. The bars on the right are the means over opponents. Cells that are nan stay empty.
    """
    check_figure(path)
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.figure import Figure

    count = len(names)
    side = CELL_INCHES * max(count, 3)
    figure = Figure(figsize=(side * 1.9 + 2.2, side + 1.6), layout="constrained")
    cells, bars = figure.subplots(1, 2, width_ratios=(1.25, 0.75))
    colours = LinearSegmentedColormap.from_list("won", [COLOURS[1], "#ffffff", COLOURS[0]])
    figures = [abs(value) for row in values for value in row if not math.isnan(value)]
    most = max(figures, default=1.0) or 1.0
    # Square roots: one hopeless agent must not leave all other cells white.
    shades = [[math.copysign(math.sqrt(abs(value) / most), value) for value in row] for row in values]
    cells.imshow(shades, cmap=colours, vmin=-1.8, vmax=1.8, aspect="auto")
    for row in range(count):
        for column in range(count):
            value, width = values[row][column], half_widths[row][column]
            if not math.isnan(value):
                sure = abs(value) > width
                text = f"{rounded(value, 3, '+')}\n± {rounded(width, 2)}"
                cells.text(column, row, text, ha="center", va="center", fontsize=8, color=INK if sure else MUTED)
    short = [name if len(name) <= LONGEST_NAME else f"...{name[-LONGEST_NAME + 3 :]}" for name in names]
    cells.set_xticks(range(count), short, rotation=40, ha="right", rotation_mode="anchor", fontsize=8)
    cells.set_yticks(range(count), short, fontsize=8)
    cells.set_title("the row wins from the column", fontsize=9, color=INK)
    places = list(range(count))
    means, widths = ([pair[k] for pair in totals] for k in (0, 1))
    bars.barh(places, means, xerr=widths, color=COLOURS[0], alpha=0.75, ecolor=INK, capsize=3, height=0.6)
    bars.axvline(0, color=MUTED, linewidth=0.8)
    bars.set_yticks(places, [""] * count)
    bars.set_ylim(count - 0.5, -0.5)
    bars.grid(axis="x", color=GRID)
    bars.set_axisbelow(True)
    bars.tick_params(labelsize=8)
    bars.set_title("mean over all opponents, 95 %", fontsize=9, color=INK)
    figure.suptitle(title, fontsize=10, color=INK)
    return write_figure(figure, path)
