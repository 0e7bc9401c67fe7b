"""`make bench`: Counterpoise beside OpenSpiel and LiteEFG on the same games, and hold'em spots, in CPU seconds.

    python benchmarks/run.py [--quick] [--json FILE]

See README.md beside this file for what is measured and how.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median

from compare import Result, compare
from machine import calibrate, machine
from peers import LEDUC, LEDUC_MERGED, LIARS_DICE, LIARS_DICE_ENUMERATED, LITEEFG, OPENSPIEL, OURS
from report import Row, at_least, below, in_range, json_ready, same_as, show, summary
from rich.console import Console
from rounding import rounding_range
from sampling import measure_sampling, sampling_notes, sampling_rows
from spot_search import measure_search, show_search
from spots import as_json as spots_as_json, measure_spots, show_spots
from startup import Elapsed, Enumeration, enumeration, startup

from counterpoise.progress import as_progress


def main() -> None:
    arguments = _arguments()
    console = Console()
    if not console.is_terminal:
        console.width = 160
    began = time.monotonic()
    calibrations = [calibrate()]
    with as_progress(None) as live:
        live.begin("importing, compiling, enumerating")
        started = startup(repeats=3)
        enumerated = enumeration(repeats=1 if arguments.quick else 2)
        calibrations.append(calibrate())
        live.begin("Leduc")
        leduc = compare(LEDUC, 100, 2 if arguments.quick else 10, (100, 1000), lambda text: live.show(None, text))
        merged = compare(LEDUC_MERGED, 100, 3, (100,), lambda text: live.show(None, text), [OURS])
        live.show(None, "how far rounding moves NashConv")
        rounding = {} if arguments.quick else {1000: rounding_range(LEDUC, 1000, copies=100)}
        calibrations.append(calibrate())
        live.begin("Monte Carlo CFR")
        repeats = 3 if arguments.quick else 10
        sampled = measure_sampling(repeats, repeats, lambda text: live.show(None, text))
        calibrations.append(calibrate())
        live.begin("Liar's Dice")
        dice = compare(LIARS_DICE, 10, 1 if arguments.quick else 10, (10, 100), lambda text: live.show(None, text))
        enumerated_dice = compare(LIARS_DICE_ENUMERATED, 10, 3, (10,), lambda text: live.show(None, text), [OURS])
        calibrations.append(calibrate())
        live.begin("hold'em spots")
        spots, no_yardstick = measure_spots(arguments.quick, lambda text: live.show(None, text))
        calibrations.append(calibrate())
        live.begin("search in a spot")
        searched = measure_search(arguments.quick, lambda text: live.show(None, text))
        calibrations.append(calibrate())

    sections = {
        f"Leduc, suits told apart ({leduc[OURS].infosets:,} infosets)": [
            *comparison(leduc, {OPENSPIEL: 100, LITEEFG: 40}, {LITEEFG: 1}, rounding),
            Row(
                "CFR+ with suits merged, the default form",
                "it/s",
                {OURS: best_rate(merged[OURS])},
                compared=False,
            ),
        ],
        "Monte Carlo CFR on Leduc, suits told apart": sampling_rows(sampled),
        f"Liar's Dice 1x6 ({dice[OURS].infosets:,} infosets)": [
            *comparison(dice, {OPENSPIEL: 400}, {}, {}),
            Row(
                "CFR+ history by history, as for any game",
                "it/s",
                {OURS: best_rate(enumerated_dice[OURS])},
                compared=False,
            ),
        ],
        "Before the first iteration": waiting(started, enumerated),
    }
    show(sections, console)
    for line in notes(leduc, dice, calibrations, time.monotonic() - began) + sampling_notes(sampled):
        console.print(line, highlight=False)
    spot_sections = show_spots(spots, no_yardstick, console)
    spot_sections |= show_search(searched, console)
    console.print(summary({**sections, **spot_sections}), style="bold", highlight=False)
    if arguments.json is not None:
        figures = {
            "machine": machine(),
            "calibration_cpu_seconds": calibrations,
            "seconds": time.monotonic() - began,
            "sections": {title: [row.as_json() for row in rows] for title, rows in sections.items()},
            "raw": {
                "leduc": {peer: asdict(result) for peer, result in leduc.items()},
                "leduc_merged": {peer: asdict(result) for peer, result in merged.items()},
                "liars_dice": {peer: asdict(result) for peer, result in dice.items()},
                "liars_dice_enumerated": {peer: asdict(result) for peer, result in enumerated_dice.items()},
                "leduc_sampling": {
                    sampler: {peer: asdict(result) for peer, result in results.items()}
                    for sampler, results in sampled.items()
                },
                "leduc_rounding_range": rounding,
                "startup": {name: elapsed._asdict() for name, elapsed in started.items()},
                "enumeration": {name: found._asdict() for name, found in enumerated.items()},
                "spots": spots_as_json(spots),
                "spot_search": asdict(searched),
            },
        }
        arguments.json.write_text(json.dumps(json_ready(figures), indent=2) + "\n")
        console.print(f"written to {arguments.json}", highlight=False)


def comparison(
    results: dict[str, Result],
    speed: dict[str, float],
    exploitability: dict[str, float],
    rounding: dict[int, tuple[float, float]],
) -> list[Row]:
    """The rows of one game.

    `speed` and `exploitability` hold the factors promised over each peer, `rounding` by iterations the range of
    NashConv that rounding alone produces.
    """
    rates = {peer: best_rate(result) for peer, result in results.items()}
    measuring = {peer: result.nash_conv_seconds * 1e3 for peer, result in results.items()}
    iterating_growth = {peer: result.growth_iterating for peer, result in results.items()}
    measuring_growth = {peer: result.growth_measuring for peer, result in results.items()}
    rows = [
        Row("CFR+", "it/s", rates, True, bars=[at_least(f, p, rates, True) for p, f in speed.items()]),
        Row("one exploitability", "ms", measuring, bars=[at_least(f, p, measuring) for p, f in exploitability.items()]),
        Row("load the game", "s", {peer: result.load_seconds for peer, result in results.items()}),
        Row("memory: load and iterate", "MB", iterating_growth, bars=[below(OPENSPIEL, iterating_growth)]),
        Row("memory: exploitability too", "MB", measuring_growth, bars=[below(OPENSPIEL, measuring_growth)]),
        Row("whole process at its peak", "MB", {peer: result.peak for peer, result in results.items()}),
    ]
    for mark in sorted({mark for result in results.values() for mark in result.nash_conv}):
        reached = {peer: result.nash_conv.get(mark, math.nan) for peer, result in results.items()}
        bars = [same_as(OPENSPIEL, reached, 1e-4)]
        if mark in rounding:
            bars.append(in_range(OPENSPIEL, reached, *rounding[mark]))
        what = f"NashConv after {mark:,} iterations"
        rows.append(Row(what, "", reached, compared=False, digits=6, bars=bars))
    return rows


def best_rate(result: Result) -> float:
    """Iterations per CPU second of the best block."""
    return max(result.rates, default=math.nan)


def waiting(started: dict[str, Elapsed], enumerated: dict[str, Enumeration]) -> list[Row]:
    """What a user of Counterpoise waits for; CPU seconds."""
    names = {
        "import": "import counterpoise",
        "warm": "import and first solve, kernels cached",
        "cold": "import and first solve, kernels compiled",
    }
    rows = [Row(text, "s", {OURS: started[name].cpu}, compared=False) for name, text in names.items()]
    for name, found in enumerated.items():
        what = f"enumerate {name}, {found.nodes:,} nodes"
        rows.append(Row(what, "us/node", {OURS: found.microseconds_per_node}, compared=False))
    return rows


def notes(
    leduc: dict[str, Result], dice: dict[str, Result], calibrations: Sequence[float], seconds: float
) -> list[str]:
    """What a reader needs beside the table: the machine, its speed, how far blocks differed, who is missing."""
    lines = [
        " ".join(f"{name} {found}" for name, found in machine().items()),
        f"calibration: 5 million integer adds in Python {min(calibrations):.3f} to {max(calibrations):.3f} CPU s "
        "(0.44 to 0.60 where the bars were set); "
        f"whole run {seconds:.0f} s",
    ]
    for game, results in (("Leduc", leduc), ("Liar's Dice", dice)):
        spread = [
            f"{peer} {min(result.rates):,.4g} to {max(result.rates):,.4g}"
            for peer, result in results.items()
            if result.rates
        ]
        lines.append(f"{game}, slowest and best block, it/s: " + "; ".join(spread))
        for peer, result in results.items():
            if peer != OURS and (
                paired := sorted(a / b for a, b in zip(results[OURS].rates, result.rates, strict=False))
            ):
                lines.append(
                    f"{game}, times as fast as {peer} in the same round: "
                    f"{paired[0]:,.0f} to {paired[-1]:,.0f}, median {median(paired):,.0f}"
                )
        lines += [f"{game}: {peer} {result.problem}" for peer, result in results.items() if result.problem]
        sizes = {result.infosets for result in results.values() if not result.problem}
        if len(sizes) > 1:
            lines.append(f"{game}: the peers disagree about the number of infosets, {sorted(sizes)}")
    return lines


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="fewer rounds, no flops: a look at the ratios")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write every figure to FILE")
    return parser.parse_args()


if __name__ == "__main__":
    main()
