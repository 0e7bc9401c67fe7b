"""JOHANSON chapter 9: does the current strategy of CFR+ converge as its average does? On Leduc and Kuhn.

Limit hold'em was solved with the current strategy; the average had turned out more exploitable and was discarded.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from counterpoise.games import load
from counterpoise.plots import Curve, Panel, panels
from counterpoise.reproduce.base import NotMeasured, Report, Setup, Table, experiment
from counterpoise.reproduce.race import REFERENCE_NOTE, log_spaced, measured, race, short
from counterpoise.solvers import TracePoint, TreeSolver
from counterpoise.tree import Values, evaluate, exact

LEDUC, KUHN = "leduc_poker", "kuhn_poker"
NAMES = {LEDUC: "Leduc", KUHN: "Kuhn"}
# By iterations: exploitability of the linear average and of the current strategy.
EXPLOITABILITY = {
    LEDUC: {100: (0.01318, 0.0482), 300: (0.00227, 0.0172), 1_000: (0.00023, 0.0083), 3_000: (0.00004, 0.0049)},
    KUHN: {2_000: (5.2e-5, 0.0129)},
}
VALUE = {100: -0.08435, 300: -0.08548, 1_000: -0.08559, 3_000: -0.08561}
"""Of the average to the first seat of Leduc."""


class _Pair(NamedTuple):
    average: Values
    current: Values


Pairs = Mapping[int, _Pair]


@experiment(
    "johanson-9-leduc", "CFR+ on Leduc: the linear average against the current strategy", "JOHANSON 9.3, 9.4", seconds=3
)
def leduc_cfr_plus(setup: Setup, report: Report) -> None:
    """Exploitability of average and current strategy and value of the average, on Leduc and on Kuhn."""
    pairs = {game: _both_strategies(setup, report, game) for game in EXPLOITABILITY}
    report.data["measured"] = {
        game: {
            t: {
                "average": pair.average.exploitability,
                "current": pair.current.exploitability,
                "value": float(pair.average.expected[0]),
                "bracket": _bracket(pair.average),
            }
            for t, pair in found.items()
        }
        for game, found in pairs.items()
    }
    report.tables.append(
        Table(
            "Exploitability of CFR+ in antes",
            ["game", "T", "linear average", "reference", "current", "reference"],
            [
                [
                    NAMES[game],
                    f"{t:,}",
                    measured(_average, pairs[game], t),
                    short(average),
                    measured(_current, pairs[game], t),
                    short(current),
                ]
                for game, rows in EXPLOITABILITY.items()
                for t, (average, current) in rows.items()
            ],
        )
    )
    leduc, value = pairs[LEDUC], exact(load(LEDUC)).value[0]
    report.tables.append(
        Table(
            f"Leduc, value of the average to the first seat; the exact value is {value:.7f}",
            ["T", "value", "reference", "bracket"],
            [[f"{t:,}", *_value_cells(leduc, t, figure)] for t, figure in VALUE.items()],
        )
    )
    report.judge(
        "The exploitability of the current strategies converges to zero (a quarter or less in 30 times the iterations)",
        lambda: (
            _current(leduc, 3_000) <= _current(leduc, 100) / 4,
            ", ".join(f"{short(_current(leduc, t))} at {t:,}" for t in VALUE),
        ),
    )
    report.judge(
        "The average is more exploitable than the current strategy (seen in limit hold'em)",
        lambda: (
            _average(leduc, 3_000) > _current(leduc, 3_000),
            f"on Leduc the average is {_current(leduc, 100) / _average(leduc, 100):.0f} times better "
            f"at 100 and {_current(leduc, 3_000) / _average(leduc, 3_000):.0f} times at 3,000 iterations",
        ),
    )
    report.judge(
        "The best-response values of the two seats enclose the value of the game", lambda: _enclosed(leduc, value)
    )
    report.notes.append(REFERENCE_NOTE)
    _draw(setup, report, pairs)


def _both_strategies(setup: Setup, report: Report, game: str) -> Pairs:
    """The values of the average and of the current strategy by the number of updates.

    The average is of the strategies after each update, with weights 1, 2, ...; a solver that weights a strategy
    when it is played, which is one iteration later, holds that average one iteration later.
    """
    averages: dict[int, Values] = {}
    currents: dict[int, Values] = {}

    def note(label: str, solver: TreeSolver, point: TracePoint) -> None:
        averages[point.iteration - 1] = evaluate(solver.tree, solver.average_profile())
        currents[point.iteration] = evaluate(solver.tree, solver.current_profile())

    rows = EXPLOITABILITY[game]
    marks = {t + later for t in (*log_spaced(max(rows)), *rows) for later in (0, 1)}
    race(setup, report, game, {"CFR+": "cfr+(delay=1)"}, iterations=max(marks), at=marks, callback=note)
    return {t: _Pair(averages[t], current) for t, current in currents.items() if t in averages}


def _pair(pairs: Pairs, iteration: int) -> _Pair:
    if iteration not in pairs:
        raise NotMeasured(f"stopped before iteration {iteration:,}")
    return pairs[iteration]


def _average(pairs: Pairs, iteration: int) -> float:
    return _pair(pairs, iteration).average.exploitability


def _current(pairs: Pairs, iteration: int) -> float:
    return _pair(pairs, iteration).current.exploitability


def _bracket(values: Values) -> tuple[float, float]:
    """What the second seat can hold the first one to, and what the first seat can get: the value lies between."""
    return -float(values.best[1]), float(values.best[0])


def _value_cells(pairs: Pairs, iteration: int, reference: float) -> tuple[str, str, str]:
    if iteration not in pairs:
        return "-", f"{reference:.5f}", "-"
    average = pairs[iteration].average
    low, high = _bracket(average)
    return f"{average.expected[0]:.5f}", f"{reference:.5f}", f"{low:.5f} to {high:.5f}"


def _enclosed(pairs: Pairs, value: float) -> tuple[bool, str]:
    brackets = [_bracket(_pair(pairs, t).average) for t in VALUE]
    low, high = brackets[-1]
    return all(below <= value <= above for below, above in brackets), f"{low:.6f} to {high:.6f} at 3,000 iterations"


def _draw(setup: Setup, report: Report, pairs: Mapping[str, Pairs]) -> None:
    parts = [
        Panel(
            {
                "linear average": Curve(list(found), [pair.average.exploitability for pair in found.values()]),
                "current strategy": Curve(list(found), [pair.current.exploitability for pair in found.values()]),
            },
            title=NAMES[game],
            x_label="iterations",
            y_label="exploitability",
        )
        for game, found in pairs.items()
        if found
    ]
    if setup.out is not None and parts:
        setup.out.mkdir(parents=True, exist_ok=True)
        report.figures.append(panels(parts, setup.out / f"{report.id}.png", title="CFR+: average and current strategy"))
