"""Convergence: exploitability against iterations, histories touched or seconds, both on log scales."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, Protocol, get_args

from counterpoise.parameters import require_choice
from counterpoise.plots.panels import Curve, Panel, panels

Axis = Literal["iteration", "nodes_touched", "seconds"]

LABELS: dict[Axis, str] = {
    "iteration": "iterations",
    "nodes_touched": "histories touched",
    "seconds": "seconds",
}


class Point(Protocol):
    """One measurement of a run."""

    @property
    def iteration(self) -> int:
        """Iterations done."""
        ...

    @property
    def exploitability(self) -> float:
        """Exploitability in the game's own unit."""
        ...

    @property
    def nodes_touched(self) -> int:
        """Histories visited, repetitions counted."""
        ...

    @property
    def seconds(self) -> float:
        """Time spent iterating."""
        ...


def curve(trace: Sequence[Point], x: Axis = "iteration") -> Curve:
    """Return a trace as a curve of exploitability."""
    require_choice("x", x, get_args(Axis))
    return Curve([getattr(point, x) for point in trace], [point.exploitability for point in trace])


def convergence(
    traces: Mapping[str, Sequence[Point]],
    path: str | os.PathLike[str],
    *,
    x: Axis = "iteration",
    title: str = "",
    y_label: str = "exploitability",
    references: Mapping[str, float] | None = None,
) -> Path:
    """Draw one line per named trace into a PNG, SVG or PDF file; return its path.

    `references` are horizontal lines by name, such as a target. Exploitability 0 is drawn a decade below
    the smallest positive one.
    """
    part = Panel(
        {name: curve(trace, x) for name, trace in traces.items()},
        x_label=LABELS[x],
        y_label=y_label,
        references=references or {},
    )
    return panels([part], path, title=title)
