"""BROWN figures 3.9, 3.11 and 3.12: warm starts inside a run of CFR, the projection of T, and the factor lambda.

The source uses limit flop hold'em; here it is Leduc. Runs are continued from the average strategy of CFR after T0
iterations and compared with the run that went on undisturbed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from counterpoise.reproduce.harness.experiment import Lab, experiment
from counterpoise.reproduce.harness.published import REFERENCE_NOTE, published
from counterpoise.reproduce.harness.racing import follow
from counterpoise.reproduce.harness.report import Claim, Declared, Figures, Table, Verdict, beside, cell, listed
from counterpoise.reproduce.harness.runs import Runs, Series, convergence, log_spaced
from counterpoise.solvers import TracePoint, TreeSolver, make_solver
from counterpoise.solvers.warm_start.warm_start import WarmStart, projected_iterations, warm_start
from counterpoise.tree import evaluate

LEDUC = "leduc_poker"
UNINTERRUPTED, WARM, ZERO_REGRETS, ZERO_FACTOR = "uninterrupted", "warm start", "regrets zero", "lambda = 0"
PUBLISHED_FACTORS = (0.0, 0.05, 0.1, 0.5)


@experiment(
    "brown-3.9", "Warm starts inside a run of CFR, against the run undisturbed", "BROWN 3.2.5, figure 3.9", seconds=3
)
def inside_cfr(lab: Lab, longest: int = 2_500) -> Iterator[Declared]:
    """Restarts after 100 and 500 iterations, with two controls; and the projected T of each."""
    known, parts = published("warm_start"), dict[str, Runs]()
    pairs: list[tuple[Runs, int]] = []
    for updates, restarts in known["restarts"].items():
        for iterations, reference in restarts.items():
            name, marks = f"{updates}, after {iterations}", reference[WARM]
            parts[name] = runs = _restarts(lab, updates, iterations, max(marks))
            pairs += [(runs, mark) for mark in marks]
            lab.data[name] = _rows(runs)
            yield from beside(
                f"Leduc, {name} iterations of CFR: exploitability so many iterations later",
                "run",
                (UNINTERRUPTED, WARM, ZERO_FACTOR, ZERO_REGRETS),
                {mark: f"+{mark:,}" for mark in marks},
                runs.after,
                reference,
                per_table=4,
            )
    projected, rows = lab.data.setdefault("projected", {}), []
    solver = make_solver(LEDUC, "cfr")
    for iterations, other in known["published_t"].items():
        if iterations <= longest:
            solver.step(iterations - solver.iteration)
            exploitability = evaluate(solver.tree, solver.average_profile()).exploitability
            projected[iterations], _ = projected_iterations(solver.settings, solver.tree, exploitability)
            rows.append([iterations, exploitability, projected[iterations], other])
    columns = ["iterations", "exploitability", "T, Leduc", "T, flop hold'em (published)"]
    yield Table("T projected from ten iterations of CFR", columns, rows)

    def ratios(label: str, other: str) -> list[float]:
        return [runs.after(label, mark) / runs.after(other, mark) for runs, mark in pairs]

    yield Claim(
        "like-undisturbed",
        "Almost no difference between warm starting and not (within 25 % on Leduc)",
        lambda: (
            min(ratios(WARM, UNINTERRUPTED)) >= 0.75 and max(ratios(WARM, UNINTERRUPTED)) <= 1.25,
            f"{_range(ratios(WARM, UNINTERRUPTED))} of the undisturbed run",
        ),
    )

    def better(control: str) -> Verdict:
        return max(ratios(WARM, control)) < 1, f"{_range(ratios(WARM, control))} of it"

    for id, control in (("better-than-zero-factor", ZERO_FACTOR), ("better-than-zero-regrets", ZERO_REGRETS)):
        yield Claim(id, f"The warm start is better than the control with {control}", better, control)
    text = "T projected from ten iterations is close to the iterations that were run (within a factor of 1.4)"
    yield Claim("projected-t", text, _close, projected)
    yield REFERENCE_NOTE
    yield convergence("CFR on Leduc, warm started on the way", parts, thin=False)


def _restarts(lab: Lab, updates: str, iterations: int, further: int) -> Runs:
    runs, algorithm = Runs(LEDUC), f"cfr(updates={updates})"
    source = make_solver(LEDUC, algorithm)
    source.step(iterations)
    marks = [*log_spaced(further), *(iterations * k for k in (1, 2, 4, 9) if iterations * k <= further), further]
    strategy = source.average
    for label, factor in ((WARM, None), (ZERO_FACTOR, 0.0)):
        solver = make_solver(LEDUC, algorithm)
        warm_start(solver, strategy, iterations=iterations, factor=factor)
        follow(lab, runs, label, solver, marks)
    follow(lab, runs, ZERO_REGRETS, _with_zero_regrets(source, algorithm), marks)
    follow(lab, runs, UNINTERRUPTED, source, marks)
    return runs


def _with_zero_regrets(source: TreeSolver, algorithm: str) -> TreeSolver:
    """Return a solver that keeps the average of another one but starts with its regrets afresh."""
    solver = make_solver(LEDUC, algorithm)
    solver.restore(solver.state() | {name: source.state()[name] for name in ("counters", "cumulative")})
    return solver


def _rows(runs: Runs) -> dict[str, list[list[float]]]:
    """Return iteration, exploitability and histories touched of every point."""
    return {
        label: [[p.iteration, p.exploitability, p.nodes_touched] for p in s.points] for label, s in runs.series.items()
    }


def _range(ratios: Sequence[float]) -> str:
    return f"{min(ratios):.2f} to {max(ratios):.2f}"


def _close(projected: Mapping[int, int]) -> Verdict:
    ratios = [iterations / chosen for iterations, chosen in projected.items()]
    return max(max(ratios), 1 / min(ratios)) <= 1.4, ", ".join(f"{t:,} for {i:,}" for i, t in projected.items())


@experiment(
    "brown-3.11", "Projecting the convergence of CFR from ten iterations", "BROWN 3.2.3, figure 3.11", seconds=2
)
def projection(lab: Lab, iterations: int = 10_000) -> Iterator[Declared]:
    """c / T with c from the tenth iteration, or from the geometric mean of the first ten, beside CFR on Leduc."""
    known, runs = published("warm_start"), Runs(LEDUC)
    marks = [*range(1, 11), *known["products"], *log_spaced(iterations)]
    follow(lab, runs, "CFR", make_solver(LEDUC, "cfr"), [t for t in marks if t <= iterations])
    products = Figures({point.iteration: point.iteration * point.exploitability for point in runs.points("CFR")})
    lab.data["products"] = dict(products)
    if 10 not in products:
        return
    tenth, mean = known["constants"]
    constants = {tenth: products[10], mean: math.exp(np.log([products[t] for t in range(1, 11)]).mean())}
    lab.data["constants"] = constants
    yield Table(
        "c of the projection c / T on Leduc (flop hold'em, published: 10.82)",
        ["from", "ours", "reference"],
        [[name, constants[name], figure] for name, figure in known["constants"].items()],
    )
    yield Table(
        "Exploitability times T on Leduc",
        ["T", "ours", "reference"],
        [[t, products.get(t), known["products"].get(t)] for t in (*known["products"], iterations)],
    )

    def within(name: str, last: int, limit: float) -> Verdict:
        runs.at("CFR", last)
        ratios = [products[t] / constants[name] for t in products if 10 <= t <= last]
        factor = max(max(ratio, 1 / ratio) for ratio in ratios)
        return factor <= limit, f"{factor:.2f} on Leduc"

    text = "c from iteration 10 is within a factor of 1.4 up to T = 1,000"
    yield Claim("tenth", text, within, tenth, 1_000, 1.4)
    text = "c from the mean of iterations 1 to 10 is within 1.9 up to T = 1,000"
    yield Claim("mean", text, within, mean, 1_000, 1.9)
    text = "The projection is very accurate even up to 10,000 iterations (1.4)"
    yield Claim("tenth-long", text, within, tenth, 10_000, 1.4)
    yield REFERENCE_NOTE
    runs.series["projection"] = Series("", [TracePoint(t, constants[tenth] / t, 0, 0.0) for t in products])
    yield convergence("CFR on Leduc and its projection", {"": runs}, thin=False)


@experiment("brown-3.12", "How much the factor lambda matters to a warm start", "BROWN 3.2.5, figure 3.12", seconds=3)
def factors(lab: Lab) -> Iterator[Declared]:
    """Restarts after 500 iterations of CFR with fixed factors, with the reach squared and as it is."""
    squared, plain, reference = Runs("squared reach"), Runs("reach"), published("warm_start")["factors"]
    source = make_solver(LEDUC, "cfr")
    source.step(500)
    strategy, marks = source.average, [*log_spaced(1_000), 500, 1_000]
    chosen: dict[str, WarmStart] = {}
    fitted = [float(label.removeprefix("lambda = ")) for label in reference]
    for runs, fixed in ((squared, fitted), (plain, PUBLISHED_FACTORS)):
        for factor in (None, *fixed):
            solver = make_solver(LEDUC, "cfr")
            start = warm_start(solver, strategy, iterations=500, factor=factor, squared_reach=runs is squared)
            if factor is None:
                chosen[runs.game] = start
            follow(lab, runs, _named(factor), solver, marks)
    follow(lab, squared, UNINTERRUPTED, source, marks)
    plain.series[UNINTERRUPTED] = squared.series[UNINTERRUPTED]

    def ratio(runs: Runs, factor: float | str | None, mark: int = 1_000) -> float:
        label = factor if isinstance(factor, str) else _named(factor)
        return runs.after(label, mark) / runs.after(UNINTERRUPTED, mark)

    for runs in (squared, plain):
        lab.data[runs.game] = _rows(runs)
        rows = []
        for label in runs.series:
            known = reference.get(label, {}) if runs is squared else {}
            row: list[str | float | None] = [
                f"searched ({chosen[runs.game].factor:.2g})" if label == "searched" else label
            ]
            for mark in (500, 1_000):
                row += [cell(runs.after, label, mark), cell(ratio, runs, label, mark), known.get(mark)]
            rows.append(row)
        columns = ["", "+500", "ratio", "reference", "+1,000", "ratio", "reference"]
        yield Table(f"Leduc, {runs.game}: exploitability and its ratio to the undisturbed run", columns, rows)
    yield Claim(
        "small-factors",
        "With the reach squared, lambda of 4e-5 and 1e-3 are within 20 % of the undisturbed run",
        lambda: _within([ratio(squared, factor, mark) for factor in (4e-5, 1e-3) for mark in (500, 1_000)], 1.2),
    )
    yield Claim(
        "large-factor",
        "Performance degrades dramatically with lambda = 0.5 (5 times or more)",
        lambda: (
            min(ratio(runs, 0.5) for runs in (squared, plain)) >= 5,
            f"{ratio(squared, 0.5):.1f} times with the reach squared, {ratio(plain, 0.5):.1f} without",
        ),
    )
    yield Claim(
        "published-factors",
        "lambda = 0, 0.05 and 0.1 are virtually identical (within 25 % of the undisturbed run; reach as it is)",
        lambda: _within([ratio(plain, factor) for factor in PUBLISHED_FACTORS[:3]], 1.25),
    )
    yield Claim(
        "not-transferable",
        "A factor is not transferable: 0.05, good in limit flop hold'em, is at least twice as bad as the searched one",
        lambda: (
            ratio(plain, 0.05) >= 2 * ratio(plain, None),
            f"{ratio(plain, 0.05):.1f} times the undisturbed run, {ratio(plain, None):.2f} with "
            f"lambda = {chosen['reach'].factor:.2g} as searched",
        ),
    )
    yield REFERENCE_NOTE
    title = "CFR on Leduc, warm started after 500 iterations"
    yield convergence(title, {"squared reach": squared, "reach": plain}, thin=False)


def _named(factor: float | None) -> str:
    return "searched" if factor is None else f"lambda = {factor:g}"


def _within(ratios: Sequence[float], limit: float) -> Verdict:
    return max(ratios) <= limit, f"ratios {listed(ratios, '.2f')}"
