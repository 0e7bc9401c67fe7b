"""Several algorithms on one game, measured at the same iterations: what most experiments are made of."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from counterpoise.plots import Panel, curve, panels
from counterpoise.plots.convergence import LABELS, Axis
from counterpoise.reproduce.base import NotMeasured, Report, Setup, Table
from counterpoise.solvers import TracePoint, TreeSolver, solve

REFERENCE_NOTE = "reference: an independent re-computation in double precision; the source prints no numbers here."


class Finished(Protocol):
    """What a race keeps of a run."""

    @property
    def algorithm(self) -> str:
        """What builds the settings again."""
        ...

    @property
    def iterations(self) -> int:
        """Iterations done."""
        ...

    @property
    def seconds(self) -> float:
        """Time spent iterating."""
        ...

    @property
    def value(self) -> tuple[float, ...]:
        """What the strategies are worth to each player."""
        ...

    @property
    def trace(self) -> list[TracePoint]:
        """The measurements."""
        ...

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it."""
        ...


Runner = Callable[[str, Sequence[int]], Finished]
"""Runs an algorithm (what a user would type) to the last of the iterations listed, measuring at each."""


@dataclass
class Race:
    """The runs of one game by the label of their curve, and the numbers read off them."""

    game: str
    runs: dict[str, Finished] = field(default_factory=dict)

    def at(self, label: str, iteration: int) -> float:
        """Exploitability of a curve after so many iterations."""
        for point in self.trace(label):
            if point.iteration == iteration:
                return point.exploitability
        raise NotMeasured(f"{label} on {self.game} was stopped before iteration {iteration:,}")

    def mean(self, label: str, first: int, last: int) -> float:
        """Geometric mean of a curve over the log-spaced points from `first` to `last`; curves oscillate."""
        window = [t for t in log_spaced(last) if t >= first]
        return math.exp(sum(math.log(self.at(label, t)) for t in window) / len(window))

    def slope(self, label: str, first: int, last: int) -> float:
        """Slope of a curve between two iterations on log-log axes: -1 is convergence like 1/T."""
        return math.log(self.at(label, last) / self.at(label, first)) / math.log(last / first)

    def at_nodes(self, label: str, nodes: float) -> float:
        """Exploitability of a curve after so many histories touched, interpolated on log-log axes."""
        points = self.trace(label)
        touched = [point.nodes_touched for point in points]
        if not points or not touched[0] <= nodes <= touched[-1]:
            raise NotMeasured(f"{label} on {self.game} was not measured at {nodes:,.0f} histories")
        logs = [math.log(point.exploitability) for point in points]
        return math.exp(float(np.interp(math.log(nodes), np.log(touched), logs)))

    def trace(self, label: str) -> list[TracePoint]:
        """The measurements of one run."""
        if label not in self.runs:
            raise NotMeasured(f"{label} on {self.game} was not run")
        return self.runs[label].trace


def race(
    setup: Setup,
    report: Report,
    game: str,
    algorithms: Mapping[str, str],
    *,
    iterations: int,
    at: Iterable[int] = (),
    callback: Callable[[str, TreeSolver, TracePoint], None] | None = None,
    runner: Runner | None = None,
) -> Race:
    """Run every algorithm (label -> what a user would type), measuring at `at` and at log-spaced iterations.

    The curves go into ``report.data["runs"][game]``. Ctrl-C ends the race and every later one of the report; what
    was measured until then stays. `callback` sees every measured point with its label. A game that `solve` does not
    know by name comes with a `runner` of its own.
    """
    contest = Race(game)
    marks = sorted({t for t in (*log_spaced(iterations), *at, iterations) if t <= iterations})
    for label, algorithm in algorithms.items():
        if report.interrupted:
            break
        try:
            run: Finished = (
                runner(algorithm, marks)
                if runner is not None
                else solve(
                    game,
                    algorithm,
                    iterations=iterations,
                    trace_at=marks,
                    callback=_labelled(label, callback),
                    progress=setup.live,
                )
            )
        except KeyboardInterrupt:
            report.interrupted = True
            break
        report.interrupted = run.interrupted
        contest.runs[label] = run
        report.data.setdefault("runs", {}).setdefault(game, {})[label] = {
            "algorithm": run.algorithm,
            "iterations": run.iterations,
            "seconds": run.seconds,
            "value": list(run.value),
            "trace": [point._asdict() for point in run.trace],
        }
    return contest


def _labelled(
    label: str, callback: Callable[[str, TreeSolver, TracePoint], None] | None
) -> Callable[[TreeSolver, TracePoint], None] | None:
    return None if callback is None else lambda solver, point: callback(label, solver, point)


def log_spaced(last: int, per_decade: int = 10) -> list[int]:
    """Iterations from 1 to `last`, so many to a factor of ten.

    >>> log_spaced(100, per_decade=3)
    [1, 2, 5, 10, 22, 46, 100]
    """
    steps = math.floor(per_decade * math.log10(last) + 1e-9)
    return sorted({round(10 ** (k / per_decade)) for k in range(steps + 1)})


def side_by_side(
    caption: str, contest: Race, at: Sequence[int], reference: Mapping[str, Sequence[float | None]]
) -> list[Table]:
    """Exploitability at the iterations `at`, each beside its reference; two iterations to a table, to stay narrow."""
    tables = []
    for first in range(0, len(at), 2):
        pair = slice(first, first + 2)
        columns, rows = ["algorithm"], []
        for t in at[pair]:
            columns += [f"T = {t:,}", "reference"]
        for label, figures in reference.items():
            row = [label]
            for t, figure in zip(at[pair], figures[pair], strict=True):
                row += [measured(contest.at, label, t), short(figure)]
            rows.append(row)
        tables.append(Table(caption, columns, rows))
    return tables


def draw(
    setup: Setup,
    report: Report,
    title: str,
    contests: Mapping[str, Race],
    *,
    x: Axis = "iteration",
    y_label: str = "exploitability",
    columns: int = 2,
) -> None:
    """Draw one panel of curves per race, by its title, into the output folder, if there is one."""
    parts = [
        Panel(
            {label: curve(evenly(run.trace), x) for label, run in contest.runs.items() if run.trace},
            title=name if len(contests) > 1 else "",
            x_label=LABELS[x],
            y_label=y_label,
        )
        for name, contest in contests.items()
        if any(run.trace for run in contest.runs.values())
    ]
    if setup.out is not None and parts:
        setup.out.mkdir(parents=True, exist_ok=True)
        report.figures.append(panels(parts, setup.out / f"{report.id}.png", title=title, columns=columns))


def evenly(trace: Sequence[TracePoint]) -> list[TracePoint]:
    """The log-spaced points of a trace and its last one, without the checkpoints that crowd between them."""
    last = trace[-1].iteration
    even = {t for t in log_spaced(last) if 1.1 * t <= last} | {last}
    return [point for point in trace if point.iteration in even]


def measured(lookup: Callable[..., float], *key: object) -> str:
    """The number that `lookup` finds, as a short text; a dash if it was not measured."""
    try:
        return short(lookup(*key))
    except NotMeasured:
        return short(None)


def short(number: float | None) -> str:
    """Three significant digits; whole numbers from 1,000 on.

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
