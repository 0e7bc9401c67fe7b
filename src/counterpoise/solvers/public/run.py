"""Solve a public game, in an abstraction or without: what `cp.solve` does when it gets one."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from counterpoise.errors import InputError
from counterpoise.jobs import IteratedResult, JobHistory, Limits, TracePoint, prepare
from counterpoise.jobs.pieces import available_threads
from counterpoise.public import Profile, PublicGame
from counterpoise.public.buckets import BucketsLike
from counterpoise.sampling.boards.bucket_tables import BucketTables
from counterpoise.sampling.boards.full_boards import can_be_walked
from counterpoise.solvers.base import Algorithm
from counterpoise.solvers.public.base import PublicGameSolver
from counterpoise.solvers.public.bucket_solver import SolverWithBuckets
from counterpoise.solvers.solver_job import SolverJob, Watch
from counterpoise.store.json import JsonResult, plain_json


@dataclass(frozen=True, kw_only=True)
class PublicRun(IteratedResult, JsonResult):
    """What solving a public game produced. Units are the game's own; seconds are spent iterating.

    `exploitability` is that of the strategies in the real game, by exact best responses, whatever they were made in.
    """

    game: str
    algorithm: str
    seed: int
    profile: Profile = field(repr=False)
    """The strategies, of every hand in the real game."""
    value: tuple[float, ...]
    exploitability: float
    abstract_exploitability: float | None
    """What a responder wins who sees no more than the same buckets.

    None without buckets, without perfect recall, with ranges whose hands have unequal weights, and for cfr-br, which
    does not converge to an equilibrium of the abstract game."""
    infosets: int | None
    """Abstract information sets of both players; None without buckets."""
    perfect_recall: bool | None
    """Whether buckets tell those of earlier streets; None without buckets."""
    caveat: str
    """Why the result need not be near an equilibrium; empty if the method's guarantee covers the game.

    With buckets it is one of the abstract game, and for cfr-br the least exploitable strategy there: what the buckets
    cost in the real game, no guarantee bounds and `exploitability` shows."""
    nodes_touched: int
    trace: list[TracePoint] = field(repr=False)
    target: float | None = None

    @property
    def nash_conv(self) -> float:
        """Twice the exploitability."""
        return 2 * self.exploitability

    def to_json(self) -> dict[str, Any]:
        """Return the figures in the types of JSON, without the strategies."""
        figures = {name: value for name, value in self.fields_in_order().items() if name not in ("profile", "unsaved")}
        return {name: plain_json(value) for name, value in (figures | {"nash_conv": self.nash_conv}).items()}


@dataclass(frozen=True)
class _Measured:
    exploitability: float


class PublicJob(SolverJob[_Measured, PublicRun]):
    """A solver of a public game under the driver."""

    def __init__(self, solver: PublicGameSolver, target: float | None, with_buckets: bool) -> None:
        self.solver: PublicGameSolver = solver
        self.target = target
        self.tables: BucketTables | None = getattr(solver, "tables", None) if with_buckets else None

    def measure(self) -> _Measured:
        """Return the exploitability in the real game; refuse numbers that overflowed."""
        found = self.solver.exploitability()
        if not math.isfinite(found):
            raise InputError(f"{self.solver.settings.name} overflowed by iteration {self.solver.iteration:,}")
        return _Measured(found)

    def result(self, measured: _Measured, history: JobHistory) -> PublicRun:
        """Return the run as it stands, with its exploitability inside the abstraction if there is one."""
        solver, inside = self.solver, None
        tables = self.tables
        recall = None if tables is None else tables.perfect_recall
        if recall and isinstance(solver, SolverWithBuckets) and can_be_walked(solver.game):
            inside = solver.abstract_exploitability()
        return PublicRun(
            game=solver.game.name,
            algorithm=solver.settings.name,
            seed=solver.seed,
            profile=solver.result().copy().on(solver.game.untilted),
            value=tuple(solver.values().tolist()),
            exploitability=measured.exploitability,
            abstract_exploitability=inside,
            infosets=None if tables is None else tables.infosets,
            perfect_recall=recall,
            caveat=_caveat(solver, recall),
            iterations=solver.iteration,
            nodes_touched=int(solver.nodes_touched),
            trace=list(history.trace),
            **history.outcome,
            target=self.target,
        )


def solve_public(
    game: PublicGame,
    settings: Algorithm,
    limits: Limits,
    watch: Watch,
    *,
    buckets: BucketsLike | None = None,
    seed: int = 0,
    threads: int | None = None,
) -> PublicRun:
    """Run an algorithm on a public game to its limits; hands may share buckets. By default on all cores."""
    display = watch.progress
    with display:
        display.begin(f"{settings.name} on {game.name}")
        chosen = available_threads() if threads is None else threads
        solver = settings.on(game, seed=seed, threads=chosen, buckets=buckets)
        assert isinstance(solver, PublicGameSolver)
        job = PublicJob(solver, limits.target, buckets is not None)
        if job.tables is not None:
            display.note(f"{job.tables.infosets:,} abstract information sets")
        prepare(solver, display)
        return watch.drive(job, limits)


def _caveat(solver: PublicGameSolver, recall: bool | None) -> str:
    settings = solver.settings
    if not settings.guarantee:
        reason = f"no theorem covers {settings.name}"
    elif recall is False:
        reason = "the buckets forget those of earlier streets (imperfect recall)"
    elif not solver.game.constant_sum:
        reason = "the game is not zero-sum"
    else:
        return ""
    return f"No equilibrium guarantee: {reason}. The exploitability shown is exact for the strategy found."
