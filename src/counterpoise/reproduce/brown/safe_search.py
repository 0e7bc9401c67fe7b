"""BROWN tables 5.1 to 5.3 and figure 5.7: search in every subgame after the last card.

Blueprints are made in a card abstraction. The source searches in flop and turn hold'em; here the game is one-card poker
with a few buckets on its second round, where every strategy can be judged exactly. Second-round infosets go by betting
and bucket only: the buckets are groups of about equal size by the equity of card and board against a random card of the
opponent, equal equities in one bucket. They forget the private card (imperfect recall). Figures are in thousandths of
an ante.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from counterpoise.games.cards import top_ranks
from counterpoise.games.leduc import OneCardPoker
from counterpoise.plots import Curve, Panel
from counterpoise.public.dense import Behaviour
from counterpoise.reproduce.harness.published import published
from counterpoise.reproduce.harness.report import Cell, Claim, Declared, Figure, Figures, Lab, Table, by_row
from counterpoise.reproduce.harness.states import states_by_infoset
from counterpoise.reproduce.harness.verdicts import Verdict, less, named, short
from counterpoise.search import SearchEverywhere, SearchPlan
from counterpoise.search.alternatives import InfosetGroups
from counterpoise.search.everywhere import JudgedProfile
from counterpoise.search.gifts import GiftKind
from counterpoise.search.maxmargin_lp import best_with_trunk
from counterpoise.solvers import solve
from counterpoise.solvers.matching.shared import SharedCFRPlus
from counterpoise.tree import Tree, enumerate_game


def equity_buckets(game: OneCardPoker, count: int) -> dict[tuple[str, str], int]:
    """Return the bucket of every (card, board), `count` of them with about equal shares of all deals.

    Equal equities go where the first of their deals goes.
    """
    ranks, suits = list(top_ranks(game.ranks)), game.suits
    pairs = [(card, board) for card in ranks for board in ranks if suits > 1 or card != board]

    def strength(card: str, board: str) -> int:
        return len(ranks) if card == board else ranks.index(card)

    def equity(card: str, board: str) -> float:
        left = {rank: suits - (rank == card) - (rank == board) for rank in ranks}
        mine = strength(card, board)
        beaten = {rank: 1.0 if mine > strength(rank, board) else 0.5 if rank == card else 0.0 for rank in ranks}
        return sum(copies * beaten[rank] for rank, copies in left.items()) / sum(left.values())

    deals = [float(suits * (suits - (card == board))) for card, board in pairs]
    _, atom = np.unique(np.round([equity(*pair) for pair in pairs], 9), return_inverse=True)
    shares = np.bincount(atom, deals) / sum(deals)
    parts = np.floor((np.cumsum(shares) - shares) * count + 1e-9).astype(np.int64)[atom]
    return dict(zip(pairs, parts.tolist(), strict=True))


def bucket_groups(tree: Tree, game: OneCardPoker, count: int) -> InfosetGroups:
    """Return the group of every infoset: second-round infosets of a seat with the same betting and bucket are one."""
    buckets, states = equity_buckets(game, count), states_by_infoset(game)
    numbers: dict[tuple[object, ...], int] = {}
    groups = np.zeros(tree.infosets, dtype=np.int64)
    for infoset, (player, label) in enumerate(tree.table):
        state = states[player, label]
        key: tuple[object, ...] = player, label
        if state.board:
            betting = [event for event in game.public(state) if event != state.board]
            key = (player, *betting, buckets[game.private(state, player), state.board])
        groups[infoset] = numbers.setdefault(key, len(numbers))
    return groups


MILLI = 1_000
TRUNK, BEST = "Trunk", "best with this trunk"
RESOLVE, MAXMARGIN = "Resolve", "Maxmargin"
REACH, EXACT = "Reach-Maxmargin", "Reach-Maxmargin, exact gifts"
ESTIMATE, ESTIMATE_MARGIN = "Estimate", "Estimate, Maxmargin"
SPREAD, REACH_SPREAD = "Estimate + Distributional", "Reach-Estimate + Distributional"
REACH_SPREAD_WHOLE = "Reach-Estimate + Distributional (not split)"

PLANS = {label: SearchPlan(**plan) for label, plan in published("safe_search")["plans"].items()}


class Bench(NamedTuple):
    """A game, a number of buckets, and the iterations of the blueprint and of each search."""

    game: OneCardPoker
    buckets: int
    blueprint_iterations: int
    iterations: int


BENCHES = {
    name: Bench(OneCardPoker(**bench["game"]), *bench["sizes"])
    for name, bench in published("safe_search")["benches"].items()
}

Jobs = dict[str, Callable[[], JudgedProfile]]
"""By method: what judges it."""


class Column:
    """What was measured on a bench, by method: the mean of both seats and each seat, above the value of the game."""

    def __init__(self, name: str, reference: Mapping[str, float], unit: float = MILLI) -> None:
        self.name, self.reference, self.unit = name, reference, unit
        self.mean = Figures(missing="{} on " + name + " was not reached")
        self.seats = Figures()
        self.floor = self.value = 0.0
        """What as many iterations leave of exploitability without any abstraction, and what the first seat wins."""

    def listed(self, *rows: str) -> str:
        """Return methods with their exploitability."""
        return named(self.mean.__getitem__, *rows)

    def measure(self, lab: Lab, jobs: Jobs) -> None:
        """Measure methods one after another."""
        for count, (row, job) in enumerate(jobs.items(), start=1):
            first, second = (self.unit * loss for loss in job().losses)
            self.seats[row] = (first + self.value, second - self.value)
            self.mean[row] = (first + second) / 2
            lab.show(count / len(jobs), f"{row}: {self.mean[row]:.0f}")

    def table(self, lab: Lab, game: str, unit: str, against: str = "reference") -> Table:
        """Return all rows beside the reference, under the head `against`, and keep them for programs."""
        lab.data[self.name] = {"mean": dict(self.mean), "seats": self.seats, "floor": self.floor}
        return by_row(
            f"{game}, {self.name}, {unit} (solver alone: {short(self.floor)})",
            ["method", "mean", against, "first seat", "second seat"],
            (TRUNK, BEST, *PLANS),
            self.mean.get,
            self.reference.get,
            lambda row: self.seats[row][0],
            lambda row: self.seats[row][1],
        )

    def below(self, limit: float, row: str, *others: str, factor: float = 1.0) -> Verdict:
        """Judge whether a method is at most `factor` times every other plus `limit`."""
        least = min(self.mean[other] for other in others)
        return self.mean[row] <= factor * least + limit, self.listed(row, *others)

    def claims(self) -> Iterator[Claim]:
        """Yield what theory promises."""
        at, safe = self.mean, (RESOLVE, MAXMARGIN, REACH, EXACT)

        def no_worse() -> Verdict:
            return max(at[row] for row in safe) <= at[TRUNK] + self.floor, self.listed(TRUNK, *safe)

        yield Claim("safe", no_worse, about=self.name)
        yield Claim("gifts-do-not-hurt", self.below, self.floor, REACH, MAXMARGIN, about=self.name)

    def best_claim(self) -> Claim:
        """Return the claim that no method is better than the best strategy with this trunk."""
        return Claim("best", self.below, self.floor, BEST, *PLANS, about=self.name)


def jobs_of(whole: SearchEverywhere, iterations: int, plans: Mapping[str, SearchPlan] = PLANS) -> Jobs:
    """Return the trunk and plans, for `Column.measure`."""
    searches = {row: partial(whole.search_all, plan, iterations) for row, plan in plans.items()}
    return {TRUNK: whole.judge, **searches}


def make_blueprint(bench: Bench) -> SearchEverywhere:
    """Solve the card abstraction of a bench; return the blueprint with its subgames."""
    tree = enumerate_game(bench.game)
    groups = bucket_groups(tree, bench.game, bench.buckets)
    solver = SharedCFRPlus(tree, groups)
    solver.step(bench.blueprint_iterations)
    return SearchEverywhere(bench.game, solver.average, alike=groups)


def best_possible(whole: SearchEverywhere, game: OneCardPoker) -> Behaviour:
    """Return the least exploitable strategies of both seats that differ from the blueprint in the second round only."""
    trunk, states = whole.judge().strategy, states_by_infoset(game)
    best: dict[tuple[int, str], Mapping[str, float]] = {key: trunk[key] for key in trunk.table}
    for seat in range(2):
        inside = {label for (player, label), state in states.items() if player == seat and state.board}
        best |= {(seat, label): chosen for label, chosen in best_with_trunk(game, seat, trunk, inside).items()}
    return best


def tables(lab: Lab, names: Sequence[str] = tuple(BENCHES)) -> Iterator[Declared]:
    """Measure all methods on all benches, beside what the source prints for hold'em."""
    known, columns = lab.published("safe_search"), list[Column]()
    with lab.stoppable():
        for name in names:
            columns.append(Column(name, known["reference"][name]))
            _measure(lab, columns[-1], BENCHES[name])
    for column in columns:
        yield column.table(lab, "One-card poker", "thousandths of an ante")
    yield Table(
        "Published: flop hold'em with few and many bet sizes, turn hold'em, by buckets; mbb per hand",
        ["method", *known["published"][TRUNK]],
        [[row, *values.values()] for row, values in known["published"].items()],
    )
    for column in columns:
        yield from _claims(column)


