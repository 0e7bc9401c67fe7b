"""BROWN 2.3.7: a 2 x 2 game on which CFR+ converges more slowly than 1/T."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from counterpoise.reproduce.harness.experiment import Lab, experiment
from counterpoise.reproduce.harness.published import REFERENCE_NOTE, published
from counterpoise.reproduce.harness.racing import race
from counterpoise.reproduce.harness.report import Claim, Declared, Table, Verdict, cell, listed
from counterpoise.reproduce.harness.runs import Runs, convergence

GAME = "matrix"  # its default payoffs are those of the text
AT = (1_000, 10_000, 100_000)
SIMULTANEOUS, ALTERNATING = "CFR+ linear, simultaneous", "CFR+ linear, alternating"
ALGORITHMS = {
    SIMULTANEOUS: "cfr+(updates=simultaneous)",
    ALTERNATING: "cfr+",
    "CFR+ quadratic, alternating": "cfr+(average=quadratic)",
    "CFR, alternating": "cfr",
    "DCFR, alternating": "dcfr",
}


@experiment("cfr-plus-rate", "CFR+ slower than 1/T on the game [[1, 0.9], [-0.7, 1]]", "BROWN 2.3.7", seconds=4)
def cfr_plus_rate(lab: Lab) -> Iterator[Declared]:
    """Exploitability of five methods after 10^3, 10^4 and 10^5 iterations."""
    runs, reference = race(lab, GAME, ALGORITHMS, iterations=AT[-1], at=AT), published("cfr_plus_rate")["reference"]
    for t in AT:
        yield Table(
            f"Exploitability e after T = {t:,} iterations",
            ["algorithm", "e", "reference", "e T"],
            [[n, cell(runs.at, n, t), figures[t], cell(_scaled, runs, n, t)] for n, figures in reference.items()],
        )
    for id, label in (("simultaneous-slower", SIMULTANEOUS), ("alternating-slower", ALTERNATING)):
        yield Claim(id, f"{label}: slower than 1/T, so that exploitability times T grows", _grows, runs, label)
    yield REFERENCE_NOTE
    yield convergence("CFR+ slower than 1/T", {GAME: runs})


def _scaled(runs: Runs, label: str, iteration: int) -> float:
    return runs.at(label, iteration) * iteration


def _grows(runs: Runs, label: str) -> Verdict:
    products = [_scaled(runs, label, t) for t in AT]
    return all(later > 1.1 * earlier for earlier, later in pairwise(products)), "e T = " + listed(products)
