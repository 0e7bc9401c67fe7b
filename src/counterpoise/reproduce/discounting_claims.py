"""What BROWN 3.1.4 says of discounting on hold'em endgames, each statement judged by our curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from counterpoise.reproduce.base import NotMeasured, Report, Setup
from counterpoise.reproduce.endgames import Endgame, run_endgame
from counterpoise.reproduce.race import Race, short
from counterpoise.reproduce.rounding import Spread
from counterpoise.reproduce.variants import (
    CFR_PLUS_QUADRATIC,
    DCFR,
    DCFR_FLOORED,
    DCFR_PRUNABLE,
    LCFR,
    VARIANTS,
    WINDOW,
    Window,
    compared,
    judge_variants,
    typical,
)

ALIKE = 1.5
"""Two curves whose means lie within this factor are called similar; a rise by this factor is called a spike."""
LONG = 4_096
"""Iterations from which on a curve shows how it behaves in the long run."""
TOLERANCE = 0.05
"""How far a reference figure may lie outside what rounding does to ours."""
ROUNDING_RUNS = {4: 2, 5: 4}
"""Runs that differ in rounding only, by the cards on the board: the tree of a turn takes long to build."""
ROUNDING_UNTIL = 1_000

Reference = Mapping[str, Sequence[float]]


def judge_every_endgame(report: Report, contest: Race) -> None:
    """The statements about all four endgames."""
    window = _window(contest)
    judge_variants(report, contest, window)
    report.judge(
        "DCFR improves on quadratic CFR+ usually by a factor of 2 or 3 (1.5 times or more)",
        lambda: (
            typical(contest, CFR_PLUS_QUADRATIC, window) >= 1.5 * typical(contest, DCFR, window),
            f"{typical(contest, CFR_PLUS_QUADRATIC, window) / typical(contest, DCFR, window):.2f} times; "
            + compared(contest, CFR_PLUS_QUADRATIC, DCFR, window=window),
        ),
    )
    report.judge(
        f"DCFR(3/2,1/2,2) performs very similarly to DCFR (within a factor of {ALIKE})",
        lambda: _alike(contest, DCFR_PRUNABLE, DCFR),
    )
    report.judge(
        "Asymptotically LCFR does worse than quadratic CFR+ (in the last factor of 8 its curve falls more slowly)",
        lambda: _long_run(contest),
    )


def judge_costly_mistakes(report: Report, contest: Race) -> None:
    """Subgames 1 and 3: a small pot, and much to lose. LCFR is ahead early, so the end of a short race tells too."""
    window = _window(contest)
    others = (CFR_PLUS_QUADRATIC, DCFR)

    def verdict() -> tuple[bool, str]:
        if (last := _last(contest)) >= window[1]:
            ahead = typical(contest, LCFR, window) < min(typical(contest, label, window) for label in others)
            return ahead, compared(contest, LCFR, *others, window=window)
        figures = {label: contest.at(label, last) for label in (LCFR, *others)}
        told = ", ".join(f"{label} {short(figure)}" for label, figure in figures.items())
        return figures[LCFR] < min(figures[label] for label in others), f"{told}; T = {last:,}"

    report.judge("LCFR does particularly well where mistakes are severe: better than quadratic CFR+ and DCFR", verdict)


def judge_smaller_mistakes(report: Report, contest: Race) -> None:
    """Subgames 2 and 4: a large pot."""
    window = _window(contest)
    report.judge(
        "LCFR does not excel where mistakes are less severe: DCFR is better",
        lambda: (
            typical(contest, LCFR, window) > typical(contest, DCFR, window),
            compared(contest, LCFR, DCFR, window=window),
        ),
    )


def judge_floor(report: Report, contest: Race) -> None:
    """All endgames but subgame 2."""
    report.judge(
        f"DCFR(3/2,-inf,2) is equally strong as DCFR (within a factor of {ALIKE})",
        lambda: _alike(contest, DCFR_FLOORED, DCFR),
    )


def judge_spike(report: Report, contest: Race) -> None:
    """Subgame 2."""
    report.judge(
        f"DCFR(3/2,-inf,2) produces a spike and DCFR does not (a rise to {ALIKE} times an earlier figure, T >= 10)",
        lambda: (
            _rise(contest, DCFR_FLOORED) >= ALIKE > _rise(contest, DCFR),
            f"they rise to {_rise(contest, DCFR_FLOORED):.2f} and {_rise(contest, DCFR):.2f} times at most",
        ),
    )


def judge_reference(
    setup: Setup,
    report: Report,
    contest: Race,
    endgame: Endgame,
    at: Sequence[int],
    reference: Reference,
    threads: int,
) -> None:
    """Whether the reference lies where rounding puts our figures, up to 1,000 iterations."""
    marks = [t for t in at if t <= ROUNDING_UNTIL]
    spreads = _spreads(setup, report, contest, endgame, list(reference), marks, threads)
    report.data["rounding"] = {
        label: {t: spread._asdict() for t, spread in found.items()} for label, found in spreads.items()
    }
    report.judge(
        f"The reference figures lie where rounding puts ours, within {TOLERANCE:.0%}, up to T = {marks[-1]:,}",
        lambda: _agreement(spreads, marks, reference),
    )


def _spreads(
    setup: Setup,
    report: Report,
    contest: Race,
    endgame: Endgame,
    labels: Sequence[str],
    marks: Sequence[int],
    threads: int,
) -> dict[str, dict[int, Spread]]:
    """Per variant and iteration the figures of the race and of runs with other last bits; empty if stopped."""
    if report.interrupted:
        return {}
    figures = {label: {t: [contest.at(label, t)] for t in marks} for label in labels}
    for seed in range(1, ROUNDING_RUNS[len(endgame.board)]):
        setup.live.begin(f"{endgame.name}: rounding, run {seed}")
        tree = endgame.nudged(seed).tree()
        for label in labels:
            run = run_endgame(tree, VARIANTS[label], marks, setup.live, threads)
            if run.interrupted:
                report.interrupted = True
                return {}
            for point in run.trace:
                figures[label][point.iteration].append(point.exploitability)
    return {label: {t: Spread(min(own), max(own)) for t, own in found.items()} for label, found in figures.items()}


def _agreement(
    spreads: Mapping[str, Mapping[int, Spread]], marks: Sequence[int], reference: Reference
) -> tuple[bool, str]:
    if not spreads:
        raise NotMeasured("stopped before the rounding runs ended")
    outside = []
    for label, figures in reference.items():
        for t, figure in zip(marks, figures, strict=False):
            found = spreads[label][t]
            if not found.holds(figure, TOLERANCE):
                outside.append(
                    f"{label} at {t:,}: {short(found.low)} to {short(found.high)}, reference {short(figure)}"
                )
    cells = len(marks) * len(reference)
    return not outside, "; ".join([f"{cells - len(outside)} of {cells}", *outside])


def _last(contest: Race) -> int:
    """The iteration that all curves reach."""
    return min((run.trace[-1].iteration for run in contest.runs.values() if run.trace), default=0)


def _window(contest: Race) -> Window:
    """From 100 to 1,000 iterations, or as far as a race goes that does not get there but well beyond 100."""
    first, last = WINDOW
    return (first, min(_last(contest), last)) if _last(contest) >= 2 * first else WINDOW


def _alike(contest: Race, label: str, other: str) -> tuple[bool, str]:
    window = _window(contest)
    ratio = typical(contest, label, window) / typical(contest, other, window)
    return 1 / ALIKE <= ratio <= ALIKE, f"{ratio:.2f} times; {compared(contest, label, other, window=window)}"


def _long_run(contest: Race) -> tuple[bool, str]:
    last = contest.trace(LCFR)[-1].iteration
    if last < 8 * LONG:
        raise NotMeasured(f"needs {8 * LONG:,} iterations")
    slow, fast = (contest.slope(label, last // 8, last) for label in (LCFR, CFR_PLUS_QUADRATIC))
    ends = " and ".join(short(contest.at(label, last)) for label in (LCFR, CFR_PLUS_QUADRATIC))
    return slow > fast, f"slopes {slow:.2f} and {fast:.2f} on log-log axes; at T = {last:,} {ends} mbb/g"


def _rise(contest: Race, label: str) -> float:
    """How far a curve climbs above the lowest figure before, as a factor; from iteration 10 on."""
    lowest, rise = float("inf"), 1.0
    for point in contest.trace(label):
        if point.iteration >= 10:
            lowest = min(lowest, point.exploitability)
            rise = max(rise, point.exploitability / lowest)
    return rise
