"""BROWN figures 3.1 to 3.4: discounting variants of CFR on four no-limit hold'em endgames that Libratus met.

The source draws curves to 32,768 iterations and prints no numbers; ours stand beside an independent computation.
The river endgames run that far. The turn endgames run as far as a time budget allows, all variants equally far:
``--seconds 900`` draws longer curves.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

from counterpoise.public import HoldemTree
from counterpoise.reproduce.base import Report, Setup, Table, experiment
from counterpoise.reproduce.discounting_claims import (
    Reference,
    judge_costly_mistakes,
    judge_every_endgame,
    judge_floor,
    judge_reference,
    judge_smaller_mistakes,
    judge_spike,
)
from counterpoise.reproduce.endgames import load_endgame, run_endgame
from counterpoise.reproduce.race import REFERENCE_NOTE, Race, draw, log_spaced, measured, race, side_by_side
from counterpoise.reproduce.variants import (
    CFR,
    CFR_PLUS,
    CFR_PLUS_QUADRATIC,
    DCFR,
    DCFR_FLOORED,
    DCFR_PRUNABLE,
    LCFR,
    LCFR_PLUS,
    VARIANTS,
)

ITERATIONS = 32_768
TURN_SECONDS = 100.0
"""What the variants may take together on a turn endgame unless told otherwise."""
MEASUREMENTS = 25
"""Along one curve, about."""
RIVER_AT = (1, 10, 100, 1_000, 4_096, 8_192)
SUBGAME_3: Reference = {
    CFR: (28_635, 7_096, 854, 94.9, 24.6, 12.4),
    CFR_PLUS: (28_635, 2_773, 240, 22.0, 3.35, 1.17),
    CFR_PLUS_QUADRATIC: (28_635, 2_132, 222, 19.0, 2.42, 0.818),
    LCFR: (28_635, 2_680, 110, 3.15, 0.413, 0.186),
    LCFR_PLUS: (28_635, 3_770, 292, 96.3, 12.7, 4.47),
    DCFR: (28_635, 1_688, 153, 6.11, 0.741, 0.234),
    DCFR_FLOORED: (28_635, 1_514, 160, 6.07, 0.708, 0.232),
    DCFR_PRUNABLE: (28_635, 1_887, 153, 4.83, 0.546, 0.193),
}
SUBGAME_4: Reference = {
    CFR: (41_195, 13_042, 1_497, 156, 39.1, 19.9),
    CFR_PLUS: (41_195, 6_690, 312, 6.49, 0.731, 0.314),
    CFR_PLUS_QUADRATIC: (41_195, 5_343, 236, 3.90, 0.454, 0.239),
    LCFR: (41_195, 6_859, 178, 5.11, 1.24, 0.734),
    LCFR_PLUS: (41_195, 9_645, 591, 65.9, 19.1, 6.6),
    DCFR: (41_195, 8_642, 120, 2.27, 0.232, 0.108),
    DCFR_FLOORED: (41_195, 7_149, 111, 2.31, 0.255, 0.103),
    DCFR_PRUNABLE: (41_195, 6_306, 133, 2.31, 0.254, 0.102),
}
SUBGAME_2_AT = (1, 10, 32, 64, 100)
SUBGAME_2: Reference = {
    CFR_PLUS_QUADRATIC: (39_465, 10_134, 1_813, 577, 306),
    DCFR: (39_465, 10_055, 1_375, 495, 203),
    LCFR: (39_465, 10_032, 1_912, 679, 366),
}
SUBGAME_1_AT = (1, 10, 16, 32, 64)
SUBGAME_1: Reference = {
    CFR_PLUS_QUADRATIC: (32_312, 3_510, 2_049, 1_147, 543),
    DCFR: (32_312, 3_867, 3_044, 1_334, 584),
    LCFR: (32_312, 4_262, 2_219, 821, 318),
}
LABELS = tuple(SUBGAME_3)


@experiment(
    "brown-3.1-subgame-1",
    "Discounting variants on a hold'em turn, $500 pot",
    "BROWN 3.1.4, figure 3.1",
    seconds=150,
    budget=True,
)
def subgame1(setup: Setup, report: Report, iterations: int = ITERATIONS) -> None:
    """The turn endgame with many costly mistakes, as far as the time allows."""
    contest = _figure(setup, report, 1, SUBGAME_1_AT, SUBGAME_1, iterations, setup.seconds or TURN_SECONDS)
    judge_costly_mistakes(report, contest)
    judge_floor(report, contest)


@experiment(
    "brown-3.2-subgame-2",
    "Discounting variants on a hold'em turn, $4,780 pot",
    "BROWN 3.1.4, figure 3.2",
    seconds=120,
    budget=True,
)
def subgame2(setup: Setup, report: Report, iterations: int = ITERATIONS) -> None:
    """The turn endgame on which the source sees a spike of DCFR(3/2,-inf,2), as far as the time allows."""
    contest = _figure(setup, report, 2, SUBGAME_2_AT, SUBGAME_2, iterations, setup.seconds or TURN_SECONDS)
    judge_smaller_mistakes(report, contest)
    judge_spike(report, contest)


@experiment(
    "brown-3.3-subgame-3",
    "Discounting variants on a hold'em river, $500 pot",
    "BROWN 3.1.4, figure 3.3",
    seconds=110,
    budget=True,
)
def subgame3(setup: Setup, report: Report, iterations: int = ITERATIONS) -> None:
    """The river endgame with many costly mistakes."""
    contest = _figure(setup, report, 3, RIVER_AT, SUBGAME_3, iterations, setup.seconds)
    judge_costly_mistakes(report, contest)
    judge_floor(report, contest)


@experiment(
    "brown-3.4-subgame-4",
    "Discounting variants on a hold'em river, $3,750 pot",
    "BROWN 3.1.4, figure 3.4",
    seconds=65,
    budget=True,
)
def subgame4(setup: Setup, report: Report, iterations: int = ITERATIONS) -> None:
    """The river endgame with smaller mistakes."""
    contest = _figure(setup, report, 4, RIVER_AT, SUBGAME_4, iterations, setup.seconds)
    judge_smaller_mistakes(report, contest)
    judge_floor(report, contest)


def _figure(
    setup: Setup,
    report: Report,
    number: int,
    at: Sequence[int],
    reference: Reference,
    iterations: int,
    seconds: float | None,
) -> Race:
    """Run the variants, tabulate and draw them, and judge what the source says of every endgame."""
    endgame = load_endgame(setup.data, number)
    threads = os.cpu_count() or 1
    setup.live.begin(f"{endgame.name}: building the tree")
    tree = endgame.tree()
    if seconds is not None:
        iterations = _affordable(setup, tree, iterations, seconds, threads)
    contest = race(
        setup,
        report,
        endgame.name,
        {label: VARIANTS[label] for label in LABELS},
        iterations=iterations,
        at=at,
        runner=lambda algorithm, marks: run_endgame(tree, algorithm, marks, setup.live, threads),
    )
    reached = [t for t in at if t <= iterations]
    known = {label: figures[: len(reached)] for label, figures in reference.items()}
    caption = f"{endgame.name.capitalize()}, exploitability in mbb/g"
    report.tables += side_by_side(caption, contest, reached, known)
    report.tables.append(_whole_curves(caption, contest, iterations))
    judge_reference(setup, report, contest, endgame, reached, known, threads)
    judge_every_endgame(report, contest)
    report.notes.append(REFERENCE_NOTE)
    report.notes.append(
        "Alternating updates; exploitability is the mean of both players', by exact best responses. The engine has "
        "single precision; where regrets are nearly zero rounding decides: after 1,000 iterations single and double "
        "precision differ by up to a fifth for DCFR and LCFR, and by more for LCFR+."
    )
    draw(
        setup, report, f"Convergence in HUNL {endgame.name}", {endgame.name: contest}, y_label="exploitability (mbb/g)"
    )
    return contest


def _whole_curves(caption: str, contest: Race, iterations: int) -> Table:
    """All variants at powers of ten and at the end."""
    at = [t for t in (10, 100, 1_000, 10_000) if 1.5 * t <= iterations] + [iterations]
    rows = [[label, *(measured(contest.at, label, t) for t in at)] for label in LABELS]
    return Table(f"{caption}: the curves", ["algorithm", *(f"T = {t:,}" for t in at)], rows)


def _affordable(setup: Setup, tree: HoldemTree, most: int, seconds: float, threads: int) -> int:
    """Iterations that all variants can run within the budget, at most `most`; says so before the work begins."""
    run_endgame(tree, VARIANTS[CFR], [1], threads=threads)  # compiles
    began = time.perf_counter()
    run = run_endgame(tree, VARIANTS[CFR], [1, 2, 3, 4], threads=threads)
    step, measuring = run.seconds / 4, (time.perf_counter() - began - run.seconds) / 4
    share = seconds / len(LABELS) - MEASUREMENTS * measuring
    iterations = log_spaced(max(10, min(most, int(share / step))))[-1]
    setup.live.note(
        f"{1_000 * step:.1f} ms per iteration: {len(LABELS)} variants to T = {iterations:,} in about "
        f"{len(LABELS) * (iterations * step + MEASUREMENTS * measuring):.0f} s"
    )
    return iterations
