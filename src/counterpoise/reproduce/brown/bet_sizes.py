"""Brown 2020, figures 4.5 to 4.7 on Leduc: regret transfer to other bet sizes, and the bet sizes that are worth most.

CFR here visits the whole game on every iteration, where the source draws chance: curves have no noise, and CFR is ahead
of its bound by more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from counterpoise.plots import Curve, Panel
from counterpoise.reproduce.harness.racing import follow, keep, mean_points
from counterpoise.reproduce.harness.report import Claim, Declared, Figure, Figures, Lab, NotMeasured, by_row
from counterpoise.reproduce.harness.runs import Runs, RunSeries, by_iterations, convergence, log_spaced
from counterpoise.reproduce.harness.verdicts import Verdict, listed, times
from counterpoise.solvers import make_algorithm
from counterpoise.solvers.bet_sizes import (
    Ascent,
    OptimisedParameters,
    ParametricSolver,
    enumerate_family,
    make_family,
    optimise_parameters,
    sweep_parameters,
)
from counterpoise.tree import evaluate, exact

SCRATCH, UNWEIGHTED, PRINTED = "from scratch", "w = 1", "w = 0.125"
TOTAL, SMALL, SMALLEST = "w by total potential", "w = 0.01", "w by potential"
WEIGHTS: dict[str, Any] = {
    SCRATCH: 0.0,
    UNWEIGHTED: 1.0,
    PRINTED: 0.125,
    TOTAL: "total potential",
    SMALL: 0.01,
    SMALLEST: "potential",
}
OLD, NEW = (2.0, 4.0), (2.1, 4.1)
LAST_DIGIT = 1e-13
SOURCE_SCALE = 5.0
"""The average payoff U with which the source's weight of 0.125 comes out; the source does not state it."""
LATE = (10_000, 30_000, 100_000)
SECOND_SEAT = 1
"""The seat whose value the source maximises: it calls it player 1, but the first to act loses at all bets."""
COMPARED_STEP = 120
ASCENT = Ascent(iterations_per_step=100, step_size=50, decay=0.75, scale=SOURCE_SCALE)


def regret_transfer(lab: Lab, base: int = 20_000, iterations: int = 100_000, copies: int = 6) -> Iterator[Declared]:
    """Change the bets after some iterations, and let the past count by several weights.

    After a thousand iterations rounding decides where CFR goes, so figures are means of several runs, whose bets differ
    in the thirteenth digit.
    """
    known = lab.published("bet_sizes")
    marks = sorted({t for t in (*known["transfer"][SCRATCH], *log_spaced(iterations)) if t <= iterations})
    every: list[Runs] = []
    weights: list[dict[str, float]] = []
    with lab.stoppable():
        for copy in range(copies):
            lab.begin(f"run {copy + 1} of {copies}")
            old, new = (tuple(bet + copy * LAST_DIGIT for bet in bets) for bets in (OLD, NEW))
            game = enumerate_family(
                make_family("leduc_poker", ["bets[0]", "bets[1]"]), tuple(zip(old, new, strict=True))
            )
            solver = ParametricSolver(make_algorithm("cfr"), game, old)
            solver.step(base)
            weights.append(_weights(solver, new))
            every.append(Runs("leduc_poker"))
            state = solver.state()
            for label, weight in WEIGHTS.items():
                solver.restore(state)
                solver.transfer(new, weight)
                settled = solver.settle()
                settled.iteration = 0  # curves count from the change
                follow(lab, every[-1], label, settled, marks)
                lab.check()
    runs = Runs("leduc_poker")
    for label in WEIGHTS:
        if whole := [one.points(label) for one in every if label in one.series]:
            runs.series[label] = RunSeries("cfr", mean_points(whole))
    keep(lab, runs)
    means = Figures({rule: float(np.mean([one[rule] for one in weights])) for rule in (weights or [{}])[0]})
    lab.data["copies"] = {"weights": weights, "runs": [one.to_json() for one in every]}
    yield by_row(
        "Exploitability of the average in chips when the bets change, and the weight of the past by each rule",
        "",
        means,
        {"ours": (means, known["switch"] | known["weights"])},
    )
    caption = f"Exploitability at bets of 2.1 and 4.1 by new iterations, chips, means of {len(every)} runs"
    yield from by_iterations(caption, runs, known["transfer"])

    def ratios(label: str, at: Sequence[int]) -> list[float]:
        return [runs.at(label, t) / runs.at(SCRATCH, t) for t in at]

    def ahead() -> Verdict:
        found = {label: max(ratios(label, (10, 100))) for label in (UNWEIGHTED, PRINTED)}
        return max(found.values()) < 1, ", ".join(f"{label}: {times(ratio)}" for label, ratio in found.items())

    def as_good() -> Verdict:
        found = [runs.at(PRINTED, t) / runs.at(UNWEIGHTED, t) for t in (10, 100, 1_000)]
        return max(found) <= 1.05, f"{listed(found)} times at 10, 100, 1,000"

    def head_start() -> Verdict:
        saved = runs.work_to(SCRATCH, runs.at(PRINTED, 10), "iteration")
        return 0.5 <= saved / (0.125 * base) <= 2, f"{saved:,.0f} iterations, w T = {0.125 * base:,.0f}"

    def harmful() -> Verdict:
        found = ratios(UNWEIGHTED, LATE)
        return min(found) >= 1.5, f"{listed(found)} times at {listed(LATE)}"

    def harmless(label: str) -> Verdict:
        found = ratios(label, LATE)
        return max(found) <= 1.3, f"{listed(found)} times at {listed(LATE)}"

    yield Claim("transfer-ahead", ahead)
    yield Claim("weighted-as-good-early", as_good)
    yield Claim("worth-weight-times-iterations", head_start)
    yield Claim("unweighted-hurts", harmful)
    for label in (PRINTED, TOTAL):
        yield Claim("weighted-harmless", harmless, label, about=label)
    yield convergence("Regret transfer on Leduc", {"": runs})


