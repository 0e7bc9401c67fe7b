"""What the commands print: JSON for programs, tables for people, complaints on standard error."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

UNLIMITED = 1000
"""Width where nobody looks at a screen: every row of a table then stays on one line."""


def console() -> Console:
    """Standard output; plain and unwrapped when it is not a terminal."""
    wide = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    return Console(width=UNLIMITED if wide else None, highlight=False)


def complain(sentence: str) -> None:
    """One sentence on standard error, whatever was in the message."""
    line = "".join(letter if letter.isprintable() else " " for letter in sentence)
    err = Console(stderr=True, highlight=False, soft_wrap=True)
    err.print(Text.assemble(("error: ", "bold red"), " ".join(line.split())))


def print_json(answer: Mapping[str, Any]) -> None:
    """The answer as exactly one JSON object on standard output."""
    print(json.dumps(_plain(answer), allow_nan=False, indent=2 if sys.stdout.isatty() else None), flush=True)


def _plain(value: Any) -> Any:
    """JSON has no infinities and no paths: both become text."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "item"):
        return _plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    numbers: Iterable[int] = (),
    lines: bool = False,
) -> Table:
    """Rows under column heads; `numbers` are the columns to align at the right, `lines` sets rows apart."""
    plain = not sys.stdout.isatty()
    right = set(numbers)
    out = Table(
        box=None if plain else box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1),
        header_style="bold",
        leading=1 if lines else 0,
    )
    for position, name in enumerate(columns):
        number = position in right
        out.add_column(name, justify="right" if number else "left", no_wrap=number or position == 0, overflow="fold")
    for row in rows:
        out.add_row(*(Text(cell) if isinstance(cell, str) else _trimmed(cell) for cell in row))
    return out


def _trimmed(cell: Text) -> Text:
    cell.rstrip()
    return cell


def facts(title: Sequence[str], lines: Iterable[tuple[str, str]]) -> list[Text | Table]:
    """A heading and name-value lines, for the result of one job."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in lines:
        grid.add_row(f"  {name}", Text(value))
    return [Text(" · ".join(title), style="bold"), grid]


def number(value: float) -> str:
    """A figure to four significant digits."""
    return f"{value:.4g}"


def values(payoffs: Sequence[float]) -> str:
    """One payoff per seat, as the players count themselves."""
    return ",  ".join(f"player {seat + 1}: {value:+.5g}" for seat, value in enumerate(payoffs))


def size(count: float) -> str:
    """Bytes as kB, MB or GB."""
    for unit, scale in (("GB", 1e9), ("MB", 1e6)):
        if count >= scale:
            return f"{count / scale:.1f} {unit}"
    return f"{count / 1e3:.1f} kB"


def speed(iterations: int, seconds: float) -> str:
    """Iterations per second."""
    rate = iterations / seconds if seconds > 0 else 0.0
    return f"{rate:,.0f}" if rate >= 10 else f"{rate:.2g}"
