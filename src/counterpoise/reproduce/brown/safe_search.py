"""BROWN tables 5.1 to 5.3: search in every subgame after the last card.

Blueprints are made in a card abstraction. The source searches in flop and turn hold'em; here the game is one-card poker
with a few buckets on its second round, where every strategy can be judged exactly. Figures are in thousandths of an
ante.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from counterpoise.games.leduc import OneCardPoker
from counterpoise.reproduce.brown.card_abstraction import bucket_groups
from counterpoise.reproduce.harness.experiment import Lab, experiment
from counterpoise.reproduce.harness.published import published
from counterpoise.reproduce.harness.report import Claim, Declared, Figures, Table, Verdict, short
from counterpoise.search.maxmargin_lp import best_with_trunk
from counterpoise.search.whole import SearchPlan, Whole, WholeGame
from counterpoise.solvers import solve
from counterpoise.solvers.matching.shared import SharedCFRPlus
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


class Bench(NamedTuple):
    """A game, a number of buckets, and the iterations of the blueprint and of each search."""

    game: OneCardPoker
    buckets: int
    blueprint_iterations: int
    iterations: int


_SIX = OneCardPoker(6, ((1,), (1,)), (2, 2))
_EIGHT = OneCardPoker(8, ((1,), (0.5, 1)), (1, 2))
BENCHES = {
    "6 ranks, 6 buckets": Bench(_SIX, 6, 600, 600),
    "6 ranks, 4 buckets": Bench(_SIX, 4, 400, 300),
    "8 ranks, 3 buckets": Bench(_EIGHT, 3, 200, 200),
    "8 ranks, 8 buckets": Bench(_EIGHT, 8, 200, 200),
    "10 ranks, 5 buckets": Bench(OneCardPoker(10, ((0.5, 1), (0.5, 1)), (1, 2)), 5, 400, 300),
    "3 ranks, 2 buckets": Bench(OneCardPoker(3, ((1,), (1,)), (2, 2)), 2, 1_000, 1_000),
}

Jobs = dict[str, Callable[[], tuple[float, float]]]
"""By method: what measures the losses of both seats."""


class Column:
    """What was measured on a bench, by method: the mean of both seats and each seat, above the value of the game."""

    def __init__(self, name: str, reference: Mapping[str, float], unit: float = MILLI) -> None:
        self.name, self.reference, self.unit = name, reference, unit
        self.mean = Figures(missing="{} on " + name + " was not reached")
        self.seats: dict[str, tuple[float, float]] = {}
        self.floor = self.value = 0.0
        """What as many iterations leave of exploitability without any abstraction, and what the first seat wins."""

    def listed(self, *rows: str) -> str:
        """Return methods with their exploitability."""
        return ", ".join(f"{row} {short(self.mean[row])}" for row in rows)

    def measure(self, lab: Lab, jobs: Jobs) -> None:
        """Measure methods one after another."""
        for count, (row, job) in enumerate(jobs.items(), start=1):
            first, second = (self.unit * loss for loss in job())
            self.seats[row] = (first + self.value, second - self.value)
            self.mean[row] = (first + second) / 2
            lab.show(count / len(jobs), f"{row}: {self.mean[row]:.0f}")

    def table(self, game: str, unit: str, against: str = "reference") -> Table:
        """Return all rows beside the reference, which is `against` what."""
        return Table(
            f"{game}, {self.name}, {unit} (solver alone: {short(self.floor)})",
            ["method", "mean", against, "first seat", "second seat"],
            [[row, self.mean.get(row), self.reference.get(row), *self.seats.get(row, (None, None))] for row in ROWS],
        )

    @property
    def data(self) -> dict[str, object]:
        """The numbers, for programs."""
        return {"mean": dict(self.mean), "seats": self.seats, "floor": self.floor}

    def claim(self, id: str, text: str, condition: Callable[..., Verdict], *arguments: Any) -> Claim:
        """Return a claim of this column."""
        return Claim(
            f"{self.name.replace(', ', '-').replace(' ', '-')}-{id}", f"{self.name}: {text}", condition, *arguments
        )

    def safety_claims(self) -> Iterator[Claim]:
        """Yield what theory promises."""
        at, safe = self.mean, (RESOLVE, MAXMARGIN, REACH, EXACT)
        yield self.claim(
            "safe",
            "safe methods are no more exploitable than the trunk",
            lambda: (max(at[row] for row in safe) <= at[TRUNK] + self.floor, self.listed(TRUNK, *safe)),
        )
        yield self.claim(
            "gifts-do-not-hurt",
            "gifts, split, do not hurt maxmargin",
            lambda: (at[REACH] <= at[MAXMARGIN] + self.floor, self.listed(MAXMARGIN, REACH)),
        )

    def best_claim(self) -> Claim:
        """Return the claim that no method is better than the best strategy with this trunk."""
        return self.claim(
            "best",
            "nothing is better than the best with this trunk",
            lambda: (
                self.mean[BEST] <= min(self.mean[row] for row in PLANS) + self.floor,
                self.listed(BEST),
            ),
        )


def jobs_of(whole: Whole[Any, Any], iterations: int, plans: Mapping[str, SearchPlan] = PLANS) -> Jobs:
    """Return the trunk and plans, for `Column.measure`."""

    def job(plan: SearchPlan) -> Callable[[], tuple[float, float]]:
        return lambda: whole.search_all(plan, iterations).losses

    return {TRUNK: lambda: whole.judge().losses} | {row: job(plan) for row, plan in plans.items()}


def make_blueprint(bench: Bench) -> WholeGame:
    """Solve the card abstraction of a bench; return the blueprint with its subgames."""
    tree = enumerate_game(bench.game)
    groups = bucket_groups(tree, bench.game, bench.buckets)
    solver = SharedCFRPlus(tree, groups)
    solver.step(bench.blueprint_iterations)
    return WholeGame(bench.game, solver.average, groups=groups)


def best_possible(whole: WholeGame) -> Strategy:
    """Return the least exploitable strategies of both seats that differ from the blueprint in the second round only."""
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
def tables(lab: Lab, names: Sequence[str] = tuple(BENCHES)) -> Iterator[Declared]:
    """All methods on all benches, beside what the source prints for hold'em."""
    known, columns = published("safe_search"), list[Column]()
    with lab.stoppable():
        for name in names:
            columns.append(Column(name, known["reference"][name]))
            _measure(lab, columns[-1], BENCHES[name])
    for column in columns:
        yield column.table("One-card poker", "thousandths of an ante")
        lab.data[column.name] = column.data
    yield Table(
        "Published: flop hold'em with few and many bet sizes, turn hold'em, by buckets; mbb per hand",
        ["method", *known["published"][TRUNK]],
        [[row, *values.values()] for row, values in known["published"].items()],
    )
    for column in columns:
        yield from _claims(column)
    yield REFERENCE_NOTE
    yield (
        "Published figures are of other games in another unit: compare the order of the methods. Not to split gifts"
        " pays if there are many flops (1,755 in the source); here 4 to 18 cards may come, and it hurts."
    )
    yield (
        "Many strategies may have the same smallest margin or keep the same limits; which of them a solver finds is not"
        " determined, and their exploitability in the whole game differs. It may depend on who is updated first: with"
        " three ranks and two buckets resolve gives 1,596 to 2,087, and maxmargin with estimates 1,186 to 1,804."
    )


