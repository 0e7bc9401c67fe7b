"""BROWN figure 3.16, without thresholding and pruning: EGT, Hedge, regret matching and CFR+ by histories touched.

The excessive gap technique takes three gradients a step where CFR takes two, so iterations do not compare; the
histories that a method has touched do. `thresholding` has the other curves of the figure.
"""

from __future__ import annotations

from collections.abc import Iterator

from counterpoise.reproduce.harness.racing import race
from counterpoise.reproduce.harness.report import Claim, Declared, Lab, by_row
from counterpoise.reproduce.harness.runs import Runs, by_millions, convergence
from counterpoise.reproduce.harness.verdicts import Verdict, less

EGT, HEDGE, RM, CFR_PLUS = "EGT", "CFR, Hedge", "CFR, regret matching", "CFR+"
MILLIONS = {"leduc_poker": (0.1, 1.0, 10.0), "leduc5": (10.0, 100.0, 500.0)}


def first_order(lab: Lab, leduc5_iterations: int = 1_000) -> Iterator[Declared]:
    """Draw the curves of the figure that need neither dynamic thresholding nor regret-based pruning."""
    leduc = _race(lab, "leduc_poker", iterations=4_000, steps=3_162)
    leduc5 = _race(lab, "leduc5", iterations=leduc5_iterations, steps=7 * leduc5_iterations // 10)
    known = lab.published("first_order")["reference"]
    yield by_row(
        "Leduc, exploitability in antes by iterations",
        ["algorithm", "T", "ours", "reference"],
        [(label, t) for label, figures in known.items() for t in figures],
        leduc.at,
        lambda label, t: known[label][t],
    )
    for name, runs in (("Leduc", leduc), ("Leduc-5", leduc5)):
        caption = f"{name}, exploitability by millions of histories touched"
        yield from by_millions(caption, runs, MILLIONS[runs.game], labels=lab.algorithms)

    def late(runs: Runs, *labels: str) -> Verdict:
        nodes = 1e6 * MILLIONS[runs.game][-1]
        holds, told = less(lambda label: runs.at_nodes(label, nodes), *labels)
        return holds, f"{told} at {nodes / 1e6:g} M"

    def rate() -> Verdict:
        slope = leduc.slope(EGT, 100, 3_162)
        return slope <= -0.95, f"slope {slope:.2f} on Leduc between 100 and 3,162 steps"

    def slower() -> Verdict:
        (small, told), (large, told5) = late(leduc, CFR_PLUS, EGT), late(leduc5, CFR_PLUS, EGT)
        return small and large, f"Leduc {told}; Leduc-5 {told5}"

    yield Claim("cfr-plus-ahead", late, leduc5, CFR_PLUS, HEDGE, RM)
    yield Claim("egt-rate", rate)
    yield Claim("first-order-slower", slower)
    yield Claim("matching-cheaper", _speed, leduc5)
    yield convergence("First-order methods by histories touched", {"Leduc": leduc, "Leduc-5": leduc5}, "nodes_touched")


def _race(lab: Lab, game: str, iterations: int, steps: int) -> Runs:
    """Run EGT for `steps` and the others for `iterations`, which touch about as many histories."""
    marks = [t for figures in lab.published("first_order")["reference"].values() for t in figures]
    first, *others = lab.algorithms.items()
    runs = race(lab, game, dict([first]), iterations=steps, at=marks)
    runs.series |= race(lab, game, dict(others), iterations=iterations, at=marks).series
    return runs


def _speed(runs: Runs) -> Verdict:
    rates = [runs.end(label).nodes_touched / runs.end(label).seconds for label in (RM, HEDGE)]
    return rates[0] > rates[1], f"{rates[0] / 1e6:.0f} against {rates[1] / 1e6:.0f} million on Leduc-5"
