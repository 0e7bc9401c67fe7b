"""The square of hand kinds that poker players know: pairs on the diagonal, suited hands above it, offsuit below.

A cell is filled with the colours of its actions side by side, as high as the hand's weight is beside the largest
weight at the node; beside it a second square shows what each kind of hand is worth.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from counterpoise.plots.figure import check_figure, write_figure
from counterpoise.plots.panels import FONT, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ActionKind = Literal["fold", "passive", "bet"]

FOLD_COLOUR, PASSIVE_COLOUR = "#5b9bd5", "#7fc97f"
LIGHT_BET, DARK_BET = (0xF4, 0xA5, 0x82), (0x8B, 0x14, 0x1E)
EMPTY = "#ececec"
INCHES_PER_CELL = 0.46


@dataclass(frozen=True)
class GridCell:
    """One kind of hand: its name, its weight (0 to 1), the share of each action and what it is worth."""

    name: str
    weight: float = 0.0
    shares: tuple[float, ...] = ()
    value: float = math.nan


@dataclass(frozen=True)
class GridAction:
    """An action of the legend: its name, its colour and its share over the whole range."""

    name: str
    colour: str
    share: float


@dataclass(frozen=True)
class GridPanel:
    """A grid of one decision: what stands above it, its cells row by row and its actions."""

    heading: str
    rows: Sequence[Sequence[GridCell]]
    actions: Sequence[GridAction]


def action_colours(kinds: Sequence[ActionKind]) -> list[str]:
    """Return blue for folding, green for checking and calling, red for bets: the larger, the darker."""
    bets = [place for place, kind in enumerate(kinds) if kind == "bet"]
    colours = []
    for place, kind in enumerate(kinds):
        if kind == "bet":
            depth = (bets.index(place) + 1) / (len(bets) + 1)
            mixed = [round(light + depth * (dark - light)) for light, dark in zip(LIGHT_BET, DARK_BET, strict=True)]
            colours.append("#{:02x}{:02x}{:02x}".format(*mixed))
        else:
            colours.append(FOLD_COLOUR if kind == "fold" else PASSIVE_COLOUR)
    return colours


def hand_grid(
    rows: Sequence[Sequence[GridCell]],
    actions: Sequence[GridAction],
    path: str | os.PathLike[str],
    *,
    title: str = "",
    value_label: str = "EV",
) -> Path:
    """Draw the actions' grid and the values' grid side by side into a PNG, SVG or PDF file; return its path."""
    target = check_figure(path)
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    side = len(rows) * INCHES_PER_CELL
    figure = Figure(figsize=(2 * side + 0.8, side + 1.3), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2)
    for axes, heading in ((left, "strategy"), (right, value_label)):
        axes.set(xlim=(0, len(rows)), ylim=(len(rows), 0), aspect="equal")
        axes.set_axis_off()
        axes.set_title(heading, fontsize=FONT, color=INK, loc="left", parse_math=False)
    _draw_actions(left, rows, actions)
    _draw_values(right, rows)
    if title:
        figure.suptitle(title, fontsize=FONT + 2, color=INK, x=0.012, ha="left", parse_math=False)
    handles = [Patch(color=action.colour, label=f"{action.name}  {100 * action.share:.1f} %") for action in actions]
    figure.legend(
        handles=handles, loc="outside lower left", ncols=min(len(handles), 6), frameon=False, fontsize=FONT - 0.5
    )
    return write_figure(figure, target)


def strategy_grids(panels: Sequence[GridPanel], path: str | os.PathLike[str], *, title: str = "") -> Path:
    """Draw the grids of several decisions, without values, into one PNG, SVG or PDF file; return its path."""
    target = check_figure(path)
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    columns = min(len(panels), 2)
    lines = -(-len(panels) // columns)
    side = max(*(len(panel.rows) for panel in panels), 10) * INCHES_PER_CELL
    margin, below, above = 0.25, 0.75, 0.6
    width, height = columns * (side + margin) + margin, lines * (side + below) + above
    figure = Figure(figsize=(width, height), facecolor="white")
    FigureCanvasAgg(figure)
    for place, panel in enumerate(panels):
        line, column = divmod(place, columns)
        left, bottom = margin + column * (side + margin), height - above - side - line * (side + below)
        axes = figure.add_axes((left / width, bottom / height, side / width, side / height))
        axes.set(xlim=(0, len(panel.rows)), ylim=(len(panel.rows), 0), aspect="equal")
        axes.set_axis_off()
        axes.set_title(panel.heading, fontsize=FONT, color=INK, loc="left", parse_math=False)
        _draw_actions(axes, panel.rows, panel.actions)
        handles = [Patch(color=one.colour, label=f"{one.name}  {100 * one.share:.1f} %") for one in panel.actions]
        axes.legend(
            handles=handles,
            loc="upper left",
            bbox_to_anchor=(0.0, 0.0),
            ncols=5,
            frameon=False,
            fontsize=FONT - 2,
            handlelength=1.0,  # five actions with sizes of five digits fit below a grid
            handletextpad=0.5,
            columnspacing=1.0,
            borderpad=0.0,
        )
    if title:
        figure.text(
            margin / width, 1 - 0.25 / height, title, fontsize=FONT + 2, color=INK, va="center", parse_math=False
        )
    return write_figure(figure, target)


def _draw_actions(axes: Axes, rows: Sequence[Sequence[GridCell]], actions: Sequence[GridAction]) -> None:
    from matplotlib.patches import Rectangle

    most = max((cell.weight for row in rows for cell in row), default=0.0) or 1.0
    for y, row in enumerate(rows):
        for x, cell in enumerate(row):
            axes.add_patch(Rectangle((x, y), 1, 1, facecolor=EMPTY, edgecolor="white", linewidth=0.8))
            begin, height = 0.0, cell.weight / most
            for action, share in zip(actions, cell.shares, strict=False):
                if share > 0 and height > 0:
                    patch = Rectangle((x + begin, y + 1 - height), share, height, facecolor=action.colour, linewidth=0)
                    axes.add_patch(patch)
                begin += share
            axes.add_patch(Rectangle((x, y), 1, 1, fill=False, edgecolor="white", linewidth=0.8))
            ink = INK if cell.weight > 0 else "#b0b0b0"
            axes.text(x + 0.07, y + 0.09, cell.name, fontsize=FONT - 3, color=ink, va="top", ha="left")


def _draw_values(axes: Axes, rows: Sequence[Sequence[GridCell]]) -> None:
    from matplotlib import colormaps
    from matplotlib.patches import Rectangle

    known = [cell.value for row in rows for cell in row if math.isfinite(cell.value)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    shades = colormaps["viridis"]
    for y, row in enumerate(rows):
        for x, cell in enumerate(row):
            shown = math.isfinite(cell.value)
            share = (cell.value - low) / (high - low) if shown and high > low else 0.5
            colour = shades(0.15 + 0.8 * share) if shown else EMPTY
            ink = (INK if share > 0.45 else "white") if shown else "#b0b0b0"
            axes.add_patch(Rectangle((x, y), 1, 1, facecolor=colour, edgecolor="white", linewidth=0.8))
            axes.text(x + 0.07, y + 0.09, cell.name, fontsize=FONT - 3, color=ink, va="top", ha="left")
            if shown:
                axes.text(x + 0.5, y + 0.7, _brief(cell.value), fontsize=FONT - 3, color=ink, va="center", ha="center")


def _brief(value: float) -> str:
    """Return a number in at most four characters or so: 0.52, 9.8, 105."""
    return f"{value:.2f}" if abs(value) < 1 else f"{value:.1f}" if abs(value) < 100 else f"{value:.0f}"