def _measure(lab: Lab, column: Column, bench: Bench) -> None:
    lab.begin(column.name)
    solved = solve(bench.game, "cfr+", iterations=bench.iterations, progress=False)
    column.floor, column.value = MILLI * solved.exploitability, MILLI * solved.value[0]
    whole = make_blueprint(bench)
    jobs = jobs_of(whole, bench.iterations)
    if BEST in column.reference:
        jobs[BEST] = lambda: whole.judge(best_possible(whole, bench.game))
    column.measure(lab, jobs)


def _claims(column: Column) -> Iterator[Claim]:
    at, name = column.mean, column.name

    def distributional() -> Verdict:
        gifts = abs(at[REACH_SPREAD] - at[SPREAD]) <= 0.05 * at[SPREAD] + column.floor
        return at[SPREAD] <= 1.05 * at[ESTIMATE] and gifts, column.listed(ESTIMATE, SPREAD, REACH_SPREAD)

    yield from column.claims()
    yield Claim("estimates", lambda: column.below(0, ESTIMATE, RESOLVE, MAXMARGIN, factor=0.75), about=name)
    yield Claim("estimates-overfit", less, at.__getitem__, ESTIMATE, ESTIMATE_MARGIN, about=name)
    yield Claim("distributional", distributional, about=name)
    yield Claim("not-split", less, at.__getitem__, REACH_SPREAD_WHOLE, REACH_SPREAD, about=name)
    if BEST in column.reference:
        yield column.best_claim()