def _weights(solver: ParametricSolver, bets: Sequence[float]) -> dict[str, float]:
    """Return how good the average is before and after the bets change, and the weight of the past by each rule."""
    change = solver.compare(bets)
    return {
        "before": solver.exploitability(),
        "after": evaluate(solver.game.at(bets), solver.average_profile()).exploitability,
        "largest valid": change.largest_valid(),
        "potential ratio": change.potential_ratio(),
        "total potential ratio": change.total_potential_ratio(),
        "change, payoff range": change.change_bound(),
        f"change, U = {SOURCE_SCALE:g}": change.change_bound(SOURCE_SCALE),
    }


def second_bet(
    lab: Lab, starts: Sequence[float] = (4, 8, 12), iterations: int = 300_000, points: int = 41
) -> Iterator[Declared]:
    """Optimise the bet of the second round for the second seat from several starts, beside an exact sweep."""
    known = lab.published("bet_sizes")["second"]
    found = _climb(lab, {f"{start:g}": (start,) for start in starts}, {"bets[1]": (0.5, 20.0)}, iterations)
    values = Figures(missing="the game with a bet of {} was not solved")
    with lab.stoppable():
        lab.check()
        grid = {"bets[1]": np.linspace(3, 13, points).tolist()}
        sweep = sweep_parameters("leduc_poker", grid, seat=SECOND_SEAT, progress=lab.progress, cancel=lab.cancel)
        values |= {bet: value for (bet,), value in zip(sweep.points, sweep.values, strict=True)}
        lab.interrupted |= sweep.interrupted
    lab.data["sweep"] = dict(values)
    yield by_row(
        f"Algorithm 3 after {iterations:,} iterations per probe, bets in chips",
        "start",
        found.starts,
        {
            "bet": (lambda start: f"{found.ends(start)[0]:.3f}", lambda start: known["reference"].get(int(start))),
            "value by LP": lambda start: f"{found.value(start):.5f}",
            "steps": lambda start: found.runs[start].steps,
            "share of restarting's iterations": found.cost,
        },
    )
    yield by_row(
        "Exact value to the second seat by the bet of the second round",
        "bet",
        sorted(values, key=values.__getitem__, reverse=True)[:5],
        {"value": lambda bet: f"{values[bet]:.5f}"},
    )

    def best_of_grid() -> Verdict:
        if len(values) < points:
            raise NotMeasured(f"{len(values)} of {points} games were solved")
        bet = max(values, key=values.__getitem__)
        return bool(bet == known["bet"]), f"{bet:g}, the best of {points}"

    def converge() -> Verdict:
        bets = [found.ends(start)[0] for start in found.starts]
        return all(abs(bet - known["bet"]) <= 0.01 for bet in bets), listed(bets, ".3f")

    def agree() -> Verdict:
        bets = [found.ends(start)[0] for start in found.starts]
        return max(bets) - min(bets) <= 0.02, listed(bets, ".3f")

    yield Claim("best-of-grid", best_of_grid)
    yield Claim("value", _near, values, known["bet"], known["value"])
    yield Claim("starts-converge", converge)
    yield Claim("starts-agree", agree)
    yield Claim("cheaper-than-restarting", _cheaper, found)
    yield found.figure("The bet of Leduc's second round", ["bets[1]"], {"published": known["bet"]})


