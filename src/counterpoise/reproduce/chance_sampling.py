"""JOHANSON figures 3.2 and 3.5: which chance events to sample, by iterations and by CPU time.

The source's games, [2-1] and [2-4] hold'em, take hours; mini [2-4] hold'em has the same betting with fewer ranks, and
Bluff(1,1) stands for Bluff(2,2). All four variants are walks of the same kernel, scalar where hands are sampled.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from counterpoise.public import DenseTree, mini_holdem
from counterpoise.public.mini_holdem import millibigblinds
from counterpoise.reproduce.base import Report, Setup, Table, experiment
from counterpoise.reproduce.race import REFERENCE_NOTE, Race, draw, log_spaced, measured, short, side_by_side
from counterpoise.reproduce.walks import at_seconds, keep, mean_of, measure
from counterpoise.solvers.sampling.pcs import CS, OPCS, PCS, SPCS, PublicWalks
from counterpoise.solvers.sampling.public_walks import BucketSolver

VARIANTS: dict[str, PublicWalks] = {"PCS": PCS(), "OPCS": OPCS(), "SPCS": SPCS(), "CS": CS()}
RANKS, MARKS = 5, (1_024, 8_192, 32_768)
# Mini [2-4] hold'em of five ranks, one seed of an independent computation, mbb/g at MARKS.
REFERENCE: dict[str, Sequence[float | None]] = {
    "PCS": (557.0, 113.7, 39.3),
    "OPCS": (1_258.0, 396.0, 148.7),
    "SPCS": (1_880.0, 1_510.0, 804.0),
    "CS": (1_681.0, 1_465.0, 1_263.0),
}
LONGEST = 10_000_000


@experiment("johanson-3.2", "CS, OPCS, SPCS and PCS on mini [2-4] hold'em", "JOHANSON 3.3.1, figure 3.2", seconds=480)
def chance_sampling(
    setup: Setup, report: Report, ranks: int = RANKS, marks: tuple[int, ...] = MARKS, seeds: int = 5
) -> None:
    """Each variant to the last mark, CS then for as long as PCS took; the mean of several seeds."""
    tree = mini_holdem(ranks)
    contest = Race(f"mini hold'em, {ranks} ranks")
    points = sorted({*log_spaced(marks[-1], 4)[4:], *marks})
    budget = 0.0
    for label, settings in VARIANTS.items():
        more = [t for t in log_spaced(LONGEST, 4) if t > marks[-1]] if label == "CS" else []
        traces = []
        for seed in range(seeds):
            solver = BucketSolver(settings, tree, seed=seed)
            enough = budget if label == "CS" else float("inf")
            judge = partial(_millibigblinds, solver)
            traces += measure(setup.live, f"{label}, seed {seed}", solver, [judge], points + more, seconds=enough)
        contest.runs[label] = mean_of(settings.name, traces)
        budget = budget or contest.runs[label].seconds
    keep(contest, report.data)
    caption = f"Exploitability in mbb/g on {contest.game}, mean of {seeds} seeds, by iterations"
    reference = REFERENCE if (ranks, marks) == (RANKS, MARKS) else {label: (None,) * len(marks) for label in VARIANTS}
    report.tables += side_by_side(caption, contest, marks, reference)
    by_time = [share * budget for share in (0.05, 0.2, 0.99)]
    report.tables.append(
        Table(
            "The same by CPU seconds",
            ["variant", *(f"{seconds:.2g} s" for seconds in by_time), "microseconds per iteration"],
            [
                [
                    label,
                    *(measured(at_seconds, contest, label, s) for s in by_time),
                    short(_microseconds(contest, label)),
                ]
                for label in VARIANTS
            ],
        )
    )
    _judge_mini(report, contest, marks, by_time)
    report.notes.append(REFERENCE_NOTE)
    draw(setup, report, "Chance sampling on mini hold'em", {"": contest}, x="seconds", y_label="mbb/g")


def _judge_mini(report: Report, contest: Race, marks: tuple[int, ...], by_time: list[float]) -> None:
    last, late = marks[-1], by_time[-1]
    report.judge(
        "By iterations PCS is ahead of OPCS and SPCS, and these of CS",
        lambda: (
            contest.at("PCS", last) < min(contest.at("OPCS", last), contest.at("SPCS", last))
            and max(contest.at("OPCS", last), contest.at("SPCS", last)) < contest.at("CS", last),
            ", ".join(f"{label} {short(contest.at(label, last))}" for label in VARIANTS) + f" at {last:,}",
        ),
    )
    report.judge(
        "By time PCS is much faster than CS",
        lambda: (
            2 * at_seconds(contest, "PCS", late) < at_seconds(contest, "CS", late),
            f"PCS {short(at_seconds(contest, 'PCS', late))}, CS {short(at_seconds(contest, 'CS', late))}"
            f" after {late:.2g} s",
        ),
    )
    for label in ("OPCS", "SPCS"):

        def slower(label: str = label) -> tuple[bool, str]:
            end = min(contest.runs[label].seconds, contest.runs["CS"].seconds) * 0.999
            ours, other = at_seconds(contest, label, end), at_seconds(contest, "CS", end)
            return ours > other, f"{label} {short(ours)}, CS {short(other)} after {end:.2g} s"

        report.judge(f"By time {label} is slower than CS", slower)


@experiment("johanson-3.5", "PCS and CS on Bluff(1,1)", "JOHANSON 3.3.3, figure 3.5", seconds=25)
def bluff(setup: Setup, report: Report, seconds: float = 4.0) -> None:
    """Both for the same CPU time; one seed. Without public chance events PCS is CFR."""
    tree = DenseTree("bluff")
    contest = Race("bluff")
    for label in ("PCS", "CS"):
        solver = BucketSolver(VARIANTS[label], tree)
        points = log_spaced(LONGEST, 8)[4:]
        traces = measure(setup.live, label, solver, [solver.exploitability], points, seconds=seconds)
        contest.runs[label] = mean_of(VARIANTS[label].name, traces)
    keep(contest, report.data)
    reference = {"PCS": (0.00089, 3_547), "CS": (0.0303, 17_050)}
    report.tables.append(
        Table(
            f"Bluff(1,1): exploitability after {seconds:g} CPU seconds (reference: after 4)",
            ["variant", "ours", "iterations", "reference", "iterations"],
            [
                [
                    label, measured(at_seconds, contest, label, seconds), f"{contest.runs[label].iterations:,}",
                    short(reference[label][0]), f"{reference[label][1]:,}",
                ]
                for label in contest.runs
            ],
        )
    )  # fmt: skip
    report.judge(
        "At equal CPU time PCS is at least three times less exploitable than CS",
        lambda: (
            3 * at_seconds(contest, "PCS", seconds) <= at_seconds(contest, "CS", seconds),
            f"PCS {short(at_seconds(contest, 'PCS', seconds))}, CS {short(at_seconds(contest, 'CS', seconds))}",
        ),
    )
    report.notes.append(REFERENCE_NOTE)
    draw(setup, report, "PCS and CS on Bluff(1,1)", {"": contest}, x="seconds")


def _millibigblinds(solver: BucketSolver) -> float:
    return millibigblinds(solver.exploitability())


def _microseconds(contest: Race, label: str) -> float:
    return 1e6 * contest.runs[label].seconds / contest.runs[label].iterations
