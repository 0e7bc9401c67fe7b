"""The variants of BROWN 3.1 on Leduc and Leduc-5: figures for comparing implementations.

The text gives no numbers for these games, so ours stand beside an independent computation. How closely two
implementations can agree at all is measured too: see `counterpoise.reproduce.rounding`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from counterpoise.reproduce.base import NotMeasured, Report, Setup, Table, experiment
from counterpoise.reproduce.race import REFERENCE_NOTE, Race, draw, measured, race, short, side_by_side
from counterpoise.reproduce.rounding import Spread, rounding_spread
from counterpoise.reproduce.variants import (
    CFR,
    CFR_LINEAR,
    CFR_PLUS,
    CFR_PLUS_QUADRATIC,
    DCFR,
    DCFR_FLOORED,
    DCFR_PRUNABLE,
    LCFR,
    LCFR_PLUS,
    RM_PLUS,
    VARIANTS,
    judge_variants,
)

LEDUC_AT = (10, 100, 1_000, 4_096)
LEDUC = {
    CFR: (0.8886, 0.0957, 0.0118, 0.00413),
    CFR_PLUS: (0.610, 0.0134, 2.42e-4, 1.73e-5),
    CFR_PLUS_QUADRATIC: (0.529, 0.0121, 1.53e-4, 6.5e-6),
    RM_PLUS: (0.827, 0.0686, 0.00694, 0.0017),
    LCFR: (0.721, 0.0345, 0.00528, 0.00195),
    LCFR_PLUS: (0.806, 0.0348, 0.00239, 5.7e-4),
    DCFR: (0.779, 0.00776, 1.61e-4, 1.66e-5),
    DCFR_FLOORED: (0.625, 0.0076, 1.53e-4, 1.32e-5),
    DCFR_PRUNABLE: (0.662, 0.0188, 3.87e-4, 8.1e-5),
    CFR_LINEAR: (0.741, 0.133, 0.0804, 0.0349),
}
LEDUC5_AT = (10, 100, 512, 1_000)
LEDUC5 = {
    CFR: (2.52, 0.366, 0.0858, 0.0463),
    CFR_PLUS: (1.68, 0.143, 0.0112, 0.00329),
    CFR_PLUS_QUADRATIC: (1.56, 0.118, 0.00579, 0.00168),
    RM_PLUS: (2.28, 0.315, 0.0658, 0.034),
    LCFR: (2.24, 0.282, 0.0499, 0.0294),
    LCFR_PLUS: (2.13, 0.234, 0.0473, 0.0211),
    DCFR: (2.16, 0.112, 0.00533, 0.00216),
    DCFR_FLOORED: (1.97, 0.115, 0.0067, 0.00241),
    DCFR_PRUNABLE: (2.15, 0.135, 0.00721, 0.00288),
    CFR_LINEAR: (2.37, 0.457, 0.139, 0.076),
}
SIMULTANEOUS = {CFR: 0.0398, CFR_PLUS: 0.00688, DCFR: 0.00793}
TOLERANCE = {10: 0.02, 100: 0.05, 512: 0.25, 1_000: 0.25}
"""How far a figure may lie outside what rounding does to ours, by iteration."""


@experiment("leduc-benchmark", "Ten variants of CFR on Leduc", "BROWN 2.4.1, 3.1", seconds=4)
def leduc(setup: Setup, report: Report) -> None:
    """Leduc to 4,096 iterations, alternating and simultaneous updates."""
    contest = race(setup, report, "leduc_poker", VARIANTS, iterations=LEDUC_AT[-1], at=LEDUC_AT)
    report.tables += side_by_side("Leduc, exploitability in antes", contest, LEDUC_AT, LEDUC)
    both = race(
        setup,
        report,
        "leduc_poker",
        {f"{label}, simultaneous": f"{VARIANTS[label]}(updates=simultaneous)" for label in SIMULTANEOUS},
        iterations=1_000,
    )
    report.tables.append(
        Table(
            "Leduc, exploitability after 1,000 iterations by updates",
            ["algorithm", "alternating", "simultaneous", "reference"],
            [
                [
                    label,
                    measured(contest.at, label, 1_000),
                    measured(both.at, f"{label}, simultaneous", 1_000),
                    short(figure),
                ]
                for label, figure in SIMULTANEOUS.items()
            ],
        )
    )
    _compare_rounding(setup, report, contest, LEDUC, {10: 10, 100: 10, 1_000: 10})
    judge_variants(report, contest)
    report.judge(
        "Alternating updates beat simultaneous ones: CFR by 2, CFR+ by 10 times or more",
        lambda: _ratios(
            (both.at(f"{CFR}, simultaneous", 1_000) / contest.at(CFR, 1_000), 2),
            (both.at(f"{CFR_PLUS}, simultaneous", 1_000) / contest.at(CFR_PLUS, 1_000), 10),
        ),
    )
    report.notes.append(REFERENCE_NOTE)
    draw(setup, report, "Variants of CFR on Leduc", {"Leduc": contest})


@experiment("leduc5-benchmark", "Ten variants of CFR on Leduc-5", "BROWN 2.4.1, 3.1", seconds=35)
def leduc5(setup: Setup, report: Report, iterations: int = LEDUC5_AT[-1]) -> None:
    """Leduc-5 to 1,000 iterations."""
    contest = race(setup, report, "leduc5", VARIANTS, iterations=iterations, at=LEDUC5_AT)
    report.tables += side_by_side("Leduc-5, exploitability in chips", contest, LEDUC5_AT, LEDUC5)
    _compare_rounding(setup, report, contest, LEDUC5, {10: 8, 100: 8, 512: 3})
    judge_variants(report, contest)
    report.judge(
        "At 512 iterations DCFR is 1.5 times better than linear CFR+ and 7 times better than CFR",
        lambda: _ratios(
            (contest.at(CFR_PLUS, 512) / contest.at(DCFR, 512), 1.5), (contest.at(CFR, 512) / contest.at(DCFR, 512), 7)
        ),
    )
    report.notes.append(REFERENCE_NOTE)
    draw(setup, report, "Variants of CFR on Leduc-5", {"Leduc-5": contest})


def _compare_rounding(
    setup: Setup, report: Report, contest: Race, reference: Mapping[str, Sequence[float]], runs: Mapping[int, int]
) -> None:
    at = list(runs)
    spreads = {label: rounding_spread(setup, report, contest, label, runs) for label in reference}
    report.data["rounding"] = {
        label: {t: spread._asdict() for t, spread in found.items()} for label, found in spreads.items()
    }
    last = at[-1]
    report.tables.append(
        Table(
            f"What rounding alone changes at T = {last:,}: {runs[last]} runs, payoffs differing in the last bit",
            ["algorithm", "lowest", "highest", "reference"],
            [
                [
                    label,
                    measured(_end, spreads[label], last, "low"),
                    measured(_end, spreads[label], last, "high"),
                    short(figures[at.index(last)]),
                ]
                for label, figures in reference.items()
            ],
        )
    )
    tolerances = ", ".join(f"{TOLERANCE[t]:.0%} at {t:,}" for t in at)
    report.judge(
        f"The reference figures lie where rounding puts ours, within {tolerances} iterations",
        lambda: _agreement(spreads, at, reference),
    )


def _end(spread: Mapping[int, Spread], iteration: int, end: str) -> float:
    if iteration not in spread:
        raise NotMeasured("stopped before the rounding runs ended")
    return float(getattr(spread[iteration], end))


def _agreement(
    spreads: Mapping[str, Mapping[int, Spread]], at: Sequence[int], reference: Mapping[str, Sequence[float]]
) -> tuple[bool, str]:
    outside = []
    for label, figures in reference.items():
        for t, figure in zip(at, figures, strict=False):
            if t not in spreads[label]:
                raise NotMeasured("stopped before the rounding runs ended")
            if not spreads[label][t].holds(figure, TOLERANCE[t]):
                outside.append(f"{label} at {t:,}")
    cells = len(at) * len(reference)
    return not outside, f"{cells - len(outside)} of {cells}" + (f"; not {', '.join(outside)}" if outside else "")


def _ratios(*pairs: tuple[float, float]) -> tuple[bool, str]:
    return all(ratio >= wanted for ratio, wanted in pairs), " and ".join(f"{ratio:.3g} times" for ratio, _ in pairs)
