"""Brown 2020, tables 5.1 to 5.3 and figure 5.7: search in every subgame after the last card.

Blueprints are made in a card abstraction. The source searches in flop and turn hold'em; here the game is one-card poker
with a few buckets on its second round, where every strategy can be judged exactly, and then no-limit flop hold'em with
six ranks, stacks of 20 big blinds, bets of the pot or all-in. In both there is no abstraction before the public cards.

One-card poker: second-round infosets go by betting and bucket only. The buckets are groups of about equal size by the
equity of card and board against a random card of the opponent, equal equities in one bucket. They forget the private
card (imperfect recall). Figures are in thousandths of an ante.

Flop hold'em: the 21,150 infosets after a sequence of bets that suits leave different are gathered by hand strength on
the flop, then E[HS^2] before it, then the mean square of all strengths on the board: percentiles of that order. Figures
are thousandths of a big blind per hand (mbb/h).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np

from counterpoise.abstraction import CardAbstraction, parse_name
from counterpoise.abstraction.features import Moments
from counterpoise.abstraction.groups import canonical_rows
from counterpoise.abstraction.kernels.strength import DEAD
from counterpoise.abstraction.percentile import percentile_cuts
from counterpoise.abstraction.strength import last_street_wins
from counterpoise.abstraction.table import StreetBuckets
from counterpoise.cards import Deck
from counterpoise.games.cards import top_ranks
from counterpoise.games.leduc import OneCardPoker
from counterpoise.jobs.pieces import Work
from counterpoise.plots import Curve, Panel
from counterpoise.public import FlopHoldem
from counterpoise.public.mini_holdem import NO_LIMIT_BLIND, millibigblinds
from counterpoise.reproduce.harness.published import published
from counterpoise.reproduce.harness.report import Claim, Declared, Figure, Figures, Lab, NotMeasured, beside, by_row
from counterpoise.reproduce.harness.states import states_by_infoset
from counterpoise.reproduce.harness.verdicts import Verdict, less, named, short
from counterpoise.search import SearchEverywhere, SearchPlan
from counterpoise.search.alternatives import InfosetGroups
from counterpoise.search.everywhere import JudgedProfile
from counterpoise.search.gifts import GiftKind, branching
from counterpoise.search.maxmargin_lp import best_with_trunk_lp
from counterpoise.solvers import make_algorithm, solve
from counterpoise.solvers.matching.cfr_plus import CFRPlus
from counterpoise.solvers.matching.shared import SharedCFRPlus
from counterpoise.solvers.public.bucket_solver import FullBucketSolver
from counterpoise.solvers.public.solver import PublicSolver
from counterpoise.tree import Tree, enumerate_game

TRUNK, BEST = "Trunk", "best with this trunk"
RESOLVE, MAXMARGIN = "Resolve", "Maxmargin"
REACH, EXACT = "Reach-Maxmargin", "Reach-Maxmargin, exact gifts"
ESTIMATE, ESTIMATE_MARGIN = "Estimate", "Estimate, Maxmargin"
SPREAD, REACH_SPREAD = "Estimate + Distributional", "Reach-Estimate + Distributional"
REACH_SPREAD_WHOLE = "Reach-Estimate + Distributional (not split)"

PLANS = {label: SearchPlan(**plan) for label, plan in published("safe_search")["plans"].items()}
# As in the source: alternatives that are drawn have lower bounds of gifts, and are met by Hedge.
FLOP_PLANS = {
    row: replace(plan, rule="hedge", gifts="none" if plan.gifts == "none" else "lower")
    if plan.method == "distributional"
    else plan
    for row, plan in PLANS.items()
}


@dataclass(frozen=True)
class Bench:
    """One-card poker, a number of buckets on its second round, and iterations of the blueprint and of each search."""

    game: Any
    buckets: int
    blueprint_iterations: int
    iterations: int

    unit = 1_000.0
    plans = PLANS

    def solved(self) -> tuple[float, float]:
        """Return what as many iterations leave of exploitability without any abstraction, and what seat 0 wins."""
        run = solve(self.game, "cfr+", iterations=self.iterations, progress=False)
        return run.exploitability, run.value[0]

    def blueprint(self) -> SearchEverywhere:
        """Solve the card abstraction by CFR+; return the blueprint with its subgames."""
        tree = enumerate_game(self.game)
        groups = bucket_groups(tree, self.game, self.buckets)
        solver = SharedCFRPlus(tree, groups)
        solver.step(self.blueprint_iterations)
        return SearchEverywhere(self.game, solver.average, alike=groups)

    def best(self, whole: SearchEverywhere) -> JudgedProfile:
        """Judge the least exploitable strategies that differ from the blueprint after the public cards only."""
        trunk, states = whole.judge().strategy, states_by_infoset(self.game)
        best: dict[tuple[int, str], Mapping[str, float]] = {key: trunk[key] for key in trunk.table}
        for seat in range(2):
            inside = {label for (player, label), state in states.items() if player == seat and state.board}
            found = best_with_trunk_lp(self.game, seat, trunk, inside)
            best |= {(seat, label): chosen for label, chosen in found.items()}
        return whole.judge(best)


class FlopBench(Bench):
    """Flop hold'em with buckets on the flop, as a bench; the best with a trunk is what iterations find."""

    unit = millibigblinds(1, NO_LIMIT_BLIND)
    plans = FLOP_PLANS

    def solved(self) -> tuple[float, float]:
        """Return exploitability and value of the game itself, solved once for any number of buckets."""
        return _flop_solved(self.game, self.iterations)

    def blueprint(self) -> SearchEverywhere:
        """Solve the card abstraction by CFR+; return the blueprint with its subgames."""
        game = self.game.game()
        alike = flop_abstraction(self.game.deck, self.buckets)
        solver = FullBucketSolver(CFRPlus(), game, alike)
        solver.step(self.blueprint_iterations)
        return SearchEverywhere(game, solver.average, alike=solver.tables.buckets)

    def best(self, whole: SearchEverywhere) -> JudgedProfile:
        """Judge the least exploitable strategies with this trunk that iterations find."""
        return whole.best_with_trunk(self.iterations)


