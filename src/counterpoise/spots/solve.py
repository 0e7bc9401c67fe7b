"""Solve a spot: estimate, build, compile, and let the driver run the solver."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from counterpoise.errors import InputError
from counterpoise.jobs import Clock, JobHistory, LimitKeywords, Limits, Output, prepare, refuse_unknown, takes
from counterpoise.jobs.pieces import available_threads
from counterpoise.parameters import shown
from counterpoise.public import HoldemGame, Traverser
from counterpoise.solvers import Algorithm
from counterpoise.solvers.public.base import PublicGameSolver
from counterpoise.solvers.public.solver import PublicSolver
from counterpoise.solvers.solver_job import SolverJob, Watch
from counterpoise.spots.engine import build_game, make_solver, settings_of
from counterpoise.spots.estimate import DEFAULT_TARGET, Estimate, estimate, free_memory_mb
from counterpoise.spots.keywords import EngineKeywords, SpotKeywords
from counterpoise.spots.rivers import NO_EARLIER_STREET, StoredStrategies
from counterpoise.spots.solution import Solution, share_of_pot
from counterpoise.spots.spot import Spot

MOST_ITERATIONS = 10_000
"""The iteration at which a run to a target gives up if no limit is set; 16 bits, rake or locks may keep it above the
target."""
MEASURE_EVERY = 10


@dataclass(frozen=True)
class SpotMeasured:
    """Exploitability in per cent of the pot."""

    exploitability: float


def share_of(pot: int, solver: PublicGameSolver) -> SpotMeasured:
    """Return the exploitability of a solver's average strategies; refused if it has become nan."""
    chips = solver.exploitability()
    if not math.isfinite(chips):
        raise InputError(
            f"{solver.settings.name} overflowed by iteration {solver.iteration:,}: "
            "its settings are too extreme for that many iterations"
        )
    return SpotMeasured(100 * chips / pot)


def run_fields(
    solver: PublicGameSolver, measured: SpotMeasured, target: float | None, history: JobHistory
) -> dict[str, Any]:
    """Return the fields that solutions and searches share, except the spot and its strategies."""
    return {
        "algorithm": solver.settings.name,
        "bits": solver.bits,
        "exploitability_pct": measured.exploitability,
        "target": target,
        "iterations": solver.iteration,
        "nodes": int(solver.game.nodes),
        "nodes_touched": int(solver.nodes_touched),
        "memory_mb": solver.megabytes,
        "warm_iterations": history.origin,
        "trace": list(history.trace),
        **history.outcome,
    }


