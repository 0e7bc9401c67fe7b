"""The variants of BROWN 3.1 on Leduc and Leduc-5: figures for comparing implementations.

The text gives no numbers for these games, so ours stand beside an independent computation. How closely two
implementations can agree at all is measured too: see `counterpoise.reproduce.brown.rounding`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from counterpoise.reproduce.brown.rounding import agreement, rounding_spreads
from counterpoise.reproduce.brown.variants import CFR, CFR_PLUS, DCFR, VARIANTS, Compared
from counterpoise.reproduce.harness.experiment import Lab, experiment
from counterpoise.reproduce.harness.published import REFERENCE_NOTE, published
from counterpoise.reproduce.harness.racing import race
from counterpoise.reproduce.harness.report import Claim, Declared, Table, Verdict, cell
from counterpoise.reproduce.harness.runs import Runs, by_iterations, convergence, times

TOLERANCE = {10: 0.02, 100: 0.05, 512: 0.25, 1_000: 0.25}
"""How far a figure may lie outside what rounding does to ours, by iteration."""


@experiment("leduc-benchmark", "Ten variants of CFR on Leduc", "BROWN 2.4.1, 3.1", seconds=4)
def leduc(lab: Lab) -> Iterator[Declared]:
    """Leduc to 4,096 iterations, alternating and simultaneous updates."""
    known = published("leduc_benchmark")
    runs = race(lab, "leduc_poker", VARIANTS, iterations=4_096, at=known["leduc"][CFR])
    yield from by_iterations("Leduc, exploitability in antes", runs, known["leduc"])
    variants = {f"{label}, simultaneous": f"{VARIANTS[label]}(updates=simultaneous)" for label in known["simultaneous"]}
    both = race(lab, "leduc_poker", variants, iterations=1_000)
    yield Table(
        "Leduc, exploitability after 1,000 iterations by updates",
        ["algorithm", "alternating", "simultaneous", "reference"],
        [
            [label, cell(runs.at, label, 1_000), cell(both.at, f"{label}, simultaneous", 1_000), figure]
            for label, figure in known["simultaneous"].items()
        ],
    )
    yield from _rounding(lab, runs, known["leduc"], {10: 10, 100: 10, 1_000: 10})
    yield from Compared(runs).claims()
    yield Claim(
        "alternating-better",
        "Alternating updates beat simultaneous ones: CFR by 2, CFR+ by 10 times or more",
        lambda: _ratios(
            (both.at(f"{CFR}, simultaneous", 1_000) / runs.at(CFR, 1_000), 2),
            (both.at(f"{CFR_PLUS}, simultaneous", 1_000) / runs.at(CFR_PLUS, 1_000), 10),
        ),
    )
    yield REFERENCE_NOTE
    yield convergence("Variants of CFR on Leduc", {"Leduc": runs})


@experiment("leduc5-benchmark", "Ten variants of CFR on Leduc-5", "BROWN 2.4.1, 3.1", seconds=35)
def leduc5(lab: Lab, iterations: int = 1_000) -> Iterator[Declared]:
    """Leduc-5 to 1,000 iterations."""
    reference = published("leduc_benchmark")["leduc5"]
    runs = race(lab, "leduc5", VARIANTS, iterations=iterations, at=reference[CFR])
    yield from by_iterations("Leduc-5, exploitability in chips", runs, reference)
    yield from _rounding(lab, runs, reference, {10: 8, 100: 8, 512: 3})
    yield from Compared(runs).claims()
    yield Claim(
        "dcfr-ahead",
        "At 512 iterations DCFR is 1.5 times better than linear CFR+ and 7 times better than CFR",
        lambda: _ratios(
            (runs.at(CFR_PLUS, 512) / runs.at(DCFR, 512), 1.5), (runs.at(CFR, 512) / runs.at(DCFR, 512), 7)
        ),
    )
    yield REFERENCE_NOTE
    yield convergence("Variants of CFR on Leduc-5", {"Leduc-5": runs})


def _rounding(
    lab: Lab, runs: Runs, reference: Mapping[str, Mapping[int, float]], counts: Mapping[int, int]
) -> Iterator[Declared]:
    spreads, last = rounding_spreads(lab, runs, list(reference), counts), max(counts)
    yield Table(
        f"What rounding alone changes at T = {last:,}: {counts[last]} runs, payoffs differing in the last bit",
        ["algorithm", "lowest", "highest", "reference"],
        [[label, *spreads.get((label, last), (None, None)), figures[last]] for label, figures in reference.items()],
    )
    yield Claim(
        "reference",
        "The reference figures lie where rounding puts ours, within "
        f"{', '.join(f'{TOLERANCE[t]:.0%} at {t:,}' for t in counts)} iterations",
        lambda: agreement(spreads, {t: TOLERANCE[t] for t in counts}, reference),
    )


def _ratios(*pairs: tuple[float, float]) -> Verdict:
    return all(ratio >= wanted for ratio, wanted in pairs), " and ".join(times(ratio) for ratio, _ in pairs)