@cache
def _flop_solved(game: FlopHoldem, iterations: int) -> tuple[float, float]:
    solver = PublicSolver(make_algorithm("cfr+"), game.game())
    solver.step(iterations)
    return solver.exploitability(), float(solver.values()[0])


BENCHES = {
    name: Bench(OneCardPoker(**bench["game"]), *bench["sizes"])
    for name, bench in published("safe_search")["benches"].items()
}


class MeasuredColumn:
    """What was measured on a bench, by method: the mean of both seats and each seat, above the value of the game."""

    def __init__(self, name: str, reference: Mapping[str, float]) -> None:
        self.name, self.reference, self.floor = name, reference, 0.0
        self.mean = Figures(missing="{} on " + name + " was not reached")
        self.seats = Figures()

    def listed(self, *rows: str) -> str:
        """Return methods with their exploitability."""
        return named(self.mean.__getitem__, *rows)

    def measure(self, lab: Lab, bench: Bench, best: bool) -> None:
        """Measure the trunk, all methods and, if asked, the best with this trunk, one after another."""
        lab.begin(self.name)
        self.floor, value = (bench.unit * figure for figure in bench.solved())
        whole = bench.blueprint()
        jobs: dict[str, Callable[[], JudgedProfile]] = {TRUNK: whole.judge}
        jobs |= {row: partial(whole.search_all, plan, bench.iterations) for row, plan in bench.plans.items()}
        if best:
            jobs[BEST] = partial(bench.best, whole)
        for count, (row, job) in enumerate(jobs.items(), start=1):
            first, second = (bench.unit * loss for loss in job().losses)
            self.seats[row] = (first + value, second - value)
            self.mean[row] = (first + second) / 2
            lab.show(count / len(jobs), f"{row}: {self.mean[row]:.0f}")

    def table(self, lab: Lab, game: str, unit: str, against: str = "reference") -> Declared:
        """Return all rows beside the reference, under the head `against`, and keep them for programs."""
        lab.data[self.name] = {"mean": dict(self.mean), "seats": self.seats, "floor": self.floor}
        columns = {"mean": self.mean, against: self.reference}
        for seat, head in enumerate(("first seat", "second seat")):
            columns[head] = {row: pair[seat] for row, pair in self.seats.items()}
        caption = f"{game}, {self.name}, {unit} (solver alone: {short(self.floor)})"
        return by_row(caption, "method", (TRUNK, BEST, *PLANS), columns)

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


