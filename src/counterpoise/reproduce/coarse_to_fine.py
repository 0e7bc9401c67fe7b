"""BROWN figure 3.10: solve a coarse abstraction by sampling, then go on in the game itself from its strategy.

The source abstracts limit flop hold'em into 5,000 buckets. Here it is Leduc with six different cards, in which the
abstraction does not tell jack from queen, nor suits; a player does see whether it holds a pair. Work is measured in
histories touched: those of the abstract run are part of the warm start.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from counterpoise.games import CoarseGame, Game, load
from counterpoise.reproduce.base import Report, Setup, Table, experiment
from counterpoise.reproduce.curves import Curves, draw_curves
from counterpoise.reproduce.race import log_spaced, short
from counterpoise.solvers import TracePoint, make_solver
from counterpoise.solvers.warm_start.warm_start import FITTED_ITERATIONS, lift, warm_start
from counterpoise.tree import Strategy, enumerate_game, evaluate, exact, exploitability
from counterpoise.tree.kernels.layouts import FloatArray

FINE = "leduc_poker(merge_suits=False)"
CFR, ABSTRACT, WARM, HALF = "CFR", "MCCFR, abstract", "CFR from MCCFR", "CFR from MCCFR, T/2"
MILLIONS = (0.2, 0.3, 0.5, 1.0, 2.0, 5.0)
NOISE = 0.01
"""Probability of playing evenly in place of the equilibrium, for the strategy given away in the second part."""
COLD, GIVEN = "CFR", "CFR, warm start"


def jack_or_queen(label: str) -> str:
    """What the abstraction leaves of a label such as "Jh:rc/Qs:r": no suits, Q for J, "=" if the cards pair.

    >>> jack_or_queen("Jh:rc/Qs:r"), jack_or_queen("Qh:rc/Qs:r"), jack_or_queen("Kh:")
    ('Q:rc/Q:r', 'Q:rc/Q=:r', 'K:')
    """
    first, *second = label.split("/")
    own, betting = first.split(":")
    parts = [f"{_seen(own)}:{betting}"]
    for later in second:
        board, betting = later.split(":")
        parts.append(f"{_seen(board)}{'=' if board[0] == own[0] else ''}:{betting}")
    return "/".join(parts)


def _seen(card: str) -> str:
    return card[0].replace("J", "Q")


@experiment("brown-3.10", "From a coarse abstraction to the whole game", "BROWN 3.2.5, figure 3.10", seconds=30)
def coarse_to_fine(setup: Setup, report: Report, seeds: int = 8, iterations: int = 400, budget: int = 160_000) -> None:
    """CFR, MCCFR in the abstraction, and CFR warm started from it after `budget` histories; then a gift."""
    fine = load(FINE)
    curves = Curves()
    marks = sorted({*range(1, 21), *log_spaced(iterations, 20), iterations})
    curves.follow(setup, report, CFR, make_solver(fine, "cfr"), marks)
    if report.interrupted:
        return
    constant = FITTED_ITERATIONS * curves.after(CFR, FITTED_ITERATIONS)
    runs: dict[str, list[list[TracePoint]]] = {ABSTRACT: [], WARM: [], HALF: []}
    started = []
    setup.live.begin(f"{ABSTRACT}, and warm starts from it")
    try:
        for seed in range(seeds):
            last = curves.traces[CFR][-1].nodes_touched
            trace, given, touched = _abstract(fine, seed, budget, last)
            runs[ABSTRACT].append(trace)
            for label, share in ((WARM, 1.0), (HALF, 0.5)):
                worth = max(1, round(share * constant / exploitability(fine, given)))
                runs[label].append(_continued(fine, given, worth, touched, last))
            started.append((touched, exploitability(fine, given)))
            setup.live.show((seed + 1) / seeds, f"seed {seed + 1} of {seeds}")
    except KeyboardInterrupt:
        report.interrupted = True
    _report(setup, report, curves, runs, started)
    _gift(setup, report)


def _abstract(fine: Game, seed: int, budget: int, last: int) -> tuple[list[TracePoint], Strategy, int]:
    """The run in the abstraction, judged in the game itself, and its strategy after `budget` histories."""
    solver = make_solver(CoarseGame(fine, jack_or_queen), "es-mccfr", seed=seed)
    trace: list[TracePoint] = []
    given, touched = None, 0
    while solver.nodes_touched < last or given is None:
        solver.step(max(100, solver.iteration // 8))
        lifted = lift(solver.average, fine, jack_or_queen)
        trace.append(TracePoint(solver.iteration, exploitability(fine, lifted), solver.nodes_touched, 0.0))
        if given is None and solver.nodes_touched >= budget:
            given, touched = lifted, solver.nodes_touched
    return trace, given, touched


def _continued(fine: Game, given: Strategy, worth: int, touched: int, last: int) -> list[TracePoint]:
    """CFR from the strategy until as many histories are touched as the cold run touches in all."""
    solver = make_solver(fine, "cfr")
    warm_start(solver, given, iterations=worth)
    trace = []
    while True:
        figure = evaluate(solver.tree, solver.average_profile()).exploitability
        trace.append(TracePoint(solver.iteration, figure, touched + solver.nodes_touched, 0.0))
        if trace[-1].nodes_touched >= last:
            return trace
        solver.step(max(1, (solver.iteration - worth) // 20))


def _report(
    setup: Setup,
    report: Report,
    curves: Curves,
    runs: dict[str, list[list[TracePoint]]],
    started: list[tuple[int, float]],
) -> None:
    if not runs[HALF]:
        return
    done = len(runs[HALF])
    first = max(trace[0].nodes_touched for trace in runs[WARM])
    last = min(trace[-1].nodes_touched for traces in runs.values() for trace in traces)
    last = min(last, curves.traces[CFR][-1].nodes_touched)
    work = np.geomspace(first, last, 60)
    means = {CFR: _at(work, curves.traces[CFR])}
    means |= {label: _mean([_at(work, trace) for trace in traces[:done]]) for label, traces in runs.items()}
    report.data |= {"histories": work.tolist(), "means": {label: row.tolist() for label, row in means.items()}}
    shown = [m for m in MILLIONS if first <= 1e6 * m <= last]
    report.tables.append(
        Table(
            f"Leduc with six cards: exploitability by millions of histories touched, mean of {done} seeds",
            ["", *(f"{m:g} M" for m in shown)],
            [[label, *(short(float(np.interp(1e6 * m, work, row))) for m in shown)] for label, row in means.items()],
        )
    )
    best = np.minimum(means[CFR], means[ABSTRACT])
    report.judge(
        "Sampling in the abstraction improves quickly and levels off; CFR is slow and overtakes it",
        lambda: (
            means[ABSTRACT][0] < means[CFR][0] / 1.5 and means[CFR][-1] < means[ABSTRACT][-1] / 2,
            f"{short(means[ABSTRACT][0])} against {short(means[CFR][0])} at {first / 1e6:.2f} M, "
            f"{short(means[ABSTRACT][-1])} against {short(means[CFR][-1])} at {last / 1e6:.1f} M",
        ),
    )
    for label, text in ((WARM, "projected from ten iterations"), (HALF, "half of that")):
        report.judge(
            f"The warm start combines the benefits of both (1.1 times the better one at most); T {text}",
            lambda label=label: _never_worse(means[label] / best, work),  # type: ignore[misc]
        )
    report.judge(
        "A strategy that counts for half as many iterations is forgotten sooner, which pays in the long run",
        lambda: (
            bool(means[HALF][-1] < means[WARM][-1]),
            f"{short(means[HALF][-1])} against {short(means[WARM][-1])} at {last / 1e6:.1f} M",
        ),
    )
    mean_start = float(np.mean([touched for touched, _ in started]))
    report.notes.append(
        f"The warm starts come after {mean_start:,.0f} histories in the abstraction, at an exploitability of "
        f"{np.mean([figure for _, figure in started]):.3f} on average. T is projected from the first ten iterations of "
        "the CFR curve, whose histories are not counted again."
    )
    drawn = {CFR: curves.traces[CFR]} | {label: traces[0] for label, traces in runs.items()}
    draw_curves(setup, report, "Leduc with six cards, one seed", {"": drawn}, nodes=True)


def _at(work: FloatArray, trace: Sequence[TracePoint]) -> FloatArray:
    """Exploitability after so many histories touched, interpolated on log-log axes."""
    touched = np.log([point.nodes_touched for point in trace])
    return np.asarray(np.exp(np.interp(np.log(work), touched, np.log([point.exploitability for point in trace]))))


def _mean(rows: Sequence[FloatArray]) -> FloatArray:
    return np.asarray(np.exp(np.mean(np.log(rows), axis=0)))


def _never_worse(ratios: FloatArray, work: FloatArray) -> tuple[bool, str]:
    worst = int(ratios.argmax())
    return bool(ratios[worst] <= 1.1), f"at most {ratios[worst]:.2f} times, at {work[worst] / 1e6:.2f} M histories"


def _gift(setup: Setup, report: Report, iterations: int = 1_000) -> None:
    """CFR on Leduc from an equilibrium that somebody else computed, slightly disturbed; all its overhead counted."""
    tree = enumerate_game(load("leduc_poker"))
    noisy = (1 - NOISE) * exact("leduc_poker").strategy.probabilities + NOISE * Strategy.uniform(tree).probabilities
    curves = Curves()
    marks = log_spaced(iterations)
    solver = make_solver("leduc_poker", "cfr")
    start = warm_start(solver, Strategy(tree.name, tree.table, noisy))
    curves.follow(setup, report, GIVEN, solver, [0, *marks])
    curves.follow(setup, report, COLD, make_solver("leduc_poker", "cfr"), [*marks, iterations + 100])
    report.data["gift"] = curves.to_json()
    if report.interrupted:
        return
    work = np.array([point.nodes_touched for point in curves.traces[GIVEN]], dtype=np.float64)
    warm, cold = _at(work, curves.traces[GIVEN]), _at(work, curves.traces[COLD])
    shown = [0, *(marks.index(mark) + 1 for mark in (10, 100, 1_000))]
    report.tables.append(
        Table(
            f"Leduc, CFR from an equilibrium with {NOISE:.0%} of even play (T = {start.iterations:,}) at equal work",
            ["histories touched", *(f"{work[k]:,.0f}" for k in shown)],
            [[GIVEN, *(short(warm[k]) for k in shown)], [COLD, *(short(cold[k]) for k in shown)]],
        )
    )
    report.judge(
        "From a good strategy CFR is clearly better than from scratch at equal work on Leduc",
        lambda: (
            bool((warm < cold).all() and (warm < cold / 2)[work <= 4e5].all()),
            f"{cold[0] / warm[0]:.0f} times better at the start, {cold[-1] / warm[-1]:.2f} times after 1,000 more",
        ),
    )
