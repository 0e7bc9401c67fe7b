"""BROWN figures 3.1 to 3.4: discounting variants of CFR on four no-limit hold'em endgames that Libratus met.

The source draws curves to 32,768 iterations and prints no numbers; ours stand beside an independent computation.
The river endgames run that far. The turn endgames run as far as a time budget allows, all variants equally far:
``--seconds 900`` draws longer curves.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from counterpoise.public import HoldemGame
from counterpoise.reproduce.brown import variants
from counterpoise.reproduce.brown.variants import CFR, CFR_PLUS_QUADRATIC, DCFR, LCFR, WINDOW, Compared
from counterpoise.reproduce.harness.racing import keep, measure
from counterpoise.reproduce.harness.report import Claim, Declared, Lab, NotMeasured, by_row
from counterpoise.reproduce.harness.runs import Runs, Series, by_iterations, convergence, log_spaced
from counterpoise.reproduce.harness.verdicts import Verdict, less, short
from counterpoise.solvers import make_algorithm
from counterpoise.solvers.public.solver import PublicSolver
from counterpoise.spots.endgames import MBB, load_endgame

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
    heads, columns = ["algorithm", *(f"T = {t:,}" for t in tens)], [partial(runs.at, iterations=t) for t in tens]
    yield by_row(f"{caption}: the curves", heads, lab.algorithms, *columns)
    marks = {t: TOLERANCE for t in at if t <= ROUNDING_UNTIL}

    def again(seed: int) -> Callable[[str, Iterable[int]], list[float]]:
        other = endgame.nudged(seed).game()
        return lambda label, at: [p.exploitability for p in run_endgame(other, lab.algorithms[label], at, lab).points]

    counts = dict.fromkeys(marks, ROUNDING_RUNS[len(endgame.board)])
    spreads = variants.rounding_spreads(lab, runs, reference, counts, again)
    yield Claim("reference", variants.agreement, spreads, marks, reference, last=max(marks))
    yield from _claims(runs, number)
    yield convergence(f"Convergence in HUNL {endgame.name}", {"": runs}, y_label="exploitability (mbb/g)")


def run_endgame(game: HoldemGame, algorithm: str, marks: Iterable[int], lab: Lab | None = None) -> Series:
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
    """Yield the statements of BROWN 3.1.4: of all four endgames, of small and large pots, of subgame 2 and the others.

    Curves are compared from 100 to 1,000 iterations, or as far as a race runs that ends well beyond 100. LCFR is ahead
    early where there is much to lose, so the end of a short race tells too.
    """
    first, last = WINDOW
    found = Compared(runs, (first, min(runs.last, last)) if runs.last >= 2 * first else WINDOW)
    yield from found.claims()
    yield Claim("dcfr-factor", found.ratio, 1.5, math.inf, CFR_PLUS_QUADRATIC, DCFR)
    yield Claim("prunable-alike", found.ratio, 1 / ALIKE, ALIKE, variants.DCFR_PRUNABLE, DCFR)
    yield Claim("lcfr-asymptotic", _long_run, runs)

    def severe() -> Verdict:
        if runs.last >= found.window[1]:
            return found.below(LCFR, CFR_PLUS_QUADRATIC, DCFR)
        holds, told = less(lambda label: runs.at(label, runs.last), LCFR, CFR_PLUS_QUADRATIC, DCFR)
        return holds, f"{told}; T = {runs.last:,}"

    def spike() -> Verdict:
        floored, plain = _rise(runs, variants.DCFR_FLOORED), _rise(runs, DCFR)
        return floored >= ALIKE > plain, f"they rise to {floored:.2f} and {plain:.2f} times at most"

    if number in (1, 3):
        yield Claim("lcfr-severe-mistakes", severe)
    else:
        yield Claim("lcfr-small-mistakes", found.above, LCFR, DCFR)
    if number == 2:
        yield Claim("floored-spike", spike)
    else:
        yield Claim("floored-alike", found.ratio, 1 / ALIKE, ALIKE, variants.DCFR_FLOORED, DCFR)


def _long_run(runs: Runs) -> Verdict:
    last = runs.end(LCFR).iteration
    if last < 8 * LONG:
        raise NotMeasured(f"needs {8 * LONG:,} iterations")
    slow, fast = (runs.slope(label, last // 8, last) for label in (LCFR, CFR_PLUS_QUADRATIC))
    ends = " and ".join(short(runs.at(label, last)) for label in (LCFR, CFR_PLUS_QUADRATIC))
    return slow > fast, f"slopes {slow:.2f} and {fast:.2f} on log-log axes; at T = {last:,} {ends} mbb/g"


def _rise(runs: Runs, label: str) -> float:
    """Return how far a curve climbs above the lowest figure before, as a factor; from iteration 10 on."""
    lowest, rise = float("inf"), 1.0
    for point in runs.points(label):
        if point.iteration >= 10:
            lowest = min(lowest, point.exploitability)
            rise = max(rise, point.exploitability / lowest)
    return rise
