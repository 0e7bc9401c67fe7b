"""Brown 2020, figures 3.1 to 3.4, 3.6 and 3.7: discounting variants of CFR and MCCFR on hold'em endgames that Libratus
met.

The source draws curves to 32,768 iterations and prints no numbers; ours stand beside an independent computation.
The river endgames run that far. The turn endgames run as far as a time budget allows, all variants equally far:
``--seconds 900`` draws longer curves.

Under external sampling regrets and averages are discounted at the end of every period of ten million nodes touched. The
source draws means of 100 runs; ours are means of a few, with the range of all of them, and stand beside a single run of
an independent computation. ``--seconds`` shortens the curves, all equally.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from counterpoise.jobs.clock import now
from counterpoise.jobs.pieces import Work
from counterpoise.plots import Curve, Panel
from counterpoise.public import HoldemGame
from counterpoise.reproduce.brown import variants
from counterpoise.reproduce.brown.variants import CFR, CFR_PLUS_QUADRATIC, DCFR, LCFR, WINDOW, Compared
from counterpoise.reproduce.harness.racing import keep, measure
from counterpoise.reproduce.harness.report import Claim, Declared, Figure, Figures, Lab, NotMeasured, by_row
from counterpoise.reproduce.harness.runs import Runs, RunSeries, by_iterations, convergence, log_spaced
from counterpoise.reproduce.harness.verdicts import Verdict, less, short
from counterpoise.solvers import make_algorithm
from counterpoise.solvers.monte_carlo.public_mccfr import PublicExternalSampling
from counterpoise.solvers.public.solver import PublicSolver
from counterpoise.spots.endgames import MBB, EndgameSpot, load_endgame

ITERATIONS = 32_768
TURN_SECONDS = 100.0
"""What the variants may take together on a turn endgame unless told otherwise."""
MEASUREMENTS = 25
"""Along one curve, about."""
ALIKE = 1.5
"""Two curves whose means lie within this factor are called similar; a rise by this factor is called a spike."""
LONG = 4_096
"""Iterations from which on a curve shows how it behaves in the long run."""
TOLERANCE = 0.05
"""How far a reference figure may lie outside what rounding does to ours."""
ROUNDING_RUNS = {4: 2, 5: 4}
"""Runs that differ in rounding only, by the cards on the board: the tree of a turn takes long to build."""
ROUNDING_UNTIL = 1_000


def subgame(lab: Lab, number: int, iterations: int = ITERATIONS) -> Iterator[Declared]:
    """Run the variants on one endgame; on a turn as far as the time allows."""
    endgame, reference = load_endgame(lab.folder, number), lab.published("discounting")["subgame"][number]
    seconds = lab.seconds or (TURN_SECONDS if len(endgame.board) == 4 else None)
    lab.begin(f"{endgame.name}: building the tree")
    game, runs = endgame.game(), Runs(endgame.name)
    if seconds is not None:
        iterations = _affordable(lab, game, iterations, seconds)
    at = [t for t in reference[DCFR] if t <= iterations]
    with lab.stoppable():
        for label, algorithm in lab.algorithms.items():
            lab.check()
            runs.series[label] = run_endgame(game, algorithm, {*log_spaced(iterations), *at, iterations}, lab)
    keep(lab, runs)
    caption = f"{endgame.name.capitalize()}, exploitability in mbb/g"
    yield from by_iterations(caption, runs, reference, at)
    tens = [t for t in (10, 100, 1_000, 10_000) if 1.5 * t <= iterations] + [iterations]
    columns = {f"T = {t:,}": partial(runs.at, iterations=t) for t in tens}
    yield by_row(f"{caption}: the curves", "algorithm", lab.algorithms, columns)
    marks = {t: TOLERANCE for t in at if t <= ROUNDING_UNTIL}

    def again(seed: int) -> Callable[[str, Iterable[int]], list[float]]:
        other = endgame.nudged(seed).game()
        return lambda label, at: [p.exploitability for p in run_endgame(other, lab.algorithms[label], at, lab).points]

    counts = dict.fromkeys(marks, ROUNDING_RUNS[len(endgame.board)])
    spreads = variants.rounding_spreads(lab, runs, reference, counts, again)
    yield Claim("reference", variants.agreement, spreads, marks, reference, last=max(marks))
    yield from _claims(runs, number)
    yield convergence(f"Convergence in HUNL {endgame.name}", {"": runs}, y_label="exploitability (mbb/g)")


def run_endgame(game: HoldemGame, algorithm: str, marks: Iterable[int], lab: Lab | None = None) -> RunSeries:
    """Run a variant of CFR to the last of the iterations `marks` and measure it at each, in mbb/g; Ctrl-C ends it."""
    lab, settings, runs = lab or Lab(), make_algorithm(algorithm), Runs("")
    solver = PublicSolver(settings, game, os.cpu_count() or 1)
    figures = {settings.name: lambda: MBB * solver.exploitability()}
    with lab.stoppable():
        measure(lab, runs, solver, marks, figures, clock=time.perf_counter)
    series = runs.series[settings.name]
    seconds = series.points[-1].seconds if series.points else 0.0
    values = [MBB * float(chips) for chips in solver.values()]
    series.more |= {"iterations": solver.iteration, "seconds": seconds, "value": values}
    return series


def _affordable(lab: Lab, game: HoldemGame, most: int, seconds: float) -> int:
    """Return the iterations that all variants can run within the budget, at most `most`; say so before the work."""
    run_endgame(game, lab.algorithms[CFR], [1])  # compiles
    began = time.perf_counter()
    run = run_endgame(game, lab.algorithms[CFR], [1, 2, 3, 4])
    spent, count = run.more["seconds"], len(lab.algorithms)
    step, measuring = spent / 4, (time.perf_counter() - began - spent) / 4
    iterations = log_spaced(max(10, min(most, int((seconds / count - MEASUREMENTS * measuring) / step))))[-1]
    lab.progress.note(
        f"{1_000 * step:.1f} ms per iteration: {count} variants to T = {iterations:,} in about "
        f"{count * (iterations * step + MEASUREMENTS * measuring):.0f} s"
    )
    return iterations


def _claims(runs: Runs, number: int) -> Iterator[Claim]:
    """Yield the statements of Brown 2020, section 3.1.4: of all four endgames, of small and large pots, of subgame 2
    and the others.

    Curves are compared from 100 to 1,000 iterations, or as far as a race runs that ends well beyond 100. LCFR is ahead
    early where there is much to lose, so the end of a short race tells too.
    """
    first, last = WINDOW
    found = Compared(runs, (first, min(runs.last, last)) if runs.last >= 2 * first else WINDOW)
    yield from found.claims()
    yield Claim("dcfr-factor", found.ratio, 1.5, math.inf, CFR_PLUS_QUADRATIC, DCFR)
    yield Claim("prunable-alike", found.ratio, 1 / ALIKE, ALIKE, variants.DCFR_PRUNABLE, DCFR)

    def long_run() -> Verdict:
        last, both = runs.end(LCFR).iteration, (LCFR, CFR_PLUS_QUADRATIC)
        if last < 8 * LONG:
            raise NotMeasured(f"needs {8 * LONG:,} iterations")
        slow, fast = (runs.slope(label, last // 8, last) for label in both)
        ends = " and ".join(short(runs.at(label, last)) for label in both)
        return slow > fast, f"slopes {slow:.2f} and {fast:.2f} on log-log axes; at T = {last:,} {ends} mbb/g"

    def severe() -> Verdict:
        if runs.last >= found.window[1]:
            return found.below(LCFR, CFR_PLUS_QUADRATIC, DCFR)
        holds, told = less(partial(runs.at, iterations=runs.last), LCFR, CFR_PLUS_QUADRATIC, DCFR)
        return holds, f"{told}; T = {runs.last:,}"

    def spike() -> Verdict:
        floored, plain = _rise(runs, variants.DCFR_FLOORED), _rise(runs, DCFR)
        return floored >= ALIKE > plain, f"they rise to {floored:.2f} and {plain:.2f} times at most"

    yield Claim("lcfr-asymptotic", long_run)
    if number in (1, 3):
        yield Claim("lcfr-severe-mistakes", severe)
    else:
        yield Claim("lcfr-small-mistakes", found.above, LCFR, DCFR)
    if number == 2:
        yield Claim("floored-spike", spike)
    else:
        yield Claim("floored-alike", found.ratio, 1 / ALIKE, ALIKE, variants.DCFR_FLOORED, DCFR)


def _rise(runs: Runs, label: str) -> float:
    """Return how far a curve climbs above the lowest figure before, as a factor; from iteration 10 on."""
    lowest, rise = float("inf"), 1.0
    for point in runs.points(label):
        if point.iteration >= 10:
            lowest = min(lowest, point.exploitability)
            rise = max(rise, point.exploitability / lowest)
    return rise


PERIOD = 10_000_000
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


def sampled_subgame(
    lab: Lab, number: int, nodes: int = 320_000_000, seeds: int = 5, period: int = PERIOD
) -> Iterator[Declared]:
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
    for pair in filter(None, (whole[:2], whole[2:])):
        columns = list[Any]()
        for mark in pair:
            known = {label: own.get(mark) for label, own in reference.items()} if period == PERIOD else {}
            columns += [(f"{mark / 1e6:g} M nodes", partial(found.mean, nodes=mark))]
            columns += [("range", (partial(found.range, nodes=mark), known))]
        yield by_row(caption, "algorithm", ALGORITHMS, columns)

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


def sample_endgame(lab: Lab, endgame: EndgameSpot, marks: Sequence[int], seeds: int, period: int) -> Sampled:
    """Run every algorithm with every seed to the last mark the time allows, all from mark to mark, on all cores."""
    began, found, work = now(), Sampled(), Work(cancel=lab.cancel)
    with lab.stoppable():
        lab.begin(f"{endgame.name}: {len(ALGORITHMS)} algorithms, {seeds} runs each")
        game = endgame.game()
        solvers = {
            (label, seed): PublicExternalSampling(make_algorithm(text.format(period=period)), game, seed)
            for label, text in ALGORITHMS.items()
            for seed in range(seeds)
        }

        def advance(mark: int, solver: PublicExternalSampling) -> None:
            while solver.nodes_touched < mark and not work.cancel.cancelled:
                solver.step(CHUNK, min(mark, solver.nodes_touched + CHUNK))

        for before, mark in zip((0, *marks), marks, strict=False):
            elapsed = now() - began
            if lab.seconds is not None and before and elapsed * mark / before > lab.seconds:
                lab.progress.note(f"the time allows {before:,} nodes for each of {len(solvers)} runs")
                break
            for done, _ in enumerate(work.map(partial(advance, mark), solvers.values()), 1):
                share = (before + (mark - before) * done / len(solvers)) / marks[-1]
                lab.show(share, f"{mark:,} nodes, run {done} of {len(solvers)}")
            for (label, _), solver in solvers.items():
                found.setdefault((label, mark), []).append(MBB * solver.exploitability())
    return found
