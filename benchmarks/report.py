"""The figures as rows (ours, the peers', how many times better, the bar) and as a table on the terminal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from peers import LITEEFG, OPENSPIEL, OURS
from rich.console import Console
from rich.table import Table

PEER_COLUMNS = (OURS, OPENSPIEL, LITEEFG)


@dataclass(frozen=True)
class Bar:
    """Something the project promises, and whether this run kept it (None: a figure is missing)."""

    promise: str
    met: bool | None

    def __str__(self) -> str:
        return f"{self.promise}: {'not judged' if self.met is None else 'met' if self.met else 'missed'}"


@dataclass(frozen=True)
class Row:
    """One measurement of every peer. `more_is_better` tells rates from costs."""

    what: str
    unit: str
    figures: dict[str, float]
    more_is_better: bool = False
    compared: bool = True
    digits: int = 4
    bars: list[Bar] = field(default_factory=list)

    def advantage(self, peer: str) -> float:
        """How many times better than `peer` we are; NaN if either figure is missing."""
        return advantage(self.figures, peer, self.more_is_better)

    def as_json(self) -> dict[str, object]:
        """The row for `--json`; missing figures are null."""
        ratios = {peer: self.advantage(peer) for peer in PEER_COLUMNS[1:]} if self.compared else {}
        return {
            "what": self.what,
            "unit": self.unit,
            "figures": {peer: _finite(figure) for peer, figure in self.figures.items()},
            "times_better_than": {peer: _finite(ratio) for peer, ratio in ratios.items()},
            "bars": [{"promise": bar.promise, "met": bar.met} for bar in self.bars],
        }


def advantage(figures: dict[str, float], peer: str, more_is_better: bool) -> float:
    """Our figure against the peer's such that above 1 is better."""
    ours, theirs = figures.get(OURS, math.nan), figures.get(peer, math.nan)
    return ours / theirs if more_is_better else theirs / ours


def at_least(factor: float, peer: str, figures: dict[str, float], more_is_better: bool = False) -> Bar:
    """The bar "`factor` times better than `peer`"."""
    ratio = advantage(figures, peer, more_is_better)
    promise = f"{factor:g}x {peer}" if factor != 1 else f"not worse than {peer}"
    return Bar(promise, None if math.isnan(ratio) else ratio >= factor)


def same_as(peer: str, figures: dict[str, float], tolerance: float) -> Bar:
    """The bar "our figure is the peer's", up to a relative `tolerance`."""
    ours, theirs = figures.get(OURS, math.nan), figures.get(peer, math.nan)
    missing = math.isnan(ours) or math.isnan(theirs)
    return Bar(
        f"equals {peer} within {tolerance:g}", None if missing else math.isclose(ours, theirs, rel_tol=tolerance)
    )


def below(peer: str, figures: dict[str, float]) -> Bar:
    """The bar "our cost is lower than the peer's"."""
    ratio = advantage(figures, peer, more_is_better=False)
    return Bar(f"below {peer}", None if math.isnan(ratio) else ratio > 1)


def in_range(peer: str, figures: dict[str, float], lowest: float, highest: float) -> Bar:
    """The bar "the peer's figure is one that our own arithmetic could have produced"."""
    theirs = figures.get(peer, math.nan)
    promise = f"{peer} in our rounding range {lowest:.3g} to {highest:.3g}"
    return Bar(promise, None if math.isnan(theirs) else lowest <= theirs <= highest)


def show(sections: Mapping[str, Sequence[Row]], console: Console) -> None:
    """Print one table; each section is a block of rows."""
    table = Table(title="Counterpoise beside its peers, same games, same run", title_justify="left")
    table.add_column("")
    table.add_column("unit")
    for name in (*PEER_COLUMNS, "x OpenSpiel", "x LiteEFG"):
        table.add_column(name, justify="right")
    table.add_column("bar")
    for title, rows in sections.items():
        table.add_section()
        table.add_row(f"[bold]{title}")
        for row in rows:
            ratios = [_times(row.advantage(peer)) if row.compared else "" for peer in PEER_COLUMNS[1:]]
            figures = [in_digits(row.figures[peer], row.digits) if peer in row.figures else "" for peer in PEER_COLUMNS]
            table.add_row(f"  {row.what}", row.unit, *figures, *ratios, "\n".join(coloured(bar) for bar in row.bars))
    console.print(table)


class Judged(Protocol):
    """A row with bars."""

    @property
    def what(self) -> str: ...

    @property
    def bars(self) -> list[Bar]: ...


def summary(sections: Mapping[str, Sequence[Judged]]) -> str:
    """How many bars were met, and which were not."""
    bars = [(title, row, bar) for title, rows in sections.items() for row in rows for bar in row.bars]
    judged = [bar for _, _, bar in bars if bar.met is not None]
    missed = [f"{title}, {row.what}: {bar.promise}" for title, row, bar in bars if bar.met is False]
    lines = [f"{sum(bar.met is True for bar in judged)} of {len(judged)} bars met."]
    if unjudged := len(bars) - len(judged):
        lines[0] += f" {unjudged} not judged, for want of a figure or a quiet machine."
    return "\n".join([*lines, *(f"missed: {one}" for one in missed)])


def json_ready(content: object) -> object:
    """`content` with what JSON cannot say (NaN, infinities) as null."""
    if isinstance(content, dict):
        return {str(key): json_ready(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [json_ready(value) for value in content]
    return None if isinstance(content, float) and not math.isfinite(content) else content


def coloured(bar: Bar) -> str:
    """A bar as the table shows it."""
    colour = {True: "green", False: "red", None: "dim"}[bar.met]
    return f"[{colour}]{bar}[/]"


def in_digits(figure: float, digits: int) -> str:
    """A figure as the table shows it."""
    if not math.isfinite(figure):
        return "-"
    return f"{figure:,.0f}" if abs(figure) >= 1000 else f"{figure:.{digits}g}"


def _times(ratio: float) -> str:
    if not math.isfinite(ratio):
        return ""
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.2g}"


def _finite(figure: float) -> float | None:
    return figure if math.isfinite(figure) else None
