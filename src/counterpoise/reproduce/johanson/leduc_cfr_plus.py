"""Johanson 2016, chapter 9: does the current strategy of CFR+ converge as its average does? On Leduc and Kuhn.

Limit hold'em was solved with the current strategy; the average had turned out more exploitable and was discarded.
"""

from __future__ import annotations

from collections.abc import Iterator

from counterpoise.evaluation.solved import bracket_value
from counterpoise.games import load
from counterpoise.reproduce.harness.racing import race
from counterpoise.reproduce.harness.report import Claim, Declared, Figures, Lab, by_row
from counterpoise.reproduce.harness.runs import Runs, RunSeries, convergence, log_spaced
from counterpoise.reproduce.harness.verdicts import Verdict, short
from counterpoise.solvers import TracePoint, TreeSolver
from counterpoise.tree import Values, evaluate, exact

LEDUC, KUHN = "leduc_poker", "kuhn_poker"
NAMES = {LEDUC: "Leduc", KUHN: "Kuhn"}
AVERAGE, CURRENT = "linear average", "current strategy"


def leduc_cfr_plus(lab: Lab) -> Iterator[Declared]:
    """Measure average and current strategy and the value of the average, on Leduc and on Kuhn."""
    reference = lab.published("leduc_cfr_plus")
    games, averages = dict[str, Runs](), dict[str, Figures]()
    for game, rows in reference["exploitability"].items():
        runs, values = games[game], averages[game] = _both_strategies(lab, game, list(rows))
        lab.data.setdefault("measured", {})[game] = {
            t: {
                "average": runs.at(AVERAGE, t),
                "current": runs.at(CURRENT, t),
                "value": float(own.expected[0]),
                "bracket": bracket_value(own.best.tolist()),
            }
            for t, own in values.items()
        }
    known = {NAMES[game]: rows for game, rows in reference["exploitability"].items()}
    named = {NAMES[game]: runs for game, runs in games.items()}
    yield by_row(
        "Exploitability of CFR+ in antes",
        ("game", "T"),
        [(name, t) for name, rows in known.items() for t in rows],
        {
            "linear average": (lambda n, t: named[n].at(AVERAGE, t), lambda n, t: known[n][t]["average"]),
            "current": (lambda n, t: named[n].at(CURRENT, t), lambda n, t: known[n][t]["current"]),
        },
    )
    leduc, value = games[LEDUC], exact(load(LEDUC)).value[0]
    brackets = Figures(
        {t: bracket_value(values.best.tolist()) for t, values in averages[LEDUC].items()},
        "stopped before iteration {:,}",
    )
    yield by_row(
        f"Leduc, value of the average to the first seat; the exact value is {value:.7f}",
        "T",
        reference["value"],
        {
            "value": (lambda t: f"{averages[LEDUC][t].expected[0]:.5f}", lambda t: f"{reference['value'][t]:.5f}"),
            "bracket": lambda t: "{:.5f} to {:.5f}".format(*brackets[t]),
        },
    )

    def converges() -> Verdict:
        figures = [leduc.at(CURRENT, t) for t in reference["value"]]
        told = ", ".join(f"{short(figure)} at {t:,}" for t, figure in zip(reference["value"], figures, strict=True))
        return figures[-1] <= figures[0] / 4, told

    def average_worse() -> Verdict:
        early, late = (leduc.at(CURRENT, t) / leduc.at(AVERAGE, t) for t in (100, 3_000))
        told = f"on Leduc the average is {early:.0f} times better at 100 and {late:.0f} times at 3,000 iterations"
        return late < 1, told

    def enclosed() -> Verdict:
        low, high = brackets[3_000]
        holds = all(brackets[t][0] <= value <= brackets[t][1] for t in reference["value"])
        return holds, f"{low:.6f} to {high:.6f} at 3,000 iterations"

    yield Claim("current-converges", converges)
    yield Claim("average-worse", average_worse)
    yield Claim("value-enclosed", enclosed)
    yield convergence("CFR+: average and current strategy", named, thin=False)


def _both_strategies(lab: Lab, game: str, at: list[int]) -> tuple[Runs, Figures]:
    """Return the runs of the average and of the current strategy by the number of updates, and the average's values.

    The average is of the strategies after each update, with weights 1, 2, ...; a solver that weights a strategy
    when it is played, which is one iteration later, holds that average one iteration later.
    """
    averages, currents = Figures(missing="stopped before iteration {:,}"), dict[int, Values]()

    def note(label: str, solver: TreeSolver, point: TracePoint) -> None:
        averages[point.iteration - 1] = evaluate(solver.tree, solver.average_profile())
        currents[point.iteration] = evaluate(solver.tree, solver.current_profile())

    marks = {t + later for t in (*log_spaced(max(at)), *at) for later in (0, 1)}
    race(lab, game, {"CFR+": "cfr+(delay=1)"}, iterations=max(marks), at=marks, watch=note)
    both = sorted(averages.keys() & currents.keys())
    runs = Runs(game)
    for label, values in ((AVERAGE, averages), (CURRENT, currents)):
        runs.series[label] = RunSeries("cfr+", [TracePoint(t, values[t].exploitability, 0, 0.0) for t in both])
    return runs, Figures({t: averages[t] for t in both}, "stopped before iteration {:,}")
