"""Results on one screen: lines of facts and a table, as text for terminals, as HTML for notebooks, as a pandas frame.

A result derives from `Summarised` and writes `summary`; `print(result)` and notebooks then show it. Tables with every
row are data frames (`make_frame`), which a result offers as `to_frame`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import pandas

SCREEN = 30
"""Rows of a table that fit on one screen; longer tables are cut and say what is left out."""
LONGEST_CELL = 120
"""Longer cells are cut: labels of information sets may be of any length."""


class Summary(NamedTuple):
    """What a result says of itself on one screen."""

    title: str
    facts: Sequence[tuple[str, str]] = ()
    """Lines of a name and a value."""
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    numbers: Collection[int] = ()
    """The columns of numbers, which are aligned right."""
    notes: Sequence[str] = ()
    """Sentences that follow, such as which rows are left out."""
    warnings: Sequence[str] = ()
    """Sentences that should not be overlooked."""

    def text(self) -> str:
        """Return the summary as lines of plain text."""
        lines = [self.title] if self.title else []
        width = max((len(name) for name, _ in self.facts), default=0)
        lines += [f"  {name:<{width}}  {value}" for name, value in self.facts]
        if self.columns:
            table = [[one_line(cell) for cell in row] for row in (self.columns, *self.rows)]
            widths = [max(len(row[at]) for row in table) for at in range(len(self.columns))]
            for row in table:
                cells = zip(row, widths, strict=True)
                padded = [
                    cell.rjust(width) if at in self.numbers else cell.ljust(width)
                    for at, (cell, width) in enumerate(cells)
                ]
                lines.append("  ".join(padded).rstrip())
        return "\n".join([*lines, *self.notes, *self.warnings])

    def html(self) -> str:
        """Return the summary as HTML, with all text escaped."""
        parts = [f"<p><b>{escape(self.title)}</b></p>"] if self.title else []
        if self.facts:
            parts.append(_html_table((), self.facts, ()))
        if self.columns:
            parts.append(_html_table(self.columns, self.rows, self.numbers))
        return "\n".join([*parts, *(f"<p>{escape(note)}</p>" for note in (*self.notes, *self.warnings))])


def _html_table(columns: Sequence[str], rows: Iterable[Sequence[str]], numbers: Collection[int]) -> str:
    def line(tag: str, cells: Sequence[str]) -> str:
        side = ["right" if at in numbers else "left" for at in range(len(cells))]
        styled = [
            f'<{tag} style="text-align: {at}">{escape(one_line(cell))}</{tag}>'
            for at, cell in zip(side, cells, strict=True)
        ]
        return f"<tr>{''.join(styled)}</tr>"

    head = f"<thead>{line('th', columns)}</thead>" if columns else ""
    return f"<table>{head}<tbody>{''.join(line('td', row) for row in rows)}</tbody></table>"


def one_line(text: str) -> str:
    """Return a text as a cell of a table: on one line, printable, and its beginning if it is long.

    >>> one_line("King\\n1 chip in")
    'King 1 chip in'
    """
    line = "".join(letter if letter.isprintable() else " " for letter in text)
    return line if len(line) <= LONGEST_CELL else f"{line[: LONGEST_CELL - 3]}..."


class Summarised:
    """A result that `print` and notebooks show on one screen."""

    @abstractmethod
    def summary(self) -> Summary:
        """Return what the result says of itself on one screen."""

    def __str__(self) -> str:
        return self.summary().text()

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        return self.summary().html()


def make_frame(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> pandas.DataFrame:
    """Return rows under columns as a pandas table; pandas is imported here, when a table is asked for."""
    import pandas

    return pandas.DataFrame(list(rows), columns=list(columns))


def left_out(shown: int, total: int, what: str) -> list[str]:
    """Return a note on how many rows are not shown; no note if all are.

    >>> left_out(30, 288, "information sets")
    ['... and 258 of 288 information sets more']
    """
    return [f"... and {total - shown:,} of {total:,} {what} more"] if shown < total else []


def number(value: float, sign: str = "") -> str:
    """Return a figure to four significant digits, from 10,000 on a whole number; with a `sign` of "+" if asked for.

    >>> number(0.12345), number(24_340.4, "+"), number(9_999.7), number(float("inf"))
    ('0.1235', '+24,340', '10,000', 'inf')
    """
    return format(value, f"{sign},.0f" if 1e4 - 0.5 <= abs(value) < 1e12 else f"{sign}.4g")


def values(payoffs: Sequence[float]) -> str:
    """Return one payoff per seat, as the players count themselves; nothing has no sign of its own.

    >>> values([-0.0, 0.5])
    'player 1: +0,  player 2: +0.5'
    """
    return ",  ".join(f"player {seat + 1}: {value + 0.0:+.5g}" for seat, value in enumerate(payoffs))


def speed(iterations: int, seconds: float) -> str:
    """Return iterations per second."""
    rate = iterations / seconds if seconds > 0 else 0.0
    return f"{rate:,.0f}" if rate >= 10 else f"{rate:.2g}"