KINDS: dict[GiftKind, str] = {"lower": "lower bounds", "exact": "exact gifts"}


class Scaled(Figures):
    """Exploitability of Reach-Maxmargin by kind and scale of gifts, and that of the trunk."""

    def __init__(
        self, lab: Lab, whole: SearchEverywhere, unit: float, scales: tuple[int, ...], iterations: int
    ) -> None:
        super().__init__(missing="{} gifts of scale {} were not reached")
        self.scales, self.trunk = scales, unit * whole.judge().exploitability
        with lab.stoppable():
            for kind in KINDS:
                for scale in scales:
                    if scale == 0 and ("lower", 0) in self:  # the same for all kinds
                        self[kind, 0] = self["lower", 0]
                        continue
                    found = whole.search_all(SearchPlan(gifts=kind, scale=scale), iterations).exploitability
                    self[kind, scale] = unit * found
                    share = len(self) / (len(KINDS) * len(scales))
                    lab.show(share, f"{kind} x {scale}: {self[kind, scale]:.0f}")
        lab.data["trunk"] = self.trunk
        for (kind, scale), value in self.items():
            lab.data.setdefault(kind, {})[str(scale)] = value

    def table(self, caption: str, reference: Mapping[str, Mapping[int, float]] | None = None) -> Table:
        """Return a row for each scale, with the trunk in the caption and the reference beside our figures."""
        heads, columns = ["scale"], list[Callable[[int], Cell]]()
        for kind, name in KINDS.items():
            heads += [name] if reference is None else [name, "reference"]
            columns += [lambda s, kind=kind: self[kind, s]] + ([] if reference is None else [reference[kind].get])
        return by_row(f"{caption} (trunk: {short(self.trunk)})", heads, self.scales, *columns)

    def listed(self, kind: str) -> str:
        """Return the figures of a kind by rising scale."""
        return ", ".join(f"{scale:,}: {short(self[kind, scale])}" for scale in self.scales)

    def figure(self) -> Figure:
        """Return one curve for each kind."""
        curves = {}
        for kind, name in KINDS.items():
            points = {scale: value for (k, scale), value in self.items() if k == kind}
            curves[name] = Curve([max(scale, 0.5) for scale in points], list(points.values()))
        panel = Panel(
            curves if self else {},
            x_label="scale of gifts (at 0.5: none)",
            y_label="exploitability",
            y_scale="linear",
            references={"trunk": self.trunk},
        )
        return Figure("Scaled gifts", [panel])


def scales(lab: Lab, blueprint_iterations: int = 600, iterations: int = 400) -> Iterator[Declared]:
    """Measure Reach-Maxmargin by the scale of gifts, with six ranks and six buckets."""
    reference = lab.published("gift_scales")["reference"]
    bench = BENCHES["6 ranks, 6 buckets"]._replace(blueprint_iterations=blueprint_iterations)
    lab.begin("scales of gifts")
    at = Scaled(lab, make_blueprint(bench), MILLI, tuple(reference["lower"]), iterations)
    yield at.table("Exploitability by the scale of gifts, thousandths of an ante", reference)

    def helps() -> Verdict:
        return at["lower", 1] < at["lower", 0], f"{at['lower', 0]:.0f} to {at['lower', 1]:.0f}"

    def inside() -> Verdict:
        return min(at["lower", s] for s in (2, 5, 10)) < min(at["lower", 1], at["lower", 1_000]), at.listed("lower")

    def one_is_best() -> Verdict:
        rising = at["exact", 1] < at["exact", 0] < at["exact", 10] < at["exact", 1_000]
        return rising and at["exact", 1_000] > at.trunk, f"{at.listed('exact')}; trunk {at.trunk:.0f}"

    yield Claim("lower-one-better", helps)
    yield Claim("lower-best-inside", inside)
    yield Claim("exact-one-best", one_is_best)
    yield at.figure()
