"""Brown 2020, figure 3.10: solve a coarse abstraction by sampling, then continue in the game itself from its strategy.

The source abstracts limit flop hold'em into 5,000 buckets. Here it is Leduc with six different cards, in which the
abstraction does not tell jack from queen, nor suits; a player does see whether it holds a pair. Work is measured in
histories touched: those of the abstract run are part of the warm start.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from counterpoise.games import CoarseGame, Game, load
from counterpoise.games.leduc import LeducPoker
from counterpoise.reproduce.harness.racing import follow
from counterpoise.reproduce.harness.report import Claim, Declared, Lab, Table
from counterpoise.reproduce.harness.runs import Runs, RunSeries, convergence, log_spaced
from counterpoise.reproduce.harness.states import states_by_infoset
from counterpoise.reproduce.harness.verdicts import Verdict, short
from counterpoise.solvers import TracePoint, make_solver
from counterpoise.solvers.warm_start.warm_start import FITTED_ITERATIONS, lift, warm_start
from counterpoise.tree import Strategy, enumerate_game, evaluate, exact, exploitability
from counterpoise.tree.kernels.layouts import FloatArray

FINE = "leduc_poker(merge_suits=False)"
CFR, ABSTRACT, WARM, HALF = "CFR", "MCCFR, abstract", "CFR from MCCFR", "CFR from MCCFR, T/2"
MILLIONS = (0.2, 0.3, 0.5, 1.0, 2.0, 5.0)
NOISE = 0.01
"""Probability of playing evenly in place of the equilibrium, for the strategy given away in the second part."""
GIVEN = "CFR, warm start"


def without_jacks_and_suits(game: LeducPoker) -> dict[str, str]:
    """Return what the abstraction makes of every label: it leaves out suits, reads Q for J and marks a pair by "="."""
    coarse = {}
    for (player, label), state in states_by_infoset(game).items():
        own, board = game.private(state, player), state.board
        seen = [_seen(event) + "=" * (event[0] == own[0]) if event == board else event for event in game.public(state)]
        coarse[label] = f"{_seen(own)}:{'.'.join(seen)}"
    return coarse


def _seen(card: str) -> str:
    return card[0].replace("J", "Q")


def coarse_to_fine(lab: Lab, seeds: int = 8, iterations: int = 400, budget: int = 160_000) -> Iterator[Declared]:
    """Run CFR, MCCFR in the abstraction, and CFR warm started from it after `budget` histories; then a gift."""
    fine, cold = LeducPoker(merge_suits=False), Runs(FINE)
    coarse = without_jacks_and_suits(fine)
    follow(lab, cold, CFR, make_solver(fine, "cfr"), {*range(1, 21), *log_spaced(iterations, 20), iterations})
    if lab.interrupted:
        return
    constant = FITTED_ITERATIONS * cold.at(CFR, FITTED_ITERATIONS)
    last = cold.end(CFR).nodes_touched
    runs: dict[str, list[list[TracePoint]]] = {ABSTRACT: [], WARM: [], HALF: []}
    started = []
    with lab.stoppable():
        lab.begin(f"{ABSTRACT}, and warm starts from it")
        for seed in range(seeds):
            points, given, touched = _abstract(fine, coarse, seed, budget, last)
            runs[ABSTRACT].append(points)
            for label, share in ((WARM, 1.0), (HALF, 0.5)):
                worth = max(1, round(share * constant / exploitability(fine, given)))
                runs[label].append(_continued(fine, given, worth, touched, last))
            started.append((touched, exploitability(fine, given)))
            lab.show((seed + 1) / seeds, f"seed {seed + 1} of {seeds}")
    if runs[HALF]:
        yield from _compare(lab, cold, runs, started)
    yield from _gift(lab)


def _abstract(
    fine: Game, coarse: Mapping[str, str], seed: int, budget: int, last: int
) -> tuple[list[TracePoint], Strategy, int]:
    """Return the run in the abstraction, judged in the game itself, and its strategy after `budget` histories."""
    solver = make_solver(CoarseGame(fine, coarse.__getitem__), "es-mccfr", seed=seed)
    points: list[TracePoint] = []
    given, touched = None, 0
    while solver.nodes_touched < last or given is None:
        solver.step(max(100, solver.iteration // 8))
        lifted = lift(solver.average, fine, coarse.__getitem__)
        points.append(TracePoint(solver.iteration, exploitability(fine, lifted), solver.nodes_touched, 0.0))
        if given is None and solver.nodes_touched >= budget:
            given, touched = lifted, solver.nodes_touched
    return points, given, touched


def _continued(fine: Game, given: Strategy, worth: int, touched: int, last: int) -> list[TracePoint]:
    """Run CFR from the strategy until as many histories are touched as the cold run touches in all."""
    solver = make_solver(fine, "cfr")
    warm_start(solver, given, iterations=worth)
    points = []
    while True:
        figure = evaluate(solver.tree, solver.average_profile()).exploitability
        points.append(TracePoint(solver.iteration, figure, touched + solver.nodes_touched, 0.0))
        if points[-1].nodes_touched >= last:
            return points
        solver.step(max(1, (solver.iteration - worth) // 20))


def _compare(
    lab: Lab, cold: Runs, runs: dict[str, list[list[TracePoint]]], started: list[tuple[int, float]]
) -> Iterator[Declared]:
    done = len(runs[HALF])
    first = max(points[0].nodes_touched for points in runs[WARM])
    last = min(points[-1].nodes_touched for own in (*runs.values(), [cold.points(CFR)]) for points in own)
    work = np.geomspace(first, last, 60)
    means = {CFR: _at(work, cold.points(CFR))}
    for label, own in runs.items():
        means[label] = np.exp(np.mean(np.log([_at(work, points) for points in own[:done]]), axis=0))
    lab.data |= {"histories": work.tolist(), "means": {label: row.tolist() for label, row in means.items()}}
    shown = [m for m in MILLIONS if first <= 1e6 * m <= last]
    yield Table(
        f"Leduc with six cards: exploitability by millions of histories touched, mean of {done} seeds",
        ["", *(f"{m:g} M" for m in shown)],
        [[label, *(float(np.interp(1e6 * m, work, row)) for m in shown)] for label, row in means.items()],
    )
    best = np.minimum(means[CFR], means[ABSTRACT])

    def against(one: str, other: str, place: int) -> str:
        return f"{short(means[one][place])} against {short(means[other][place])} at"

    def overtakes() -> Verdict:
        told = f"{against(ABSTRACT, CFR, 0)} {first / 1e6:.2f} M, {against(ABSTRACT, CFR, -1)} {last / 1e6:.1f} M"
        return means[ABSTRACT][0] < means[CFR][0] / 1.5 and means[CFR][-1] < means[ABSTRACT][-1] / 2, told

    yield Claim("abstraction-early-cfr-late", overtakes)
    yield Claim("combines-both", _never_worse, means[WARM] / best, work)
    yield Claim("combines-both-half", _never_worse, means[HALF] / best, work)
    ends = f"{against(HALF, WARM, -1)} {last / 1e6:.1f} M"
    yield Claim("half-forgotten-sooner", lambda: (means[HALF][-1] < means[WARM][-1], ends))
    yield (
        f"The warm starts come after {np.mean([touched for touched, _ in started]):,.0f} histories in the abstraction, "
        f"at an exploitability of {np.mean([figure for _, figure in started]):.3f} on average. T is projected from the "
        "first ten iterations of the CFR curve, whose histories are not counted again."
    )
    cold.series |= {label: RunSeries(label, own[0]) for label, own in runs.items()}
    yield convergence("Leduc with six cards, one seed", {"": cold}, "nodes_touched", thin=False)


def _at(work: FloatArray, points: Sequence[TracePoint]) -> FloatArray:
    """Return the exploitability after touching a given number of histories, interpolated on log-log axes."""
    touched = np.log([point.nodes_touched for point in points])
    return np.asarray(np.exp(np.interp(np.log(work), touched, np.log([point.exploitability for point in points]))))


def _never_worse(ratios: FloatArray, work: FloatArray) -> Verdict:
    worst = int(ratios.argmax())
    return ratios[worst] <= 1.1, f"at most {ratios[worst]:.2f} times, at {work[worst] / 1e6:.2f} M histories"


def _gift(lab: Lab, iterations: int = 1_000) -> Iterator[Declared]:
    """Run CFR on Leduc from an equilibrium computed elsewhere, slightly disturbed; all its overhead counted."""
    tree = enumerate_game(load("leduc_poker"))
    noisy = (1 - NOISE) * exact("leduc_poker").strategy.probabilities + NOISE * Strategy.uniform(tree).probabilities
    runs, marks = Runs("leduc_poker"), log_spaced(iterations)
    solver = make_solver("leduc_poker", "cfr")
    start = warm_start(solver, Strategy(tree.name, tree.table, noisy))
    follow(lab, runs, GIVEN, solver, [0, *marks])
    follow(lab, runs, CFR, make_solver("leduc_poker", "cfr"), [*marks, iterations + 100])
    lab.data["gift"] = runs.to_json()
    if lab.interrupted:
        return
    work = np.array([point.nodes_touched for point in runs.points(GIVEN)], dtype=np.float64)
    warm, cold = _at(work, runs.points(GIVEN)), _at(work, runs.points(CFR))
    shown = [0, *(marks.index(mark) + 1 for mark in (10, 100, 1_000))]
    yield Table(
        f"Leduc, CFR from an equilibrium with {NOISE:.0%} of even play (T = {start.iterations:,}) at equal work",
        ["histories touched", *(f"{work[k]:,.0f}" for k in shown)],
        [[GIVEN, *warm[shown]], [CFR, *cold[shown]]],
    )

    def better() -> Verdict:
        told = f"{cold[0] / warm[0]:.0f} times better at the start, {cold[-1] / warm[-1]:.2f} times after 1,000 more"
        return bool((warm < cold).all() and (warm < cold / 2)[work <= 4e5].all()), told

    yield Claim("gift-better", better)