def tables(lab: Lab, names: Sequence[str] = tuple(BENCHES)) -> Iterator[Declared]:
    """Measure all methods on all benches, beside what the source prints for hold'em."""
    known, columns = lab.published("safe_search"), list[MeasuredColumn]()
    with lab.stoppable():
        for name in names:
            columns.append(MeasuredColumn(name, known["reference"][name]))
            columns[-1].measure(lab, BENCHES[name], BEST in columns[-1].reference)
    for column in columns:
        yield column.table(lab, "One-card poker", "thousandths of an ante")
    in_source = {
        head: {row: own[head] for row, own in known["published"].items()} for head in known["published"][TRUNK]
    }
    caption = "Published: flop hold'em with few and many bet sizes, turn hold'em, by buckets; mbb per hand"
    yield by_row(caption, "method", known["published"], in_source)
    for column in columns:
        yield from _claims(column)


def _claims(column: MeasuredColumn) -> Iterator[Claim]:
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


GAME = FlopHoldem(ranks=6, stack=20)
BUCKETS = (20, 200, 2_000)


def flop_tables(
    lab: Lab,
    game: FlopHoldem = GAME,
    buckets: Sequence[int] = BUCKETS,
    blueprint_iterations: int = 200,
    iterations: int = 200,
) -> Iterator[Declared]:
    """Measure all methods for every number of buckets, beside what the source prints for its small flop hold'em."""
    known, columns = lab.published("safe_search"), list[MeasuredColumn]()
    with lab.stoppable():
        for place, count in enumerate(buckets):
            rows = known["published"].items() if buckets == BUCKETS else ()
            columns.append(MeasuredColumn(f"{count:,} buckets", {row: list(own.values())[place] for row, own in rows}))
            columns[-1].measure(lab, FlopBench(game, count, blueprint_iterations, iterations), best=True)
    for column in columns:
        yield column.table(lab, "Flop hold'em", "mbb/h", "published")
        yield from column.claims()
        for id, methods in known["order"].items():
            yield Claim(id, _better, column, *methods, about=column.name)
        yield column.best_claim()


def _better(column: MeasuredColumn, better: str, *worse: str) -> Verdict:
    """Judge whether a method is better than the best of others, by more than the solver's error."""
    gain = min(column.mean[row] for row in worse) - column.mean[better]
    told = column.listed(*worse, better)
    if abs(gain) < column.floor:
        raise NotMeasured(f"closer than {short(column.floor)}, the error of the solver: {told}")
    return gain > 0, told


KINDS: dict[GiftKind, str] = {"lower": "lower bounds", "exact": "exact gifts"}


