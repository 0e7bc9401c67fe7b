"""BROWN tables 5.1 to 5.3: search in every subgame after the last card.

Blueprints are made in a card abstraction. The source searches in flop and turn hold'em; here the game is one-card poker
with a few buckets on its second round, where every strategy can be judged exactly. Figures are in thousandths of an
ante.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from counterpoise.games.leduc import OneCardPoker
from counterpoise.reproduce.base import NotMeasured, Report, Setup, Table, experiment
from counterpoise.reproduce.card_abstraction import bucket_groups, solve_alike
from counterpoise.reproduce.race import measured, short
from counterpoise.search.maxmargin_lp import best_with_trunk
from counterpoise.search.whole import SearchPlan, Whole, WholeGame
from counterpoise.solvers import solve
from counterpoise.tree import Strategy, enumerate_game

MILLI = 1_000
REFERENCE_NOTE = "reference: an independent re-computation on the same small game; the source's own games are hold'em."
TRUNK, BEST, UNSAFE = "Trunk", "best with this trunk", "Unsafe"
RESOLVE, MAXMARGIN = "Resolve", "Maxmargin"
REACH, REACH_WHOLE = "Reach-Maxmargin", "Reach-Maxmargin (not split)"
EXACT, EXACT_WHOLE = "Reach-Maxmargin, exact gifts", "Reach-Maxmargin, exact gifts (not split)"
ESTIMATE, ESTIMATE_MARGIN = "Estimate", "Estimate, Maxmargin"
SPREAD, REACH_SPREAD = "Estimate + Distributional", "Reach-Estimate + Distributional"
REACH_SPREAD_WHOLE = "Reach-Estimate + Distributional (not split)"

PLANS = {
    UNSAFE: SearchPlan(method="unsafe"),
    RESOLVE: SearchPlan(method="resolve"),
    MAXMARGIN: SearchPlan(),
    REACH: SearchPlan(gifts="lower"),
    REACH_WHOLE: SearchPlan(gifts="lower", split=False),
    EXACT: SearchPlan(gifts="exact"),
    EXACT_WHOLE: SearchPlan(gifts="exact", split=False),
    ESTIMATE: SearchPlan(method="resolve", estimate=True),
    ESTIMATE_MARGIN: SearchPlan(estimate=True),
    SPREAD: SearchPlan(method="distributional", estimate=True),
    REACH_SPREAD: SearchPlan(method="distributional", estimate=True, gifts="exact"),
    REACH_SPREAD_WHOLE: SearchPlan(method="distributional", estimate=True, gifts="exact", split=False),
}
ROWS = (TRUNK, BEST, *PLANS)

PUBLISHED_COLUMNS = tuple(
    f"{game} {buckets:,}"
    for game, sizes in (
        ("small", (200, 2_000, 30_000)),
        ("large", (200, 2_000, 30_000)),
        ("turn", (200, 2_000, 20_000)),
    )
    for buckets in sizes
)
PUBLISHED = {
    TRUNK: (88.69, 37.374, 9.128, 283.7, 165.2, 41.41, 684.6, 465.1, 345.5),
    UNSAFE: (14.68, 3.958, 0.5514, 65.59, 38.22, 396.8, 130.4, 85.95, 79.34),
    RESOLVE: (60.16, 17.79, 5.407, 179.6, 101.7, 23.11, 454.9, 321.5, 251.8),
    MAXMARGIN: (30.05, 13.99, 4.343, 134.7, 77.89, 19.50, 427.6, 299.6, 234.4),
    REACH: (29.88, 13.90, 4.147, 134.0, 72.22, 18.80, 424.4, 298.3, 233.5),
    REACH_WHOLE: (24.87, 9.807, 2.588, 130.3, 66.79, 16.41, 333.4, 229.4, 175.5),
    ESTIMATE: (11.66, 6.261, 2.423, 52.62, 41.93, 30.09, 120.6, 89.43, 76.44),
    SPREAD: (10.44, 6.245, 3.430, 49.56, 38.98, 10.54, 119.4, 87.83, 74.35),
    REACH_SPREAD: (10.21, 5.798, 2.258, 49.33, 38.52, 9.840, 116.8, 85.80, 72.59),
    REACH_SPREAD_WHOLE: (9.560, 4.924, 1.733, 49.13, 37.22, 8.777, 113.3, 83.24, 70.68),
}


class Bench(NamedTuple):
    """A game, a number of buckets, iterations of the blueprint and of each search, and what others have measured."""

    game: OneCardPoker
    buckets: int
    blueprint_iterations: int
    iterations: int
    reference: Mapping[str, float]


def _reference(*values: float | None) -> dict[str, float]:
    return {row: value for row, value in zip(ROWS, values, strict=True) if value is not None}


_L6 = OneCardPoker(6, ((1,), (1,)), (2, 2))
_L8 = OneCardPoker(8, ((1,), (0.5, 1)), (1, 2))
_L10 = OneCardPoker(10, ((0.5, 1), (0.5, 1)), (1, 2))
_L3 = OneCardPoker(3, ((1,), (1,)), (2, 2))
BENCHES = {
    "6 ranks, 6 buckets": Bench(
        _L6, 6, 600, 600, _reference(636, 56, 303, 285, 213, 203, 198, 200, 312, 124, 158, 127, 121, 144)
    ),
    "6 ranks, 4 buckets": Bench(
        _L6, 4, 400, 300, _reference(1127, None, 404, 558, 251, 251, 251, 266, 533, 153, 250, 142, 137, 207)
    ),
    "8 ranks, 3 buckets": Bench(
        _L8, 3, 200, 200, _reference(370, 32, 106, 242, 211, 197, 197, 186, 234, 150, 424, 128, 131, 262)
    ),
    "8 ranks, 8 buckets": Bench(
        _L8, 8, 200, 200, _reference(247, 25, 170, 177, 96, 94, 92, 83, 183, 58, 111, 56, 53, 83)
    ),
    "10 ranks, 5 buckets": Bench(
        _L10, 5, 400, 300, _reference(207, None, 119, 160, 131, 130, 128, 115, 232, 87, 182, 84, 85, 132)
    ),
    "3 ranks, 2 buckets": Bench(
        _L3, 2, 1_000, 1_000,
        _reference(2842, 167, 341, 1596, 1898, 1898, 1898, 1862, 2399, 1159, 1252, 1117, 952, 995),
    ),
}  # fmt: skip


class Column:
    """What was measured on a bench, by method: the mean of both seats and each seat, above the value of the game."""

    def __init__(self, name: str, reference: Mapping[str, float], unit: float = MILLI) -> None:
        self.name, self.reference, self.unit = name, reference, unit
        self.mean: dict[str, float] = {}
        self.seats: dict[str, tuple[float, float]] = {}
        self.floor = self.value = 0.0
        """What as many iterations leave of exploitability without any abstraction, and what the first seat wins."""

    def at(self, row: str) -> float:
        """The exploitability of a method."""
        if row not in self.mean:
            raise NotMeasured(f"{row} on {self.name} was not reached")
        return self.mean[row]

    def listed(self, *rows: str) -> str:
        """Methods with their exploitability."""
        return ", ".join(f"{row} {short(self.at(row))}" for row in rows)

    def measure(self, setup: Setup, jobs: Mapping[str, Callable[[], tuple[float, float]]]) -> None:
        """Do jobs by method, each of which gives the losses of both seats."""
        for count, (row, job) in enumerate(jobs.items(), start=1):
            first, second = (self.unit * loss for loss in job())
            self.seats[row] = (first + self.value, second - self.value)
            self.mean[row] = (first + second) / 2
            setup.live.show(count / len(jobs), f"{row}: {self.mean[row]:.0f}")

    def table(self, game: str, unit: str, against: str = "reference") -> Table:
        """All rows beside the reference, which is `against` what."""
        return Table(
            f"{game}, {self.name}, {unit} (solver alone: {short(self.floor)})",
            ["method", "mean", against, "first seat", "second seat"],
            [
                [
                    row,
                    measured(self.at, row),
                    short(self.reference.get(row)),
                    *(short(seat) for seat in self.seats.get(row, (None, None))),
                ]
                for row in ROWS
            ],
        )

    @property
    def data(self) -> dict[str, object]:
        """The numbers, for programs."""
        return {"mean": self.mean, "seats": self.seats, "floor": self.floor}


def jobs_of(
    whole: Whole[Any, Any], iterations: int, plans: Mapping[str, SearchPlan] = PLANS
) -> dict[str, Callable[[], tuple[float, float]]]:
    """The trunk and plans, for `Column.measure`."""
    jobs: dict[str, Callable[[], tuple[float, float]]] = {TRUNK: lambda: whole.judge().losses}
    for row, plan in plans.items():
        jobs[row] = lambda plan=plan: whole.search_all(plan, iterations).losses  # type: ignore[misc]
    return jobs


def prepare(bench: Bench) -> WholeGame:
    """The blueprint of a bench and its subgames."""
    tree = enumerate_game(bench.game)
    groups = bucket_groups(tree, bench.game, bench.buckets)
    return WholeGame(bench.game, solve_alike(tree, groups, bench.blueprint_iterations), groups=groups)


def best_possible(whole: WholeGame) -> Strategy:
    """The least exploitable strategies of both seats that differ from the blueprint in the second round only."""
    best = Strategy(whole.tree.name, whole.tree.table, whole.blueprint.probabilities.copy())
    for seat in range(2):
        inside = {label for player, label in whole.tree.table if player == seat and "/" in label}
        for label, chosen in best_with_trunk(whole.game, seat, whole.blueprint, inside).items():
            start = int(best.table.start[best.table.find((seat, label))])
            best.probabilities[start : start + len(chosen)] = list(chosen.values())
    return best


@experiment(
    "brown-5.1",
    "Safe search from blueprints in a card abstraction (tables 5.1 to 5.3)",
    "BROWN 5.1.8, tables 5.1 to 5.3",
    seconds=60,
)
def tables(setup: Setup, report: Report, names: Sequence[str] = tuple(BENCHES)) -> None:
    """All methods on all benches, beside what the source prints for hold'em."""
    columns = []
    for name in names:
        columns.append(Column(name, BENCHES[name].reference))
        try:
            _measure(setup, columns[-1], BENCHES[name])
        except KeyboardInterrupt:
            report.interrupted = True
            break
    for column in columns:
        report.tables.append(column.table("One-card poker", "thousandths of an ante"))
        report.data[column.name] = column.data
    report.tables.append(
        Table(
            "Published: flop hold'em with few and many bet sizes, turn hold'em, by buckets; mbb per hand",
            ["method", *PUBLISHED_COLUMNS],
            [[row, *(short(value) for value in values)] for row, values in PUBLISHED.items()],
        )
    )
    for column in columns:
        _judge(report, column)
    report.notes.append(REFERENCE_NOTE)
    report.notes.append(
        "Published figures are of other games in another unit: compare the order of the methods. Not to split gifts"
        " pays if there are many flops (1,755 in the source); here 4 to 18 cards may come, and it hurts."
    )
    report.notes.append(
        "Many strategies may have the same smallest margin or keep the same limits; which of them a solver finds is not"
        " determined, and their exploitability in the whole game differs. It may depend on who is updated first: with"
        " three ranks and two buckets resolve gives 1,596 to 2,087, and maxmargin with estimates 1,186 to 1,804."
    )


