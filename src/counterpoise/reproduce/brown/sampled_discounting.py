"""BROWN figures 3.6 and 3.7: Linear MCCFR against MCCFR on two no-limit hold'em rivers that Libratus met.

External sampling; regrets and averages are discounted at the end of every period of ten million nodes touched. The
source draws means of 100 runs and prints no numbers; ours are means of a few, with the range of all of them, and stand
beside a single run of an independent computation. ``--seconds`` shortens the curves, all equally.
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np

from counterpoise.plots import Curve, Panel
from counterpoise.reproduce.harness.report import Cell, Claim, Declared, Figure, Figures, Lab, NotMeasured, by_row
from counterpoise.reproduce.harness.verdicts import Verdict, short
from counterpoise.solvers import make_algorithm
from counterpoise.solvers.sampling.public_mccfr import PublicExternalSampling
from counterpoise.spots.endgames import MBB, Endgame, load_endgame

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


class Sampled(Figures):
    """Exploitability in mbb/g by algorithm and nodes touched: one figure per seed."""

    def __init__(self) -> None:
        super().__init__(missing="{} was stopped before {:,} nodes")

    def mean(self, label: str, nodes: int) -> float:
        """Return the mean over the seeds."""
        return float(np.mean(self[label, nodes]))

    def range(self, label: str, nodes: int) -> str:
        """Return the smallest and the largest figure of the seeds in words."""
        return f"{short(min(self[label, nodes]))} to {short(max(self[label, nodes]))}"

    def of(self, label: str) -> dict[int, list[float]]:
        """Return the figures of one algorithm by nodes touched."""
        return {nodes: figures for (own, nodes), figures in self.items() if own == label}

    @property
    def last(self) -> int:
        """Nodes up to which all algorithms were measured."""
        shared = set.intersection(*(set(self.of(label)) for label in ALGORITHMS))
        if not shared:
            raise NotMeasured("nothing was measured for all algorithms")
        return max(shared)


def subgame(lab: Lab, number: int, nodes: int = NODES, seeds: int = SEEDS, period: int = PERIOD) -> Iterator[Declared]:
    """Measure means and ranges of all algorithms on a river; subgame 3 has the largest mistakes."""
    endgame, reference = load_endgame(lab.folder, number), lab.published("sampled_discounting")["subgame"][number]
    marks = [mark for periods in MARKS if (mark := round(periods * period)) <= nodes]
    found = sample_endgame(lab, endgame, marks, seeds, period)
    lab.data["runs"] = {
        endgame.name: {
            label: [{"nodes_touched": mark, "exploitability": own} for mark, own in found.of(label).items()]
            for label in ALGORITHMS
        }
    }
    caption = f"{endgame.name.capitalize()}, exploitability in mbb/g by nodes touched, mean of {seeds} runs"
    whole = [mark for mark in reference[VANILLA] if mark <= nodes] or marks[-2:]
    for pair in (whole[:2], whole[2:]):
        heads, columns = ["algorithm"], list[Callable[[str], Cell]]()
        for mark in pair:
            known = {label: own.get(mark) for label, own in reference.items()} if period == PERIOD else {}
            heads += [f"{mark / 1e6:g} M nodes", "range", "reference"]
            columns += [partial(found.mean, nodes=mark), partial(found.range, nodes=mark), known.get]
        if pair:
            yield by_row(caption, heads, ALGORITHMS, *columns)

    def ratio(label: str, low: float, high: float) -> Verdict:
        at = min(found.last, JUDGED_AFTER * period)
        ratio = found.mean(label, at) / found.mean(VANILLA, at)
        told = f"{label} {short(found.mean(label, at))}, {VANILLA} {short(found.mean(VANILLA, at))} at {at:,} nodes"
        return low <= ratio <= high, f"{ratio:.2f}: {told}"

    yield Claim("linear-better", ratio, LINEAR, 0.0, CLEARLY)
    yield Claim("initial-helps", ratio, INITIAL, 0.0, 1.0)
    yield Claim("floor-hurts", ratio, PLUS, 1.5, math.inf)
    if number == 3:
        yield Claim("largest-mistakes", ratio, LINEAR, 0.0, 0.6)
    curves = {}
    for label in ALGORITHMS:
        if own := found.of(label):
            band = ([min(figures) for figures in own.values()], [max(figures) for figures in own.values()])
            curves[label] = Curve(list(own), [found.mean(label, mark) for mark in own], band=band)
    panel = Panel(curves, x_label="nodes touched", y_label="exploitability (mbb/g)")
    yield Figure(f"MCCFR on {endgame.name}", [panel])


def sample_endgame(lab: Lab, endgame: Endgame, marks: Sequence[int], seeds: int, period: int) -> Sampled:
    """Run every algorithm with every seed to the last mark the time allows, all from mark to mark, on all cores."""
    began, found, stop = time.monotonic(), Sampled(), threading.Event()
    with lab.stoppable(), ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        lab.begin(f"{endgame.name}: {len(ALGORITHMS)} algorithms, {seeds} runs each")
        game = endgame.game()
        solvers = {
            (label, seed): PublicExternalSampling(make_algorithm(text.format(period=period)), game, seed)
            for label, text in ALGORITHMS.items()
            for seed in range(seeds)
        }

        def advance(solver: PublicExternalSampling, mark: int) -> None:
            while solver.nodes_touched < mark and not stop.is_set():
                solver.step(CHUNK, min(mark, solver.nodes_touched + CHUNK))

        try:
            for before, mark in zip((0, *marks), marks, strict=False):
                elapsed = time.monotonic() - began
                if lab.seconds is not None and before and elapsed * mark / before > lab.seconds:
                    lab.progress.note(f"the time allows {before:,} nodes for each of {len(solvers)} runs")
                    break
                for done, job in enumerate([pool.submit(advance, solver, mark) for solver in solvers.values()]):
                    job.result()
                    share = (before + (mark - before) * (done + 1) / len(solvers)) / marks[-1]
                    lab.show(share, f"{mark:,} nodes, run {done + 1} of {len(solvers)}")
                for (label, _), solver in solvers.items():
                    found.setdefault((label, mark), []).append(MBB * solver.exploitability())
        finally:
            stop.set()
    return found