class Scaled(Figures):
    """Exploitability of Reach-Maxmargin by kind and scale of gifts, and that of the trunk."""

    def __init__(self, lab: Lab, bench: Bench, scales: tuple[int, ...]) -> None:
        super().__init__(missing="{} gifts of scale {} were not reached")
        lab.begin("scales of gifts")
        self.whole = bench.blueprint()
        self.scales, self.trunk = scales, bench.unit * self.whole.judge().exploitability
        with lab.stoppable():
            for kind in KINDS:
                for scale in scales:
                    if scale == 0 and ("lower", 0) in self:  # the same for all kinds
                        self[kind, 0] = self["lower", 0]
                        continue
                    found = self.whole.search_all(SearchPlan(gifts=kind, scale=scale), bench.iterations)
                    self[kind, scale] = bench.unit * found.exploitability
                    share = len(self) / (len(KINDS) * len(scales))
                    lab.show(share, f"{kind} x {scale}: {self[kind, scale]:.0f}")
        lab.data["trunk"] = self.trunk
        for (kind, scale), value in self.items():
            lab.data.setdefault(kind, {})[str(scale)] = value

    def at(self, scale: int, kind: str) -> float:
        """Return the exploitability with gifts of a scale and kind."""
        return float(self[kind, scale])

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
    sizes = {"blueprint_iterations": blueprint_iterations, "iterations": iterations}
    at = Scaled(lab, replace(BENCHES["6 ranks, 6 buckets"], **sizes), tuple(reference["lower"]))
    yield from beside(
        f"Exploitability by the scale of gifts, thousandths of an ante (trunk: {short(at.trunk)})",
        "scale",
        at.scales,
        KINDS,
        at.at,
        {scale: {kind: reference[kind][scale] for kind in KINDS} for scale in at.scales},
    )

    low, exact = (partial(at.at, kind=kind) for kind in KINDS)

    def one_is_best() -> Verdict:
        rising = exact(1) < exact(0) < exact(10) < exact(1_000)
        return rising and exact(1_000) > at.trunk, f"{at.listed('exact')}; trunk {at.trunk:.0f}"

    yield Claim("lower-one-better", lambda: (low(1) < low(0), f"{low(0):.0f} to {low(1):.0f}"))
    yield Claim("lower-best-inside", lambda: (min(map(low, (2, 5, 10))) < min(low(1), low(1_000)), at.listed("lower")))
    yield Claim("exact-one-best", one_is_best)
    yield at.figure()


SCALES = (0, 1, 10, 100, 1_000, 10_000, 100_000)


def flop_scales(
    lab: Lab, game: FlopHoldem = GAME, buckets: int = 200, blueprint_iterations: int = 200, iterations: int = 200
) -> Iterator[Declared]:
    """Measure Reach-Maxmargin by the scale of gifts in flop hold'em."""
    at = Scaled(lab, FlopBench(game, buckets, blueprint_iterations, iterations), SCALES)
    caption = f"Exploitability by the scale of gifts, mbb/h, {buckets:,} buckets (trunk: {short(at.trunk)})"
    yield by_row(caption, "scale", SCALES, {name: partial(at.at, kind=kind) for kind, name in KINDS.items()})
    ends = (SCALES[0], SCALES[-1])

    def best_inside(kind: str) -> Verdict:
        return min(at[kind, s] for s in SCALES[1:-1]) < min(at[kind, s] for s in ends), at.listed(kind)

    def worse_than_none(kind: str) -> Verdict:
        none, most = (at[kind, s] for s in ends)
        return most > none, f"{short(none)} to {short(most)}"

    for kind in KINDS:
        yield Claim("best-inside", best_inside, kind, about=f"{kind} gifts")
        yield Claim("too-much", worse_than_none, kind, about=f"{kind} gifts")
    yield (
        "Published, with 1,755 flops that suits leave different: best near a scale of 1,000, and at 100,000 worse than"
        f" without gifts. Here they are {branching(at.whole.places[0]):.0f}."
    )
    yield at.figure()


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


def flop_abstraction(deck: Deck, count: int) -> CardAbstraction:
    """Return percentile buckets on the flop by strength there, then before it, then of the board; none before it."""
    config = parse_name("IR-C-PHS", (count,), deck)
    cards = config.cards
    wins = last_street_wins(cards, Work(1))
    boards, hands = np.nonzero(wins != DEAD)
    strength = Moments(cards, 1, wins).points(boards, hands)
    early = Moments(cards, 0, wins).points(np.zeros(deck.hand_count, dtype=np.int64), np.arange(deck.hand_count))[:, 1]
    texture = np.bincount(boards, strength[:, 1]) / np.bincount(boards)
    keys = np.stack((strength[:, 0], early[hands], texture[boards]), axis=1)
    _, order = np.unique(np.round(keys, 9), axis=0, return_inverse=True)
    weights = cards.boards(1).multiplicity[boards].astype(np.float64)
    cuts = percentile_cuts(order.astype(np.float64), weights, count)
    rows = np.full(wins.shape, -1, dtype=np.int32)
    rows[boards, hands] = np.searchsorted(cuts, order, side="right")
    before = StreetBuckets(config.buckets(0), canonical_rows(cards, 0), filled=config.buckets(0))
    return CardAbstraction(config, (before, StreetBuckets(count, rows, filled=count)), None, None)
