"""JOHANSON figures 4.3 to 4.5: CFR-BR beside CFR on mini [2-4] hold'em, without and with buckets.

The source runs [2-4] hold'em with the full deck; mini [2-4] hold'em of five ranks has its betting and a twentieth of
its flops. A-vs-A is CFR with both players in buckets, A-vs-U with one of them, seat by seat; CFR-BR trains a seat
against an unabstracted responder. All are judged by exact best responses in the unabstracted game.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from counterpoise.public import HoldemGame, mini_holdem
from counterpoise.public.buckets import Buckets, combine_by_player, imperfect_recall, lossless, perfect_recall
from counterpoise.public.mini_holdem import millibigblinds
from counterpoise.reproduce.harness.experiment import Lab, experiment
from counterpoise.reproduce.harness.published import ABSTRACTION_NOTE, published
from counterpoise.reproduce.harness.racing import keep, measure
from counterpoise.reproduce.harness.report import Claim, Declared, Table, Verdict, cell, down, short
from counterpoise.reproduce.harness.runs import Runs, Series, convergence, log_spaced
from counterpoise.solvers.sampling.cfr_br_sampled import SampledCfrBr
from counterpoise.solvers.sampling.pcs import PCS, Unsampled
from counterpoise.solvers.sampling.public_walks import BucketSolver

CFR, OPEN, AVERAGE, CURRENT = "CFR A-vs-A", "CFR A-vs-U", "CFR-BR, average", "CFR-BR, current"
SAMPLED = "CFR (PCS)"
RANKS = 5
PATH_NOTE = (
    "An abstract game has many equilibria, of different exploitability in the game itself: where A-vs-A ends depends on"
    " details such as who is updated first."
)
Known = Mapping[str, Mapping[int, float]]


@experiment("johanson-4.3", "CFR-BR without abstraction on mini [2-4] hold'em", "JOHANSON 4.4, figure 4.3", seconds=90)
def unabstracted(lab: Lab, ranks: int = RANKS, last: int = 16_384) -> Iterator[Declared]:
    """PCS and CFR-BR, both with sampled flops."""
    game, runs = mini_holdem(ranks), Runs(f"mini hold'em, {ranks} ranks")
    marks = [t for t in log_spaced(last, 4) if t >= 10] + [last]
    _cfr(lab, runs, SAMPLED, BucketSolver(PCS(), game), marks)
    _cfr_br(lab, runs, game, lossless(game), marks)
    shown = [last // 16, last // 4, last]
    yield Table(
        f"Exploitability in mbb/g on {runs.game}, no abstraction",
        ["algorithm", *(f"T = {t:,}" for t in shown)],
        [[label, *(cell(runs.near, label, t) for t in shown)] for label in runs.series],
    )
    yield Claim(
        "converges",
        "CFR-BR converges without abstraction too, its average and its current strategy",
        lambda: (
            all(runs.near(label, last) < runs.near(label, last // 16) / 2 for label in (AVERAGE, CURRENT)),
            f"average {short(runs.near(AVERAGE, last))}, current {short(runs.near(CURRENT, last))}",
        ),
    )
    yield Claim("slower", "By CPU time the average of CFR-BR is behind that of CFR", _slower, runs)
    yield convergence("CFR-BR without abstraction", {"": runs}, "seconds", "mbb/g")


@experiment(
    "johanson-4.4",
    "CFR-BR in a perfect-recall abstraction of mini [2-4] hold'em",
    "JOHANSON 4.4, figure 4.4",
    seconds=150,
)
def perfect(
    lab: Lab, ranks: int = RANKS, counts: Sequence[int] = (3, 3), full: int = 1_024, last: int = 40_000
) -> Iterator[Declared]:
    """Percentile buckets: E[HS^2] before the flop, hand strength on it inside each of these."""
    game, known = mini_holdem(ranks), published("cfr_br")["perfect_recall"]
    buckets = perfect_recall(game, counts)
    runs = _abstracted(lab, game, buckets, known, full, last)
    seats = _BothSeats(game, buckets)
    (points,) = measure(lab, OPEN, seats, [seats.exploitability], _marks(known, OPEN, full // 2, first=16))
    keep(lab, runs, OPEN, Series("cfr", points))
    yield from _compare(lab, runs, known, (0.75, 0.56), full, last)
    yield Claim(
        "open-to-cfr-br",
        "CFR against an unabstracted opponent goes to the level of CFR-BR (within 10 %, still falling)",
        lambda: (
            runs.at(AVERAGE, last) <= runs.at(OPEN, full // 2) * 1.03
            and runs.at(OPEN, full // 2) <= 1.1 * runs.at(AVERAGE, last),
            f"{short(runs.at(OPEN, full // 2))} against {short(runs.at(AVERAGE, last))}",
        ),
    )
    yield convergence("CFR-BR in a perfect-recall abstraction of mini [2-4] hold'em", {"": runs}, "seconds", "mbb/g")


@experiment(
    "johanson-4.5",
    "CFR-BR in an imperfect-recall abstraction of mini [2-4] hold'em",
    "JOHANSON 4.4, figure 4.5",
    seconds=110,
)
def imperfect(
    lab: Lab, ranks: int = RANKS, flop: int = 20, full: int = 1_024, last: int = 40_000
) -> Iterator[Declared]:
    """Lossless before the flop, percentile buckets of hand strength on it."""
    game, known = mini_holdem(ranks), published("cfr_br")["imperfect_recall"]
    runs = _abstracted(lab, game, imperfect_recall(game, (None, flop)), known, full, last)
    yield from _compare(lab, runs, known, (0.5, 0.24), full, last)
    yield convergence("CFR-BR in an imperfect-recall abstraction of mini [2-4] hold'em", {"": runs}, "seconds", "mbb/g")


def _abstracted(lab: Lab, game: HoldemGame, buckets: Buckets, known: Known, full: int, last: int) -> Runs:
    runs = Runs(f"mini hold'em, {game.deck.ranks} ranks")
    solver = BucketSolver(Unsampled(), game, buckets)
    lab.data["infosets"] = solver.walks.infosets
    _cfr(lab, runs, CFR, solver, _marks(known, CFR, full, first=8))
    _cfr_br(lab, runs, game, buckets, _marks(known, AVERAGE, last, first=64))
    return runs


def _cfr(lab: Lab, runs: Runs, label: str, solver: BucketSolver, marks: Sequence[int]) -> None:
    (points,) = measure(lab, label, solver, [lambda: millibigblinds(solver.exploitability())], marks)
    keep(lab, runs, label, Series("pcs" if label == SAMPLED else "cfr", points))


def _cfr_br(lab: Lab, runs: Runs, game: HoldemGame, buckets: Buckets, marks: Sequence[int]) -> None:
    solver = SampledCfrBr(game, buckets)
    figures = [
        lambda: millibigblinds(solver.exploitability("average")),
        lambda: millibigblinds(solver.exploitability("current")),
    ]
    for label, points in zip((AVERAGE, CURRENT), measure(lab, "CFR-BR", solver, figures, marks), strict=True):
        keep(lab, runs, label, Series("cfr-br", points))


class _BothSeats:
    """CFR A-vs-U for each seat in turn, and the mean of what best responses win from the abstracted seats."""

    def __init__(self, game: HoldemGame, buckets: Buckets) -> None:
        fine = lossless(game)
        self.nodes_touched = 0
        pairs = (combine_by_player(game, buckets, fine), combine_by_player(game, fine, buckets))
        self._solvers = [BucketSolver(Unsampled(), game, pair) for pair in pairs]

    def step(self, iterations: int = 1) -> None:
        for solver in self._solvers:
            solver.step(iterations)
        self.nodes_touched = sum(solver.nodes_touched for solver in self._solvers)

    def exploitability(self) -> float:
        best = []
        for seat, solver in enumerate(self._solvers):
            judged = solver.walks.profile(solver.cumulative)
            best.append(float(solver.traverser.best_response_values(judged)[1 - seat]))
        return millibigblinds(sum(best) / 2)


def _marks(known: Known, label: str, last: int, first: int) -> list[int]:
    return sorted({t for t in (*log_spaced(last, 4), *known.get(label, ()), last) if first <= t <= last})


def _compare(
    lab: Lab, runs: Runs, known: Known, ratios: tuple[float, float], full: int, last: int
) -> Iterator[Declared]:
    """Declare table and claims of an abstraction; `ratios` of CFR-BR to CFR: at most, and as published."""
    ratio, in_source = ratios
    same = runs.game == f"mini hold'em, {RANKS} ranks"
    shown = {label: {t: figure if same else None for t, figure in own.items()} for label, own in known.items()}
    yield down(
        f"Exploitability in mbb/g on {runs.game}, {lab.data['infosets']:,} abstract infosets",
        ["algorithm", "T", "ours", "reference"],
        runs.at,
        shown,
    )
    low, low_br = (
        min((point.exploitability, point.iteration) for point in runs.points(label)) for label in (CFR, AVERAGE)
    )

    def levels() -> Verdict:
        average, plain = runs.at(AVERAGE, last), runs.at(CFR, full)
        return average <= ratio * plain, f"{short(average)} / {short(plain)} = {average / plain:.2f}"

    text = f"CFR-BR ends at no more than {ratio:g} of CFR A-vs-A (published: {in_source:g} with the full deck)"
    yield Claim("below-cfr", text, levels)
    yield Claim(
        "cfr-overfits",
        "CFR A-vs-A overfits: its lowest point is more than 3 mbb/g below its last",
        lambda: (
            low[0] < runs.at(CFR, full) - 3,
            f"{low[0]:.1f} after {low[1]:,}, {runs.at(CFR, full):.1f} after {full:,}",
        ),
    )
    yield Claim(
        "average-does-not-rise",
        "The average of CFR-BR does not rise",
        lambda: (
            runs.at(AVERAGE, last) <= low_br[0] + 1,
            f"{low_br[0]:.1f} after {low_br[1]:,}, {runs.at(AVERAGE, last):.1f} after {last:,}",
        ),
    )
    text = "The current strategy is as good as the average, with noise"
    yield Claim("current-as-good", text, _current, runs, last)
    yield ABSTRACTION_NOTE
    yield PATH_NOTE


def _slower(runs: Runs) -> Verdict:
    end = 0.999 * min(runs.end(AVERAGE).seconds, runs.end(SAMPLED).seconds)
    ours, other = runs.at_seconds(AVERAGE, end), runs.at_seconds(SAMPLED, end)
    return ours > other, f"CFR-BR {short(ours)}, CFR {short(other)} after {end:.2g} s"


def _current(runs: Runs, last: int) -> Verdict:
    late = [point.exploitability for point in runs.points(CURRENT) if 10 * point.iteration >= last]
    average = runs.at(AVERAGE, last)
    return min(late) <= 1.15 * average, f"current {min(late):.1f} to {max(late):.1f}, average {average:.1f}"
