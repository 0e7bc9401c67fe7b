"""BROWN 3.2.2 and figure 3.8: what goes wrong without regrets, and a warm start on every iteration.

The naive start plays the given strategy on the first iteration and forgets it on the second. The other extreme,
regret-free CFR, sets the regrets anew from the average on every iteration and follows CFR closely.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from counterpoise.games.matrix import Matrix
from counterpoise.reproduce.harness.experiment import Lab, experiment
from counterpoise.reproduce.harness.published import REFERENCE_NOTE, published
from counterpoise.reproduce.harness.racing import follow
from counterpoise.reproduce.harness.report import Claim, Declared, Figures, Table, Verdict, cell, short
from counterpoise.reproduce.harness.runs import Runs, Series, convergence, log_spaced
from counterpoise.solvers import TracePoint, TreeSolver, make_algorithm, make_solver
from counterpoise.solvers.warm_start.warm_start import warm_start
from counterpoise.tree import Strategy, enumerate_game, evaluate
from counterpoise.tree.kernels.sequence_form import realisation_weights

EXAMPLE = Matrix(row_payoffs=((1, 0), (0, 2)))
START = {"P1": {"r1": 0.67, "r2": 0.33}, "P2": {"c1": 0.67, "c2": 0.33}}
COLD, NAIVE, WARM = "CFR", "naive start", "warm start"
CFR, REGRET_FREE, ALTERNATING = "CFR, simultaneous", "regret-free CFR", "CFR, alternating"
ALGORITHMS = {CFR: "cfr(updates=simultaneous)", REGRET_FREE: "regret-free-cfr", ALTERNATING: "cfr"}
SHOWN = (1, 2, 10, 100, 1_000)


@experiment("brown-3.2-naive", "Starting from a strategy without setting regrets", "BROWN 3.2.2", seconds=1)
def naive(lab: Lab) -> Iterator[Declared]:
    """Both players near the equilibrium of [[1, 0], [0, 2]], and what the next iterations make of it."""
    tree = enumerate_game(EXAMPLE)
    strategy = Strategy.from_mapping(tree, START)
    solvers = {label: make_solver(EXAMPLE, ALGORITHMS[CFR]) for label in (COLD, NAIVE, WARM)}
    play_first(solvers[NAIVE], strategy)
    start = warm_start(solvers[WARM], strategy)
    first, second = (slice(int(low) + 1, int(low) + 3) for low in tree.form.first_sequence[:2])
    solvers[NAIVE].step()
    regrets = solvers[NAIVE].state()["regrets"]
    current = {label: solver.current_profile() for label, solver in solvers.items()}
    solvers[NAIVE].step()
    found = [regrets[first], regrets[second], solvers[NAIVE].state()["regrets"][first]]
    lab.data["regrets"] = [pair.tolist() for pair in found]
    lab.data["second iteration"] = {label: profile[first].tolist() for label, profile in current.items()}
    yield Table(
        "Regrets of the naive start; both players begin with (0.67, 0.33), the equilibrium is (2/3, 1/3)",
        ["", "ours", "published"],
        [
            [name, _pair(ours), _pair(theirs)]
            for ours, (name, theirs) in zip(found, published("regret_free")["published"].items(), strict=True)
        ],
    )
    runs = Runs("[[1, 0], [0, 2]]")
    solvers[NAIVE] = make_solver(EXAMPLE, ALGORITHMS[CFR])
    play_first(solvers[NAIVE], strategy)
    for label, solver in solvers.items():
        follow(lab, runs, label, solver, log_spaced(1_000))
    lab.data["curves"] = runs.to_json()
    yield Table(
        "Player 1's strategy after the start, and exploitability afterwards",
        ["", "second strategy", *(f"+{mark:,}" for mark in SHOWN)],
        [[n, _pair(current[n][first]), *(cell(runs.after, n, mark) for mark in SHOWN)] for n in solvers],
    )
    yield Claim(
        "leaves-equilibrium",
        "After one iteration the players leave the equilibrium for (1, 0) and (0, 1)",
        lambda: (
            np.array_equal(np.r_[current[NAIVE][first], current[NAIVE][second]], [1, 0, 0, 1]),
            f"{_pair(current[NAIVE][first])} and {_pair(current[NAIVE][second])}",
        ),
    )
    yield Claim(
        "naive-no-better",
        "The naive start is no better than starting from scratch (half its exploitability or more after 100)",
        lambda: (
            runs.after(NAIVE, 100) >= 0.5 * runs.after(COLD, 100),
            f"exploitability {short(runs.after(NAIVE, 100))} against {short(runs.after(COLD, 100))} after 100",
        ),
    )
    yield Claim(
        "warm-better",
        "With substitute regrets CFR does not overshoot (half the exploitability from scratch or less after 100)",
        lambda: (
            runs.after(WARM, 100) <= 0.5 * runs.after(COLD, 100),
            f"{short(runs.after(WARM, 100))} against {short(runs.after(COLD, 100))}; T = {start.iterations:,}",
        ),
    )
    yield "The printed 0.0023 is 0.67 - 2/3 = 0.0033 with a digit misprinted."
    yield convergence("[[1, 0], [0, 2]] from near the equilibrium", {"": runs}, thin=False)


def play_first(solver: TreeSolver, strategy: Strategy) -> None:
    """Make a fresh solver play the strategy on its first iteration, with regrets of zero: the naive start."""
    profile = strategy.on(solver.tree)
    reach = np.ones_like(profile)
    for player in range(solver.tree.players):
        realisation_weights(solver.tree.form, player, profile, reach)
    solver.restore(solver.state() | {"strategy": profile, "reach": reach})


def _pair(numbers: Any) -> str:
    return "(" + ", ".join(f"{number:.4f}" for number in numbers) + ")"


@experiment("brown-3.8", "Regret-free CFR on random matrix games", "BROWN 3.2.5, figure 3.8", seconds=25)
def regret_free(lab: Lab, games: int = 64, iterations: int = 1_024, size: int = 100) -> Iterator[Declared]:
    """Means over games whose payoffs are drawn evenly from [-1, 1]."""
    reference = published("regret_free")["reference"]
    powers = [t for t in reference[CFR] if t <= iterations]
    marks = sorted({t for t in (*powers, *log_spaced(iterations)) if t <= iterations})
    found: list[dict[tuple[str, int], float]] = []
    with lab.stoppable():
        lab.begin(f"{games} games of {size} x {size}")
        for game in range(games):
            table = np.random.default_rng(game).uniform(-1, 1, (size, size))
            tree = enumerate_game(Matrix(row_payoffs=table))  # type: ignore[arg-type]
            figures = {}
            for label, name in ALGORITHMS.items():
                solver = make_algorithm(name).on(tree)
                for t in marks:
                    solver.step(t - solver.iteration)
                    figures[label, t] = evaluate(tree, solver.average_profile()).exploitability
            found.append(figures)
            lab.show((game + 1) / games, f"game {game + 1} of {games}")
    means = Figures(missing="stopped before the first game was done")
    for key in found[0] if found else ():
        means[key] = float(np.mean([figures[key] for figures in found]))
    by_label = {label: {t: means[label, t] for t in marks if (label, t) in means} for label in ALGORITHMS}
    lab.data |= {"games": len(found), "means": by_label}
    rows: list[Sequence[str | float | None]] = []
    for label, figures in reference.items():
        rows += [[label, *(means.get((label, t)) for t in powers)], ["  reference", *(figures[t] for t in powers)]]
    yield Table(f"Mean exploitability, {len(found)} games of {size} x {size}", ["T", *(f"{t:,}" for t in powers)], rows)
    yield Claim(
        "like-cfr",
        "Warm starting on every iteration is virtually identical to CFR (within 8 %)",
        lambda: _near([means[REGRET_FREE, t] / means[CFR, t] for t in powers], 0.08),
    )
    yield Claim(
        "reference",
        "Ours are the reference figures (within 8 %; other random games)",
        lambda: _near([means[label, t] / reference[label][t] for label in reference for t in powers], 0.08),
    )
    yield REFERENCE_NOTE
    points = {label: [TracePoint(t, mean, 0, 0.0) for t, mean in own.items()] for label, own in by_label.items()}
    runs = Runs("", series={label: Series(ALGORITHMS[label], own) for label, own in points.items()})
    yield convergence(f"Random {size} x {size} matrix games", {"": runs}, thin=False)


def _near(ratios: Sequence[float], tolerance: float) -> Verdict:
    worst = max(ratios, key=lambda ratio: abs(ratio - 1))
    return abs(worst - 1) <= tolerance, f"the farthest ratio is {worst:.3f}"
