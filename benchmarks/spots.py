"""Hold'em spots: speed of an iteration, time to a target, threads and memory, beside a yardstick and published figures.

    python benchmarks/spots.py [--quick] [--algorithm NAME] [--json FILE]

`make bench` runs it too. See README.md beside this file for what is measured and how.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from kernels import load_kernels
from machine import Yardstick, calibrate, machine
from peers import OURS
from published import MEGABYTES, REACHED, expected_seconds, slowness
from report import Bar, coloured, in_digits, json_ready, summary
from rich.console import Console
from rich.table import Table

from counterpoise.progress import as_progress
from counterpoise.public import HoldemGame, Traverser
from counterpoise.public.kernels.street import DEAL
from counterpoise.solvers.public.base import PublicGameSolver
from counterpoise.spots import Spot
from counterpoise.spots.engine import build_game, make_solver, settings_of

FOLDER = Path(__file__).parent.parent / "examples" / "spots"
TARGETS = (0.5, 0.3, 0.1)
"""Per cent of the pot."""
MEASURE_EVERY = 10
MOST_ITERATIONS = 1000
THREADS = 2

TIME_BARS = {
    ("river_srp", 0.5): 0.7,
    ("river_srp", 0.1): 0.7,
    ("turn_srp", 0.5): 0.7,
    ("turn_srp", 0.3): 0.7,
    ("turn_srp", 0.1): 0.7,
    ("flop_3bet", 0.5): 0.8,
}
"""At most this share of the published solver's CPU seconds, carried over to this machine."""
TIME_GOALS = {place: 0.5 for place in TIME_BARS if place[0] != "flop_3bet"}
THREADS_BAR = 1.7
QUIET = 1.8
"""Two yardsticks at once must do so many times the work of one, or a speed-up below the bar says nothing."""

Report = Callable[[str], None]


@dataclass(frozen=True)
class Plan:
    """How often a spot is solved; rounds of so many iterations for CPU time, pairs of iterations for the wall."""

    solves: int
    rounds: int
    block: int
    pairs: int


PLANS = {
    "river_srp": Plan(solves=9, rounds=9, block=200, pairs=0),
    "turn_srp": Plan(solves=3, rounds=7, block=10, pairs=60),
    "flop_3bet": Plan(solves=1, rounds=3, block=2, pairs=12),
    "flop_srp": Plan(solves=1, rounds=3, block=2, pairs=12),
}
QUICK = {
    "river_srp": Plan(solves=3, rounds=3, block=200, pairs=0),
    "turn_srp": Plan(solves=1, rounds=3, block=10, pairs=30),
}


@dataclass(frozen=True)
class Solve:
    """When one solve came to a target: iterations, and CPU seconds of iterating and of measuring until then."""

    iterations: int
    iterating: float
    measuring: float

    @property
    def seconds(self) -> float:
        """CPU seconds in all."""
        return self.iterating + self.measuring


