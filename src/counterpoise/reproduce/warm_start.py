"""BROWN figures 3.9, 3.11 and 3.12: warm starts inside a run of CFR, the projection of T, and the factor lambda.

The source uses limit flop hold'em; here it is Leduc. Runs are continued from the average strategy of CFR after T0
iterations and compared with the run that went on undisturbed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from counterpoise.reproduce.base import NotMeasured, Report, Setup, Table, experiment
from counterpoise.reproduce.curves import Curves, draw_curves
from counterpoise.reproduce.race import REFERENCE_NOTE, log_spaced, measured, short
from counterpoise.solvers import TracePoint, TreeSolver, make_solver
from counterpoise.solvers.warm_start.warm_start import WarmStart, projected_iterations, warm_start
from counterpoise.tree import evaluate

LEDUC = "leduc_poker"
UNINTERRUPTED, WARM, ZERO_REGRETS, ZERO_FACTOR = "uninterrupted", "warm start", "regrets zero", "lambda = 0"

# Figure 3.9 on Leduc: exploitability after so many more iterations, by an independent computation.
RESTARTS: dict[str, dict[int, dict[str, dict[int, float]]]] = {
    "alternating": {
        100: {
            UNINTERRUPTED: {100: 0.0538, 200: 0.0355, 400: 0.0215, 900: 0.0118},
            WARM: {100: 0.0520, 200: 0.0373, 400: 0.0250, 900: 0.0132},
            ZERO_FACTOR: {100: 0.0658, 200: 0.0509, 400: 0.0288, 900: 0.0180},
            ZERO_REGRETS: {100: 0.0957, 200: 0.0601, 400: 0.0363, 900: 0.0198},
        },
        500: {UNINTERRUPTED: {500: 0.0118, 1_000: 0.0081}, WARM: {500: 0.0127, 1_000: 0.0097}},
    },
    "simultaneous": {100: {UNINTERRUPTED: {100: 0.098, 900: 0.0398}, WARM: {100: 0.104, 900: 0.0423}}},
}
PUBLISHED_T = {100: 97, 500: 490, 2_500: 2_310}
"""T to which the source warm started limit flop hold'em after so many iterations."""
# Figure 3.11 on Leduc: exploitability times T, by an independent computation.
CONSTANTS = {"iteration 10": 8.9, "geometric mean of 1 to 10": 6.3}
PRODUCTS = {100: 9.6, 500: 10.8, 1_000: 11.8}
# Figure 3.12 on Leduc with squared reach: ratio to the uninterrupted run after 500 and 1,000 more iterations.
FACTORS: dict[float, tuple[float, float | None] | None] = {
    0.0: None,
    4e-5: (1.06, 1.19),
    1e-3: (0.94, 1.06),
    0.5: (13, None),
}
PUBLISHED_FACTORS = (0.0, 0.05, 0.1, 0.5)


@experiment(
    "brown-3.9", "Warm starts inside a run of CFR, against the run undisturbed", "BROWN 3.2.5, figure 3.9", seconds=3
)
def inside_cfr(setup: Setup, report: Report, longest: int = 2_500) -> None:
    """Restarts after 100 and 500 iterations, with two controls; and the projected T of each."""
    parts: dict[str, Curves] = {}
    for updates, restarts in RESTARTS.items():
        for iterations, reference in restarts.items():
            name = f"{updates}, after {iterations}"
            parts[name] = curves = _restarts(setup, report, updates, iterations, max(reference[WARM]))
            report.data[name] = curves.to_json()
            report.tables.append(_restart_table(name, curves, reference))
    report.tables.append(_projected(report, [t for t in PUBLISHED_T if t <= longest]))
    _judge_restarts(report, parts)
    report.notes.append(REFERENCE_NOTE)
    draw_curves(setup, report, "CFR on Leduc, warm started on the way", {n: c.traces for n, c in parts.items()})


def _restarts(setup: Setup, report: Report, updates: str, iterations: int, further: int) -> Curves:
    curves, algorithm = Curves(), f"cfr(updates={updates})"
    source = make_solver(LEDUC, algorithm)
    source.step(iterations)
    marks = [*log_spaced(further), *(iterations * k for k in (1, 2, 4, 9) if iterations * k <= further), further]
    strategy = source.average
    for label, factor in ((WARM, None), (ZERO_FACTOR, 0.0)):
        solver = make_solver(LEDUC, algorithm)
        warm_start(solver, strategy, iterations=iterations, factor=factor)
        curves.follow(setup, report, label, solver, marks)
    curves.follow(setup, report, ZERO_REGRETS, _with_zero_regrets(source, algorithm), marks)
    curves.follow(setup, report, UNINTERRUPTED, source, marks)
    return curves


def _with_zero_regrets(source: TreeSolver, algorithm: str) -> TreeSolver:
    """A solver that keeps the average of another one but starts with its regrets afresh."""
    solver = make_solver(LEDUC, algorithm)
    solver.restore(solver.state() | {name: source.state()[name] for name in ("counters", "cumulative")})
    return solver


