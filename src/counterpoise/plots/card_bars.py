"""Stacked bars of the shares of actions on each card that may be dealt next, and below them both players' values."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from counterpoise.errors import InputError
from counterpoise.plots.figure import check_figure, write_figure
from counterpoise.plots.grid import GridAction
from counterpoise.plots.panels import COLOURS, FONT, GRID, INK, MUTED


@dataclass(frozen=True)
class CardBar:
    """One card: its name, the share of each action, and values by player."""

    name: str
    shares: tuple[float, ...]
    values: Mapping[str, float]


def card_bars(
    bars: Sequence[CardBar],
    actions: Sequence[GridAction],
    path: str | os.PathLike[str],
    *,
    title: str = "",
    value_label: str = "EV",
) -> Path:
    """Draw one bar per card into a PNG, SVG or PDF file; return its path."""
    target = check_figure(path)
    if not bars:
        raise InputError("a figure needs at least one card")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(max(6.0, 0.24 * len(bars) + 1.2), 5.4), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    places = range(len(bars))
    below = [0.0] * len(bars)
    for number, action in enumerate(actions):
        heights = [100 * bar.shares[number] for bar in bars]
        label = f"{action.name}  {100 * action.share:.1f} %"
        upper.bar(places, heights, bottom=below, color=action.colour, width=0.9, label=label)
        below = [start + height for start, height in zip(below, heights, strict=True)]
    upper.set(ylim=(0, 100))
    upper.set_ylabel("% of range", fontsize=FONT, color=INK)
    for colour, player in zip(COLOURS, bars[0].values, strict=False):
        lower.plot(places, [bar.values[player] for bar in bars], "o-", color=colour, markersize=3, label=player)
    lower.set_ylabel(value_label, fontsize=FONT, color=INK, parse_math=False)
    lower.set_xticks(list(places), [bar.name for bar in bars], rotation=90)
    lower.set(xlim=(-0.6, len(bars) - 0.4))
    lower.grid(True, axis="y", color=GRID, linewidth=0.7)
    for axes in (upper, lower):
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        axes.tick_params(colors=MUTED, labelsize=FONT - 2.5)
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=FONT - 1.5)
    if title:
        figure.suptitle(title, fontsize=FONT + 2, color=INK, x=0.012, ha="left", parse_math=False)
    return write_figure(figure, target)
