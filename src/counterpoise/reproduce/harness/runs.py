"""Runs of several algorithms on one game: their series of measurements, and the numbers read off them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from counterpoise.plots import Panel, curve
from counterpoise.plots.convergence import LABELS, Axis
from counterpoise.reproduce.harness.report import Figure, Table, beside, by_row
from counterpoise.reproduce.harness.verdicts import NotMeasured, settled, short
from counterpoise.solvers import TracePoint

Work = Literal["iteration", "nodes_touched", "seconds"]
"""What is counted when runs are compared: iterations, histories touched or CPU seconds."""


@dataclass
class RunSeries:
    """The measurements of one run: what `algorithm` says again, and a point per measured iteration.

    `origin` is the iteration from which a run continues, where a strategy or another run started it.
    """

    algorithm: str
    points: list[TracePoint] = field(default_factory=list)
    origin: int = 0
    more: dict[str, Any] = field(default_factory=dict)
    """What else programs may want to know of the run."""

    def to_json(self, measure: str) -> dict[str, Any]:
        """Return the run as plain JSON types, the figures under the name of their `measure`."""
        points = [point._asdict() for point in self.points]
        trace = [{"iteration": p.pop("iteration"), measure: p.pop("exploitability"), **p} for p in points]
        return {"algorithm": self.algorithm, **self.more, "trace": trace}


@dataclass
class Runs:
    """The runs of one game by the label of their curve.

    Figures are exploitability in the unit of the game, or NashConv where `measure` says so.
    """

    game: str
    measure: str = "exploitability"
    series: dict[str, RunSeries] = field(default_factory=dict)

    def points(self, label: str) -> list[TracePoint]:
        """Return the measurements of one run."""
        if label not in self.series:
            raise NotMeasured(f"{label} on {self.game} was not run")
        return self.series[label].points

    def point(self, label: str, iterations: int) -> TracePoint:
        """Return the measurement of a run after `iterations` iterations from its origin."""
        for point in self.points(label):
            if point.iteration == self.series[label].origin + iterations:
                return point
        raise NotMeasured(f"{label} on {self.game} was not measured at iteration {iterations:,}")

    def at(self, label: str, iterations: int) -> float:
        """Return the figure of a run after `iterations` iterations from its origin."""
        return self.point(label, iterations).exploitability

    def near(self, label: str, iteration: int) -> float:
        """Return the figure at the measured point next to an iteration."""
        return min(self.points(label), key=lambda point: abs(point.iteration - iteration)).exploitability

    def end(self, label: str) -> TracePoint:
        """Return the last measurement of a run."""
        if not self.points(label):
            raise NotMeasured(f"{label} on {self.game} was not measured")
        return self.points(label)[-1]

    def settled(self, label: str, iterations: int | None = None) -> float:
        """Return the figure after given iterations, or the last one, if doubling the work no longer moves it.

        The figure of half the iterations is that of the measured point next to it; see `verdicts.settled`.
        """
        last = self.end(label).iteration if iterations is None else self.series[label].origin + iterations
        half = self.near(label, (self.series[label].origin + last) // 2)
        return settled(half, self.near(label, last), f"{label} on {self.game}")

    @property
    def last(self) -> int:
        """The iteration that all runs reached."""
        return min((series.points[-1].iteration for series in self.series.values() if series.points), default=0)

    def mean(self, label: str, first: int, last: int) -> float:
        """Return the geometric mean of a run over the log-spaced points from `first` to `last`; curves oscillate."""
        window = [t for t in log_spaced(last) if t >= first]
        return math.exp(sum(math.log(self.at(label, t)) for t in window) / len(window))

    def slope(self, label: str, first: int, last: int) -> float:
        """Return the slope of a run between two iterations on log-log axes: -1 is convergence like 1/T."""
        return math.log(self.at(label, last) / self.at(label, first)) / math.log(last / first)

    def at_nodes(self, label: str, nodes: float) -> float:
        """Return the figure of a run after touching `nodes` histories, interpolated on log-log axes."""
        return self._interpolated(label, "nodes_touched", nodes, f"{nodes:,.0f} histories")

    def at_seconds(self, label: str, seconds: float) -> float:
        """Return the figure of a run after `seconds` CPU seconds, interpolated on log-log axes."""
        return self._interpolated(label, "seconds", seconds, f"{seconds:.2g} CPU seconds")

    def _interpolated(self, label: str, axis: Axis, place: float, named: str) -> float:
        points = self.points(label)
        x = [getattr(point, axis) for point in points]
        if not points or not x[0] <= place <= x[-1]:
            raise NotMeasured(f"{label} on {self.game} was not measured at {named}")
        logs = [math.log(point.exploitability) for point in points]
        return math.exp(float(np.interp(math.log(place), np.log(x), logs)))

    def between_nodes(self, label: str, first: float, last: float) -> float:
        """Return the geometric mean of a run over ten numbers of histories touched from `first` to `last`."""
        return math.exp(float(np.mean([math.log(self.at_nodes(label, n)) for n in np.geomspace(first, last, 10)])))

    def work_to(self, label: str, goal: float, work: Work = "nodes_touched") -> float:
        """Return the work of a run until it first reaches `goal`, interpolated on log-log axes."""
        for before, after in pairwise(self.points(label)):
            high, low = before.exploitability, after.exploitability
            if low <= goal < high:
                done, more = getattr(before, work), getattr(after, work)
                return float(done * (more / done) ** (math.log(high / goal) / math.log(high / low)))
        raise NotMeasured(f"{label} on {self.game} did not pass a NashConv of {short(goal)}")

    def common_goal(self, *labels: str) -> float:
        """Return the smallest figure that every one of the runs has reached."""
        return max(min(point.exploitability for point in self.points(label)) for label in labels)

    def speed_up(self, slow: str, fast: str, goal: float | None = None, work: Work = "nodes_touched") -> float:
        """Return how many times less work `fast` needs than `slow` to `goal`, or to the smallest figure of both."""
        goal = self.common_goal(slow, fast) if goal is None else goal
        return self.work_to(slow, goal, work) / self.work_to(fast, goal, work)

    def iteration_gain(self, slow: str, fast: str) -> float:
        """Return how many times fewer iterations `fast` needs than `slow` to the smallest figure both have reached."""
        return self.speed_up(slow, fast, work="iteration")

    def nodes_per_iteration(self, label: str) -> float:
        """Return the histories touched per iteration over the last quarter of a run, overhead included."""
        last = self.end(label)
        early = [point for point in self.points(label) if point.iteration <= 0.75 * last.iteration]
        if not early:
            raise NotMeasured(f"{label} on {self.game} was stopped too early")
        return (last.nodes_touched - early[-1].nodes_touched) / (last.iteration - early[-1].iteration)

    def to_json(self) -> dict[str, Any]:
        """Return every run as plain JSON types."""
        return {label: series.to_json(self.measure) for label, series in self.series.items()}


def log_spaced(last: int, per_decade: int = 10) -> list[int]:
    """Return iterations from 1 to `last`, `per_decade` of them to a factor of ten.

    >>> log_spaced(100, per_decade=3)
    [1, 2, 5, 10, 22, 46, 100]
    """
    steps = math.floor(per_decade * math.log10(last) + 1e-9)
    return sorted({round(10 ** (k / per_decade)) for k in range(steps + 1)})


def by_iterations(
    caption: str, runs: Runs, reference: Mapping[str, Mapping[int, float]], at: Sequence[int] | None = None
) -> list[Table]:
    """Tabulate the runs at the iterations of the reference, each figure beside its reference."""
    chosen = at or sorted({t for figures in reference.values() for t in figures})
    return beside(caption, "algorithm", reference, {t: f"T = {t:,}" for t in chosen}, runs.at, reference)


def by_millions(
    caption: str,
    runs: Runs,
    millions: Sequence[float],
    labels: Iterable[str],
    reference: Mapping[str, Mapping[float, float]] | None = None,
) -> list[Table]:
    """Tabulate the runs by millions of histories touched, beside the reference if there is one."""

    def ours(label: str, budget: float) -> float:
        return runs.at_nodes(label, 1e6 * budget)

    names = {budget: f"{budget:g} M" for budget in millions}
    if reference is not None:
        return beside(caption, "algorithm", labels, names, ours, reference, per_table=3)
    return [by_row(caption, "algorithm", labels, {name: partial(ours, budget=m) for m, name in names.items()})]


def convergence(
    title: str, parts: Mapping[str, Runs], x: Axis = "iteration", y_label: str = "exploitability", thin: bool = True
) -> Figure:
    """Return a figure with one panel of curves per game; a single panel needs no title of its own."""
    named = len(parts) > 1
    return Figure(title, [panel(runs, name if named else "", x, y_label, thin) for name, runs in parts.items()], 2)


def panel(runs: Runs, title: str, x: Axis = "iteration", y_label: str = "exploitability", thin: bool = True) -> Panel:
    """Return the curves of the runs; `thin` leaves out the checkpoints between log-spaced iterations and the last."""
    curves = {}
    for label, series in runs.series.items():
        if points := series.points:
            last = points[-1].iteration
            even = {t for t in log_spaced(last) if 1.1 * t <= last} | {last}
            curves[label] = curve([point for point in points if not thin or point.iteration in even], x)
    return Panel(curves, title=title, x_label=LABELS[x], y_label=y_label)
