"""Johanson 2016, figures 3.2 and 4.3 to 4.5: which chance events to sample, and CFR-BR beside CFR, on mini hold'em.

The source runs [2-4] hold'em with the full deck, which takes hours; mini [2-4] hold'em of five ranks has its betting
and a twentieth of its flops. All variants of sampling are walks of the same kernel, scalar where hands are sampled.
A-vs-A is CFR with both players in buckets, A-vs-U with one of them, seat by seat; CFR-BR trains a seat against an
unabstracted responder. All are judged by exact best responses in the unabstracted game.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from counterpoise.abstraction import CardAbstraction, abstraction
from counterpoise.public import HoldemGame, mini_holdem
from counterpoise.public.buckets import BucketsLike
from counterpoise.public.mini_holdem import millibigblinds
from counterpoise.reproduce.harness.racing import keep, mean_points, measure
from counterpoise.reproduce.harness.report import Claim, Column, Declared, Lab, beside, by_row
from counterpoise.reproduce.harness.runs import Runs, RunSeries, convergence, log_spaced
from counterpoise.reproduce.harness.verdicts import Verdict, less, named, short
from counterpoise.solvers.matching.cfr import CFR as PlainCFR
from counterpoise.solvers.monte_carlo.cfr_br_sampled import SampledCfrBr
from counterpoise.solvers.monte_carlo.pcs import CS, OPCS, PCS, SPCS, PublicWalks
from counterpoise.solvers.monte_carlo.public_walks import BucketSolver
from counterpoise.solvers.public.bucket_solver import FullBucketSolver, SolverWithBuckets

CFR, OPEN, AVERAGE, CURRENT = "CFR A-vs-A", "CFR A-vs-U", "CFR-BR, average", "CFR-BR, current"
SAMPLED = "CFR (PCS)"
RANKS = 5


def unabstracted(lab: Lab, ranks: int = RANKS, last: int = 16_384) -> Iterator[Declared]:
    """Run PCS and CFR-BR, both with sampled flops."""
    game, runs = mini_holdem(ranks), Runs(f"mini hold'em, {ranks} ranks")
    marks = [t for t in log_spaced(last, 4) if t >= 10] + [last]
    solver = BucketSolver(PCS(), game)
    measure(lab, runs, solver, marks, {SAMPLED: _mbb(solver)}, algorithm="pcs")
    _cfr_br(lab, runs, game, None, marks)
    shown = [last // 16, last // 4, last]
    columns = {f"T = {t:,}": partial(runs.near, iteration=t) for t in shown}
    yield by_row(f"Exploitability in mbb/g on {runs.game}, no abstraction", "algorithm", runs.series, columns)

    def converges() -> Verdict:
        ends = {label: runs.near(label, last) for label in (AVERAGE, CURRENT)}
        holds = all(ends[label] < runs.near(label, last // 16) / 2 for label in ends)
        return holds, f"average {short(ends[AVERAGE])}, current {short(ends[CURRENT])}"

    yield Claim("converges", converges)
    yield Claim("slower", _slower, runs, AVERAGE, SAMPLED, "CFR-BR", "CFR")
    yield convergence("CFR-BR without abstraction", {"": runs}, "seconds", "mbb/g")


def perfect(
    lab: Lab, ranks: int = RANKS, counts: Sequence[int] = (3, 3), full: int = 1_024, last: int = 40_000
) -> Iterator[Declared]:
    """Run percentile buckets: E[HS^2] before the flop, hand strength on it inside each of these."""
    game = mini_holdem(ranks)
    yield from _abstracted(lab, game, _build("PR-PHS-PHS", counts, game), "perfect", 0.75, full, last)


def imperfect(
    lab: Lab, ranks: int = RANKS, flop: int = 20, full: int = 1_024, last: int = 40_000
) -> Iterator[Declared]:
    """Run buckets that are lossless before the flop and percentiles of hand strength on it."""
    game = mini_holdem(ranks)
    yield from _abstracted(lab, game, _build("IR-C-PHS", (flop,), game), "imperfect", 0.5, full, last)


def _build(name: str, counts: Sequence[int], game: HoldemGame) -> CardAbstraction:
    return abstraction(name, counts, deck=game.deck, threads=1, progress=False)


def _cfr_br(lab: Lab, runs: Runs, game: HoldemGame, buckets: BucketsLike | None, marks: Sequence[int]) -> None:
    solver = SampledCfrBr(game, buckets)
    figures = {
        AVERAGE: lambda: millibigblinds(solver.exploitability("average")),
        CURRENT: lambda: millibigblinds(solver.exploitability("current")),
    }
    measure(lab, runs, solver, marks, figures, algorithm="cfr-br")
    keep(lab, runs)


def _mbb(solver: SolverWithBuckets) -> Callable[[], float]:
    return lambda: millibigblinds(solver.exploitability())


class _BothSeats:
    """CFR A-vs-U for each seat in turn, and the mean of what best responses win from the abstracted seats."""

    def __init__(self, game: HoldemGame, table: CardAbstraction) -> None:
        self.iteration = self.nodes_touched = 0
        self._solvers = [FullBucketSolver(PlainCFR(), game, pair) for pair in ((table, None), (None, table))]

    def step(self, iterations: int = 1) -> None:
        for solver in self._solvers:
            solver.step(iterations)
        self.iteration += iterations
        self.nodes_touched = sum(solver.nodes_touched for solver in self._solvers)

    def exploitability(self) -> float:
        best = []
        for seat, solver in enumerate(self._solvers):
            best.append(float(solver.traverser.best_response_values(solver.average)[1 - seat]))
        return millibigblinds(sum(best) / 2)


def _abstracted(
    lab: Lab, game: HoldemGame, table: CardAbstraction, recall: str, ratio: float, full: int, last: int
) -> Iterator[Declared]:
    """Run CFR and CFR-BR in an abstraction, with perfect recall A-vs-U too; `ratio` of CFR-BR to CFR at most."""
    known, runs = lab.published("cfr_br")[f"{recall}_recall"], Runs(f"mini hold'em, {game.deck.ranks} ranks")

    def marks(label: str, first: int, last: int) -> list[int]:
        return sorted({t for t in (*log_spaced(last, 4), *known.get(label, ()), last) if first <= t <= last})

    solver = FullBucketSolver(PlainCFR(), game, table)
    lab.data["infosets"] = solver.tables.infosets
    measure(lab, runs, solver, marks(CFR, 8, full), {CFR: _mbb(solver)}, algorithm="cfr")
    _cfr_br(lab, runs, game, table, marks(AVERAGE, 64, last))
    if recall == "perfect":
        seats = _BothSeats(game, table)
        measure(lab, runs, seats, marks(OPEN, 16, full // 2), {OPEN: seats.exploitability}, algorithm="cfr")
        keep(lab, runs)
    yield by_row(
        f"Exploitability in mbb/g on {runs.game}, {solver.tables.infosets:,} abstract infosets",
        ("algorithm", "T"),
        [(label, t) for label, figures in known.items() for t in figures],
        {"ours": (runs.at, known if game.deck.ranks == RANKS else {})},
    )

    def levels() -> Verdict:
        average, plain = runs.at(AVERAGE, last), runs.at(CFR, full)
        return average <= ratio * plain, f"{short(average)} / {short(plain)} = {average / plain:.2f}"

    def rise(label: str, end: int, low: float, high: float) -> Verdict:
        """Judge whether a curve ends between `low` and `high` mbb/g above its lowest point."""
        lowest, at = min((point.exploitability, point.iteration) for point in runs.points(label))
        told = f"{lowest:.1f} after {at:,}, {runs.at(label, end):.1f} after {end:,}"
        return low < runs.at(label, end) - lowest <= high, told

    def current() -> Verdict:
        late = [point.exploitability for point in runs.points(CURRENT) if 10 * point.iteration >= last]
        average = runs.at(AVERAGE, last)
        return min(late) <= 1.15 * average, f"current {min(late):.1f} to {max(late):.1f}, average {average:.1f}"

    def same_level() -> Verdict:
        average, half_open = runs.at(AVERAGE, last), runs.at(OPEN, full // 2)
        holds = average <= half_open * 1.03 and half_open <= 1.1 * average
        return holds, f"{short(half_open)} against {short(average)}"

    yield Claim("below-cfr", levels)
    yield Claim("cfr-overfits", rise, CFR, full, 3, math.inf)
    yield Claim("average-does-not-rise", rise, AVERAGE, last, -math.inf, 1)
    yield Claim("current-as-good", current)
    if recall == "perfect":
        yield Claim("open-to-cfr-br", same_level)
    title = (
        f"CFR-BR in {'a perfect' if recall == 'perfect' else 'an imperfect'}-recall abstraction of mini [2-4] hold'em"
    )
    yield convergence(title, {"": runs}, "seconds", "mbb/g")


def _slower(runs: Runs, slow: str, fast: str, slow_name: str, fast_name: str) -> Verdict:
    """Judge whether a run is behind another after the CPU time that both have spent."""
    end = 0.999 * min(runs.end(slow).seconds, runs.end(fast).seconds)
    ours, other = runs.at_seconds(slow, end), runs.at_seconds(fast, end)
    return ours > other, f"{slow_name} {short(ours)}, {fast_name} {short(other)} after {end:.2g} s"


VARIANTS: dict[str, PublicWalks] = {"PCS": PCS(), "OPCS": OPCS(), "SPCS": SPCS(), "CS": CS()}
MARKS = (1_024, 8_192, 32_768)
LONGEST = 10_000_000


def chance_sampling(lab: Lab, ranks: int = RANKS, marks: tuple[int, ...] = MARKS, seeds: int = 5) -> Iterator[Declared]:
    """Run each variant to the last mark, CS then for as long as PCS took; the mean of several seeds."""
    game, runs = mini_holdem(ranks), Runs(f"mini hold'em, {ranks} ranks")
    points = sorted({*log_spaced(marks[-1], 4)[4:], *marks})
    more = [t for t in log_spaced(LONGEST, 4) if t > marks[-1]]
    budget = math.inf
    for label, settings in VARIANTS.items():
        last, enough = (points + more, budget) if label == "CS" else (points, math.inf)
        seeded = Runs(runs.game)
        for seed in range(seeds):
            solver = BucketSolver(settings, game, seed=seed)
            measure(lab, seeded, solver, last, {f"{label}, seed {seed}": _mbb(solver)}, seconds=enough)
        runs.series[label] = RunSeries(settings.name, mean_points([own.points for own in seeded.series.values()]))
        budget = min(budget, runs.end("PCS").seconds)
    keep(lab, runs)
    yield from beside(
        f"Exploitability in mbb/g on {runs.game}, mean of {seeds} seeds, by iterations",
        "algorithm",
        VARIANTS,
        {t: f"T = {t:,}" for t in marks},
        runs.at,
        lab.published("chance_sampling")["mini"] if (ranks, marks) == (RANKS, MARKS) else {},
    )
    by_time = [share * budget for share in (0.05, 0.2, 0.99)]
    columns: dict[str, Column] = {f"{s:.2g} s": partial(runs.at_seconds, seconds=s) for s in by_time}
    columns["microseconds per iteration"] = lambda label: 1e6 * runs.end(label).seconds / runs.end(label).iteration
    yield by_row("The same by CPU seconds", "variant", VARIANTS, columns)
    last_mark, late = marks[-1], by_time[-1]
    between = ("OPCS", "SPCS")

    def ordered() -> Verdict:
        at = {label: runs.at(label, last_mark) for label in VARIANTS}
        middle = [at[label] for label in between]
        told = f"{named(at.__getitem__, *VARIANTS)} at {last_mark:,}"
        return at["PCS"] < min(middle) and max(middle) < at["CS"], told

    yield Claim("order-by-iterations", ordered)
    yield Claim("pcs-faster", _faster, runs, 2, late, f" after {late:.2g} s")
    for label in between:
        yield Claim(f"{label.lower()}-slower", _slower, runs, label, "CS", label, "CS")
    yield convergence("Chance sampling on mini hold'em", {"": runs}, "seconds", "mbb/g")


def _faster(runs: Runs, factor: float, seconds: float, told: str = "") -> Verdict:
    holds, words = less(lambda label: runs.at_seconds(label, seconds), "PCS", "CS", factor=1 / factor)
    return holds, words + told