def _restart_table(name: str, curves: Curves, reference: Mapping[str, Mapping[int, float]]) -> Table:
    marks = list(reference[WARM])
    rows = []
    for label in (UNINTERRUPTED, WARM, ZERO_FACTOR, ZERO_REGRETS):
        row = [label]
        for mark in marks:
            row += [measured(curves.after, label, mark), short(reference.get(label, {}).get(mark))]
        rows.append(row)
    columns = ["run"]
    for mark in marks:
        columns += [f"+{mark:,}", "reference"]
    return Table(f"Leduc, {name} iterations of CFR: exploitability so many iterations later", columns, rows)


def _projected(report: Report, after: Sequence[int]) -> Table:
    solver = make_solver(LEDUC, "cfr")
    rows = []
    for iterations in after:
        solver.step(iterations - solver.iteration)
        exploitability = evaluate(solver.tree, solver.average_profile()).exploitability
        chosen, _ = projected_iterations(solver.settings, solver.tree, exploitability)
        report.data.setdefault("projected", {})[iterations] = chosen
        rows.append([f"{iterations:,}", short(exploitability), f"{chosen:,}", f"{PUBLISHED_T[iterations]:,}"])
    columns = ["iterations", "exploitability", "T, Leduc", "T, flop hold'em (published)"]
    return Table("T projected from ten iterations of CFR", columns, rows)


def _judge_restarts(report: Report, parts: Mapping[str, Curves]) -> None:
    def ratios(label: str, other: str) -> list[float]:
        found = []
        for name, curves in parts.items():
            updates, iterations = name.split(", after ")
            found += [
                curves.after(label, mark) / curves.after(other, mark)
                for mark in RESTARTS[updates][int(iterations)][WARM]
            ]
        return found

    report.judge(
        "Almost no difference between warm starting and not (within 25 % on Leduc)",
        lambda: (
            min(ratios(WARM, UNINTERRUPTED)) >= 0.75 and max(ratios(WARM, UNINTERRUPTED)) <= 1.25,
            f"{min(ratios(WARM, UNINTERRUPTED)):.2f} to {max(ratios(WARM, UNINTERRUPTED)):.2f} of the undisturbed run",
        ),
    )
    for control in (ZERO_FACTOR, ZERO_REGRETS):
        report.judge(
            f"The warm start is better than the control with {control}",
            lambda control=control: (  # type: ignore[misc]
                max(ratios(WARM, control)) < 1,
                f"{min(ratios(WARM, control)):.2f} to {max(ratios(WARM, control)):.2f} of it",
            ),
        )
    report.judge(
        "T projected from ten iterations is close to the iterations that were run (within a factor of 1.4)",
        lambda: _projection_verdict(report.data["projected"]),
    )


def _projection_verdict(projected: Mapping[int, int]) -> tuple[bool, str]:
    ratios = [iterations / chosen for iterations, chosen in projected.items()]
    return max(max(ratios), 1 / min(ratios)) <= 1.4, ", ".join(f"{t:,} for {i:,}" for i, t in projected.items())


@experiment(
    "brown-3.11", "Projecting the convergence of CFR from ten iterations", "BROWN 3.2.3, figure 3.11", seconds=2
)
def projection(setup: Setup, report: Report, iterations: int = 10_000) -> None:
    """c / T with c from the tenth iteration, or from the geometric mean of the first ten, beside CFR on Leduc."""
    curves = Curves()
    marks = [*range(1, 11), *PRODUCTS, *log_spaced(iterations)]
    curves.follow(setup, report, "CFR", make_solver(LEDUC, "cfr"), [t for t in marks if t <= iterations])
    products = {point.iteration: point.iteration * point.exploitability for point in curves.traces["CFR"]}
    report.data["products"] = products
    if 10 not in products:
        return
    constants = dict(
        zip(CONSTANTS, (products[10], math.exp(np.log([products[t] for t in range(1, 11)]).mean())), strict=True)
    )
    report.data["constants"] = constants
    report.tables += [
        Table(
            "c of the projection c / T on Leduc (flop hold'em, published: 10.82)",
            ["from", "ours", "reference"],
            [[name, short(constants[name]), short(figure)] for name, figure in CONSTANTS.items()],
        ),
        Table(
            "Exploitability times T on Leduc",
            ["T", "ours", "reference"],
            [[f"{t:,}", short(products.get(t)), short(PRODUCTS.get(t))] for t in (*PRODUCTS, iterations)],
        ),
    ]

    def factor(name: str, last: int) -> float:
        if last not in products:
            raise NotMeasured(f"stopped before iteration {last:,}")
        return max(
            max(products[t] / constants[name], constants[name] / products[t]) for t in products if 10 <= t <= last
        )

    def verdict(name: str, last: int, limit: float) -> Callable[[], tuple[bool, str]]:
        return lambda: (factor(name, last) <= limit, f"{factor(name, last):.2f} on Leduc")

    tenth, mean = CONSTANTS
    report.judge("c from iteration 10 is within a factor of 1.4 up to T = 1,000", verdict(tenth, 1_000, 1.4))
    report.judge("c from the mean of iterations 1 to 10 is within 1.9 up to T = 1,000", verdict(mean, 1_000, 1.9))
    report.judge("The projection is very accurate even up to 10,000 iterations (1.4)", verdict(tenth, 10_000, 1.4))
    report.notes.append(REFERENCE_NOTE)
    projected = [TracePoint(t, constants["iteration 10"] / t, 0, 0.0) for t in products]
    draw_curves(setup, report, "CFR on Leduc and its projection", {"": curves.traces | {"projection": projected}})


