"""Bet-size optimisation: traversals to the best sizes, by four methods, from starts at both ends of the range.

    python benchmarks/bet_sizes.py [--quick]

Grid: every size of a grid solved by itself. Coordinates: golden sections, one size at a time, each solve started from
the last. Algorithm 3: Brown 2020, section 4.2.5, two probes per size. Slopes: what `optimise_sizes` does. A method
passes if its sizes are worth the best of the grid within 2 % of the range of values on the grid, with fewer traversals
than it took; a traversal is one pass over the tree for one player. `--quick` leaves out the turn.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import counterpoise as cp
from counterpoise.solvers.bet_sizes import SlopeAscent, TreeClimber, climb, enumerate_family, make_family
from counterpoise.spots import Spot
from counterpoise.spots.sizes.climber import SizeClimber
from counterpoise.spots.sizes.solves import worth_to
from counterpoise.spots.sizes.tables import with_bets, words_of

SPOTS = Path(__file__).parent.parent / "examples" / "spots"
TOLERANCE = 0.02
LOW, HIGH = 10.0, 300.0
TARGET = 0.1
"""Exploitability of the solves that judge sizes, in per cent of the pot; of the grids too."""
GOLDEN = (5**0.5 - 1) / 2
PRECISION = 0.05

Point = tuple[float, ...]


@dataclass
class Row:
    """What one method found from one start."""

    game: str
    method: str
    start: str
    found: Point
    value: float
    traversals: int


def leduc() -> Iterator[Row]:
    """Yield all methods on the second bet of Leduc, for the seat that acts second (Brown 2020, section 4.2.6)."""
    family = make_family("leduc_poker", ["bets[1]"])
    box = (3.0, 13.0)
    game = enumerate_family(family, (box,))
    sizes = np.linspace(*box, 41)
    iterations = 1000

    def value(theta: Point) -> float:
        return float(cp.exact(family.at(list(theta))).value[1])

    solved = [cp.solve(family.at([size]), "cfr", iterations=iterations, progress=False).value[1] for size in sizes]
    best, worst = ((float(sizes[int(chosen(solved))]),) for chosen in (np.argmax, np.argmin))
    total = 2 * iterations * len(sizes)
    yield Row("Leduc", "grid", "", best, value(best), total)
    yield Row("Leduc", "worst of the grid", "", worst, value(worst), 0)
    for start in box:
        by_probes = cp.optimise_parameters(
            family.at([start]),
            {"bets[1]": box},
            start={"bets[1]": start},
            seat=1,
            iterations=total // 8,  # two probes, two traversals each: half of what the grid takes
            settings=cp.Ascent(scale=5.0),
            progress=False,
        )
        theta: Point = tuple(by_probes.parameters.values())
        yield Row("Leduc", "Algorithm 3", f"{start:g}", theta, value(theta), 4 * by_probes.iterations)
        climber = TreeClimber(game, 1, cp.make_algorithm("cfr"))
        settings = SlopeAscent(iterations=100, memory=15, share=1.0, growth=1.2, precision=0.01)
        theta = tuple(climb(climber, [start], [box], settings).tolist())
        yield Row("Leduc", "slopes", f"{start:g}", theta, value(theta), climber.traversals)


def spot(name: str, seat: int, grid: list[float]) -> Iterator[Row]:
    """Yield all methods on a spot."""
    given = Spot.load(SPOTS / name)
    streets = SizeClimber(given, seat, 1, 2, 32).streets

    def solve(point: Point) -> tuple[float, int]:
        words = {street: words_of([size]) for street, size in zip(streets, point, strict=True)}
        solution = cp.solve_spot(with_bets(given, seat, words), target=TARGET, progress=False)
        return worth_to(solution, seat)[0], 2 * solution.iterations

    solved = {point: solve(point) for point in itertools.product(grid, repeat=len(streets))}
    ordered = sorted(solved, key=lambda point: solved[point][0])
    total = sum(traversals for _, traversals in solved.values())
    yield Row(given.name, "grid", "", ordered[-1], solved[ordered[-1]][0], total)
    yield Row(given.name, "worst of the grid", "", ordered[0], solved[ordered[0]][0], 0)
    box = [(LOW, min(HIGH, 100 * given.stack / given.pot)), *[(LOW, HIGH)] * (len(streets) - 1)]
    methods: dict[str, Callable[[SizeClimber, float], np.ndarray]] = {
        "coordinates": lambda climber, start: by_coordinates(climber, start, box),
        "Algorithm 3": lambda climber, start: by_probes(given, climber, start, box, total // 2),
        "slopes": lambda climber, start: climb(climber, [start] * len(box), box, SlopeAscent()),
    }
    for start, (method, run) in itertools.product((LOW, HIGH), methods.items()):
        climber = SizeClimber(given, seat, 1, 2, 32)
        theta = tuple(np.round(run(climber, start)).tolist())
        yield Row(given.name, method, f"{start:g} %", theta, solve(theta)[0], climber.traversals)


def by_coordinates(climber: SizeClimber, start: float, box: list[tuple[float, float]]) -> np.ndarray:
    """Golden sections in one size after the other, twice round if there are several."""
    at = np.full(len(box), np.log(start))
    climber.move(np.exp(at), 0)

    def value(place: int, size: float) -> float:
        theta = at.copy()
        theta[place] = size
        climber.move(np.exp(theta), 20)
        return climber.solve_to(TARGET, 300)[0]

    for place in list(range(len(box))) * (2 if len(box) > 1 else 1):
        low, high = np.log(box[place])
        left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        values = value(place, left), value(place, right)
        while high - low > PRECISION:
            if values[0] > values[1]:
                high, right = right, left
                left = high - GOLDEN * (high - low)
                values = value(place, left), values[0]
            else:
                low, left = left, right
                right = low + GOLDEN * (high - low)
                values = values[1], value(place, right)
        at[place] = (low + high) / 2
    return np.exp(at)


def by_probes(
    given: Spot, counted: SizeClimber, start: float, box: list[tuple[float, float]], budget: int
) -> np.ndarray:
    """Algorithm 3 with regrets carried along, on a log scale, until it has taken half of what the grid takes.

    K = 20, a step of 0.3 for a slope of 1 % of the pot, falling like s^(-3/4), probes at 0.3 s^(-1/4).
    """
    low, high = np.log(box).T
    at, probes = np.full(len(box), np.log(start)), {}
    for side, place in itertools.product((-1, 1), range(len(box))):
        probes[side, place] = SizeClimber(given, counted.seat, 1, 2, 32)
    for step in itertools.count(1):
        apart = {}
        for (side, place), probe in probes.items():
            theta = at.copy()
            theta[place] = np.clip(at[place] + side * 0.3 * step**-0.25, low[place], high[place])
            probe.move(np.exp(theta), 20 * step if step > 1 else 0)
            probe.step(20)
            apart[side, place] = theta[place], probe.judge()[0]
        counted.traversals = sum(probe.traversals for probe in probes.values())
        slopes = [
            (apart[1, place][1] - apart[-1, place][1]) / (apart[1, place][0] - apart[-1, place][0])
            for place in range(len(box))
        ]
        at = np.clip(at + 0.3 * np.array(slopes) / step**0.75, low, high)
        if counted.traversals >= budget:
            return np.exp(at)
    raise AssertionError("the budget ends it")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="leave out the turn")
    quick = parser.parse_args().quick
    games: list[Callable[[], Iterator[Row]]] = [
        leduc,
        lambda: spot("river_srp.json", 1, [float(size) for size in range(10, 301, 10)]),
    ]
    if not quick:
        games.append(lambda: spot("turn.toml", 1, [10.0, 30.0, 60.0, 90.0, 130.0, 300.0]))
    console = Console(width=None if Console().is_terminal else 160)
    for game in games:
        table = Table("game", "method", "start", "sizes", "value", "short of the best", "traversals", "passes")
        best = worst = None
        for row in game():
            if row.method == "grid":
                best = row
            elif row.method == "worst of the grid":
                worst = row
            if best is None or worst is None:
                continue
            short = (best.value - row.value) / (best.value - worst.value)
            passes = short <= TOLERANCE and row.traversals < best.traversals
            shown = best if row is worst else row
            sizes = " / ".join(f"{size:.4g}" for size in shown.found)
            if row is worst:
                table.add_row(
                    shown.game, shown.method, "", sizes, f"{shown.value:.4f}", "0", f"{shown.traversals:,}", ""
                )
                continue
            verdict = "yes" if passes else "no"
            figures = [f"{row.value:.4f}", f"{100 * short:.1f} %", f"{row.traversals:,}", verdict]
            table.add_row(row.game, row.method, row.start, sizes, *figures)
        console.print(table)


if __name__ == "__main__":
    main()
