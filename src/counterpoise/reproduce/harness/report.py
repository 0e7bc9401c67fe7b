"""What an experiment declares (tables, claims, figures) and the report that the harness makes of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from counterpoise.plots import Panel, panels
from counterpoise.store.json import JsonResult, plain_json

Verdict = tuple[bool, str]
"""Whether a claim holds and the numbers that say so."""


class NotMeasured(LookupError):
    """A number that the experiment would have measured, had it not been stopped, or one too inexact to judge by."""


class Figures(dict[Any, Any]):
    """Numbers by any key; asking for one that was not measured raises `NotMeasured`.

    >>> Figures({"CFR": 1.5})["CFR"]
    1.5
    """

    def __init__(self, numbers: Mapping[Any, Any] | None = None, missing: str = "{} was not measured") -> None:
        super().__init__(numbers or {})
        self._missing = missing

    def __missing__(self, key: Hashable) -> Any:
        raise NotMeasured(self._missing.format(*(key if isinstance(key, tuple) else (key,))))


class Claim:
    """Whether our numbers show a claim of the source: `condition(*arguments)` returns that and the numbers.

    The text of the claim is declared under its id; `words` fill in the braces of both. A claim made `about` several
    games or settings is declared once, and their names are put in front.
    """

    def __init__(
        self, id: str, condition: Callable[..., Verdict], *arguments: Any, about: str = "", **words: object
    ) -> None:
        self.key, self.about, self.words = id, about, words
        self._condition, self._arguments = condition, arguments

    def judge(self, texts: Mapping[str, str]) -> Judged:
        """Evaluate the condition; a number that is missing leaves the claim untested."""
        id, text = self.key.format(**self.words), texts[self.key].format(**self.words)
        if self.about:
            slug = re.sub(r"[^a-z0-9]+", "-", self.about.lower().replace("+", " plus"))
            id, text = f"{slug}-{id}", f"{self.about}: {text}"
        try:
            holds, detail = self._condition(*self._arguments)
        except NotMeasured as missing:
            return Judged(id, text, None, str(missing))
        return Judged(id, text, bool(holds), detail)


class Judged(NamedTuple):
    """A claim and whether our numbers show it (None: not tested)."""

    id: str
    text: str
    holds: bool | None
    detail: str


class Table:
    """A table to print: a caption, column heads and rows. Numbers are shortened, None becomes a dash."""

    def __init__(self, caption: str, columns: Sequence[str], rows: Iterable[Sequence[str | float | None]]) -> None:
        self.caption, self.columns = caption, list(columns)
        self.rows = [[_text(cell) for cell in row] for row in rows]

    def to_json(self) -> dict[str, Any]:
        """Return caption, column names that differ, and one object per row with these names as keys."""
        names = self._distinct_columns()
        rows = [dict(zip(names, row, strict=True)) for row in self.rows]
        return {"caption": self.caption, "columns": names, "rows": rows}

    def _distinct_columns(self) -> list[str]:
        """Prefix a name that occurs twice with the last name before it that does not: "T = 10, reference"."""
        counts, names, group = Counter(self.columns), list[str](), ""
        for name in self.columns:
            if counts[name] == 1:
                group = name
            names.append((name if counts[name] == 1 else f"{group}, {name}") or "row")
        return [name if names.count(name) == 1 else f"{name} ({k})" for k, name in enumerate(names, start=1)]


@dataclass(frozen=True)
class Figure:
    """A figure to draw, one panel beside the other, where there is an output folder."""

    title: str
    panels: Sequence[Panel]
    columns: int | None = None

    def draw(self, out: Path | None, name: str) -> list[Path]:
        """Draw the panels that have curves into the folder `out`; return the files."""
        drawn = [panel for panel in self.panels if panel.curves]
        if out is None or not drawn:
            return []
        out.mkdir(parents=True, exist_ok=True)
        return [panels(drawn, out / f"{name}.png", title=self.title, columns=self.columns)]


Declared = Table | Claim | Figure | str
"""What the body of an experiment yields; a text is a note below the claims."""


@dataclass
class Report(JsonResult):
    """What an experiment found."""

    id: str
    title: str
    source: str = ""
    tables: list[Table] = field(default_factory=list)
    claims: list[Judged] = field(default_factory=list)
    figures: list[Path] = field(default_factory=list)
    data: dict[str, Any] = field(default_factory=dict)
    """The numbers behind the tables, for programs."""
    notes: list[str] = field(default_factory=list)
    interrupted: bool = False
    """True if the user stopped it: what had been measured is here, the rest is missing."""

    def claim(self, id: str) -> Judged:
        """Return the judged claim with this id."""
        return next(claim for claim in self.claims if claim.id == id)

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain JSON types."""
        return {
            "id": self.id,
            "title": self.title,
            "source": self.source,
            "interrupted": self.interrupted,
            "tables": [table.to_json() for table in self.tables],
            "data": plain_json(self.data),
            "claims": [claim._asdict() for claim in self.claims],
            "figures": [str(path) for path in self.figures],
            "notes": self.notes,
        }


def cell(lookup: Callable[..., float], *key: Any) -> float | None:
    """Return the number that `lookup` finds, or None for a dash if it was not measured."""
    try:
        return lookup(*key)
    except NotMeasured:
        return None


def beside(
    caption: str,
    head: str,
    labels: Iterable[str],
    columns: Mapping[Any, str],
    ours: Callable[[str, Any], float],
    reference: Mapping[str, Mapping[Any, float]],
    per_table: int = 2,
) -> list[Table]:
    """Return tables of our figures, each with its reference on its right; `columns` maps keys to column names.

    A few columns make a table, to stay narrow.
    """
    tables, keys, names = [], list(columns), list(labels)
    for first in range(0, len(keys), per_table):
        part = keys[first : first + per_table]
        heads = [head, *(name for key in part for name in (columns[key], "reference"))]
        rows = [
            [label, *(figure for key in part for figure in (cell(ours, label, key), reference.get(label, {}).get(key)))]
            for label in names
        ]
        tables.append(Table(caption, heads, rows))
    return tables


def short(number: float | None) -> str:
    """Return three significant digits; whole numbers from 1,000 on.

    >>> short(0.01341), short(0.000016534), short(41194.6), short(None)
    ('0.0134', '1.65e-5', '41,195', '-')
    """
    if number is None:
        return "-"
    if abs(number) >= 1_000:
        return f"{number:,.0f}"
    if number == 0 or abs(number) >= 1e-3:
        return f"{number:.3g}"
    digits, exponent = f"{number:.2e}".split("e")
    return f"{digits}e{int(exponent)}"


def listed(numbers: Iterable[float], form: str = "") -> str:
    """Return numbers separated by commas, shortened or in a format of their own.

    >>> listed([1.5, 2000]), listed([1.5, 2], ".2f")
    ('1.5, 2,000', '1.50, 2.00')
    """
    return ", ".join(format(number, form) if form else short(number) for number in numbers)


def named(read: Callable[[str], float], *labels: str) -> str:
    """Return labels with their numbers: "CFR 0.0118, CFR+ 2.42e-4"."""
    return ", ".join(f"{label} {short(read(label))}" for label in labels)


def less(read: Callable[[str], float], low: str, *high: str, factor: float = 1.0) -> Verdict:
    """Judge whether the number of `low` is less than `factor` times the number of every other label."""
    return read(low) < factor * min(read(label) for label in high), named(read, low, *high)


def _text(cell: str | float | None) -> str:
    if isinstance(cell, str):
        return cell
    return f"{cell:,}" if isinstance(cell, int) else short(cell)
