"""Running and measuring: algorithms by name, and solvers that are already under way."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Protocol

import numpy as np

from counterpoise.games import Game
from counterpoise.reproduce.harness.report import Lab
from counterpoise.reproduce.harness.runs import Runs, RunSeries, log_spaced
from counterpoise.solvers import TracePoint, TreeSolver, solve

MOST_ITERATIONS = 10**8
PER_DECADE = 20
BATCH_SECONDS = 0.2

Watch = Callable[[str, TreeSolver, TracePoint], object]
"""Sees every measured point with its label."""


def race(
    lab: Lab,
    game: str,
    algorithms: Mapping[str, str],
    *,
    iterations: int,
    at: Iterable[int] = (),
    watch: Watch | None = None,
) -> Runs:
    """Run every algorithm (label -> what a user would type), measuring at `at` and at log-spaced iterations.

    The curves go into ``lab.data["runs"]``. Ctrl-C ends the race and every later one; what was measured until then
    stays.
    """
    marks = {t for t in (*log_spaced(iterations), *at, iterations) if t <= iterations}
    return keep(lab, _run_all(lab, game, algorithms, marks, iterations, watch=watch))


def _run_all(
    lab: Lab,
    game: Game | str,
    algorithms: Mapping[str, str],
    marks: Iterable[int],
    iterations: int,
    seconds: float | None = None,
    until: Callable[[TracePoint], bool] = lambda point: False,
    watch: Watch | None = None,
) -> Runs:
    """Run every algorithm for given iterations or seconds, or to a point for which `until` is true."""
    runs = Runs(str(game))
    with lab.stoppable():
        for label, algorithm in algorithms.items():
            lab.check()

            def measured(solver: TreeSolver, point: TracePoint, label: str = label) -> bool:
                if watch is not None:
                    watch(label, solver, point)
                return until(point)

            run = solve(
                game,
                algorithm,
                iterations=iterations,
                seconds=seconds,
                trace_at=sorted(marks),
                callback=measured,
                progress=lab.progress,
                cancel=lab.cancel,
            )
            more = {"iterations": run.iterations, "seconds": run.seconds, "value": list(run.value)}
            runs.series[label] = RunSeries(run.algorithm, run.trace, more=more)
            lab.interrupted = run.interrupted
    return runs


def race_to_nodes(
    lab: Lab,
    game: Game | str,
    algorithms: Mapping[str, str],
    nodes: float,
    *,
    name: str = "",
    goal: float = 0.0,
    at: Iterable[int] = (),
    part: float = 1.0,
    best_so_far: Collection[str] = (),
    watch: Watch | None = None,
) -> Runs:
    """Run every algorithm (label -> what a user would type) until it has touched `nodes` histories; NashConv.

    Pruning makes iterations cheaper, so that iterations do not compare. A run stops earlier at a NashConv of `goal`.
    Where the user grants a number of seconds, each algorithm runs for its share of this `part` of them instead.
    NashConv, which Brown 2020 calls total exploitability, is measured at 20 iterations to a factor of ten and at those
    in `at`. Curves in `best_so_far` show the lowest NashConv up to each point, which is how Brown 2020 reports CFR+
    with pruning; the others show the average strategy as it is.
    """
    share = None if lab.seconds is None else lab.seconds * part / len(algorithms)

    def until(point: TracePoint) -> bool:
        return (share is None and point.nodes_touched >= nodes) or 2 * point.exploitability <= goal

    marks = {*log_spaced(MOST_ITERATIONS, PER_DECADE), *at}
    runs = _run_all(lab, game, algorithms, marks, MOST_ITERATIONS, share, until, watch)
    runs.game, runs.measure = name or runs.game, "nash_conv"
    for label, series in runs.series.items():
        figures = [2 * point.exploitability for point in series.points]
        if label in best_so_far:
            figures = list(accumulate(figures, min))
        series.points = [p._replace(exploitability=f) for p, f in zip(series.points, figures, strict=True)]
        series.more["best_so_far"] = label in best_so_far
    return keep(lab, runs)


class Steppable(Protocol):
    """A solver that counts its work."""

    iteration: int
    nodes_touched: int

    def step(self, iterations: int = 1) -> None:
        """Run further iterations."""
        ...


def measure(
    lab: Lab,
    runs: Runs,
    solver: Steppable,
    marks: Iterable[int],
    figures: Mapping[str, Callable[[], float]],
    *,
    algorithm: str = "",
    seconds: float = math.inf,
    clock: Callable[[], float] = time.process_time,
) -> None:
    """Step a solver to each of `marks` iterations after where it stands and measure it there: a series per figure.

    It ends early when it has spent `seconds` of the `clock`, by default of CPU time; compiling and measuring
    do not count. What was measured before an interruption stays in `runs`.
    """
    origin, goals = solver.iteration, sorted(set(marks))
    series = [RunSeries(algorithm or label, origin=origin) for label in figures]
    runs.series |= dict(zip(figures, series, strict=True))
    lab.begin(next(iter(figures)))
    solver.step(0)  # compiles
    spent, batch, latest = 0.0, 1, ""
    for goal in goals:
        while solver.iteration < origin + goal:
            count = min(batch, origin + goal - solver.iteration)
            began = clock()
            solver.step(count)
            took = clock() - began
            spent, batch = spent + took, max(1, int(count * BATCH_SECONDS / max(took, 1e-6)))
            done = solver.iteration - origin
            lab.show(max(done / goals[-1], spent / seconds), f"iteration {done:,}{latest}")
        for own, figure in zip(series, figures.values(), strict=True):
            memory = getattr(solver, "live_bytes", 0)
            own.points.append(TracePoint(solver.iteration, figure(), solver.nodes_touched, spent, memory))
        latest = f": {series[0].points[-1].exploitability:.4g}"
        if spent > seconds:
            break


def figures_at(solver: TreeSolver, marks: Iterable[int], figure: Callable[[], float] | None = None) -> list[float]:
    """Return the exploitability of a solver, or another figure of it, after each of rising numbers of iterations."""
    figures = []
    for mark in marks:
        solver.step(mark - solver.iteration)
        figures.append((figure or solver.exploitability)())
    return figures


def follow(lab: Lab, runs: Runs, label: str, solver: TreeSolver, marks: Iterable[int]) -> None:
    """Measure the exploitability of a solver at `marks` iterations after where it stands; Ctrl-C ends it."""
    with lab.stoppable():
        measure(lab, runs, solver, marks, {label: solver.exploitability})


def mean_points(runs: Sequence[list[TracePoint]]) -> list[TracePoint]:
    """Return the points that all runs have, each the mean of theirs."""
    points = []
    for same in zip(*runs, strict=False):
        figures = np.array([[point.exploitability, point.seconds] for point in same]).mean(axis=0)
        points.append(TracePoint(same[0].iteration, float(figures[0]), same[0].nodes_touched, float(figures[1])))
    return points


def keep(lab: Lab, runs: Runs) -> Runs:
    """Put runs among the numbers for programs, and return them."""
    lab.data.setdefault("runs", {}).setdefault(runs.game, {}).update(runs.to_json())
    return runs
