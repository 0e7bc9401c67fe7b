"""What an experiment is: a published table or figure, re-run at this machine's size beside the published numbers.

An experiment is a generator function, registered by the decorator `experiment`. It runs solvers with the functions of
`counterpoise.reproduce.harness.runs` and yields what it declares: tables, claims, figures and notes. The harness
formats, judges and draws them. Ctrl-C or a cancel token ends the work inside ``with lab.stoppable()``; the
declarations after it then report what was measured until then.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from counterpoise.errors import Cancelled, InputError
from counterpoise.names import suggest
from counterpoise.plots import panels
from counterpoise.progress import CancelToken, Progress, SilentProgress
from counterpoise.reproduce.harness.report import Claim, Declared, Figure, Report, Table


@dataclass
class Lab:
    """What an experiment works with: progress, the user's data and time, and the numbers kept for programs."""

    progress: Progress
    folder: Path | None = None
    """Where the user keeps published data."""
    seconds: float | None = None
    """What an experiment with a budget may take (None: its own choice)."""
    cancel: CancelToken = field(default_factory=CancelToken)
    data: dict[str, Any] = field(default_factory=dict)
    interrupted: bool = False

    @classmethod
    def silent(cls) -> Lab:
        """Return a lab that shows nothing."""
        return cls(SilentProgress())

    def begin(self, job: str) -> None:
        """Start a progress line for `job`."""
        self.check()
        self.progress.begin(job)

    def show(self, fraction: float | None, figure: str) -> None:
        """Update the progress line: how much is done (0 to 1; None if it is unknown) and a short text."""
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


Body = Callable[..., Iterator[Declared]]


@dataclass(frozen=True)
class Experiment:
    """An entry of the registry. `seconds` is a rough estimate on two cores, kernels compiled before."""

    id: str
    title: str
    source: str
    seconds: float
    body: Body
    budget: bool = False
    """Whether it runs as far as a number of seconds allows."""

    def check_seconds(self, seconds: float | None) -> None:
        """Refuse a number of seconds that this experiment cannot use."""
        if seconds is not None and not self.budget:
            raise InputError(f"{self.id} has a fixed size: it takes no number of seconds")
        if seconds is not None and not 1 <= seconds < math.inf:
            raise InputError(f"seconds must be at least 1, not {seconds!r}")

    def run(
        self,
        progress: Progress,
        out: Path | None = None,
        data: Path | None = None,
        seconds: float | None = None,
        cancel: CancelToken | None = None,
        **sizes: Any,
    ) -> Report:
        """Run it and report; figures go to the folder `out`, `sizes` are parameters of the body that make it smaller.

        Ctrl-C or `cancel` ends it early: see `Report.interrupted`.
        """
        self.check_seconds(seconds)
        lab = Lab(progress, data, seconds, cancel or CancelToken())
        report = Report(self.id, self.title, self.source, data=lab.data)
        with progress, lab.stoppable():
            for item in self.body(lab, **sizes):
                if isinstance(item, Claim):
                    report.claims.append(item.judge())
                elif isinstance(item, Table):
                    report.tables.append(item)
                elif isinstance(item, Figure):
                    _draw(item, report, out)
                else:
                    report.notes.append(item)
        report.interrupted = lab.interrupted
        if report.interrupted:
            report.notes.append("Stopped before the end: a dash is a number that was not measured.")
        return report


def _draw(figure: Figure, report: Report, out: Path | None) -> None:
    drawn = [panel for panel in figure.panels if panel.curves]
    if out is not None and drawn:
        out.mkdir(parents=True, exist_ok=True)
        report.figures.append(panels(drawn, out / f"{report.id}.png", title=figure.title, columns=figure.columns))


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
        """Iterate in the order of the sources."""
        return iter(sorted(self._entries, key=lambda id: (self._entries[id].source, id)))

    def __len__(self) -> int:
        return len(self._entries)


EXPERIMENTS = _Registry()


def experiment(id: str, title: str, source: str, seconds: float, budget: bool = False) -> Callable[[Body], Body]:
    """Register a generator function that yields tables, claims, figures and notes as an experiment."""

    def add(body: Body) -> Body:
        EXPERIMENTS.add(Experiment(id, title, source, seconds, body, budget))
        return body

    return add
