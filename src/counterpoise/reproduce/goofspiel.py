"""BROWN figure 3.5: discounting variants on five-card Goofspiel."""

from __future__ import annotations

from counterpoise.reproduce.base import Report, Setup, experiment
from counterpoise.reproduce.race import REFERENCE_NOTE, draw, race, short, side_by_side
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
    compared,
    judge_variants,
    typical,
)

GAME = "goofspiel"  # five cards, ascending prizes, bids shown: the version of BROWN 3.1.3
ITERATIONS = 8_192
CHECKPOINTS = (10, 100, 512, 1_000)
REFERENCE = {
    CFR: (1.53, 0.219, 0.0534, 0.0307),
    CFR_PLUS: (1.22, 0.0668, 0.0110, 0.0065),
    CFR_PLUS_QUADRATIC: (1.26, 0.0795, 0.0165, 0.0083),
    LCFR: (1.90, 0.146, 0.0806, 0.0582),
    LCFR_PLUS: (1.51, 0.0988, 0.0136, 0.0155),
    DCFR: (1.53, 0.0581, 0.0149, 0.0090),
    DCFR_FLOORED: (1.32, 0.0643, 0.0143, 0.0079),
    DCFR_PRUNABLE: (1.70, 0.108, 0.0247, 0.0112),
}


@experiment("brown-3.5-goofspiel", "Discounting variants on five-card Goofspiel", "BROWN 3.1.4, figure 3.5", seconds=60)
def goofspiel(setup: Setup, report: Report, iterations: int = ITERATIONS) -> None:
    """All variants for as many iterations as the source; claims judged between 100 and 1,000 as the text asks."""
    variants = {label: VARIANTS[label] for label in REFERENCE}
    contest = race(setup, report, GAME, variants, iterations=iterations, at=CHECKPOINTS)
    report.tables += side_by_side("Goofspiel-5, exploitability in points", contest, CHECKPOINTS, REFERENCE)

    report.judge(
        "DCFR is essentially identical to quadratic CFR+ (0.5 to 1.5 times)",
        lambda: (
            0.5 <= typical(contest, DCFR) / typical(contest, CFR_PLUS_QUADRATIC) <= 1.5,
            compared(contest, DCFR, CFR_PLUS_QUADRATIC),
        ),
    )
    report.judge(
        "LCFR does poorly (at 1,000 iterations twice as exploitable as DCFR, or worse)",
        lambda: (
            contest.at(LCFR, 1_000) >= 2 * contest.at(DCFR, 1_000),
            f"{short(contest.at(LCFR, 1_000))} against {short(contest.at(DCFR, 1_000))}",
        ),
    )
    report.judge(
        "DCFR(3/2,1/2,2) does noticeably worse than DCFR (1.1 times or more)",
        lambda: (
            typical(contest, DCFR_PRUNABLE) >= 1.1 * typical(contest, DCFR),
            compared(contest, DCFR_PRUNABLE, DCFR),
        ),
    )
    report.judge(
        "DCFR(3/2,-inf,2) is equally strong as DCFR (within a factor of 1.5)",
        lambda: (
            2 / 3 <= typical(contest, DCFR_FLOORED) / typical(contest, DCFR) <= 1.5,
            compared(contest, DCFR_FLOORED, DCFR),
        ),
    )
    judge_variants(report, contest)
    report.notes.append(REFERENCE_NOTE)
    report.notes.append(
        "Goofspiel is full of ties, in which rounding decides: single figures of two implementations differ by up to "
        "half after 100 iterations and more later, so the claims are judged by means over a window."
    )
    draw(setup, report, "Convergence in five-card Goofspiel", {GAME: contest})
