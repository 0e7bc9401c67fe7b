"""JOHANSON figures 4.3 to 4.5: CFR-BR beside CFR on mini [2-4] hold'em, without and with buckets.

The source runs [2-4] hold'em with the full deck; mini [2-4] hold'em of five ranks has its betting and a twentieth of
its flops. A-vs-A is CFR with both players in buckets, A-vs-U with one of them, seat by seat; CFR-BR trains a seat
against an unabstracted responder. All are judged by exact best responses in the unabstracted game.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from counterpoise.public import HoldemTree, mini_holdem
from counterpoise.public.buckets import Buckets, imperfect_recall, lossless, one_each, perfect_recall
from counterpoise.public.mini_holdem import millibigblinds
from counterpoise.reproduce.base import Report, Setup, Table, experiment
from counterpoise.reproduce.race import Race, draw, log_spaced, measured, short
from counterpoise.reproduce.walks import ABSTRACTION_NOTE, Measured, at_seconds, keep, measure
from counterpoise.solvers.sampling.cfr_br_sampled import SampledCfrBr
from counterpoise.solvers.sampling.pcs import PCS, Unsampled
from counterpoise.solvers.sampling.public_walks import BucketSolver

CFR, OPEN, AVERAGE, CURRENT = "CFR A-vs-A", "CFR A-vs-U", "CFR-BR, average", "CFR-BR, current"
SAMPLED = "CFR (PCS)"
RANKS = 5
Figures = Mapping[str, Mapping[int, float]]
"""Label -> iterations -> mbb/g."""

# Five ranks, one run each of an independent computation; CFR without sampling, CFR-BR with sampled flops.
PERFECT_RECALL: Figures = {
    CFR: {64: 306.2, 256: 291.2, 1_024: 290.9},
    OPEN: {256: 144.0, 512: 136.7},
    AVERAGE: {4_096: 134.5, 8_192: 131.9, 40_000: 129.0},
    CURRENT: {40_000: 135.1},
}
IMPERFECT_RECALL: Figures = {
    CFR: {256: 187.2, 512: 196.9, 1_024: 192.9},
    AVERAGE: {1_024: 73.4, 8_192: 54.5, 40_000: 50.4},
    CURRENT: {40_000: 53.1},
}
PATH_NOTE = (
    "An abstract game has many equilibria, of different exploitability in the game itself: where A-vs-A ends depends on"
    " details such as who is updated first."
)


@experiment("johanson-4.3", "CFR-BR without abstraction on mini [2-4] hold'em", "JOHANSON 4.4, figure 4.3", seconds=90)
def unabstracted(setup: Setup, report: Report, ranks: int = RANKS, last: int = 16_384) -> None:
    """PCS and CFR-BR, both with sampled flops."""
    tree = mini_holdem(ranks)
    contest = Race(f"mini hold'em, {ranks} ranks")
    points = [t for t in log_spaced(last, 4) if t >= 10] + [last]
    solver = BucketSolver(PCS(), tree)
    contest.runs[SAMPLED] = Measured(
        "pcs", measure(setup.live, "PCS", solver, [lambda: millibigblinds(solver.exploitability())], points)[0]
    )
    _cfr_br(setup, contest, tree, lossless(tree), points)
    keep(contest, report.data)
    marks = [last // 16, last // 4, last]
    report.tables.append(
        Table(
            f"Exploitability in mbb/g on {contest.game}, no abstraction",
            ["algorithm", *(f"T = {t:,}" for t in marks)],
            [[label, *(measured(_near, contest, label, t) for t in marks)] for label in contest.runs],
        )
    )
    report.judge(
        "CFR-BR converges without abstraction too, its average and its current strategy",
        lambda: (
            all(_near(contest, label, last) < _near(contest, label, last // 16) / 2 for label in (AVERAGE, CURRENT)),
            f"average {short(_near(contest, AVERAGE, last))}, current {short(_near(contest, CURRENT, last))}",
        ),
    )
    report.judge("By CPU time the average of CFR-BR is behind that of CFR", lambda: _slower(contest))
    draw(setup, report, "CFR-BR without abstraction", {"": contest}, x="seconds", y_label="mbb/g")


@experiment(
    "johanson-4.4",
    "CFR-BR in a perfect-recall abstraction of mini [2-4] hold'em",
    "JOHANSON 4.4, figure 4.4",
    seconds=150,
)
def perfect(
    setup: Setup,
    report: Report,
    ranks: int = RANKS,
    counts: Sequence[int] = (3, 3),
    full: int = 1_024,
    last: int = 40_000,
) -> None:
    """Percentile buckets: E[HS^2] before the flop, hand strength on it inside each of these."""
    tree = mini_holdem(ranks)
    buckets = perfect_recall(tree, counts)
    contest = _abstracted(setup, report, tree, buckets, PERFECT_RECALL, full, last)
    _open(setup, contest, tree, buckets, full // 2)
    _finish(setup, report, contest, PERFECT_RECALL, (0.75, 0.56), (full, last))
    report.judge(
        "CFR against an unabstracted opponent goes to the level of CFR-BR (within 10 %, still falling)",
        lambda: (
            contest.at(AVERAGE, last) <= contest.at(OPEN, full // 2) * 1.03
            and contest.at(OPEN, full // 2) <= 1.1 * contest.at(AVERAGE, last),
            f"{short(contest.at(OPEN, full // 2))} against {short(contest.at(AVERAGE, last))}",
        ),
    )


@experiment(
    "johanson-4.5",
    "CFR-BR in an imperfect-recall abstraction of mini [2-4] hold'em",
    "JOHANSON 4.4, figure 4.5",
    seconds=110,
)
def imperfect(
    setup: Setup, report: Report, ranks: int = RANKS, flop: int = 20, full: int = 1_024, last: int = 40_000
) -> None:
    """Lossless before the flop, percentile buckets of hand strength on it."""
    tree = mini_holdem(ranks)
    contest = _abstracted(setup, report, tree, imperfect_recall(tree, (None, flop)), IMPERFECT_RECALL, full, last)
    _finish(setup, report, contest, IMPERFECT_RECALL, (0.5, 0.24), (full, last))


def _abstracted(
    setup: Setup, report: Report, tree: HoldemTree, buckets: Buckets, reference: Figures, full: int, last: int
) -> Race:
    contest = Race(f"mini hold'em, {tree.deck.ranks} ranks")
    solver = BucketSolver(Unsampled(), tree, buckets)
    report.data["infosets"] = solver.walks.infosets
    points = _points(reference, CFR, full, first=8)
    contest.runs[CFR] = Measured(
        "cfr", measure(setup.live, CFR, solver, [lambda: millibigblinds(solver.exploitability())], points)[0]
    )
    _cfr_br(setup, contest, tree, buckets, _points(reference, AVERAGE, last, first=64))
    return contest


def _cfr_br(setup: Setup, contest: Race, tree: HoldemTree, buckets: Buckets, points: Sequence[int]) -> None:
    solver = SampledCfrBr(tree, buckets)
    judge: list[Callable[[], float]] = [
        lambda: millibigblinds(solver.exploitability("average")),
        lambda: millibigblinds(solver.exploitability("current")),
    ]
    traces = measure(setup.live, "CFR-BR", solver, judge, points)
    contest.runs[AVERAGE], contest.runs[CURRENT] = (Measured("cfr-br", trace) for trace in traces)


class _BothSeats:
    """CFR A-vs-U for each seat in turn, and the mean of what best responses win from the abstracted seats."""

    def __init__(self, tree: HoldemTree, buckets: Buckets) -> None:
        fine = lossless(tree)
        self._tree, self.nodes_touched = tree, 0
        pairs = (one_each(tree, buckets, fine), one_each(tree, fine, buckets))
        self._solvers = [BucketSolver(Unsampled(), tree, pair) for pair in pairs]

    def step(self, iterations: int = 1) -> None:
        for solver in self._solvers:
            solver.step(iterations)
        self.nodes_touched = sum(solver.nodes_touched for solver in self._solvers)

    def exploitability(self) -> float:
        best = []
        for seat, solver in enumerate(self._solvers):
            solver.walks.judge(solver.cumulative)
            best.append(float(self._tree.best_response_values()[1 - seat]))
        return millibigblinds(sum(best) / 2)


def _open(setup: Setup, contest: Race, tree: HoldemTree, buckets: Buckets, last: int) -> None:
    seats = _BothSeats(tree, buckets)
    points = _points(PERFECT_RECALL, OPEN, last, first=16)
    contest.runs[OPEN] = Measured("cfr", measure(setup.live, OPEN, seats, [seats.exploitability], points)[0])


def _points(reference: Figures, label: str, last: int, first: int) -> list[int]:
    marks = {t for t in (*log_spaced(last, 4), *reference.get(label, ()), last) if first <= t <= last}
    return sorted(marks)


def _finish(
    setup: Setup, report: Report, contest: Race, reference: Figures, ratios: tuple[float, float], ends: tuple[int, int]
) -> None:
    """Table, claims and figure of an abstraction; `ratios` of CFR-BR to CFR: at most, and as published."""
    (full, last), (ratio, published) = ends, ratios
    comparable = contest.game == f"mini hold'em, {RANKS} ranks"
    keep(contest, report.data)
    report.tables.append(
        Table(
            f"Exploitability in mbb/g on {contest.game}, {report.data['infosets']:,} abstract infosets",
            ["algorithm", "T", "ours", "reference"],
            [
                [label, f"{t:,}", measured(contest.at, label, t), short(figure if comparable else None)]
                for label, figures in reference.items()
                for t, figure in figures.items()
            ],
        )
    )
    low = [min((point.exploitability, point.iteration) for point in contest.trace(label)) for label in (CFR, AVERAGE)]
    report.judge(
        f"CFR-BR ends at no more than {ratio:g} of CFR A-vs-A (published: {published:g} with the full deck)",
        lambda: (
            contest.at(AVERAGE, last) <= ratio * contest.at(CFR, full),
            f"{short(contest.at(AVERAGE, last))} / {short(contest.at(CFR, full))}"
            f" = {contest.at(AVERAGE, last) / contest.at(CFR, full):.2f}",
        ),
    )
    report.judge(
        "CFR A-vs-A overfits: its lowest point is more than 3 mbb/g below its last",
        lambda: (
            low[0][0] < contest.at(CFR, full) - 3,
            f"{low[0][0]:.1f} after {low[0][1]:,}, {contest.at(CFR, full):.1f} after {full:,}",
        ),
    )
    report.judge(
        "The average of CFR-BR does not rise",
        lambda: (
            contest.at(AVERAGE, last) <= low[1][0] + 1,
            f"{low[1][0]:.1f} after {low[1][1]:,}, {contest.at(AVERAGE, last):.1f} after {last:,}",
        ),
    )
    report.judge("The current strategy is as good as the average, with noise", lambda: _current(contest, last))
    report.notes += [ABSTRACTION_NOTE, PATH_NOTE]
    draw(setup, report, report.title, {"": contest}, x="seconds", y_label="mbb/g")


def _slower(contest: Race) -> tuple[bool, str]:
    end = 0.999 * min(contest.runs[AVERAGE].seconds, contest.runs[SAMPLED].seconds)
    ours, other = at_seconds(contest, AVERAGE, end), at_seconds(contest, SAMPLED, end)
    return ours > other, f"CFR-BR {short(ours)}, CFR {short(other)} after {end:.2g} s"


def _current(contest: Race, last: int) -> tuple[bool, str]:
    late = [point.exploitability for point in contest.trace(CURRENT) if 10 * point.iteration >= last]
    average = contest.at(AVERAGE, last)
    return min(late) <= 1.15 * average, f"current {min(late):.1f} to {max(late):.1f}, average {average:.1f}"


def _near(contest: Race, label: str, iteration: int) -> float:
    """Exploitability at the measured point next to an iteration."""
    points = contest.trace(label)
    return min(points, key=lambda point: abs(point.iteration - iteration)).exploitability
