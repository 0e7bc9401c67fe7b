"""Algorithms raced to the same number of histories touched, judged by NashConv: how BROWN 3.3 to 3.5 compares pruning.

Pruning makes iterations cheaper, so that iterations do not compare. NashConv is what BROWN calls total exploitability,
the sum of what both players could gain.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

import numpy as np

from counterpoise.games import Game
from counterpoise.reproduce.base import NotMeasured, Report, Setup, Table
from counterpoise.reproduce.race import Race, log_spaced, measured, short
from counterpoise.solvers import TracePoint, TreeSolver, solve

MOST_ITERATIONS = 10**8
PER_DECADE = 20


@dataclass
class NodeRace(Race):
    """The runs of one game, their traces in NashConv (where a trace says exploitability)."""

    def nodes_to(self, label: str, goal: float) -> float:
        """Histories touched until the curve first comes down to `goal`, interpolated on log-log axes."""
        before, after, share = self._passing(label, goal)
        return float(before.nodes_touched * (after.nodes_touched / before.nodes_touched) ** share)

    def iterations_to(self, label: str, goal: float) -> float:
        """Iterations until the curve first comes down to `goal`, interpolated on log-log axes."""
        before, after, share = self._passing(label, goal)
        return float(before.iteration * (after.iteration / before.iteration) ** share)

    def _passing(self, label: str, goal: float) -> tuple[TracePoint, TracePoint, float]:
        """The points before and after the curve passes `goal`, and how far it has to go between them."""
        for before, after in pairwise(self.trace(label)):
            high, low = before.exploitability, after.exploitability
            if low <= goal < high:
                return before, after, math.log(high / goal) / math.log(high / low)
        raise NotMeasured(f"{label} on {self.game} did not pass a NashConv of {short(goal)}")

    def speed_up(self, slow: str, fast: str, goal: float) -> float:
        """How many times fewer histories `fast` touches than `slow` on the way to `goal`."""
        return self.nodes_to(slow, goal) / self.nodes_to(fast, goal)

    def common_goal(self, *labels: str) -> float:
        """The smallest NashConv that every one of the curves has reached."""
        return max(min(point.exploitability for point in self.trace(label)) for label in labels)

    def speed_up_at_end(self, slow: str, fast: str) -> float:
        """`speed_up` at the smallest NashConv that both have reached."""
        return self.speed_up(slow, fast, self.common_goal(slow, fast))

    def nodes_per_iteration(self, label: str) -> float:
        """Histories touched per iteration over the last quarter of the run, overhead included."""
        points = self.trace(label)
        last = points[-1]
        early = [point for point in points if point.iteration <= 0.75 * last.iteration]
        if not early:
            raise NotMeasured(f"{label} on {self.game} was stopped too early")
        return (last.nodes_touched - early[-1].nodes_touched) / (last.iteration - early[-1].iteration)


def race_to_nodes(
    setup: Setup,
    report: Report,
    game: Game | str,
    algorithms: Mapping[str, str],
    nodes: float,
    *,
    name: str = "",
    goal: float = 0.0,
    at: Iterable[int] = (),
    part: float = 1.0,
    best_so_far: Collection[str] = (),
    watch: Callable[[str, TreeSolver, TracePoint], None] | None = None,
) -> NodeRace:
    """Run every algorithm (label -> what a user would type) until it has touched so many histories.

    It stops earlier at a NashConv of `goal`. Where the user grants a number of seconds, each algorithm runs for its
    share of this `part` of them instead. NashConv is measured at 20 iterations to a factor of ten and at those in `at`.
    Curves in `best_so_far` show the lowest NashConv up to each point, which is how BROWN reports CFR+ with pruning;
    the others show the average strategy as it is. The curves go into ``report.data["runs"]``; `watch` sees every
    solver when it is measured.
    """
    name = name or str(game)
    contest = NodeRace(name)
    share = None if setup.seconds is None else setup.seconds * part / len(algorithms)
    marks = sorted({*log_spaced(MOST_ITERATIONS, PER_DECADE), *at})
    for label, algorithm in algorithms.items():
        if report.interrupted:
            break
        run = solve(
            game,
            algorithm,
            iterations=MOST_ITERATIONS,
            seconds=share,
            trace_at=marks,
            callback=_until(None if share is not None else nodes, goal, label, watch),
            progress=setup.live,
        )
        report.interrupted = run.interrupted
        trace = [point._replace(exploitability=2 * point.exploitability) for point in run.trace]
        if label in best_so_far:
            lowest = accumulate((point.exploitability for point in trace), min)
            trace = [point._replace(exploitability=best) for point, best in zip(trace, lowest, strict=True)]
        contest.runs[label] = replace(run, trace=trace, state={})
        report.data.setdefault("runs", {}).setdefault(name, {})[label] = {
            "algorithm": run.algorithm,
            "iterations": run.iterations,
            "seconds": run.seconds,
            "best_so_far": label in best_so_far,
            "trace": [_plain(point) for point in trace],
        }
    return contest


def _until(
    nodes: float | None, goal: float, label: str, watch: Callable[[str, TreeSolver, TracePoint], None] | None
) -> Callable[[TreeSolver, TracePoint], bool]:
    def ended(solver: TreeSolver, point: TracePoint) -> bool:
        if watch is not None:
            watch(label, solver, point)
        return (nodes is not None and point.nodes_touched >= nodes) or 2 * point.exploitability <= goal

    return ended


def _plain(point: TracePoint) -> dict[str, float]:
    figures = point._asdict()
    return {"nash_conv": figures.pop("exploitability"), **figures}


def nash_conv_table(
    caption: str,
    contest: NodeRace,
    millions: Sequence[float],
    reference: Mapping[str, Sequence[float | None]],
) -> list[Table]:
    """NashConv by millions of histories touched, each beside its reference (None: there is none); three to a table."""
    tables = []
    for first in range(0, len(millions), 3):
        part = slice(first, first + 3)
        columns, rows = ["algorithm"], []
        for budget in millions[part]:
            columns += [f"{budget:g} M", "reference"]
        for label in contest.runs:
            figures = reference.get(label, [None] * len(millions))
            row = [label]
            for budget, figure in zip(millions[part], figures[part], strict=True):
                row += [measured(contest.at_nodes, label, 1e6 * budget), short(figure)]
            rows.append(row)
        tables.append(Table(caption, columns, rows))
    return tables


def times(ratio: float) -> str:
    """A ratio in words.

    >>> times(1.234)
    '1.23 times'
    """
    return f"{ratio:.3g} times"


def at_least(ratio: float, wanted: float) -> tuple[bool, str]:
    """Whether a ratio is as large as a claim says, and the ratio in words."""
    return ratio >= wanted, times(ratio)


def between(contest: NodeRace, label: str, first: float, last: float) -> float:
    """Geometric mean of a curve over ten numbers of histories touched from `first` to `last`; curves oscillate."""
    return math.exp(float(np.mean([math.log(contest.at_nodes(label, n)) for n in np.geomspace(first, last, 10)])))
