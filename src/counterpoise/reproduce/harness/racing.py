"""Running and measuring: algorithms by name, solvers that are already under way, walks by CPU time."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Protocol

import numpy as np

from counterpoise.games import Game
from counterpoise.reproduce.harness.experiment import Lab
from counterpoise.reproduce.harness.runs import Runs, Series, log_spaced
from counterpoise.solvers import TracePoint, TreeSolver, solve
from counterpoise.tree import evaluate

MOST_ITERATIONS = 10**8
PER_DECADE = 20

Watch = Callable[[str, TreeSolver, TracePoint], None]
"""Sees every measured point with its label."""
Runner = Callable[[str, Sequence[int]], Series]
"""Runs an algorithm (what a user would type) to the last of the iterations listed, measuring at each."""


def race(
    lab: Lab,
    game: str,
    algorithms: Mapping[str, str],
    *,
    iterations: int,
    at: Iterable[int] = (),
    watch: Watch | None = None,
    runner: Runner | None = None,
) -> Runs:
    """Run every algorithm (label -> what a user would type), measuring at `at` and at log-spaced iterations.

    The curves go into ``lab.data["runs"][game]``. Ctrl-C ends the race and every later one; what was measured until
    then stays. A game that `solve` does not know by name comes with a `runner` of its own.
    """
    runs = Runs(game)
    marks = sorted({t for t in (*log_spaced(iterations), *at, iterations) if t <= iterations})
    with lab.stoppable():
        for label, algorithm in algorithms.items():
            lab.check()
            if runner is not None:
                keep(lab, runs, label, runner(algorithm, marks))
                continue

            def seen(solver: TreeSolver, point: TracePoint, label: str = label) -> None:
                if watch is not None:
                    watch(label, solver, point)

            run = solve(
                game,
                algorithm,
                iterations=iterations,
                trace_at=marks,
                callback=seen,
                progress=lab.progress,
                cancel=lab.cancel,
            )
            more = {"iterations": run.iterations, "seconds": run.seconds, "value": list(run.value)}
            keep(lab, runs, label, Series(run.algorithm, run.trace, more=more))
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
    NashConv, which BROWN calls total exploitability, is measured at 20 iterations to a factor of ten and at those in
    `at`. Curves in `best_so_far` show the lowest NashConv up to each point, which is how BROWN reports CFR+ with
    pruning; the others show the average strategy as it is.
    """
    runs = Runs(name or str(game), "nash_conv")
    share = None if lab.seconds is None else lab.seconds * part / len(algorithms)
    marks = sorted({*log_spaced(MOST_ITERATIONS, PER_DECADE), *at})
    with lab.stoppable():
        for label, algorithm in algorithms.items():
            lab.check()

            def ended(solver: TreeSolver, point: TracePoint, label: str = label) -> bool:
                if watch is not None:
                    watch(label, solver, point)
                return (share is None and point.nodes_touched >= nodes) or 2 * point.exploitability <= goal

            run = solve(
                game,
                algorithm,
                iterations=MOST_ITERATIONS,
                seconds=share,
                trace_at=marks,
                callback=ended,
                progress=lab.progress,
                cancel=lab.cancel,
            )
            figures = [2 * point.exploitability for point in run.trace]
            if label in best_so_far:
                figures = list(accumulate(figures, min))
            points = [p._replace(exploitability=figure) for p, figure in zip(run.trace, figures, strict=True)]
            more = {"iterations": run.iterations, "seconds": run.seconds, "best_so_far": label in best_so_far}
            keep(lab, runs, label, Series(run.algorithm, points, more=more))
            lab.interrupted = run.interrupted
    return runs


def follow(lab: Lab, runs: Runs, label: str, solver: TreeSolver, marks: Iterable[int]) -> None:
    """Step a solver to each of `marks` iterations after where it stands, and measure it there; Ctrl-C ends it."""
    series = runs.series[label] = Series(label, origin=solver.iteration)
    goals = sorted(set(marks))
    with lab.stoppable():
        lab.begin(label)
        for goal in goals:
            solver.step(series.origin + goal - solver.iteration)
            figure = evaluate(solver.tree, solver.profile()).exploitability
            series.points.append(TracePoint(solver.iteration, figure, solver.nodes_touched, 0.0, solver.live_bytes))
            lab.show(goal / goals[-1], f"exploitability {figure:.3g}")


class Steppable(Protocol):
    """A solver that counts its work."""

    nodes_touched: int

    def step(self, iterations: int = 1) -> None:
        """Run further iterations."""
        ...


def measure(
    lab: Lab,
    label: str,
    solver: Steppable,
    figures: Sequence[Callable[[], float]],
    marks: Sequence[int],
    seconds: float = math.inf,
) -> list[list[TracePoint]]:
    """Run to the last of `marks`, or until so many CPU seconds are spent, and measure at each: points per figure.

    Seconds are CPU seconds of this process, compiling left out.
    """
    found: list[list[TracePoint]] = [[] for _ in figures]
    spent, done, last = 0.0, 0, max(marks)
    lab.begin(label)
    solver.step(0)  # compiles
    for mark in sorted(set(marks)):
        begin = time.process_time()
        solver.step(mark - done)
        spent, done = spent + time.process_time() - begin, mark
        for points, figure in zip(found, figures, strict=True):
            points.append(TracePoint(mark, figure(), solver.nodes_touched, spent))
        lab.show(max(mark / last, spent / seconds), f"{found[0][-1].exploitability:.4g} after {mark:,}")
        if spent > seconds:
            break
    return found


def mean_points(runs: Sequence[list[TracePoint]]) -> list[TracePoint]:
    """Return the points that all runs have, each the mean of theirs."""
    points = []
    for same in zip(*runs, strict=False):
        figures = np.array([[point.exploitability, point.seconds] for point in same]).mean(axis=0)
        points.append(TracePoint(same[0].iteration, float(figures[0]), same[0].nodes_touched, float(figures[1])))
    return points


def keep(lab: Lab, runs: Runs, label: str, series: Series) -> None:
    """Add a run to the others and to the numbers for programs."""
    runs.series[label] = series
    lab.data.setdefault("runs", {}).setdefault(runs.game, {})[label] = series.to_json(runs.measure)
