"""Brown 2020, figure 4.8, scaled: the first bet of a no-limit game, optimised with sampled chance.

The abstraction of the source is not published. Here it is Leduc with stacks of 13 antes, later bets of one pot and a
first bet of any size: drawn deals, the same at all probes, and a move when the sign of the slope is beyond doubt.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from counterpoise.plots import Curve, Panel
from counterpoise.reproduce.harness.report import Claim, Declared, Figure, Figures, Lab, NotMeasured, by_row
from counterpoise.reproduce.harness.verdicts import Verdict, listed
from counterpoise.solvers.bet_sizes import Ascent, OptimisedParameters, optimise_parameters, sweep_parameters

GAME = "one_card_poker(ranks=3, stack=13, opening=1)"
SEAT = 1
"""The seat whose value depends on the first bet; the first to act can do without betting."""
BOX = (0.1, 3.0)
STEP = 0.1
ASCENT = Ascent(sampled=True, fewest=500, most=20_000, step_size=4.0, probe=0.6, weight=0.97)


def first_bet(
    lab: Lab, starts: Sequence[float] = (0.5, 1.0, 1.5, 2.0), iterations: int = 600_000, points: int = 30
) -> Iterator[Declared]:
    """Optimise the first bet from several starts, beside the exact value of bets on a grid."""
    runs: dict[float, OptimisedParameters] = Figures(missing="the start at {} was not run")
    values: dict[float, float] = Figures(missing="the game with a first bet of {} was not solved")
    with lab.stoppable():
        for start in starts:
            lab.begin(f"from {start:g}")
            run = optimise_parameters(
                GAME,
                {"opening": BOX},
                seat=SEAT,
                start={"opening": start},
                iterations=iterations,
                settings=ASCENT,
                progress=lab.progress,
                cancel=lab.cancel,
            )
            lab.interrupted |= run.interrupted
            lab.check()
            runs[start] = run
        grid = {"opening": [round(STEP * (1 + number), 10) for number in range(points)]}
        sweep = sweep_parameters(GAME, grid, seat=SEAT, progress=lab.progress, cancel=lab.cancel)
        values |= {bet: value for (bet,), value in zip(sweep.points, sweep.values, strict=True)}
        lab.interrupted |= sweep.interrupted
    lab.data["ends"] = {start: end_of(run) for start, run in runs.items()}
    lab.data["sweep"] = dict(values)
    yield by_row(
        f"First bet in pots after {iterations:,} iterations with drawn deals per probe",
        "start",
        list(starts),
        {
            "bet": lambda start: f"{end_of(runs[start]):.3f}",
            "steps": lambda start: runs[start].steps,
            "exploitability": lambda start: f"{runs[start].exploitability:.3f}",
        },
    )
    yield by_row(
        "Exact value to the second seat by the first bet, in antes: the best five",
        "bet",
        sorted(values, key=values.__getitem__, reverse=True)[:5],
        {"value": lambda bet: f"{values[bet]:.5f}"},
    )

    def ends() -> list[float]:
        return [end_of(runs[start]) for start in starts]

    def peaks() -> list[float]:
        """Return the bets of the grid that are worth more than both neighbours."""
        if len(values) < points:
            raise NotMeasured(f"{len(values)} of {points} games were solved")
        bets = list(values)
        return [
            bet
            for at, bet in enumerate(bets)
            if all(values[bet] > values[other] + 1e-9 for other in bets[max(at - 1, 0) : at + 2] if other != bet)
        ]

    def near(bet: float, peak: float) -> bool:
        return abs(bet - peak) <= STEP + 1e-9

    def agree() -> Verdict:
        found = ends()
        return max(found) - min(found) <= 0.05, listed(found, ".3f")

    def local() -> Verdict:
        found, tops = ends(), peaks()
        return all(any(near(bet, peak) for peak in tops) for bet in found), (
            f"{listed(found, '.3f')}; the grid has local optima at {listed(tops)}"
        )

    def best() -> Verdict:
        top = max(peaks(), key=values.__getitem__)
        found = ends()
        return any(near(bet, top) for bet in found), f"{listed(found, '.3f')}; the best of the grid is {top:g}"

    yield Claim("starts-agree", agree)
    yield Claim("local-optima", local)
    yield Claim("best-of-grid", best)
    curves = {
        f"{start:g}": Curve([p.iterations for p in run.trace], [p.parameters[0] for p in run.trace])
        for start, run in runs.items()
    }
    yield Figure("The first bet", [Panel(curves, "first bet", "iterations", "pots", "linear", "linear", {})])


def end_of(run: OptimisedParameters) -> float:
    """Return the mean bet of the last tenth of the steps, which drawn deals move less than the last alone."""
    trace = run.trace[-max(1, len(run.trace) // 10) :]
    return float(np.mean([point.parameters[0] for point in trace])) if trace else run.parameters["opening"]
