"""BROWN figures 3.6 and 3.7: Linear MCCFR against MCCFR on two no-limit hold'em rivers that Libratus met.

External sampling; regrets and averages are discounted at the end of every period of ten million nodes touched. The
source draws means of 100 runs and prints no numbers; ours are means of a few, with the range of all of them, and stand
beside a single run of an independent computation. ``--seconds`` shortens the curves, all equally.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np

from counterpoise.plots import Curve, Panel, panels
from counterpoise.reproduce.base import NotMeasured, Report, Setup, Table, experiment
from counterpoise.reproduce.endgames import MBB, Endgame, load_endgame
from counterpoise.reproduce.race import REFERENCE_NOTE, measured, short
from counterpoise.solvers import make_algorithm
from counterpoise.solvers.sampling.public_mccfr import PublicExternalSampling

NODES = 320_000_000
PERIOD = 10_000_000
SEEDS = 5
MARKS = (0.1, 0.18, 0.32, 0.56, 1, 1.8, 3.2, 5.6, 10, 18, 32)
"""Periods after which all runs are measured: four to a factor of ten."""
JUDGED_AFTER = 10
"""Periods, or as many as there are."""
CHUNK = 2_000_000
"""Nodes between two looks at whether the user wants to stop."""
CLEARLY = 0.9
"""What is at most this share of another figure is clearly better."""

VANILLA, LINEAR, INITIAL, PLUS = "MCCFR", "Linear MCCFR", "Initial discount", "MCCFR+"
ALGORITHMS = {
    VANILLA: "es-mccfr",
    LINEAR: "es-mccfr(discount=linear, period={period})",
    INITIAL: "es-mccfr(discount=initial, period={period})",
    PLUS: "es-mccfr(floor=True, average=linear)",
}
REFERENCE_AT = (10_000_000, 32_000_000, 100_000_000, 320_000_000)
Reference = Mapping[str, Sequence[float]]
SUBGAME_3: Reference = {
    VANILLA: (1_418, 553, 212, 74.7),
    LINEAR: (1_418, 325, 87.5, 42.5),
    INITIAL: (1_418, 217, 94.3, 46.6),
    PLUS: (2_263, 1_249, 689, 394),
}
SUBGAME_4: Reference = {
    VANILLA: (1_045, 458, 237, 99.3),
    LINEAR: (1_045, 404, 175, 82.5),
    INITIAL: (1_045, 419, 199, 96.5),
    PLUS: (2_532, 1_412, 789, 443),
}


@dataclass
class Sampled:
    """Exploitability in mbb/g of every algorithm and seed, by nodes touched."""

    period: int = PERIOD
    figures: dict[str, dict[int, list[float]]] = field(default_factory=lambda: {label: {} for label in ALGORITHMS})

    def seeds(self, label: str, nodes: int) -> list[float]:
        """One figure per run."""
        if nodes not in self.figures[label]:
            raise NotMeasured(f"{label} was stopped before {nodes:,} nodes")
        return self.figures[label][nodes]

    def mean(self, label: str, nodes: int) -> float:
        """Mean over the runs."""
        return float(np.mean(self.seeds(label, nodes)))

    @property
    def last(self) -> int:
        """Nodes up to which all algorithms were measured."""
        shared = set.intersection(*(set(found) for found in self.figures.values()))
        if not shared:
            raise NotMeasured("nothing was measured for all algorithms")
        return max(shared)


@experiment(
    "brown-3.6",
    "Discounting under sampling on a hold'em river, $500 pot",
    "BROWN 3.1.5, figure 3.6",
    seconds=240,
    budget=True,
)
def subgame3(setup: Setup, report: Report, nodes: int = NODES, seeds: int = SEEDS, period: int = PERIOD) -> None:
    """The river with the largest mistakes, where discounting helps most."""
    found = _figure(setup, report, 3, SUBGAME_3, nodes, seeds, period)
    _judge_ratio(report, found, "The improvement is particularly noticeable where mistakes are largest", LINEAR, 0.6)


@experiment(
    "brown-3.7",
    "Discounting under sampling on a hold'em river, $3,750 pot",
    "BROWN 3.1.5, figure 3.7",
    seconds=240,
    budget=True,
)
def subgame4(setup: Setup, report: Report, nodes: int = NODES, seeds: int = SEEDS, period: int = PERIOD) -> None:
    """The river with smaller mistakes."""
    _figure(setup, report, 4, SUBGAME_4, nodes, seeds, period)


def sample_endgame(
    setup: Setup, report: Report, endgame: Endgame, marks: Sequence[int], seeds: int, period: int
) -> Sampled:
    """Run every algorithm with every seed to the last mark the time allows, all from mark to mark, on all cores."""
    began = time.monotonic()
    tree, found, stop = endgame.tree(), Sampled(period), threading.Event()
    solvers = {
        (label, seed): PublicExternalSampling(make_algorithm(text.format(period=period)), tree, seed)
        for label, text in ALGORITHMS.items()
        for seed in range(seeds)
    }

    def advance(solver: PublicExternalSampling, mark: int) -> None:
        while solver.nodes_touched < mark and not stop.is_set():
            solver.step(CHUNK, min(mark, solver.nodes_touched + CHUNK))

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        try:
            for before, mark in zip((0, *marks), marks, strict=False):
                elapsed = time.monotonic() - began
                if setup.seconds is not None and before and elapsed * mark / before > setup.seconds:
                    setup.live.note(f"the time allows {before:,} nodes for each of {len(solvers)} runs")
                    break
                for done, job in enumerate([pool.submit(advance, solver, mark) for solver in solvers.values()]):
                    job.result()
                    share = (before + (mark - before) * (done + 1) / len(solvers)) / marks[-1]
                    setup.live.show(share, f"{mark:,} nodes, run {done + 1} of {len(solvers)}")
                for (label, _), solver in solvers.items():
                    found.figures[label].setdefault(mark, []).append(MBB * solver.exploitability())
        except KeyboardInterrupt:
            report.interrupted = True
        finally:
            stop.set()
    return found


def _figure(
    setup: Setup, report: Report, number: int, reference: Reference, nodes: int, seeds: int, period: int
) -> Sampled:
    """Run, tabulate and draw the algorithms, and judge what the source says of both rivers."""
    endgame = load_endgame(setup.data, number)
    setup.live.begin(f"{endgame.name}: {len(ALGORITHMS)} algorithms, {seeds} runs each")
    marks = [mark for periods in MARKS if (mark := round(periods * period)) <= nodes]
    found = sample_endgame(setup, report, endgame, marks, seeds, period)
    report.data["runs"] = {
        endgame.name: {
            label: [{"nodes_touched": mark, "exploitability": figures} for mark, figures in by_mark.items()]
            for label, by_mark in found.figures.items()
        }
    }
    caption = f"{endgame.name.capitalize()}, exploitability in mbb/g by nodes touched, mean of {seeds} runs"
    whole = [mark for mark in REFERENCE_AT if mark <= nodes] or marks[-2:]
    for pair in (whole[:2], whole[2:]):
        if pair:
            report.tables.append(_table(caption, found, pair, reference))
    _judge_ratio(report, found, "Linear MCCFR leads to clearly better performance than MCCFR", LINEAR, CLEARLY)
    _judge_ratio(report, found, "Initial discount: one discount after the first period helps too", INITIAL, 1.0)
    report.judge(
        "A floor on regrets and linear averaging (MCCFR+) do not help under sampling (1.5 times MCCFR or more)",
        lambda: _ratio(found, PLUS, lambda ratio: ratio >= 1.5),
    )
    report.notes.append(f"{REFERENCE_NOTE} It is a single run.")
    report.notes.append("Nodes touched include terminal nodes. Bands in the figure span all runs.")
    _draw(setup, report, endgame, found)
    return found


def _table(caption: str, found: Sampled, marks: Sequence[int], reference: Reference) -> Table:
    """Means and ranges; the reference belongs to periods of ten million nodes."""
    columns, rows = ["algorithm"], []
    for mark in marks:
        columns += [f"{mark / 1e6:g} M nodes", "range", "reference"]
    for label in ALGORITHMS:
        row = [label]
        for mark in marks:
            known = found.period == PERIOD and mark in REFERENCE_AT
            figure = reference[label][REFERENCE_AT.index(mark)] if known else None
            row += [measured(found.mean, label, mark), _range(found, label, mark), short(figure)]
        rows.append(row)
    return Table(caption, columns, rows)


def _range(found: Sampled, label: str, mark: int) -> str:
    figures = found.figures[label].get(mark)
    return f"{short(min(figures))} to {short(max(figures))}" if figures else short(None)


def _judge_ratio(report: Report, found: Sampled, text: str, label: str, most: float) -> None:
    share = "no worse than MCCFR" if most == 1 else f"at most {most} of MCCFR"
    report.judge(f"{text} ({share})", lambda: _ratio(found, label, lambda ratio: ratio <= most))


def _ratio(found: Sampled, label: str, holds: Callable[[float], bool]) -> tuple[bool, str]:
    """The ratio of two means and the numbers behind it."""
    at = min(found.last, JUDGED_AFTER * found.period)
    ratio = found.mean(label, at) / found.mean(VANILLA, at)
    told = f"{label} {short(found.mean(label, at))}, {VANILLA} {short(found.mean(VANILLA, at))} at {at:,} nodes"
    return holds(ratio), f"{ratio:.2f}: {told}"


def _draw(setup: Setup, report: Report, endgame: Endgame, found: Sampled) -> None:
    curves = {}
    for label, by_mark in found.figures.items():
        if by_mark:
            mean = [found.mean(label, mark) for mark in by_mark]
            band = ([min(figures) for figures in by_mark.values()], [max(figures) for figures in by_mark.values()])
            curves[label] = Curve(list(by_mark), mean, band=band)
    if setup.out is not None and curves:
        setup.out.mkdir(parents=True, exist_ok=True)
        part = Panel(curves, x_label="nodes touched", y_label="exploitability (mbb/g)")
        report.figures.append(panels([part], setup.out / f"{report.id}.png", title=f"MCCFR on {endgame.name}"))
