"""What an experiment works with (the lab), what it declares (tables, claims, figures), and the report of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from counterpoise.errors import Cancelled
from counterpoise.plots import Panel, panels
from counterpoise.progress import CancelToken, Progress, SilentProgress
from counterpoise.reproduce.harness.basis import Basis
from counterpoise.reproduce.harness.published import published
from counterpoise.reproduce.harness.verdicts import IntervalVerdict, NotMeasured as NotMeasured, Reason, Verdict, short
from counterpoise.store.json import JsonResult, plain_json


@dataclass
class Lab:
    """What an experiment works with: progress, the user's data and time, and the numbers kept for programs."""

    progress: Progress = field(default_factory=SilentProgress)
    folder: Path | None = None
    """Where the user keeps published data."""
    seconds: float | None = None
    """What an experiment with a budget may take (None: its own choice)."""
    cancel: CancelToken = field(default_factory=CancelToken)
    algorithms: Mapping[str, str] = field(default_factory=dict)
    """What the experiment compares: the label of a curve -> what a user would type."""
    data: dict[str, Any] = field(default_factory=dict)
    interrupted: bool = False

    def published(self, name: str) -> dict[str, Any]:
        """Return other people's figures: the tables of ``data/NAME.toml``."""
        return published(name)

    def begin(self, job: str) -> None:
        """Announce a job, unless the experiment has been stopped."""
        self.check()
        self.progress.begin(job)

    def show(self, fraction: float | None, figure: str) -> None:
        """Show how much of the job is done (0 to 1; None if that is not known) and a short text."""
        self.check()
        self.progress.show(fraction, figure)

    def check(self) -> None:
        """Raise `Cancelled` if the experiment has been stopped."""
        if self.interrupted:
            self.cancel.cancel()
        self.cancel.check()

    @contextmanager
    def stoppable(self) -> Iterator[None]:
        """Let Ctrl-C or the cancel token end the enclosed and all later work, but not the declarations that follow."""
        try:
            yield
        except (KeyboardInterrupt, Cancelled):
            self.interrupted = True


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

    def judge(self, texts: Mapping[str, str], basis: Basis) -> JudgedClaim:
        """Evaluate the condition and say what it is worth on this basis.

        A number that is missing or not settled, an interval across the border and random figures without an interval
        leave the claim undecided, and so does a claim that fails on another game than the source's.
        """
        id, text = self.key.format(**self.words), texts[self.key].format(**self.words)
        if self.about:
            slug = re.sub(r"[^a-z0-9]+", "-", self.about.lower().replace("+", " plus"))
            id, text = f"{slug}-{id}", f"{self.about}: {text}"
        try:
            found = self._condition(*self._arguments)
        except NotMeasured as missing:
            return JudgedClaim(id, text, None, str(missing), missing.reason)
        here = None if found[0] is None else bool(found[0])
        reason = ""
        if here is None:
            reason = Reason.ACROSS
        elif basis.is_random(self.key) and not isinstance(found, IntervalVerdict):
            reason = Reason.NO_INTERVAL
        elif not here and basis.cannot_refute(self.key):
            reason = Reason.ANOTHER_GAME
        return JudgedClaim(id, text, None if reason else here, found[1], reason, here)


class JudgedClaim(NamedTuple):
    """A claim, whether it holds (None: not decided) with the numbers that say so, or the reason why it is not decided.

    `here` is what our figures say of our own run, whatever that is worth.
    """

    id: str
    text: str
    holds: bool | None
    detail: str
    reason: str = ""
    here: bool | None = None

    @property
    def verdict(self) -> str:
        """The verdict in words."""
        return VERDICTS[self.holds]

    @property
    def told(self) -> str:
        """What stands behind the verdict: the reason, what our own run shows, and its numbers."""
        shows = (
            {True: "our run shows it", False: "our run does not show it", None: ""}[self.here] if self.reason else ""
        )
        parts = ", ".join(part for part in (str(self.reason), shows) if part)
        return ": ".join(part for part in (parts, self.detail) if part)


VERDICTS = {True: "holds", False: "does not hold", None: "not decided"}


REFERENCE = "reference"
"""The head of a column with figures of somebody else for the column before it, or for the one headed `OURS`."""
OURS = "ours"
DIFFERENT = 0.1
"""By which share a figure may differ from its reference before the report speaks of it."""
ROUNDING = 1e-10
"""What a sum of many payoffs may be off by where the figure is nothing."""


