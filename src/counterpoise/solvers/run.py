"""Solve a general game: enumerate, compile, let the driver run the solver; and keep the result in a file."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.games import Game, as_game, game_name, load
from counterpoise.parameters import shown
from counterpoise.progress import CancelToken, Progress, as_progress
from counterpoise.solvers.base import ALGORITHMS, Algorithm, TracePoint
from counterpoise.solvers.driver import Driver, Job, RunHistory, Stop, checked_iterations
from counterpoise.solvers.tree_solver import TreeSolver
from counterpoise.solvers.warm_start.warm_start import Source, WarmStart, check_warm_start, load_source
from counterpoise.solvers.warm_start.warm_start import warm_start as start_warm
from counterpoise.store import check_writable, read_cpz, write_cpz
from counterpoise.tree import Strategy, Values, enumerate_game, strategy_arrays, strategy_from, tree_digest

DEFAULT_ALGORITHM = "dcfr"
DEFAULT_WARM_ALGORITHM = "cfr"
"""Of a run from a strategy: the theory of warm starts is about it, and good strategies stay good."""

Callback = Callable[[TreeSolver, TracePoint], bool | None]
"""Called at every trace point; returning True stops the run."""


@dataclass(frozen=True)
class Run:
    """What a solve produced. Units are the game's own; seconds are spent iterating, measuring not included."""

    game: str
    algorithm: str
    seed: int
    strategy: Strategy
    value: tuple[float, ...]
    exploitability: float
    nash_conv: float
    iterations: int
    """All that the averages count: those that a warm start is worth and those run since."""
    nodes_touched: int
    seconds: float
    cpu_seconds: float
    trace: list[TracePoint] = field(repr=False)
    reached: bool = True
    """False if a target was set and the run ended before it."""
    interrupted: bool = False
    unsaved: str | None = None
    """Why the last checkpoint could not be written, if so; the run itself is whole."""
    warm_start: WarmStart | None = None
    """What the run started from, if from a strategy; its iterations and histories are among those of the run."""
    digest: str = field(default="", repr=False)
    """Of the enumerated game, so that a run is never continued on other rules of the same name."""
    state: dict[str, NDArray[Any]] = field(default_factory=dict, repr=False)

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        progress: Progress | None = None,
        cancel: CancelToken | None = None,
    ) -> None:
        """Write strategy, trace and state to a `.cpz` file from which `solve(resume=...)` continues."""
        from counterpoise.store.headers import RunHeader

        warm_start = None if self.warm_start is None else self.warm_start._asdict()
        arrays = strategy_arrays(self.strategy) | {f"state.{name}": array for name, array in self.state.items()}
        write_cpz(path, "run", RunHeader.of(self, warm_start=warm_start), arrays, progress=progress, cancel=cancel)


def load_run(path: str | os.PathLike[str]) -> Run:
    """Return a run that was saved, checked field by field."""
    from counterpoise.store.headers import RunHeader

    header, arrays = read_cpz(path, "run")
    fields = RunHeader.read(header, path).model_dump()
    fields["trace"] = [TracePoint(*row) for row in fields["trace"]]
    fields["warm_start"] = None if fields["warm_start"] is None else WarmStart(**fields["warm_start"])
    state = {name[6:]: array for name, array in arrays.items() if name.startswith("state.")}
    return Run(strategy=strategy_from(header, arrays, path), state=state, **fields)


def make_algorithm(algorithm: str | Algorithm) -> Algorithm:
    """Settings from what a user types, such as ``dcfr(alpha=1.5)``, or as they are."""
    if isinstance(algorithm, str):
        return ALGORITHMS.build(algorithm)
    if not isinstance(algorithm, Algorithm):
        raise InputError(f"an algorithm is a name or an Algorithm, not {shown(algorithm)}")
    return algorithm


def make_solver(game: Game | str, algorithm: str | Algorithm = DEFAULT_ALGORITHM, *, seed: int = 0) -> TreeSolver:
    """A fresh solver for the game; step it yourself or iterate over it."""
    settings = make_algorithm(algorithm)
    return settings.on(enumerate_game(as_game(game)), seed=checked_seed(seed))


def solve(
    game: Game | str,
    algorithm: str | Algorithm | None = None,
    *,
    iterations: int | None = None,
    target: float | None = None,
    seconds: float | None = None,
    seed: int | None = None,
    resume: Run | str | os.PathLike[str] | None = None,
    warm_start: Source | None = None,
    warm_iterations: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    trace_at: Sequence[int] | None = None,
    callback: Callback | None = None,
    progress: Progress | bool | None = None,
    cancel: CancelToken | None = None,
) -> Run:
    """Run an equilibrium finder until the first of: so many iterations in total, a target exploitability, seconds.

    With none of the three it runs 1,000 iterations; without an algorithm, dcfr. `resume` continues a saved run bit for
    bit, with its algorithm and seed; `checkpoint` names a file that is rewritten every half minute and at the end;
    Ctrl-C or `cancel` ends the run early and returns it. `trace_at` lists the iterations at which exploitability is
    measured, besides the last; `callback(solver, point)` is called at each of them and ends the run by returning True.

    `warm_start` is a strategy (or a run, or a file with either) from which to go on as though so many iterations had
    produced it: `warm_iterations`, or as many as its exploitability suggests (`counterpoise.warm_start` says how). The
    algorithm is then cfr unless named. `iterations` and `trace_at` count from there, also when the run is resumed;
    `Run.iterations` and the trace count those of the warm start too.
    """
    display = as_progress(progress)
    earlier = load_run(resume) if isinstance(resume, str | os.PathLike) else resume
    settings = make_algorithm(default_algorithm(earlier, warm_start) if algorithm is None else algorithm)
    stop = Stop(iterations, target, seconds)
    marks = checked_iterations(trace_at)
    if warm_start is not None and resume is not None:
        raise InputError("warm_start and resume exclude each other: a saved run has regrets of its own to go on from")
    if warm_start is None and warm_iterations is not None:
        raise InputError(f"warm_iterations ({shown(warm_iterations)}) needs a warm_start")
    source = None if warm_start is None else load_source(warm_start)
    seed = _seed(seed, earlier)
    if checkpoint is not None:
        check_writable(checkpoint)
    rules = as_game(game)
    with display:
        display.begin(f"{settings.name} on {game_name(rules)}")
        tree = enumerate_game(rules, progress=display, cancel=cancel)
        solver = settings.on(tree, seed=seed)
        if source is not None:
            check_warm_start(solver, source, warm_iterations)
        _compile(settings, display, warm=source is not None)
        job = _GameJob(solver)
        before = None if earlier is None else job.resume(earlier)
        if source is not None:
            before, chosen = job.start_warm(source, warm_iterations)
            display.note(chosen.summary())
        driver = Driver(
            job,
            stop,
            display,
            cancel=cancel,
            before=before,
            callback=callback,
            trace_at=marks,
            checkpoint=checkpoint,
        )
        return driver.run()