def next_multiple(done: int) -> int:
    """Return the next multiple of ten iterations, later of a twentieth of those done."""
    step = max(MEASURE_EVERY, done // 20 // MEASURE_EVERY * MEASURE_EVERY)
    return done // step * step + step


def spot_limits(options: LimitKeywords, default_target: float) -> Limits:
    """Return the limits of a run on a spot: by default its target, and at most 10,000 iterations."""
    iterations, target, seconds = options.get("iterations"), options.get("target"), options.get("seconds")
    if target is None and iterations is None and seconds is None:
        target = default_target
    limits = Limits(iterations, target, seconds)
    return replace(limits, iterations=MOST_ITERATIONS) if iterations is None and seconds is None else limits


class SpotJob(SolverJob[SpotMeasured, Solution]):
    """A spot at work under the driver."""

    unit = " % of the pot"
    clocked = "measuring"

    def __init__(
        self, spot: Spot, solver: PublicGameSolver, target: float | None = None, save_river: bool = True
    ) -> None:
        self.spot, self.target, self.save_river = spot, target, save_river
        self.solver: PublicGameSolver = solver

    def start_warm(self, earlier: Solution, iterations: int | None) -> tuple[JobHistory, str]:
        """Start the solver from a solution's strategies; return the history so far and the settings that were
        chosen."""
        if not isinstance(self.solver, PublicSolver):
            raise InputError(f"{self.solver.settings.name} has no warm start on spots: use a variant of CFR")
        with Clock() as clock:
            chosen = self.solver.warm_start(earlier.stored.average, iterations=iterations, keep_direction=True)
        told = (
            f"warm start from {100 * chosen.exploitability / self.spot.pot:.3g}{self.unit}: as after "
            f"{chosen.iterations:,} iterations, lambda = {chosen.factor:.3g}"
        )
        return JobHistory([], clock.seconds, clock.cpu_seconds, origin=chosen.iterations), told

    def save(self, result: Solution, path: str | os.PathLike[str]) -> None:
        """Write the solution, with its last street or without."""
        result.save(path, river=self.save_river)

    def measure(self) -> SpotMeasured:
        """Return the exploitability in per cent of the starting pot."""
        return share_of(self.spot.pot, self.solver)

    def next_measurement(self, done: int, to_target: bool) -> int:
        """Return the next multiple of ten, later of a twentieth: a measurement costs about as much as an iteration."""
        return next_multiple(done)

    def result(self, measured: SpotMeasured, history: JobHistory) -> Solution:
        """Return the solution as it stands."""
        solver, game = self.solver, self.solver.game
        assert isinstance(game, HoldemGame)
        return Solution(
            spot=self.spot,
            ev=share_of_pot(solver.values(), self.spot.pot),
            stored=StoredStrategies(game, solver.result()),
            solver=solver,
            **run_fields(solver, measured, self.target, history),
        )


def load_solution(path: str | os.PathLike[str], *, resumable: bool = True) -> Solution:
    """Return a solution that was saved; walk it, or give it to `solve_spot(resume=...)`.

    If it need not be resumable, its regrets are not read, which saves most of the time.
    """
    from counterpoise.spots.files import read_solution

    return Solution(**read_solution(path, resumable))


@takes(EngineKeywords)
def unsolved(spot: Spot, **options: Unpack[EngineKeywords]) -> Solution:
    """Return a spot before its first iteration, every strategy uniform; `solve_spot(resume=...)` begins to solve it.

    Refused, with what to cut, if the tree does not fit into memory.
    """
    refuse_unknown(unsolved, options)
    settings, workers = settings_of(options.get("algorithm")), worker_threads(options.get("threads"))
    forecast = estimate(spot, bits=options.get("bits"), memory_mb=options.get("memory_mb"), algorithm=settings)
    job = SpotJob(spot, make_solver(settings, build_game(spot), workers, forecast.bits))
    return job.result(job.measure(), JobHistory())


@takes(SpotKeywords)
def solve_spot(
    spot: Spot | str | os.PathLike[str] | None = None,
    *,
    resume: Solution | str | os.PathLike[str] | None = None,
    in_place: bool = False,
    warm_start: Solution | str | os.PathLike[str] | None = None,
    warm_iterations: int | None = None,
    save_river: bool = True,
    on_estimate: Callable[[Estimate], None] | None = None,
    **options: Unpack[SpotKeywords],
) -> Solution:
    """Solve a spot until the first of: a target in per cent of the pot, a total of iterations, seconds.

    With none of the three the target is 0.5 %. `resume` continues a solution, in memory or saved whole, bit for bit;
    the spot may then be left out. It is copied unless the run is `in_place`, which takes its tables over and leaves the
    given solution useless. The file of `checkpoint` is without the last street if not `save_river` (see
    `Solution.save`). `on_estimate` is called with the size of the tree before it is built.

    `warm_start` is a solution of the same board, pot and stack, perhaps with other bet sizes, ranges or locks, to start
    from as though a number of iterations had led to its strategies: `warm_iterations`, or as many as their
    exploitability suggests (Brown 2020, section 3.2). `iterations` and `trace_at` then count from there, also when the
    solution is resumed; `Solution.iterations` and the trace count those of the warm start too.
    """
    refuse_unknown(solve_spot, options)
    limits, output, watch = spot_limits(options, DEFAULT_TARGET), Output.of(options), Watch.of_trace(options)
    if warm_start is not None and resume is not None:
        raise InputError("warm_start and resume exclude each other: a resumed solution has regrets of its own")
    if warm_start is None and warm_iterations is not None:
        raise InputError(f"warm_iterations ({shown(warm_iterations)}) needs a warm_start")
    if warm_iterations is not None:
        from counterpoise.solvers.warm_start.warm_start import check_numbers  # few spots are started warm

        check_numbers(warm_iterations, None)
    source = load_solution(warm_start) if isinstance(warm_start, str | os.PathLike) else warm_start
    earlier = load_solution(resume) if isinstance(resume, str | os.PathLike) else resume
    if in_place and resume is None:
        raise InputError("in_place needs a solution to resume")
    adopted = earlier is not None and (in_place or earlier is not resume)  # no caller needs it any more
    found = _spot(spot, earlier)
    if output is not None and not save_river and found.starts_on_river:
        raise InputError(NO_EARLIER_STREET)
    if source is not None:
        _check_source(found, source)
    algorithm, bits, memory_mb = options.get("algorithm"), options.get("bits"), options.get("memory_mb")
    settings = settings_of(algorithm if algorithm is not None or earlier is None else earlier.algorithm)
    workers = worker_threads(options.get("threads"))
    if earlier is not None:
        bits = _check_resumable(earlier, settings.name, bits)
    if adopted and earlier is not None and memory_mb is None:
        memory_mb = free_memory_mb() + earlier.memory_mb  # what it takes is taken already
    forecast = estimate(
        found, target=limits.target or DEFAULT_TARGET, bits=bits, memory_mb=memory_mb, algorithm=settings
    )
    if on_estimate is not None:
        on_estimate(forecast)
    with watch.progress as display:
        display.begin(f"{settings.name} on {found.name or 'the spot'}")
        display.show(None, "building the tree")
        solver, before = _begin(found, settings, workers, forecast.bits, earlier, adopted)
        prepare(solver, display)
        del earlier  # and with it a second set of profiles
        job = SpotJob(found, solver, limits.target, save_river)
        if source is not None:
            display.show(None, "starting from the earlier solution")
            before, told = job.start_warm(source, warm_iterations)
            display.note(told)
            del source
        return watch.drive(job, limits, before, output)


def _spot(given: Spot | str | os.PathLike[str] | None, earlier: Solution | None) -> Spot:
    if given is None:
        if earlier is None:
            raise InputError("name the spot to solve, or a solution to resume")
        return earlier.spot
    spot = given if isinstance(given, Spot) else Spot.load(given)
    if earlier is not None:
        ours, theirs = spot.to_dict(), earlier.spot.to_dict()
        for field in Spot.model_fields:
            if field != "name" and ours.get(field) != theirs.get(field):
                raise InputError(
                    f"the saved solution is for another spot: {field} is {shown(theirs.get(field))} there, "
                    f"not {shown(ours.get(field))}"
                )
    return spot


def _check_source(spot: Spot, source: Solution) -> None:
    """Refuse to start from a solution of other cards or chips."""
    for field in ("deck", "board", "pot", "stack"):
        ours, theirs = getattr(spot, field), getattr(source.spot, field)
        if (spot.cards != source.spot.cards) if field == "board" else (ours != theirs):
            raise InputError(f"the solution to start from is for another {field}: {shown(theirs)}, not {shown(ours)}")
    if not source.whole:
        raise InputError("the solution to start from has no river strategies: save it whole to start from it")


def _check_resumable(earlier: Solution, algorithm: str, bits: int | None) -> int:
    if earlier.whole and earlier.solver is None:
        raise InputError("the solution was loaded to be looked at only: load it with resumable=True to resume it")
    if not earlier.whole:
        raise InputError("the saved solution has no river strategies, so that it cannot be resumed: solve it anew")
    if earlier.algorithm != algorithm:
        raise InputError(f"the saved solution used {earlier.algorithm}, not {algorithm}: name that algorithm")
    if bits is not None and bits != earlier.bits:
        raise InputError(f"the saved solution has {earlier.bits} bits, not {bits}")
    return earlier.bits


def _begin(
    spot: Spot, settings: Algorithm, threads: int, bits: int, earlier: Solution | None, adopt: bool
) -> tuple[PublicGameSolver, JobHistory | None]:
    """Return a solver at the beginning or where an earlier one has ended, whose numbers it takes over or copies."""
    if earlier is None or earlier.solver is None:
        return make_solver(settings, build_game(spot), threads, bits), None
    history = JobHistory(earlier.trace, earlier.seconds, earlier.cpu_seconds, origin=earlier.warm_iterations)
    if adopt:
        earlier.solver.traverser = Traverser(earlier.game, threads)
        return earlier.solver, history
    solver = make_solver(settings, earlier.game, threads, bits)
    counters = np.array([earlier.iterations, earlier.nodes_touched], dtype=np.int64)
    solver.restore({"counters": counters, **earlier.solver.arrays()})
    return solver, history


def worker_threads(threads: int | None) -> int:
    """Return how many threads to use: all cores unless said otherwise."""
    if threads is None:
        return available_threads()
    if isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= 1024:
        raise InputError(f"threads must be a whole number from 1 to 1024, not {shown(threads)}")
    return threads
