"""BROWN figure 3.16, without thresholding and pruning: EGT, Hedge, regret matching and CFR+ by histories touched.

The excessive gap technique takes three gradients a step where CFR takes two, so iterations do not compare; the
histories that a method has touched do. `thresholding` has the other curves of the figure.
"""

from __future__ import annotations

from collections.abc import Iterator

from counterpoise.reproduce.harness.experiment import Lab, experiment
from counterpoise.reproduce.harness.published import REFERENCE_NOTE, published
from counterpoise.reproduce.harness.racing import race
from counterpoise.reproduce.harness.report import Claim, Declared, Verdict, down, short
from counterpoise.reproduce.harness.runs import Runs, by_millions, convergence

EGT, HEDGE, RM, CFR_PLUS = "EGT", "CFR, Hedge", "CFR, regret matching", "CFR+"
ALGORITHMS = {EGT: "egt", HEDGE: "hedge", RM: "cfr", CFR_PLUS: "cfr+"}
MILLIONS = {"leduc_poker": (0.1, 1.0, 10.0), "leduc5": (10.0, 100.0, 500.0)}


@experiment(
    "brown-3.16-first-order",
    "EGT and Hedge against regret matching on Leduc and Leduc-5",
    "BROWN 3.4.3, figure 3.16",
    seconds=16,
)
def first_order(lab: Lab, leduc5_iterations: int = 1_000) -> Iterator[Declared]:
    """The curves of the figure that need neither dynamic thresholding nor regret-based pruning."""
    leduc = _race(lab, "leduc_poker", iterations=4_000, steps=3_162)
    leduc5 = _race(lab, "leduc5", iterations=leduc5_iterations, steps=7 * leduc5_iterations // 10)
    heads = ["algorithm", "T", "ours", "reference"]
    yield down("Leduc, exploitability in antes by iterations", heads, leduc.at, published("first_order")["reference"])
    for name, runs in (("Leduc", leduc), ("Leduc-5", leduc5)):
        caption = f"{name}, exploitability by millions of histories touched"
        yield from by_millions(caption, runs, MILLIONS[runs.game], labels=ALGORITHMS)
    late, late5 = 1e6 * MILLIONS["leduc_poker"][-1], 1e6 * MILLIONS["leduc5"][-1]
    yield Claim(
        "cfr-plus-ahead",
        "CFR+ exceeds CFR with Hedge and CFR with regret matching on Leduc-5",
        lambda: (
            leduc5.at_nodes(CFR_PLUS, late5) < min(leduc5.at_nodes(HEDGE, late5), leduc5.at_nodes(RM, late5)),
            f"{_listed(leduc5, (CFR_PLUS, HEDGE, RM), late5)}",
        ),
    )
    yield Claim(
        "egt-rate",
        "EGT converges like 1/T",
        lambda: (
            leduc.slope(EGT, 100, 3_162) <= -0.95,
            f"slope {leduc.slope(EGT, 100, 3_162):.2f} on Leduc between 100 and 3,162 steps",
        ),
    )
    yield Claim(
        "first-order-slower",
        "First-order methods converge more slowly in practice than the fastest variants of CFR",
        lambda: (
            leduc.at_nodes(EGT, late) > leduc.at_nodes(CFR_PLUS, late)
            and leduc5.at_nodes(EGT, late5) > leduc5.at_nodes(CFR_PLUS, late5),
            f"Leduc {_listed(leduc, (EGT, CFR_PLUS), late)}; Leduc-5 {_listed(leduc5, (EGT, CFR_PLUS), late5)}",
        ),
    )
    yield Claim(
        "matching-cheaper",
        "Regret matching touches more histories per second than Hedge (published: 36 % more)",
        _speed,
        leduc5,
    )
    yield REFERENCE_NOTE
    yield convergence("First-order methods by histories touched", {"Leduc": leduc, "Leduc-5": leduc5}, "nodes_touched")


def _race(lab: Lab, game: str, iterations: int, steps: int) -> Runs:
    """Run EGT for `steps` and the others for `iterations`, which touch about as many histories."""
    marks = [t for figures in published("first_order")["reference"].values() for t in figures]
    runs = race(lab, game, {EGT: ALGORITHMS[EGT]}, iterations=steps, at=marks)
    others = {label: name for label, name in ALGORITHMS.items() if label != EGT}
    runs.series |= race(lab, game, others, iterations=iterations, at=marks).series
    return runs


def _listed(runs: Runs, labels: tuple[str, ...], nodes: float) -> str:
    figures = ", ".join(f"{label} {short(runs.at_nodes(label, nodes))}" for label in labels)
    return f"{figures} at {nodes / 1e6:g} M"


def _speed(runs: Runs) -> Verdict:
    rates = [runs.end(label).nodes_touched / runs.end(label).seconds for label in (RM, HEDGE)]
    return rates[0] > rates[1], f"{rates[0] / 1e6:.0f} against {rates[1] / 1e6:.0f} million on Leduc-5"