class Table:
    """A table to print: a caption, column heads and rows. Numbers are shortened, None becomes a dash."""

    def __init__(self, caption: str, columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
        self.caption, self.columns = caption, list(columns)
        cells = [list(row) for row in rows]
        self.rows = [[_text(cell) for cell in row] for row in cells]
        self.differing = self._differing(cells)
        """The rows that differ from their reference by more than a tenth, with both figures."""

    def _differing(self, cells: Sequence[Sequence[Cell]]) -> list[str]:
        places = [(self._compared(k), k) for k, head in enumerate(self.columns) if head == REFERENCE and k]
        found = []
        for row, texts in zip(cells, self.rows, strict=True):
            told = [
                f"{self.columns[ours]} {texts[ours]} for {texts[theirs]}"
                for ours, theirs in places
                if _apart(row[ours], row[theirs]) > DIFFERENT
            ]
            if told:
                key = [texts[0], *(cell for cell in row[1 : places[0][0]] if isinstance(cell, str))]
                found.append(f"{', '.join(key)} ({', '.join(told)})")
        return found

    def _compared(self, reference: int) -> int:
        """Return the place of the column that a reference is for: the one headed "ours", if any, or the one before."""
        return self.columns.index(OURS) if OURS in self.columns else reference - 1

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
    basis: Basis = field(default_factory=Basis)
    interrupted: bool = False
    """True if the user stopped it: what had been measured is here, the rest is missing."""
    tables: list[Table] = field(default_factory=list)
    data: dict[str, Any] = field(default_factory=dict)
    """The numbers behind the tables, for programs."""
    claims: list[JudgedClaim] = field(default_factory=list)
    figures: list[Path] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)
    """Which rows differ from their reference, table by table, and why."""

    def claim(self, id: str) -> JudgedClaim:
        """Return the judged claim with this id."""
        return next(claim for claim in self.claims if claim.id == id)

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain JSON types."""
        own = {"basis": plain_json(vars(self.basis)), "tables": [table.to_json() for table in self.tables]}
        return super().to_json() | own


Cell = str | float | None
"""What a table holds: a text, a number, or nothing, which is printed as a dash."""
Column = Callable[..., Cell] | Mapping[Any, Any]
"""What finds the cell of a row: a function of the parts of its key, or a mapping (of mappings) by these parts."""
Pair = tuple[Column, Column]
"""Our figures and those of a reference."""


def cell(column: Column, *key: Any) -> Cell:
    """Return what a column finds for a key, or None for a dash if it was not measured."""
    if not isinstance(column, Mapping):
        try:
            return column(*key)
        except NotMeasured:
            return None
    found: Any = column
    for part in key:
        if part not in found:
            return None
        found = found[part]
    answer: Cell = found
    return answer


def by_row(
    caption: str,
    head: str | Sequence[str],
    keys: Iterable[Any],
    columns: Mapping[str, Column | Pair] | Sequence[tuple[str, Column | Pair]],
) -> Table:
    """Return a table with a row for each key: the key under its head and what every column finds for it.

    Columns go by their heads; the second one of a pair has the head "reference". A key of several parts fills as many
    cells, each with a head.
    """
    heads, found = [head] if isinstance(head, str) else list(head), list[Column]()
    for name, column in columns.items() if isinstance(columns, Mapping) else columns:
        heads += [name, REFERENCE] if isinstance(column, tuple) else [name]
        found += column if isinstance(column, tuple) else (column,)
    parts = [key if isinstance(key, tuple) else (key,) for key in keys]
    return Table(caption, heads, [[*key, *(cell(column, *key) for column in found)] for key in parts])


def beside(
    caption: str,
    head: str,
    labels: Iterable[Any],
    columns: Mapping[Any, str],
    ours: Callable[[Any, Any], float],
    reference: Mapping[Any, Mapping[Any, float]],
    per_table: int = 2,
) -> list[Table]:
    """Return tables of our figures, each with its reference on its right; `columns` maps keys to column names.

    A few columns make a table, to stay narrow.
    """

    def pair(key: Any) -> Pair:
        return (lambda label: ours(label, key)), (lambda label: reference.get(label, {}).get(key))

    rows, pairs = list(labels), [(name, pair(key)) for key, name in columns.items()]
    parts = [pairs[first : first + per_table] for first in range(0, len(pairs), per_table)]
    return [by_row(caption, head, rows, dict(part)) for part in parts]


def _apart(ours: Cell, theirs: Cell) -> float:
    """Return by which share of the larger one two figures differ; 0 if one of them is none."""
    if not isinstance(ours, int | float) or not isinstance(theirs, int | float):
        return 0.0
    largest = max(abs(ours), abs(theirs))
    return abs(ours - theirs) / largest if abs(ours - theirs) > ROUNDING else 0.0


def _text(cell: Cell) -> str:
    if isinstance(cell, str):
        return cell
    return f"{cell:,}" if isinstance(cell, int) else short(cell)
