"""Monte Carlo CFR on Leduc, suits told apart, beside OpenSpiel's C++: iterations per CPU second, and how good they are.

    python benchmarks/sampling.py

An iteration is one walk per player on both sides. The peers take turns block by block, as in `compare`; NashConv after
a fixed number of iterations is the mean over several seeds, each side with its own random numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import mean, median, stdev

from compare import TIMED_BLOCK
from peers import EXTERNAL, LEDUC, OPENSPIEL, OURS, OUTCOME
from report import Bar, Row, at_least, show
from rich.console import Console
from worker import PeerError, Worker

NAMES = {EXTERNAL: "external sampling", OUTCOME: "outcome sampling"}
FACTORS = {EXTERNAL: 40, OUTCOME: 20}
"""How many times as fast as OpenSpiel ours is to be."""
JUDGED_AFTER = {EXTERNAL: 10_000, OUTCOME: 30_000}
"""Iterations after which NashConv is compared."""
FIRST_BLOCK = 2_000
STANDARD_ERRORS = 2.0
"""Of the difference of two means, within which NashConv counts as equal."""


@dataclass
class Sampled:
    """What one peer did with one sampler."""

    problem: str = ""
    rates: list[float] = field(default_factory=list)
    """Iterations per CPU second of each block."""
    nash_conv: list[float] = field(default_factory=list)
    """Of each seed, after the iterations of `JUDGED_AFTER`."""


def measure_sampling(rounds: int, seeds: int, report: Callable[[str], None]) -> dict[str, dict[str, Sampled]]:
    """Results by sampler and peer."""
    return {sampler: _measure(sampler, rounds, seeds, report) for sampler in NAMES}


def _measure(sampler: str, rounds: int, seeds: int, report: Callable[[str], None]) -> dict[str, Sampled]:
    results = {peer: Sampled() for peer in (OURS, OPENSPIEL)}
    workers: dict[str, Worker] = {}
    blocks: dict[str, int] = {}
    try:
        for peer, result in results.items():
            try:
                workers[peer] = Worker(peer)
                workers[peer].ask("load", game=LEDUC, algorithm=sampler, seed=1)
                workers[peer].ask("iterate", iterations=1)  # compiles
                seconds = workers[peer].ask("iterate", iterations=FIRST_BLOCK)["cpu"]
                blocks[peer] = math.ceil(FIRST_BLOCK * TIMED_BLOCK / seconds)
            except PeerError as problem:
                result.problem = str(problem)
        for number in range(1, rounds + 1):
            for peer, block in blocks.items():
                report(f"{NAMES[sampler]}, round {number} of {rounds}: {peer}")
                results[peer].rates.append(block / workers[peer].ask("iterate", iterations=block)["cpu"])
        for seed in range(1, seeds + 1):
            for peer in blocks:
                report(f"{NAMES[sampler]}, seed {seed} of {seeds}: {peer}")
                workers[peer].ask("load", game=LEDUC, algorithm=sampler, seed=seed)
                workers[peer].ask("iterate", iterations=JUDGED_AFTER[sampler])
                results[peer].nash_conv.append(workers[peer].ask("nash_conv", calls=1)["value"])
    finally:
        for worker in workers.values():
            worker.close()
    return results


def sampling_rows(samplers: dict[str, dict[str, Sampled]]) -> list[Row]:
    """Speed and NashConv of every sampler."""
    rows = []
    for sampler, results in samplers.items():
        rates = {peer: max(result.rates, default=math.nan) for peer, result in results.items()}
        means = {peer: mean(result.nash_conv) if result.nash_conv else math.nan for peer, result in results.items()}
        seeds = len(results[OURS].nash_conv)
        rows += [
            Row(NAMES[sampler], "it/s", rates, True, bars=[at_least(FACTORS[sampler], OPENSPIEL, rates, True)]),
            Row(
                f"NashConv after {JUDGED_AFTER[sampler]:,} iterations, mean of {seeds} seeds",
                "",
                means,
                compared=False,
                bars=[_as_good(results)],
            ),
        ]
    return rows


def _as_good(results: dict[str, Sampled]) -> Bar:
    ours, theirs = results[OURS].nash_conv, results[OPENSPIEL].nash_conv
    met = None
    if min(len(ours), len(theirs)) > 1:
        error = math.sqrt(stdev(ours) ** 2 / len(ours) + stdev(theirs) ** 2 / len(theirs))
        met = mean(ours) <= mean(theirs) + STANDARD_ERRORS * error
    return Bar(f"not above {OPENSPIEL} by more than {STANDARD_ERRORS:g} standard errors", met)


def sampling_notes(samplers: dict[str, dict[str, Sampled]]) -> list[str]:
    """How far blocks and seeds differed, and who is missing."""
    lines = []
    for sampler, results in samplers.items():
        spread = [
            f"{peer} {min(result.rates):,.0f} to {max(result.rates):,.0f} it/s, "
            f"NashConv {min(result.nash_conv):.3g} to {max(result.nash_conv):.3g}"
            for peer, result in results.items()
            if result.rates and result.nash_conv
        ]
        lines.append(f"{NAMES[sampler]}, blocks and seeds: " + "; ".join(spread))
        lines += [f"{NAMES[sampler]}: {peer} {result.problem}" for peer, result in results.items() if result.problem]
        ratios = sorted(a / b for a, b in zip(results[OURS].rates, results[OPENSPIEL].rates, strict=False))
        if ratios:
            lines.append(
                f"{NAMES[sampler]}, times as fast as {OPENSPIEL} in the same round: "
                f"{ratios[0]:,.0f} to {ratios[-1]:,.0f}, median {median(ratios):,.0f}"
            )
    return lines


def main() -> None:
    console = Console()
    if not console.is_terminal:
        console.width = 160
    samplers = measure_sampling(10, 10, lambda text: None)
    show({"Monte Carlo CFR on Leduc, suits told apart": sampling_rows(samplers)}, console)
    for line in sampling_notes(samplers):
        console.print(line, highlight=False)


if __name__ == "__main__":
    main()
