"""BROWN figure 3.16, without thresholding and pruning: EGT, Hedge, regret matching and CFR+ by histories touched.

The excessive gap technique takes three gradients a step where CFR takes two, so iterations do not compare; the
histories that a method has touched do. `thresholding` has the other curves of the figure.
"""

from __future__ import annotations

from counterpoise.reproduce.base import Report, Setup, Table, experiment
from counterpoise.reproduce.race import REFERENCE_NOTE, Race, draw, measured, race, short

EGT, HEDGE, RM, CFR_PLUS = "EGT", "CFR, Hedge", "CFR, regret matching", "CFR+"
ALGORITHMS = {EGT: "egt", HEDGE: "hedge", RM: "cfr", CFR_PLUS: "cfr+"}
# Leduc: label, iterations, figures of an independent computation.
REFERENCE = {
    EGT: {10: 0.307, 100: 0.0389, 1_000: 0.00268, 3_162: 0.00077},
    HEDGE: {100: 0.264, 1_000: 0.0355, 4_000: 0.0106},
}
MILLIONS = {"leduc_poker": (0.1, 1.0, 10.0), "leduc5": (10.0, 100.0, 500.0)}


@experiment(
    "brown-3.16-first-order",
    "EGT and Hedge against regret matching on Leduc and Leduc-5",
    "BROWN 3.4.3, figure 3.16",
    seconds=16,
)
def first_order(setup: Setup, report: Report, leduc5_iterations: int = 1_000) -> None:
    """The curves of the figure that need neither dynamic thresholding nor regret-based pruning."""
    leduc = _contest(setup, report, "leduc_poker", iterations=4_000, steps=3_162)
    leduc5 = _contest(setup, report, "leduc5", iterations=leduc5_iterations, steps=7 * leduc5_iterations // 10)
    report.tables.append(
        Table(
            "Leduc, exploitability in antes by iterations",
            ["algorithm", "T", "ours", "reference"],
            [
                [label, f"{t:,}", measured(leduc.at, label, t), short(figure)]
                for label, figures in REFERENCE.items()
                for t, figure in figures.items()
            ],
        )
    )
    for name, contest in (("Leduc", leduc), ("Leduc-5", leduc5)):
        budgets = MILLIONS[contest.game]
        report.tables.append(
            Table(
                f"{name}, exploitability by millions of histories touched",
                ["algorithm", *(f"{budget:g} M" for budget in budgets)],
                [[label, *(measured(contest.at_nodes, label, 1e6 * m) for m in budgets)] for label in ALGORITHMS],
            )
        )
    _judge(report, leduc, leduc5)
    report.notes.append(REFERENCE_NOTE)
    draw(
        setup,
        report,
        "First-order methods by histories touched",
        {"Leduc": leduc, "Leduc-5": leduc5},
        x="nodes_touched",
    )


def _contest(setup: Setup, report: Report, game: str, iterations: int, steps: int) -> Race:
    """EGT for so many steps and the others for so many iterations, which touch about as many histories."""
    marks = [t for figures in REFERENCE.values() for t in figures]
    contest = race(setup, report, game, {EGT: ALGORITHMS[EGT]}, iterations=steps, at=marks)
    others = {label: name for label, name in ALGORITHMS.items() if label != EGT}
    contest.runs |= race(setup, report, game, others, iterations=iterations, at=marks).runs
    return contest


def _judge(report: Report, leduc: Race, leduc5: Race) -> None:
    late, late5 = 1e6 * MILLIONS["leduc_poker"][-1], 1e6 * MILLIONS["leduc5"][-1]
    report.judge(
        "CFR+ exceeds CFR with Hedge and CFR with regret matching on Leduc-5",
        lambda: (
            leduc5.at_nodes(CFR_PLUS, late5) < min(leduc5.at_nodes(HEDGE, late5), leduc5.at_nodes(RM, late5)),
            f"{_listed(leduc5, (CFR_PLUS, HEDGE, RM), late5)}",
        ),
    )
    report.judge(
        "EGT converges like 1/T",
        lambda: (
            leduc.slope(EGT, 100, 3_162) <= -0.95,
            f"slope {leduc.slope(EGT, 100, 3_162):.2f} on Leduc between 100 and 3,162 steps",
        ),
    )
    report.judge(
        "First-order methods converge more slowly in practice than the fastest variants of CFR",
        lambda: (
            leduc.at_nodes(EGT, late) > leduc.at_nodes(CFR_PLUS, late)
            and leduc5.at_nodes(EGT, late5) > leduc5.at_nodes(CFR_PLUS, late5),
            f"Leduc {_listed(leduc, (EGT, CFR_PLUS), late)}; Leduc-5 {_listed(leduc5, (EGT, CFR_PLUS), late5)}",
        ),
    )
    report.judge(
        "Regret matching touches more histories per second than Hedge (published: 36 % more)", lambda: _speed(leduc5)
    )


def _listed(contest: Race, labels: tuple[str, ...], nodes: float) -> str:
    figures = ", ".join(f"{label} {short(contest.at_nodes(label, nodes))}" for label in labels)
    return f"{figures} at {nodes / 1e6:g} M"


def _speed(contest: Race) -> tuple[bool, str]:
    rates = [contest.trace(label)[-1].nodes_touched / contest.trace(label)[-1].seconds for label in (RM, HEDGE)]
    return rates[0] > rates[1], f"{rates[0] / 1e6:.0f} against {rates[1] / 1e6:.0f} million on Leduc-5"
