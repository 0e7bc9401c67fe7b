"""What an experiment is: a published table or figure, re-run at this machine's size beside the published numbers.

An experiment is a function that fills a `Report`, registered by the decorator `experiment`. It judges the claims of
its source with `Report.judge`; a number that is missing because the user stopped the run raises `NotMeasured`, and
the claim that needs it is reported as not tested.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from counterpoise.errors import InputError
from counterpoise.names import suggest
from counterpoise.progress import Progress


class NotMeasured(LookupError):
    """A number that the experiment would have measured, had it not been stopped, or one too inexact to judge by."""


class Claim(NamedTuple):
    """A statement of the source and whether our numbers show it (None: not tested)."""

    text: str
    holds: bool | None
    detail: str


class Table(NamedTuple):
    """A table to print: a caption, column heads and rows of short texts."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass
class Report:
    """What an experiment found."""

    id: str
    title: str
    source: str = ""
    tables: list[Table] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    figures: list[Path] = field(default_factory=list)
    data: dict[str, Any] = field(default_factory=dict)
    """The numbers behind the tables, for programs."""
    notes: list[str] = field(default_factory=list)
    interrupted: bool = False
    """True if the user stopped it: what had been measured is here, the rest is missing."""

    def judge(self, text: str, verdict: Callable[[], tuple[bool, str]]) -> None:
        """Add a claim; `verdict` gives whether it holds and the numbers that say so."""
        try:
            holds, detail = verdict()
        except NotMeasured as missing:
            self.claims.append(Claim(text, None, str(missing)))
        else:
            self.claims.append(Claim(text, bool(holds), detail))

    def to_json(self) -> dict[str, Any]:
        """Everything as plain JSON types."""
        return {
            "id": self.id,
            "title": self.title,
            "source": self.source,
            "interrupted": self.interrupted,
            "tables": [
                {"caption": table.caption, "columns": list(table.columns), "rows": [list(row) for row in table.rows]}
                for table in self.tables
            ],
            "data": self.data,
            "claims": [claim._asdict() for claim in self.claims],
            "figures": [str(path) for path in self.figures],
            "notes": self.notes,
        }


class Setup(NamedTuple):
    """Where an experiment shows its progress, writes its figures (None: nowhere) and finds the user's data.

    `seconds` is what an experiment with a budget may take (None: its own choice).
    """

    live: Progress
    out: Path | None = None
    data: Path | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Experiment:
    """An entry of the registry. `seconds` is a rough estimate on two cores, kernels compiled before."""

    id: str
    title: str
    source: str
    seconds: float
    body: Callable[[Setup, Report], None]
    budget: bool = False
    """Whether it goes as far as a number of seconds allows."""

    def check_seconds(self, seconds: float | None) -> None:
        """Refuse a number of seconds that this experiment cannot use."""
        if seconds is not None and not self.budget:
            raise InputError(f"{self.id} has a fixed size: it takes no number of seconds")
        if seconds is not None and not 1 <= seconds < math.inf:
            raise InputError(f"seconds must be at least 1, not {seconds!r}")

    def run(
        self, live: Progress, out: Path | None = None, data: Path | None = None, seconds: float | None = None
    ) -> Report:
        """Run it and report; figures go to the folder `out`. Ctrl-C ends it early: see `Report.interrupted`."""
        self.check_seconds(seconds)
        report = Report(self.id, self.title, self.source)
        with live:
            try:
                self.body(Setup(live, out, data, seconds), report)
            except KeyboardInterrupt:
                report.interrupted = True
        if report.interrupted:
            report.notes.append("Stopped before the end: a dash is a number that was not measured.")
        return report


class _Registry(Mapping[str, Experiment]):
    def __init__(self) -> None:
        self._entries: dict[str, Experiment] = {}

    def add(self, experiment: Experiment) -> None:
        if experiment.id in self._entries:
            raise ValueError(f"experiment {experiment.id!r} is registered twice")
        self._entries[experiment.id] = experiment

    def __getitem__(self, key: str) -> Experiment:
        if key not in self._entries:
            raise InputError(f"unknown experiment {key!r}: {suggest(key, self._entries)}")
        return self._entries[key]

    def __contains__(self, key: object) -> bool:
        return key in self._entries

    def __iter__(self) -> Iterator[str]:
        """In the order of the sources."""
        return iter(sorted(self._entries, key=lambda id: (self._entries[id].source, id)))

    def __len__(self) -> int:
        return len(self._entries)


EXPERIMENTS = _Registry()


def experiment(
    id: str, title: str, source: str, seconds: float, budget: bool = False
) -> Callable[[Callable[[Setup, Report], None]], Callable[[Setup, Report], None]]:
    """Decorator: register a function that fills a `Report` as an experiment."""

    def add(body: Callable[[Setup, Report], None]) -> Callable[[Setup, Report], None]:
        EXPERIMENTS.add(Experiment(id, title, source, seconds, body, budget))
        return body

    return add
