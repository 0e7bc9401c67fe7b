"""Runs on public trees for experiments: measured at given iterations, in CPU seconds, averaged over seeds."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from counterpoise.progress import Progress
from counterpoise.reproduce.base import NotMeasured
from counterpoise.reproduce.race import Race
from counterpoise.solvers import TracePoint

ABSTRACTION_NOTE = (
    "reference: an independent re-computation in double precision; the source prints levels only for the full deck."
)


class Walker(Protocol):
    """What is measured."""

    nodes_touched: int

    def step(self, iterations: int = 1) -> None:
        """Advance by so many iterations."""
        ...


@dataclass
class Measured:
    """The points of a run, or the means of several; seconds are CPU seconds of this process, compiling left out."""

    algorithm: str
    trace: list[TracePoint] = field(default_factory=list)
    value: tuple[float, ...] = ()
    interrupted: bool = False

    @property
    def iterations(self) -> int:
        """Iterations of the last point."""
        return self.trace[-1].iteration if self.trace else 0

    @property
    def seconds(self) -> float:
        """CPU seconds at the last point."""
        return self.trace[-1].seconds if self.trace else 0.0


def measure(
    live: Progress,
    label: str,
    solver: Walker,
    judge: Sequence[Callable[[], float]],
    marks: Sequence[int],
    seconds: float = math.inf,
) -> list[list[TracePoint]]:
    """Run to the last of `marks`, or until so many CPU seconds are spent, and measure at each: one trace per judge."""
    traces: list[list[TracePoint]] = [[] for _ in judge]
    spent, done, last = 0.0, 0, max(marks)
    live.begin(label)
    solver.step(0)  # compiles
    for mark in sorted(set(marks)):
        begin = time.process_time()
        solver.step(mark - done)
        spent, done = spent + time.process_time() - begin, mark
        for trace, figure in zip(traces, judge, strict=True):
            trace.append(TracePoint(mark, figure(), solver.nodes_touched, spent))
        live.show(max(mark / last, spent / seconds), f"{traces[0][-1].exploitability:.4g} after {mark:,}")
        if spent > seconds:
            break
    return traces


def mean_of(algorithm: str, traces: Sequence[list[TracePoint]]) -> Measured:
    """The points that all runs have, each the mean of theirs."""
    points = []
    for same in zip(*traces, strict=False):
        figures = np.array([[point.exploitability, point.seconds] for point in same]).mean(axis=0)
        points.append(TracePoint(same[0].iteration, float(figures[0]), same[0].nodes_touched, float(figures[1])))
    return Measured(algorithm, points)


def at_seconds(contest: Race, label: str, seconds: float) -> float:
    """Exploitability of a curve after so many CPU seconds, interpolated on log-log axes."""
    points = contest.trace(label)
    if not points or not points[0].seconds <= seconds <= points[-1].seconds:
        raise NotMeasured(f"{label} on {contest.game} was not measured at {seconds:.2g} CPU seconds")
    times, figures = (np.log([getattr(point, name) for point in points]) for name in ("seconds", "exploitability"))
    return math.exp(float(np.interp(math.log(seconds), times, figures)))


def keep(contest: Race, data: dict[str, object]) -> None:
    """Put the points of a contest among the numbers of a report."""
    runs: dict[str, object] = {
        label: {"algorithm": run.algorithm, "trace": [point._asdict() for point in run.trace]}
        for label, run in contest.runs.items()
    }
    games = data.setdefault("runs", {})
    assert isinstance(games, dict)
    games[contest.game] = runs
