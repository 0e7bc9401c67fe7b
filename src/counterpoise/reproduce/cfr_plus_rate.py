"""BROWN 2.3.7: a 2 x 2 game on which CFR+ converges more slowly than 1/T."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

from counterpoise.reproduce.base import Report, Setup, Table, experiment
from counterpoise.reproduce.race import REFERENCE_NOTE, Race, draw, measured, race, short

GAME = "matrix"  # its default payoffs are those of the text
CHECKPOINTS = (1_000, 10_000, 100_000)
SIMULTANEOUS, ALTERNATING = "CFR+ linear, simultaneous", "CFR+ linear, alternating"
ALGORITHMS = {
    SIMULTANEOUS: "cfr+(updates=simultaneous)",
    ALTERNATING: "cfr+",
    "CFR+ quadratic, alternating": "cfr+(average=quadratic)",
    "CFR, alternating": "cfr",
    "DCFR, alternating": "dcfr",
}
REFERENCE = {
    SIMULTANEOUS: (1.64e-3, 4.68e-4, 1.37e-4),
    ALTERNATING: (2.70e-5, 3.63e-6, 5.49e-7),
    "CFR+ quadratic, alternating": (2.06e-5, 2.97e-6, 4.52e-7),
    "CFR, alternating": (5.40e-4, 1.70e-4, 3.42e-5),
    "DCFR, alternating": (2.23e-5, 2.98e-6, 4.24e-7),
}


@experiment("cfr-plus-rate", "CFR+ slower than 1/T on the game [[1, 0.9], [-0.7, 1]]", "BROWN 2.3.7", seconds=4)
def cfr_plus_rate(setup: Setup, report: Report) -> None:
    """Exploitability of five methods after 10^3, 10^4 and 10^5 iterations."""
    contest = race(setup, report, GAME, ALGORITHMS, iterations=CHECKPOINTS[-1], at=CHECKPOINTS)
    for place, t in enumerate(CHECKPOINTS):
        report.tables.append(
            Table(
                f"Exploitability e after T = {t:,} iterations",
                ["algorithm", "e", "reference", "e T"],
                [
                    [label, measured(contest.at, label, t), short(figures[place]), measured(_scaled, contest, label, t)]
                    for label, figures in REFERENCE.items()
                ],
            )
        )
    for label in (SIMULTANEOUS, ALTERNATING):
        report.judge(f"{label}: slower than 1/T, so that exploitability times T grows", partial(_grows, contest, label))
    report.notes.append(REFERENCE_NOTE)
    draw(setup, report, "CFR+ slower than 1/T", {GAME: contest})


def _scaled(contest: Race, label: str, iteration: int) -> float:
    return contest.at(label, iteration) * iteration


def _grows(contest: Race, label: str) -> tuple[bool, str]:
    products = [_scaled(contest, label, t) for t in CHECKPOINTS]
    grows = all(later > 1.1 * earlier for earlier, later in pairwise(products))
    return grows, "e T = " + ", ".join(short(product) for product in products)