def judge_safety(report: Report, column: Column) -> None:
    """What theory promises."""
    at, floor = column.at, column.floor
    report.judge(
        f"{column.name}: safe methods are no more exploitable than the trunk",
        lambda: (
            max(at(row) for row in (RESOLVE, MAXMARGIN, REACH, EXACT)) <= at(TRUNK) + floor,
            column.listed(TRUNK, RESOLVE, MAXMARGIN, REACH, EXACT),
        ),
    )
    report.judge(
        f"{column.name}: gifts, split, do not hurt maxmargin",
        lambda: (at(REACH) <= at(MAXMARGIN) + floor, column.listed(MAXMARGIN, REACH)),
    )


def _measure(setup: Setup, column: Column, bench: Bench) -> None:
    setup.live.begin(column.name)
    solved = solve(bench.game, "cfr+", iterations=bench.iterations)
    column.floor, column.value = MILLI * solved.exploitability, MILLI * solved.value[0]
    whole = prepare(bench)
    jobs = jobs_of(whole, bench.iterations)
    if BEST in bench.reference:
        jobs[BEST] = lambda: whole.judge(best_possible(whole)).losses
    column.measure(setup, jobs)


def _judge(report: Report, column: Column) -> None:
    at, floor, listed = column.at, column.floor, column.listed
    judge_safety(report, column)
    report.judge(
        f"{column.name}: estimates are at least a quarter better than resolve and maxmargin",
        lambda: (
            at(ESTIMATE) <= 0.75 * min(at(RESOLVE), at(MAXMARGIN)),
            listed(ESTIMATE, RESOLVE, MAXMARGIN),
        ),
    )
    report.judge(
        f"{column.name}: with estimates maxmargin overfits and resolve is better",
        lambda: (at(ESTIMATE) < at(ESTIMATE_MARGIN), listed(ESTIMATE, ESTIMATE_MARGIN)),
    )
    report.judge(
        f"{column.name}: distributional alternatives do not hurt estimates, and gifts hardly matter to them (5 %)",
        lambda: (
            at(SPREAD) <= 1.05 * at(ESTIMATE) and abs(at(REACH_SPREAD) - at(SPREAD)) <= 0.05 * at(SPREAD) + floor,
            listed(ESTIMATE, SPREAD, REACH_SPREAD),
        ),
    )
    report.judge(
        f"{column.name}: not to split gifts helps estimates with distributional alternatives",
        lambda: (at(REACH_SPREAD_WHOLE) < at(REACH_SPREAD), listed(REACH_SPREAD, REACH_SPREAD_WHOLE)),
    )
    if BEST in column.reference:
        report.judge(
            f"{column.name}: nothing is better than the best with this trunk",
            lambda: (at(BEST) <= min(at(row) for row in PLANS) + floor, listed(BEST)),
        )