def _measure(lab: Lab, column: Column, bench: Bench) -> None:
    lab.begin(column.name)
    solved = solve(bench.game, "cfr+", iterations=bench.iterations, progress=False)
    column.floor, column.value = MILLI * solved.exploitability, MILLI * solved.value[0]
    whole = make_blueprint(bench)
    jobs = jobs_of(whole, bench.iterations)
    if BEST in column.reference:
        jobs[BEST] = lambda: whole.judge(best_possible(whole)).losses
    column.measure(lab, jobs)


def _claims(column: Column) -> Iterator[Claim]:
    at, listed = column.mean, column.listed
    yield from column.safety_claims()
    yield column.claim(
        "estimates",
        "estimates are at least a quarter better than resolve and maxmargin",
        lambda: (
            at[ESTIMATE] <= 0.75 * min(at[RESOLVE], at[MAXMARGIN]),
            listed(ESTIMATE, RESOLVE, MAXMARGIN),
        ),
    )
    yield column.claim(
        "estimates-overfit",
        "with estimates maxmargin overfits and resolve is better",
        lambda: (at[ESTIMATE] < at[ESTIMATE_MARGIN], listed(ESTIMATE, ESTIMATE_MARGIN)),
    )
    yield column.claim(
        "distributional",
        "distributional alternatives do not hurt estimates, and gifts hardly matter to them (5 %)",
        lambda: (
            at[SPREAD] <= 1.05 * at[ESTIMATE]
            and abs(at[REACH_SPREAD] - at[SPREAD]) <= 0.05 * at[SPREAD] + column.floor,
            listed(ESTIMATE, SPREAD, REACH_SPREAD),
        ),
    )
    yield column.claim(
        "not-split",
        "not to split gifts helps estimates with distributional alternatives",
        lambda: (at[REACH_SPREAD_WHOLE] < at[REACH_SPREAD], listed(REACH_SPREAD, REACH_SPREAD_WHOLE)),
    )
    if BEST in column.reference:
        yield column.best_claim()
