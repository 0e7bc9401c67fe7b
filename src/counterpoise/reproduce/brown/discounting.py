"""BROWN figures 3.1 to 3.4: discounting variants of CFR on four no-limit hold'em endgames that Libratus met.

The source draws curves to 32,768 iterations and prints no numbers; ours stand beside an independent computation.
The river endgames run that far. The turn endgames run as far as a time budget allows, all variants equally far:
``--seconds 900`` draws longer curves.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence

from counterpoise.public import HoldemGame
from counterpoise.reproduce.brown.rounding import STOPPED, Spreads, agreement, keep_spreads, spreads_of
from counterpoise.reproduce.brown.variants import (
    CFR,
    CFR_LINEAR,
    CFR_PLUS_QUADRATIC,
    DCFR,
    DCFR_FLOORED,
    DCFR_PRUNABLE,
    LCFR,
    RM_PLUS,
    VARIANTS,
    WINDOW,
    Compared,
)
from counterpoise.reproduce.harness.experiment import Lab, experiment
from counterpoise.reproduce.harness.published import REFERENCE_NOTE, published
from counterpoise.reproduce.harness.racing import race
from counterpoise.reproduce.harness.report import Claim, Declared, Figures, NotMeasured, Table, Verdict, cell, short
from counterpoise.reproduce.harness.runs import Runs, Series, by_iterations, convergence, log_spaced
from counterpoise.solvers import TracePoint, make_algorithm
from counterpoise.solvers.public.solver import PublicSolver
from counterpoise.spots.endgames import MBB, Endgame, load_endgame

ITERATIONS = 32_768
TURN_SECONDS = 100.0
"""What the variants may take together on a turn endgame unless told otherwise."""
BATCH_SECONDS = 0.2
MEASUREMENTS = 25
"""Along one curve, about."""
ALGORITHMS = {label: name for label, name in VARIANTS.items() if label not in (RM_PLUS, CFR_LINEAR)}
ALIKE = 1.5
"""Two curves whose means lie within this factor are called similar; a rise by this factor is called a spike."""
LONG = 4_096
"""Iterations from which on a curve shows how it behaves in the long run."""
TOLERANCE = 0.05
"""How far a reference figure may lie outside what rounding does to ours."""
ROUNDING_RUNS = {4: 2, 5: 4}
"""Runs that differ in rounding only, by the cards on the board: the tree of a turn takes long to build."""
ROUNDING_UNTIL = 1_000


@experiment(
    "brown-3.1-subgame-1",
    "Discounting variants on a hold'em turn, $500 pot",
    "BROWN 3.1.4, figure 3.1",
    seconds=150,
    budget=True,
)
def subgame1(lab: Lab, iterations: int = ITERATIONS) -> Iterator[Declared]:
    """The turn endgame with many costly mistakes, as far as the time allows."""
    yield from _figure(lab, 1, iterations, lab.seconds or TURN_SECONDS)


@experiment(
    "brown-3.2-subgame-2",
    "Discounting variants on a hold'em turn, $4,780 pot",
    "BROWN 3.1.4, figure 3.2",
    seconds=120,
    budget=True,
)
def subgame2(lab: Lab, iterations: int = ITERATIONS) -> Iterator[Declared]:
    """The turn endgame on which the source sees a spike of DCFR(3/2,-inf,2), as far as the time allows."""
    yield from _figure(lab, 2, iterations, lab.seconds or TURN_SECONDS)


@experiment(
    "brown-3.3-subgame-3",
    "Discounting variants on a hold'em river, $500 pot",
    "BROWN 3.1.4, figure 3.3",
    seconds=110,
    budget=True,
)
def subgame3(lab: Lab, iterations: int = ITERATIONS) -> Iterator[Declared]:
    """The river endgame with many costly mistakes."""
    yield from _figure(lab, 3, iterations, lab.seconds)


@experiment(
    "brown-3.4-subgame-4",
    "Discounting variants on a hold'em river, $3,750 pot",
    "BROWN 3.1.4, figure 3.4",
    seconds=65,
    budget=True,
)
def subgame4(lab: Lab, iterations: int = ITERATIONS) -> Iterator[Declared]:
    """The river endgame with smaller mistakes."""
    yield from _figure(lab, 4, iterations, lab.seconds)


def _figure(lab: Lab, number: int, iterations: int, seconds: float | None) -> Iterator[Declared]:
    """Run the variants on an endgame, tabulate and draw them, and judge what the source says of it."""
    endgame, reference = load_endgame(lab.folder, number), published("discounting")["subgame"][number]
    threads = os.cpu_count() or 1
    lab.begin(f"{endgame.name}: building the tree")
    game = endgame.game()
    if seconds is not None:
        iterations = _affordable(lab, game, iterations, seconds, threads)
    at = [t for t in reference[DCFR] if t <= iterations]
    runs = race(
        lab,
        endgame.name,
        ALGORITHMS,
        iterations=iterations,
        at=at,
        runner=lambda algorithm, marks: run_endgame(game, algorithm, marks, threads, lab),
    )
    caption = f"{endgame.name.capitalize()}, exploitability in mbb/g"
    yield from by_iterations(caption, runs, reference, at)
    tens = [t for t in (10, 100, 1_000, 10_000) if 1.5 * t <= iterations] + [iterations]
    yield Table(
        f"{caption}: the curves",
        ["algorithm", *(f"T = {t:,}" for t in tens)],
        [[label, *(cell(runs.at, label, t) for t in tens)] for label in ALGORITHMS],
    )
    marks = [t for t in at if t <= ROUNDING_UNTIL]
    spreads = _rounding(lab, runs, endgame, list(reference), marks, threads)
    yield Claim(
        "reference",
        f"The reference figures lie where rounding puts ours, within {TOLERANCE:.0%}, up to T = {marks[-1]:,}",
        lambda: agreement(spreads, {t: TOLERANCE for t in marks}, reference, exact=True),
    )
    yield from _claims(runs)
    yield from _claims_of_small_pots(runs) if number in (1, 3) else _claims_of_large_pots(runs)
    yield _spike(runs) if number == 2 else _floor(runs)
    yield REFERENCE_NOTE
    yield (
        "Alternating updates; exploitability is the mean of both players', by exact best responses. The engine has "
        "single precision; where regrets are nearly zero rounding decides: after 1,000 iterations single and double "
        "precision differ by up to a fifth for DCFR and LCFR, and by more for LCFR+."
    )
    title = f"Convergence in HUNL {endgame.name}"
    yield convergence(title, {endgame.name: runs}, y_label="exploitability (mbb/g)")


def run_endgame(
    game: HoldemGame, algorithm: str, marks: Sequence[int], threads: int = 1, lab: Lab | None = None
) -> Series:
    """Run a variant of CFR to the last of the iterations `marks` and measure it at each, in mbb/g; Ctrl-C ends it."""
    lab, settings = lab or Lab.silent(), make_algorithm(algorithm)
    solver, series = PublicSolver(settings, game, threads), Series(settings.name)
    seconds, batch = 0.0, 1
    with lab.stoppable():
        lab.begin(settings.name)
        for mark in marks:
            while solver.iteration < mark:
                count = min(batch, mark - solver.iteration)
                began = time.perf_counter()
                solver.step(count)
                spent = time.perf_counter() - began
                seconds += spent
                batch = max(1, int(count * BATCH_SECONDS / max(spent, 1e-6)))
                latest = f"  {series.points[-1].exploitability:.3g} mbb/g" if series.points else ""
                lab.show(solver.iteration / marks[-1], f"iteration {solver.iteration:,}{latest}")
            figure = MBB * solver.exploitability()
            series.points.append(TracePoint(mark, figure, solver.nodes_touched, seconds, solver.live_bytes))
            series.more["value"] = [MBB * float(chips) for chips in solver.values()]
    series.more |= {"iterations": solver.iteration, "seconds": seconds}
    return series


def _affordable(lab: Lab, game: HoldemGame, most: int, seconds: float, threads: int) -> int:
    """Return the iterations that all variants can run within the budget, at most `most`; say so before the work."""
    run_endgame(game, ALGORITHMS[CFR], [1], threads)  # compiles
    began = time.perf_counter()
    run = run_endgame(game, ALGORITHMS[CFR], [1, 2, 3, 4], threads)
    spent, count = run.more["seconds"], len(ALGORITHMS)
    step, measuring = spent / 4, (time.perf_counter() - began - spent) / 4
    iterations = log_spaced(max(10, min(most, int((seconds / count - MEASUREMENTS * measuring) / step))))[-1]
    lab.progress.note(
        f"{1_000 * step:.1f} ms per iteration: {count} variants to T = {iterations:,} in about "
        f"{count * (iterations * step + MEASUREMENTS * measuring):.0f} s"
    )
    return iterations


def _rounding(
    lab: Lab, runs: Runs, endgame: Endgame, labels: Sequence[str], marks: Sequence[int], threads: int
) -> Spreads:
    """Return the ranges of the figures of the race and of runs with other last bits; empty if stopped."""
    spreads = Figures(missing=STOPPED)
    with lab.stoppable():
        lab.check()
        figures = {label: {t: [runs.at(label, t)] for t in marks} for label in labels}
        for seed in range(1, ROUNDING_RUNS[len(endgame.board)]):
            lab.begin(f"{endgame.name}: rounding, run {seed}")
            game = endgame.nudged(seed).game()
            for label in labels:
                series = run_endgame(game, ALGORITHMS[label], marks, threads, lab)
                lab.check()
                for point in series.points:
                    figures[label][point.iteration].append(point.exploitability)
        for label, found in figures.items():
            spreads |= spreads_of(label, found)
    keep_spreads(lab, spreads)
    return spreads


def _compared(runs: Runs) -> Compared:
    """Compare from 100 to 1,000 iterations, or as far as a race runs that does not get there but well beyond 100."""
    first, last = WINDOW
    return Compared(runs, (first, min(runs.last, last)) if runs.last >= 2 * first else WINDOW)


def _claims(runs: Runs) -> Iterator[Claim]:
    """Yield the statements of BROWN 3.1.4 about all four endgames."""
    found = _compared(runs)
    yield from found.claims()

    def improves() -> Verdict:
        ratio = found.mean(CFR_PLUS_QUADRATIC) / found.mean(DCFR)
        return ratio >= 1.5, f"{ratio:.2f} times; {found.words(CFR_PLUS_QUADRATIC, DCFR)}"

    text = "DCFR improves on quadratic CFR+ usually by a factor of 2 or 3 (1.5 times or more)"
    yield Claim("dcfr-factor", text, improves)
    text = f"DCFR(3/2,1/2,2) performs very similarly to DCFR (within a factor of {ALIKE})"
    yield Claim("prunable-alike", text, _alike, found, DCFR_PRUNABLE, DCFR)
    text = "Asymptotically LCFR does worse than quadratic CFR+ (in the last factor of 8 its curve falls more slowly)"
    yield Claim("lcfr-asymptotic", text, _long_run, runs)


def _claims_of_small_pots(runs: Runs) -> Iterator[Claim]:
    """Yield what is said of subgames 1 and 3: a small pot, and much to lose.

    LCFR is ahead early, so the end of a short race tells too.
    """
    found, others = _compared(runs), (CFR_PLUS_QUADRATIC, DCFR)

    def verdict() -> Verdict:
        if runs.last >= found.window[1]:
            return found.below(LCFR, *others)
        figures = {label: runs.at(label, runs.last) for label in (LCFR, *others)}
        told = ", ".join(f"{label} {short(figure)}" for label, figure in figures.items())
        return figures[LCFR] < min(figures[label] for label in others), f"{told}; T = {runs.last:,}"

    text = "LCFR does particularly well where mistakes are severe: better than quadratic CFR+ and DCFR"
    yield Claim("lcfr-severe-mistakes", text, verdict)


def _claims_of_large_pots(runs: Runs) -> Iterator[Claim]:
    """Yield what is said of subgames 2 and 4."""
    text = "LCFR does not excel where mistakes are less severe: DCFR is better"
    yield Claim("lcfr-small-mistakes", text, _compared(runs).above, LCFR, DCFR)


def _floor(runs: Runs) -> Claim:
    """Return what is said of all endgames but subgame 2."""
    text = f"DCFR(3/2,-inf,2) is equally strong as DCFR (within a factor of {ALIKE})"
    return Claim("floored-alike", text, _alike, _compared(runs), DCFR_FLOORED, DCFR)


def _spike(runs: Runs) -> Claim:
    """Return what is said of subgame 2."""
    return Claim(
        "floored-spike",
        f"DCFR(3/2,-inf,2) produces a spike and DCFR does not (a rise to {ALIKE} times an earlier figure, T >= 10)",
        lambda: (
            _rise(runs, DCFR_FLOORED) >= ALIKE > _rise(runs, DCFR),
            f"they rise to {_rise(runs, DCFR_FLOORED):.2f} and {_rise(runs, DCFR):.2f} times at most",
        ),
    )


def _alike(found: Compared, label: str, other: str) -> Verdict:
    ratio = found.mean(label) / found.mean(other)
    return 1 / ALIKE <= ratio <= ALIKE, f"{ratio:.2f} times; {found.words(label, other)}"


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
