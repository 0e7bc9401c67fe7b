"""JOHANSON figures 3.2 and 3.5: which chance events to sample, by iterations and by CPU time.

The source's games, [2-1] and [2-4] hold'em, take hours; mini [2-4] hold'em has the same betting with fewer ranks, and
Bluff(1,1) stands for Bluff(2,2). All four variants are walks of the same kernel, scalar where hands are sampled.
"""

from __future__ import annotations

from collections.abc import Iterator

from counterpoise.public import build_dense, mini_holdem
from counterpoise.public.mini_holdem import millibigblinds
from counterpoise.reproduce.harness.experiment import Lab, experiment
from counterpoise.reproduce.harness.published import REFERENCE_NOTE, published
from counterpoise.reproduce.harness.racing import keep, mean_points, measure
from counterpoise.reproduce.harness.report import Claim, Declared, Table, Verdict, beside, cell, short
from counterpoise.reproduce.harness.runs import Runs, Series, convergence, log_spaced
from counterpoise.solvers.sampling.pcs import CS, OPCS, PCS, SPCS, PublicWalks
from counterpoise.solvers.sampling.public_walks import BucketSolver

VARIANTS: dict[str, PublicWalks] = {"PCS": PCS(), "OPCS": OPCS(), "SPCS": SPCS(), "CS": CS()}
RANKS, MARKS = 5, (1_024, 8_192, 32_768)
LONGEST = 10_000_000


@experiment("johanson-3.2", "CS, OPCS, SPCS and PCS on mini [2-4] hold'em", "JOHANSON 3.3.1, figure 3.2", seconds=480)
def chance_sampling(lab: Lab, ranks: int = RANKS, marks: tuple[int, ...] = MARKS, seeds: int = 5) -> Iterator[Declared]:
    """Each variant to the last mark, CS then for as long as PCS took; the mean of several seeds."""
    game, runs = mini_holdem(ranks), Runs(f"mini hold'em, {ranks} ranks")
    points = sorted({*log_spaced(marks[-1], 4)[4:], *marks})
    more = [t for t in log_spaced(LONGEST, 4) if t > marks[-1]]
    budget = float("inf")
    for label, settings in VARIANTS.items():
        last, enough = (points + more, budget) if label == "CS" else (points, float("inf"))
        found = []
        for seed in range(seeds):
            solver = BucketSolver(settings, game, seed=seed)

            def mbb(solver: BucketSolver = solver) -> float:
                return millibigblinds(solver.exploitability())

            found += measure(lab, f"{label}, seed {seed}", solver, [mbb], last, seconds=enough)
        keep(lab, runs, label, Series(settings.name, mean_points(found)))
        budget = min(budget, runs.end("PCS").seconds)
    yield from beside(
        f"Exploitability in mbb/g on {runs.game}, mean of {seeds} seeds, by iterations",
        "algorithm",
        VARIANTS,
        {t: f"T = {t:,}" for t in marks},
        runs.at,
        published("chance_sampling")["mini"] if (ranks, marks) == (RANKS, MARKS) else {},
    )
    by_time = [share * budget for share in (0.05, 0.2, 0.99)]
    yield Table(
        "The same by CPU seconds",
        ["variant", *(f"{seconds:.2g} s" for seconds in by_time), "microseconds per iteration"],
        [
            [
                label,
                *(cell(runs.at_seconds, label, s) for s in by_time),
                1e6 * runs.end(label).seconds / runs.end(label).iteration,
            ]
            for label in VARIANTS
        ],
    )
    last_mark, late = marks[-1], by_time[-1]
    between = ("OPCS", "SPCS")
    yield Claim(
        "order-by-iterations",
        "By iterations PCS is ahead of OPCS and SPCS, and these of CS",
        lambda: (
            runs.at("PCS", last_mark) < min(runs.at(label, last_mark) for label in between)
            and max(runs.at(label, last_mark) for label in between) < runs.at("CS", last_mark),
            ", ".join(f"{label} {short(runs.at(label, last_mark))}" for label in VARIANTS) + f" at {last_mark:,}",
        ),
    )
    yield Claim(
        "pcs-faster",
        "By time PCS is much faster than CS",
        lambda: (
            2 * runs.at_seconds("PCS", late) < runs.at_seconds("CS", late),
            f"PCS {short(runs.at_seconds('PCS', late))}, CS {short(runs.at_seconds('CS', late))} after {late:.2g} s",
        ),
    )
    for label in between:
        yield Claim(f"{label.lower()}-slower", f"By time {label} is slower than CS", _slower, runs, label)
    yield REFERENCE_NOTE
    yield convergence("Chance sampling on mini hold'em", {"": runs}, "seconds", "mbb/g")


def _slower(runs: Runs, label: str) -> Verdict:
    end = min(runs.end(label).seconds, runs.end("CS").seconds) * 0.999
    ours, other = runs.at_seconds(label, end), runs.at_seconds("CS", end)
    return ours > other, f"{label} {short(ours)}, CS {short(other)} after {end:.2g} s"


@experiment("johanson-3.5", "PCS and CS on Bluff(1,1)", "JOHANSON 3.3.3, figure 3.5", seconds=25)
def bluff(lab: Lab, cpu_seconds: float = 4.0) -> Iterator[Declared]:
    """Both for the same CPU time; one seed. Without public chance events PCS is CFR."""
    game, runs, reference = build_dense("bluff"), Runs("bluff"), published("chance_sampling")["bluff"]
    for label in reference:
        solver = BucketSolver(VARIANTS[label], game)
        marks = log_spaced(LONGEST, 8)[4:]
        (points,) = measure(lab, label, solver, [solver.exploitability], marks, seconds=cpu_seconds)
        keep(lab, runs, label, Series(VARIANTS[label].name, points))
    yield Table(
        f"Bluff(1,1): exploitability after {cpu_seconds:g} CPU seconds (reference: after 4)",
        ["variant", "ours", "iterations", "reference", "iterations"],
        [
            [
                label,
                cell(runs.at_seconds, label, cpu_seconds),
                runs.end(label).iteration,
                known["exploitability"],
                known["iterations"],
            ]
            for label, known in reference.items()
        ],
    )
    yield Claim(
        "pcs-ahead",
        "At equal CPU time PCS is at least three times less exploitable than CS",
        lambda: (
            3 * runs.at_seconds("PCS", cpu_seconds) <= runs.at_seconds("CS", cpu_seconds),
            f"PCS {short(runs.at_seconds('PCS', cpu_seconds))}, CS {short(runs.at_seconds('CS', cpu_seconds))}",
        ),
    )
    yield REFERENCE_NOTE
    yield convergence("PCS and CS on Bluff(1,1)", {"": runs}, "seconds")
