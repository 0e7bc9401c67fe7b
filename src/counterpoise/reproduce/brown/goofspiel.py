"""BROWN figure 3.5: discounting variants on five-card Goofspiel."""

from __future__ import annotations

from collections.abc import Iterator

from counterpoise.reproduce.brown.variants import (
    CFR_PLUS_QUADRATIC,
    DCFR,
    DCFR_FLOORED,
    DCFR_PRUNABLE,
    LCFR,
    VARIANTS,
    Compared,
)
from counterpoise.reproduce.harness.experiment import Lab, experiment
from counterpoise.reproduce.harness.published import REFERENCE_NOTE, published
from counterpoise.reproduce.harness.racing import race
from counterpoise.reproduce.harness.report import Claim, Declared, short
from counterpoise.reproduce.harness.runs import by_iterations, convergence

GAME = "goofspiel"  # five cards, ascending prizes, bids shown: the version of BROWN 3.1.3


@experiment("brown-3.5-goofspiel", "Discounting variants on five-card Goofspiel", "BROWN 3.1.4, figure 3.5", seconds=60)
def goofspiel(lab: Lab, iterations: int = 8_192) -> Iterator[Declared]:
    """All variants for as many iterations as the source; claims judged between 100 and 1,000 as the text asks."""
    reference = published("goofspiel")["reference"]
    variants = {label: VARIANTS[label] for label in reference}
    runs = race(lab, GAME, variants, iterations=iterations, at=reference[DCFR])
    yield from by_iterations("Goofspiel-5, exploitability in points", runs, reference)
    found = Compared(runs)
    yield Claim(
        "dcfr-like-quadratic",
        "DCFR is essentially identical to quadratic CFR+ (0.5 to 1.5 times)",
        lambda: found.alike(DCFR, CFR_PLUS_QUADRATIC, 0.5, 1.5),
    )
    yield Claim(
        "lcfr-poor",
        "LCFR does poorly (at 1,000 iterations twice as exploitable as DCFR, or worse)",
        lambda: (
            runs.at(LCFR, 1_000) >= 2 * runs.at(DCFR, 1_000),
            f"{short(runs.at(LCFR, 1_000))} against {short(runs.at(DCFR, 1_000))}",
        ),
    )
    yield Claim(
        "prunable-worse",
        "DCFR(3/2,1/2,2) does noticeably worse than DCFR (1.1 times or more)",
        lambda: found.above(DCFR_PRUNABLE, DCFR, factor=1.1),
    )
    yield Claim(
        "floored-alike",
        "DCFR(3/2,-inf,2) is equally strong as DCFR (within a factor of 1.5)",
        lambda: found.alike(DCFR_FLOORED, DCFR, 2 / 3, 1.5),
    )
    yield from found.claims()
    yield REFERENCE_NOTE
    yield (
        "Goofspiel is full of ties, in which rounding decides: single figures of two implementations differ by up to "
        "half after 100 iterations and more later, so the claims are judged by means over a window."
    )
    yield convergence("Convergence in five-card Goofspiel", {GAME: runs})