def default_algorithm(earlier: Run | None = None, warm_start: object = None) -> str:
    """What runs when no algorithm is named: that of the run to continue, or the default."""
    if earlier is not None:
        return earlier.algorithm
    return DEFAULT_ALGORITHM if warm_start is None else DEFAULT_WARM_ALGORITHM


def checked_seed(seed: int) -> int:
    """Refuse what no random generator takes."""
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool) or seed < 0:
        raise InputError(f"seed must be a whole number of at least 0, not {shown(seed)}")
    return int(seed)


def _seed(seed: int | None, earlier: Run | None) -> int:
    if seed is None:
        return 0 if earlier is None else earlier.seed
    if earlier is not None and checked_seed(seed) != earlier.seed:
        raise InputError(f"the saved run was started with seed {earlier.seed}, not {seed}")
    return checked_seed(seed)


class _GameJob(Job[Values, Run]):
    def __init__(self, solver: TreeSolver) -> None:
        self.solver: TreeSolver = solver
        self.warm_start: WarmStart | None = None

    def start_warm(self, source: Source, iterations: int | None) -> tuple[RunHistory, WarmStart]:
        """Put the solver where a strategy leads it; the time counts."""
        wall, cpu = time.perf_counter(), time.process_time()
        self.warm_start = start_warm(self.solver, source, iterations=iterations)
        seconds = time.perf_counter() - wall, time.process_time() - cpu
        return RunHistory([], *seconds, origin=self.solver.iteration), self.warm_start

    def resume(self, earlier: Run) -> RunHistory:
        """Put the solver where an earlier run ended."""
        settings, tree = self.solver.settings, self.solver.tree
        if earlier.algorithm != settings.name:
            raise InputError(f"the saved run used {earlier.algorithm}, not {settings.name}: name that algorithm")
        if earlier.game != tree.name:
            raise InputError(f"the saved run is for {earlier.game}, not for {tree.name}")
        if earlier.digest != tree_digest(tree):
            raise InputError(f"the saved run is for other rules of {tree.name}: the game has changed since")
        self.solver.restore(earlier.state)
        self.solver.seed = earlier.seed
        self.warm_start = earlier.warm_start
        origin = 0 if earlier.warm_start is None else earlier.warm_start.iterations
        return RunHistory(earlier.trace, earlier.seconds, earlier.cpu_seconds, origin=origin)

    def measure(self) -> Values:
        values = self.solver.measure()
        if not math.isfinite(values.nash_conv):
            raise InputError(
                f"{self.solver.settings.name} overflowed by iteration {self.solver.iteration:,}: "
                "its settings are too extreme for so many iterations"
            )
        return values

    def result(self, measured: Values, history: RunHistory) -> Run:
        solver = self.solver
        return Run(
            game=solver.tree.name,
            algorithm=solver.settings.name,
            seed=solver.seed,
            strategy=solver.strategy,
            value=tuple(measured.expected.tolist()),
            exploitability=measured.exploitability,
            nash_conv=measured.nash_conv,
            iterations=solver.iteration,
            nodes_touched=solver.nodes_touched,
            seconds=history.seconds,
            cpu_seconds=history.cpu_seconds,
            trace=history.trace,
            reached=history.reached,
            interrupted=history.interrupted,
            unsaved=history.unsaved,
            warm_start=self.warm_start,
            digest=tree_digest(solver.tree),
            state=solver.state(),
        )


def _compile(settings: Algorithm, progress: Progress, warm: bool = False) -> None:
    """Compile (or load from the cache) the kernels of an algorithm on the smallest game, before the clock runs."""
    tree = enumerate_game(load("kuhn_poker"))
    solver = settings.on(tree)
    if not all(compiled_before(kernel) for kernel in solver.kernels):
        progress.note("compiling kernels, first run only")
    solver.step()
    solver.measure()
    if warm:
        start_warm(solver, Strategy.uniform(tree), iterations=1)


def compiled_before(kernel: Any) -> bool:
    """Whether a kernel need not be compiled: it is in memory or in the cache."""
    name = f"{Path(kernel.py_func.__code__.co_filename).stem}.{kernel.py_func.__qualname__}-"
    folder = Path(kernel.stats.cache_path or "/nonexistent")
    return bool(kernel.signatures) or any(folder.glob(f"{name}*.nbi"))
