"""Brown 2020, sections 6.3, 6.4 and 6.6 on Leduc: linear weights, regret-based sampling and skipping, by exact
exploitability.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from counterpoise.games import load
from counterpoise.reproduce.harness.report import Claim, Declared, Figures, Lab, by_row
from counterpoise.reproduce.harness.verdicts import Verdict, listed
from counterpoise.solvers import make_algorithm
from counterpoise.tree import enumerate_game, evaluate

PLAIN, LINEAR, FROZEN = "external sampling", "linear", "RBS, C = -20, K = 5"
HARMLESS = ("RBS, C = -1500", "skip, C = -1500")
TOLERANCE = 0.15
"""How much more exploitable a strategy may be that was found with less work."""
GOAL = 0.05
"""Chips per hand."""


def leduc_sampling(lab: Lab, iterations: int = 100_000, seeds: int = 10) -> Iterator[Declared]:
    """Run every sampler with every seed and measure it exactly on the way, in thousandths of a chip."""
    reference = lab.published("skipping")["reference"]
    marks = [mark for mark in (1_000, 3_000, 10_000, 30_000, 100_000) if mark <= iterations]
    exact, visits = Figures(missing="{} was not measured at {}"), Figures(missing="{} was not measured at {}")
    tree = enumerate_game(load("leduc_poker"))
    with lab.stoppable():
        for label, algorithm in lab.algorithms.items():
            lab.begin(label)
            found = np.zeros((seeds, len(marks), 2))
            settings = make_algorithm(algorithm.replace("HALF", str(iterations // 2 + 1)))
            for seed in range(seeds):
                solver = settings.on(tree, seed=seed)
                for place, mark in enumerate(marks):
                    solver.step(mark - solver.iteration)
                    left = 1000 * evaluate(tree, solver.average_profile()).exploitability
                    found[seed, place] = left, solver.nodes_touched
                lab.show((seed + 1) / seeds, f"{left:.0f} milli-chips")
            for place, mark in enumerate(marks):
                exact[label, mark], visits[label, mark] = found[:, place].mean(axis=0).tolist()
    lab.data["milli_chips"] = {f"{label}, {mark}": figure for (label, mark), figure in exact.items()}
    yield by_row(
        f"Leduc, exploitability in milli-chips, mean of {seeds} seeds",
        "sampler",
        lab.algorithms,
        {
            f"{mark:,}": (
                lambda label, mark=mark: exact[label, mark],
                lambda label, mark=mark: reference.get(label, {}).get(mark),
            )
            for mark in marks
        },
    )
    yield by_row(
        "Histories touched",
        "sampler",
        lab.algorithms,
        {f"{mark:,}": partial(lambda mark, label: visits[label, mark], mark) for mark in marks[-2:]},
    )
    first, last = marks[0], marks[-1]

    def early() -> Verdict:
        linear, plain = exact[LINEAR, first], exact[PLAIN, first]
        return linear < plain, f"{listed([linear, plain])} milli-chips after {first:,} iterations"

    def two_seats() -> Verdict:
        return exact[PLAIN, last] < 1000 * GOAL, f"{exact[PLAIN, last]:.1f} milli-chips after {last:,} iterations"

    def harmless() -> Verdict:
        ratios = [exact[label, last] / exact[PLAIN, last] for label in HARMLESS]
        fewer = [visits[label, last] / visits[PLAIN, last] for label in HARMLESS]
        holds = max(ratios) <= 1 + TOLERANCE and max(fewer) <= 1
        return holds, f"{listed(ratios, '.2f')} times the exploitability in {listed(fewer, '.2f')} times the visits"

    def freezes() -> Verdict:
        ratio = exact[FROZEN, last] / exact[PLAIN, last]
        return ratio > 3, f"{ratio:.1f} times the exploitability of plain sampling"

    yield Claim("linear-early", early)
    yield Claim("two-seats", two_seats)
    yield Claim("harmless", harmless)
    yield Claim("freezes", freezes)