def both_bets(
    lab: Lab, starts: Sequence[tuple[float, float]] = ((2, 4), (4, 2), (4, 8)), iterations: int = 200_000
) -> Iterator[Declared]:
    """Optimise the bets of both rounds for the second seat from several starts."""
    known = lab.published("bet_sizes")["both"]
    points = {f"({first:g}, {second:g})": (first, second) for first, second in starts}
    found = _climb(lab, points, {"bets[0]": (0.5, 20.0), "bets[1]": (0.5, 20.0)}, iterations)
    published = Figures()
    with lab.stoppable():
        published["both"] = _exact_value(known["bets"])
        published["one"] = _exact_value((2.0, lab.published("bet_sizes")["second"]["bet"]))

    def reference(start: str) -> str | None:
        return listed(known["reference"][start]) if start in known["reference"] else None

    yield by_row(
        f"Algorithm 3 after {iterations:,} iterations per probe, bets in chips",
        "start",
        found.starts,
        {
            "bets": (lambda start: listed(found.ends(start), ".3f"), reference),
            "value by LP": lambda start: f"{found.value(start):.5f}",
            "steps": lambda start: found.runs[start].steps,
        },
    )

    def converge() -> Verdict:
        ends = {start: found.ends(start) for start in found.starts}
        near = all(np.abs(np.subtract(end, known["bets"])).max() <= 0.01 for end in ends.values())
        return near, "; ".join(f"{start} to ({listed(end, '.3f')})" for start, end in ends.items())

    def reached(start: str) -> Verdict:
        return abs(found.value(start) - known["value"]) <= 0.002, f"{found.value(start):.4f} by LP"

    yield Claim("starts-converge", converge)
    yield Claim("value", _near, published, "both", known["value"])
    yield Claim("improves-on-one", lambda: (published["both"] > published["one"], listed(published.values(), ".4f")))
    for start in found.starts:
        yield Claim("value-reached", reached, start, about=f"from {start.strip('()')}")
    yield found.figure("The bets of Leduc's rounds", ["bets[0]", "bets[1]"], {})


class _Climbs:
    """Runs of Algorithm 3 by the name of their start, and the exact value of each end."""

    def __init__(self, starts: Mapping[str, Sequence[float]]) -> None:
        self.starts = list(starts)
        self.runs: dict[str, OptimisedParameters] = Figures(missing="the start at {} was not run")
        self.values: dict[str, float] = Figures(missing="the start at {} was not run")

    def ends(self, start: str) -> list[float]:
        """Return the bets at which a run ended."""
        return list(self.runs[start].parameters.values())

    def value(self, start: str) -> float:
        """Return the equilibrium value to the second seat where a run ended."""
        return self.values[start]

    def cost(self, start: str, step: int | None = None) -> float:
        """Return the iterations to a step, by default the last, as a share of those with a fresh start in each step."""
        trace = self.runs[start].trace
        last = len(trace) if step is None else step
        if not 0 < last <= len(trace):
            raise NotMeasured(f"the start at {start} was stopped before step {step}")
        return trace[last - 1].iterations / (ASCENT.iterations_per_step * last * (last + 1) / 2)

    def figure(self, title: str, names: Sequence[str], references: Mapping[str, float]) -> Figure:
        """Return a panel for each parameter: its way from every start."""
        return Figure(
            title, [Panel(self._ways(name), name, "iterations", "chips", "log", "linear", references) for name in names]
        )

    def _ways(self, name: str) -> dict[str, Curve]:
        curves = {}
        for start, run in self.runs.items():
            position = list(run.parameters).index(name)
            curves[start] = Curve([p.iterations for p in run.trace], [p.parameters[position] for p in run.trace])
        return curves


def _climb(
    lab: Lab, starts: Mapping[str, Sequence[float]], box: Mapping[str, tuple[float, float]], iterations: int
) -> _Climbs:
    """Run Algorithm 3 for the second seat from every start, with the constants of the source."""
    found = _Climbs(starts)
    with lab.stoppable():
        for label, start in starts.items():
            lab.begin(f"from {label}")
            run = optimise_parameters(
                "leduc_poker",
                box,
                seat=SECOND_SEAT,
                start=dict(zip(box, start, strict=True)),
                iterations=iterations,
                settings=ASCENT,
                progress=lab.progress,
                cancel=lab.cancel,
            )
            lab.interrupted |= run.interrupted
            lab.check()
            found.runs[label] = run
            found.values[label] = exact(run.game).value[SECOND_SEAT]
    lab.data["ends"] = {
        label: {"parameters": dict(run.parameters), "value": found.values[label], "steps": run.steps}
        for label, run in found.runs.items()
    }
    return found


def _near(values: Mapping[Any, float], key: Any, published: float) -> Verdict:
    return abs(values[key] - published) <= 0.002, f"{values[key]:.4f} by LP"


def _cheaper(found: _Climbs) -> Verdict:
    gains = [1 / found.cost(start, COMPARED_STEP) for start in found.starts]
    return min(gains) >= 5, f"{listed(gains)} times fewer"


def _exact_value(bets: Sequence[float]) -> float:
    return exact(make_family("leduc_poker", ["bets[0]", "bets[1]"]).at(bets)).value[SECOND_SEAT]