@experiment("brown-3.12", "How much the factor lambda matters to a warm start", "BROWN 3.2.5, figure 3.12", seconds=3)
def factors(setup: Setup, report: Report) -> None:
    """Restarts after 500 iterations of CFR with fixed factors, with the reach squared and as it is."""
    squared, plain = Curves(), Curves()
    source = make_solver(LEDUC, "cfr")
    source.step(500)
    strategy = source.average
    marks = [*log_spaced(1_000), 500, 1_000]
    chosen: dict[bool, WarmStart] = {}
    for curves, of, is_squared in ((squared, FACTORS, True), (plain, PUBLISHED_FACTORS, False)):
        for factor in (None, *of):
            solver = make_solver(LEDUC, "cfr")
            start = warm_start(solver, strategy, iterations=500, factor=factor, squared_reach=is_squared)
            if factor is None:
                chosen[is_squared] = start
            curves.follow(setup, report, _named(factor), solver, marks)
    squared.follow(setup, report, UNINTERRUPTED, source, marks)
    plain.traces[UNINTERRUPTED], plain.origins[UNINTERRUPTED] = squared.traces[UNINTERRUPTED], 500
    for curves, name, is_squared in ((squared, "squared reach", True), (plain, "reach", False)):
        report.data[name] = curves.to_json()
        report.tables.append(_factor_table(curves, name, chosen[is_squared].factor, FACTORS if is_squared else {}))

    def ratio(curves: Curves, factor: float | None, mark: int) -> float:
        return curves.after(_named(factor), mark) / curves.after(UNINTERRUPTED, mark)

    report.judge(
        "With the reach squared, lambda of 4e-5 and 1e-3 are within 20 % of the undisturbed run",
        lambda: _within([ratio(squared, factor, mark) for factor in (4e-5, 1e-3) for mark in (500, 1_000)], 1.2),
    )
    report.judge(
        "Performance degrades dramatically with lambda = 0.5 (5 times or more)",
        lambda: (
            min(ratio(curves, 0.5, 1_000) for curves in (squared, plain)) >= 5,
            f"{ratio(squared, 0.5, 1_000):.1f} times with the reach squared, {ratio(plain, 0.5, 1_000):.1f} without",
        ),
    )
    report.judge(
        "lambda = 0, 0.05 and 0.1 are virtually identical (within 25 % of the undisturbed run; reach as it is)",
        lambda: _within([ratio(plain, factor, 1_000) for factor in PUBLISHED_FACTORS[:3]], 1.25),
    )
    report.judge(
        "A factor is not transferable: 0.05, good in limit flop hold'em, is at least twice as bad as the searched one",
        lambda: (
            ratio(plain, 0.05, 1_000) >= 2 * ratio(plain, None, 1_000),
            f"{ratio(plain, 0.05, 1_000):.1f} times the undisturbed run, {ratio(plain, None, 1_000):.2f} with "
            f"lambda = {chosen[False].factor:.2g} as searched",
        ),
    )
    report.notes.append(REFERENCE_NOTE)
    draw_curves(
        setup, report, "CFR on Leduc, warm started after 500 iterations",
        {"squared reach": squared.traces, "reach": plain.traces},
    )  # fmt: skip


def _named(factor: float | None) -> str:
    return "searched" if factor is None else f"lambda = {factor:g}"


def _factor_table(
    curves: Curves, name: str, searched: float, reference: Mapping[float, tuple[float, float | None] | None]
) -> Table:
    rows = []
    for label in curves.traces:
        figures = next((pair for factor, pair in reference.items() if _named(factor) == label), None) or (None, None)
        row = [f"searched ({searched:.2g})" if label == "searched" else label]
        for mark, figure in zip((500, 1_000), figures, strict=True):
            row += [measured(curves.after, label, mark), measured(_ratio_to_rest, curves, label, mark), short(figure)]
        rows.append(row)
    columns = ["", "+500", "ratio", "reference", "+1,000", "ratio", "reference"]
    return Table(f"Leduc, {name}: exploitability and its ratio to the undisturbed run", columns, rows)


def _ratio_to_rest(curves: Curves, label: str, mark: int) -> float:
    return curves.after(label, mark) / curves.after(UNINTERRUPTED, mark)


def _within(ratios: Sequence[float], limit: float) -> tuple[bool, str]:
    return max(ratios) <= limit, "ratios " + ", ".join(f"{ratio:.2f}" for ratio in ratios)