@dataclass
class SpotResult:
    """Everything measured on one spot."""

    nodes: int = 0
    hands: float = math.nan
    """Mean over nodes and players of the hands that the node's board leaves alive."""
    solves: dict[float, list[Solve]] = field(default_factory=dict)
    """By target."""
    python: list[float] = field(default_factory=list)
    """CPU seconds of the Python loop, before every solve."""
    yardstick: list[float] = field(default_factory=list)
    """Nanoseconds, before every solve and in every round."""
    nanoseconds: list[float] = field(default_factory=list)
    """CPU nanoseconds per node x hand x traversal of every round, one thread."""
    wall: dict[int, list[float]] = field(default_factory=dict)
    """By threads: seconds on the wall of single iterations, taken in turns."""
    capacity: float = math.nan
    """How many times the work of one yardstick two at once did on the wall in the same minute."""
    memory: dict[str, float] = field(default_factory=dict)

    def typical(self, target: float) -> Solve | None:
        """The solve of median CPU time; None if the target was not reached."""
        done = sorted(self.solves.get(target, []), key=lambda solve: solve.seconds)
        return done[len(done) // 2] if done else None

    @property
    def slower(self) -> tuple[float, float]:
        """How many times slower the machine was, by each calibration, than where the published figures come from."""
        return slowness(median(self.python), median(self.yardstick) if self.yardstick else math.nan)


@dataclass(frozen=True)
class SpotRow:
    """Our figure beside another; `bars` judge it."""

    what: str
    unit: str
    ours: float
    other: float = math.nan
    against: str = ""
    more: str = ""
    bars: list[Bar] = field(default_factory=list)
    goals: list[Bar] = field(default_factory=list)
    """Judged and shown like bars, not counted among them."""

    @property
    def share(self) -> float:
        """Ours as a share of the other."""
        return self.ours / self.other


def main() -> None:
    arguments = _arguments()
    console = Console()
    if not console.is_terminal:
        console.width = 160
    began = time.monotonic()
    with as_progress(None) as live:
        live.begin("spots")
        results, problem = measure_spots(arguments.quick, lambda text: live.show(None, text), arguments.algorithm)
    sections = show_spots(results, problem, console)
    console.print(" ".join(f"{name} {found}" for name, found in machine().items()), highlight=False)
    console.print(f"whole run {time.monotonic() - began:.0f} s", highlight=False)
    console.print(summary(sections), style="bold", highlight=False)
    if arguments.json is not None:
        figures = json_ready({"machine": machine(), "spots": as_json(results)})
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n")


def measure_spots(quick: bool, report: Report, algorithm: str | None = None) -> tuple[dict[str, SpotResult], str]:
    """All spots, and why there is no yardstick, if so. `algorithm` is the default of spots if it is not named."""
    yardstick = Yardstick()
    results = {}
    load_kernels(settings_of(algorithm), 32)
    for name, plan in (QUICK if quick else PLANS).items():
        results[name] = measure_spot(name, plan, yardstick, report, algorithm)
    return results, yardstick.problem


def measure_spot(name: str, plan: Plan, yardstick: Yardstick, report: Report, algorithm: str | None) -> SpotResult:
    """Solve a spot to all targets some times, then time blocks of iterations; calibrations in between."""
    report(f"{name}: building the game")
    spot, result = Spot.load(FOLDER / f"{name}.json"), SpotResult()
    game = build_game(spot)
    solver = make_solver(settings_of(algorithm), game, 1, 32)
    start = np.zeros(2, dtype=np.int64)
    result.nodes, result.hands = int(game.nodes), mean_hands(game)
    for number in range(plan.solves):
        report(f"{name}: solve {number + 1} of {plan.solves}")
        result.python.append(calibrate())
        if not yardstick.problem:
            result.yardstick.append(yardstick.measure())
        for array in solver.arrays().values():
            array[...] = 0
        solver.restore({"counters": start, **solver.arrays()})
        for target, solve in solve_to_targets(solver, spot.pot).items():
            result.solves.setdefault(target, []).append(solve)
    solver.restore({"counters": start, **solver.arrays()})
    for number in range(plan.rounds):
        report(f"{name}: round {number + 1} of {plan.rounds}")
        if not yardstick.problem:
            result.yardstick.append(yardstick.measure())
        began = time.process_time()
        solver.step(plan.block)
        seconds = time.process_time() - began
        result.nanoseconds.append(seconds * 1e9 / (plan.block * 2 * result.nodes * result.hands))
    if plan.pairs:
        report(f"{name}: {THREADS} threads")
        result.wall = time_threads(solver, plan.pairs)
        if not yardstick.problem:
            result.capacity = yardstick.capacity(THREADS)
    del game, solver
    if name in MEGABYTES:
        report(f"{name}: memory with 16 bits")
        command = [sys.executable, str(Path(__file__).with_name("spot_memory.py")), str(FOLDER / f"{name}.json")]
        result.memory = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return result


def solve_to_targets(solver: PublicGameSolver, pot: float) -> dict[float, Solve]:
    """Iterate until the last target, measuring every ten iterations."""
    found: dict[float, Solve] = {}
    iterating = measuring = 0.0
    while len(found) < len(TARGETS) and solver.iteration < MOST_ITERATIONS:
        began = time.process_time()
        solver.step(MEASURE_EVERY)
        between = time.process_time()
        exploitability = 100 * solver.exploitability() / pot
        iterating, measuring = iterating + between - began, measuring + time.process_time() - between
        for target in TARGETS:
            if exploitability <= target and target not in found:
                found[target] = Solve(solver.iteration, iterating, measuring)
    return found


def time_threads(solver: PublicGameSolver, pairs: int) -> dict[int, list[float]]:
    """Seconds on the wall of single iterations with one thread and with several, in turns."""
    traversers = {1: solver.traverser, THREADS: Traverser(solver.game, THREADS)}
    solver.traverser = traversers[THREADS]
    solver.step()  # makes the threads and their scratch rows
    wall: dict[int, list[float]] = {threads: [] for threads in traversers}
    for _ in range(pairs):
        for threads, solver.traverser in traversers.items():
            began = time.perf_counter()
            solver.step()
            wall[threads].append(time.perf_counter() - began)
    return wall


def mean_hands(game: HoldemGame) -> float:
    """Hands that are alive, averaged over players and expanded nodes."""
    nodes = np.zeros(game.streets)
    for tree in game.street_trees:
        nodes[tree.street] += len(tree.decisions) + sum(leaf.kind != DEAL for leaf in tree.leaves)
    total = weight = 0.0
    for board in game.board_nodes:
        alive = sum(int((~np.isin(own, board.cards).any(axis=1)).sum()) for own in game.hands) / 2
        total, weight = total + nodes[board.street] * alive, weight + nodes[board.street]
    return float(total / weight)


def rows_of(name: str, result: SpotResult) -> list[SpotRow]:
    """The figures of one spot beside what they are judged by."""
    fastest = min(result.yardstick, default=math.nan)
    ours = min(result.nanoseconds)
    rows = [
        SpotRow("an iteration, 1 thread", "ns", ours, fastest, "yardstick", bars=[at_most(1, ours, fastest)]),
    ]
    for target in TARGETS:
        solve, published = result.typical(target), REACHED[name].get(target)
        if solve is None:
            rows.append(SpotRow(f"to {target:g} % of the pot", "CPU s", math.nan, more="not reached"))
            continue
        more = f"{solve.iterations} it, iterating {solve.iterating:.3g} s, measuring {solve.measuring:.3g} s"
        theirs, against, bars, goals = math.nan, "", [], []
        if published is not None:
            theirs = expected_seconds(published, result.slower)
            low, high = published.seconds
            against = f"published, {published.iterations} it, {low:g}{f' to {high:g}' if high > low else ''} s there"
        if (name, target) in TIME_BARS:
            bars = [at_most(TIME_BARS[name, target], solve.seconds, theirs)]
        if (name, target) in TIME_GOALS:
            goals = [at_most(TIME_GOALS[name, target], solve.seconds, theirs, "goal ")]
        rows.append(SpotRow(f"to {target:g} % of the pot", "CPU s", solve.seconds, theirs, against, more, bars, goals))
    if result.wall:
        one, two = (min(result.wall[threads]) for threads in (1, THREADS))
        speedup = one / two
        busy = result.capacity < QUIET
        bar = Bar(f"{THREADS_BAR:g} times", speedup >= THREADS_BAR if speedup >= THREADS_BAR or not busy else None)
        against = f"{THREADS} yardsticks at once" + (": the machine is busy" if busy else "")
        rows.append(SpotRow(f"{THREADS} threads on the wall", "times", speedup, result.capacity, against, bars=[bar]))
    if result.memory:
        theirs, needed, growth = MEGABYTES[name], result.memory["megabytes"], result.memory["growth"]
        more = f"tables alone {result.memory['tables']:.4g} MB"
        rows.append(SpotRow("memory, 16 bits", "MB", needed, theirs, "published", more, [at_most(1, needed, theirs)]))
        rows.append(SpotRow("the process grows by, at its peak", "MB", growth, theirs, "published"))
    return rows


def at_most(share: float, ours: float, other: float, kind: str = "") -> Bar:
    """The bar "at most this share of the other figure"."""
    ratio = ours / other
    return Bar(f"{kind}at most {share:g} of it", None if math.isnan(ratio) else ratio <= share)


def show_spots(results: dict[str, SpotResult], problem: str, console: Console) -> dict[str, list[SpotRow]]:
    """Print the table and the notes below it; gives back the rows by section."""
    sections = {
        f"{name} ({result.nodes:,} nodes, {result.hands:.1f} hands)": rows_of(name, result)
        for name, result in results.items()
    }
    show_rows("Hold'em spots, beside a plain C++ loop and the fastest open solver", sections, console)
    if problem:
        console.print(problem, highlight=False)
    for name, result in results.items():
        for line in notes(name, result):
            console.print(line, highlight=False)
    return sections


def show_rows(title: str, sections: dict[str, list[SpotRow]], console: Console) -> None:
    """Print a table of rows by section."""
    table = Table(title=title, title_justify="left")
    table.add_column("")
    table.add_column("unit")
    for column in (OURS, "other", "share"):
        table.add_column(column, justify="right")
    table.add_column("other is")
    table.add_column("ours")
    table.add_column("bar")
    for name, rows in sections.items():
        table.add_section()
        table.add_row(f"[bold]{name}")
        for row in rows:
            figures = [in_digits(figure, 3) for figure in (row.ours, row.other, row.share)]
            bars = "\n".join(coloured(bar) for bar in (*row.bars, *row.goals))
            table.add_row(f"  {row.what}", row.unit, *("" if text == "-" else text for text in figures),
                          row.against, row.more, bars)  # fmt: skip
    console.print(table)


def notes(name: str, result: SpotResult) -> list[str]:
    """How fast the machine was around each spot, and how far rounds differed."""
    by_python, by_yardstick = result.slower
    lines = [
        f"{name}: Python loop {_spread(result.python)} s, yardstick {_spread(result.yardstick)} ns: published seconds "
        f"x {min(factor for factor in result.slower if not math.isnan(factor)):.2f} "
        f"(the smaller of {by_python:.2f} and {by_yardstick:.2f})",
        f"{name}: our iteration {_spread(result.nanoseconds)} ns over rounds",
    ]
    if result.wall:
        walls = [f"{1e3 * min(wall):.3g} ms with {threads}" for threads, wall in result.wall.items()]
        lines.append(
            f"{name}: best iteration on the wall {', '.join(walls)} threads; processes that wanted to run in the last "
            f"minute: {os.getloadavg()[0]:.1f}"
        )
    totals = [solve.seconds for solve in result.solves.get(min(TARGETS), [])]
    if len(totals) > 1:
        lines.append(f"{name}: solves to {min(TARGETS):g} % took {_spread(totals)} CPU s")
    return lines


def as_json(results: dict[str, SpotResult]) -> dict[str, Any]:
    """Every figure, by spot."""
    return {name: asdict(result) for name, result in results.items()}


def _spread(figures: list[float]) -> str:
    return f"{min(figures):.3g} to {max(figures):.3g}" if figures else "-"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="river and turn only, fewer rounds: under a minute")
    parser.add_argument("--algorithm", metavar="NAME", help="solve with this instead of the default of spots")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write every figure to FILE")
    return parser.parse_args()


if __name__ == "__main__":
    main()
