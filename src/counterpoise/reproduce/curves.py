"""Runs that are started by hand, from a strategy or in the middle of another run, and measured as they go on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from counterpoise.plots import Panel, panels
from counterpoise.plots.panels import Curve
from counterpoise.reproduce.base import NotMeasured, Report, Setup
from counterpoise.solvers import TracePoint, TreeSolver
from counterpoise.tree import evaluate


@dataclass
class Curves:
    """Measurements of several runs by label, as they go on from a strategy."""

    traces: dict[str, list[TracePoint]] = field(default_factory=dict)
    origins: dict[str, int] = field(default_factory=dict)

    def after(self, label: str, iterations: int) -> float:
        """Exploitability of a curve so many iterations after it began."""
        for point in self.traces.get(label, ()):
            if point.iteration == self.origins[label] + iterations:
                return point.exploitability
        raise NotMeasured(f"{label} was stopped before {iterations:,} iterations")

    def follow(self, setup: Setup, report: Report, label: str, solver: TreeSolver, marks: Iterable[int]) -> None:
        """Step a solver to so many iterations after where it stands, measuring at each; Ctrl-C ends it."""
        self.origins[label] = origin = solver.iteration
        trace = self.traces[label] = []
        if report.interrupted:
            return
        setup.live.begin(label)
        goals = sorted(set(marks))
        try:
            for goal in goals:
                solver.step(origin + goal - solver.iteration)
                figure = evaluate(solver.tree, solver.profile()).exploitability
                trace.append(TracePoint(solver.iteration, figure, solver.nodes_touched, 0.0, solver.live_bytes))
                setup.live.show(goal / goals[-1], f"exploitability {figure:.3g}")
        except KeyboardInterrupt:
            report.interrupted = True

    def to_json(self) -> dict[str, list[list[float]]]:
        """Iteration, exploitability and histories touched of every point."""
        return {
            label: [[point.iteration, point.exploitability, point.nodes_touched] for point in trace]
            for label, trace in self.traces.items()
        }


def draw_curves(
    setup: Setup,
    report: Report,
    title: str,
    parts: Mapping[str, Mapping[str, Sequence[TracePoint]]],
    nodes: bool = False,
) -> None:
    """Draw one panel of curves per title, by iterations or by histories touched, if there is an output folder."""
    drawn = [
        Panel(
            {
                label: Curve(
                    [point.nodes_touched if nodes else point.iteration for point in trace],
                    [point.exploitability for point in trace],
                )
                for label, trace in traces.items()
                if trace
            },
            title=name,
            x_label="histories touched" if nodes else "iterations",
            y_label="exploitability",
        )
        for name, traces in parts.items()
        if any(traces.values())
    ]
    if setup.out is not None and drawn:
        setup.out.mkdir(parents=True, exist_ok=True)
        report.figures.append(panels(drawn, setup.out / f"{report.id}.png", title=title))
