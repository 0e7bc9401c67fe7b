"""Search in a solved turn spot with every hand in both ranges: CPU seconds to a target.

    python benchmarks/spot_search.py [--quick] [--json FILE]

200 big blinds deep (ten chips each), 10 of them in the pot, all 1,326 hands, three bet sizes on both streets and all-in
as the raise. After a check the player in position searches again, to 0.5 % of the pot: with the sizes of the solution,
and with three others (the opponent then has all six). The seconds are those of the whole call, with building the tree,
the alternatives of all hands and measuring; beside them those that solving the whole spot took to the same target.
`make bench` runs it too.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from kernels import load_kernels
from machine import calibrate, machine
from report import Bar, json_ready, summary
from rich.console import Console
from spots import Report, SpotRow, show_rows

from counterpoise.progress import as_progress
from counterpoise.spots import Spot, search_spot, solve_spot
from counterpoise.spots.engine import settings_of

STREET = {"bet": ["33%", "75%", "150%"], "raise": ["allin"]}
OTHERS = {"bet": ["50%", "100%", "200%"], "raise": ["allin"]}
SPOT = {"board": "Qs Jh 2h 8d", "pot": 100, "stack": 1950, "oop": "random", "ip": "random"}
NODE, TARGET = "r:0:c", 0.5
SAME = "the solution's sizes"
SEARCHES: dict[str, dict[str, Any]] = {
    SAME: {},
    "three other sizes": {"sizes": {"turn": OTHERS, "river": OTHERS}},
}
BAR = 5.0
"""CPU seconds."""


@dataclass
class SearchResult:
    """CPU seconds of solving the whole spot and of every search, and how far the searches came."""

    hands: int
    whole: float
    seconds: dict[str, list[float]]
    iterations: dict[str, int]
    exploitability_pct: dict[str, float]
    loss_pct: dict[str, float]
    calibration: list[float]


def main() -> None:
    arguments = _arguments()
    console = Console()
    if not console.is_terminal:
        console.width = 160
    with as_progress(None) as live:
        live.begin("search in a spot")
        found = measure_search(arguments.quick, lambda text: live.show(None, text))
    sections = show_search(found, console)
    console.print(" ".join(f"{name} {what}" for name, what in machine().items()), highlight=False)
    console.print(summary(sections), style="bold", highlight=False)
    if arguments.json is not None:
        figures = json_ready({"machine": machine(), "spot_search": asdict(found)})
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n")


def measure_search(quick: bool, report: Report) -> SearchResult:
    """Solve the spot, then search it some times, one thread; `quick` searches once."""
    load_kernels(settings_of(None), 32)
    spot, calibrations = Spot(**SPOT, turn=STREET, river=STREET), [calibrate()]
    report("solving the whole spot")
    began = time.process_time()
    solution = solve_spot(spot, target=TARGET, threads=1, progress=False)
    whole = time.process_time() - began
    found = SearchResult(len(solution.game.hands[0]), whole, {}, {}, {}, {}, calibrations)
    for name, options in SEARCHES.items():
        found.seconds[name] = []
        for number in range(1 if quick else 3):
            report(f"{name}: search {number + 1}")
            began = time.process_time()
            searched = search_spot(solution, NODE, target=TARGET, threads=1, progress=False, **options)
            found.seconds[name].append(time.process_time() - began)
            calibrations.append(calibrate())
        found.iterations[name] = searched.iterations
        found.exploitability_pct[name], found.loss_pct[name] = searched.exploitability_pct, searched.loss_pct
    return found


def show_search(found: SearchResult, console: Console) -> dict[str, list[SpotRow]]:
    """Print the rows, each search beside solving the whole spot; gives them back by section."""
    rows = []
    for name, seconds in found.seconds.items():
        typical = median(seconds)
        more = (
            f"{found.iterations[name]} it, {min(seconds):.3g} to {max(seconds):.3g} s, "
            f"worst hand gains {found.loss_pct[name]:.2f} % of the pot"
        )
        bars = [Bar(f"at most {BAR:g} CPU s", typical <= BAR)] if name == SAME else []  # the other has six sizes
        what = f"to {TARGET:g} % of the pot, {name}"
        rows.append(SpotRow(what, "CPU s", typical, found.whole, "solving the whole spot", more, bars))
    sections = {f"after a check on the turn, 200 big blinds, {found.hands:,} hands each": rows}
    show_rows("Search in a solved spot", sections, console)
    low, high = min(found.calibration), max(found.calibration)
    console.print(f"Python loop around the searches: {low:.3g} to {high:.3g} CPU s", highlight=False)
    return sections


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="search once instead of three times")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write every figure to FILE")
    return parser.parse_args()


if __name__ == "__main__":
    main()
