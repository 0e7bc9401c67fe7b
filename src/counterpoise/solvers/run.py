"""Drive a solver: compile, step, measure, show, stop, checkpoint; and keep the result.

Exploitability is measured by an exact best response at iterations spaced evenly on a log scale (or where
`trace_at` says), so that measuring costs little. Iterations run in batches of about a tenth of a second in one
compiled call; Ctrl-C is looked at between batches, so that it never leaves a half-updated state.
"""

from __future__ import annotations

import math
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.games import Game, as_game, game_name, load
from counterpoise.progress import Live
from counterpoise.solvers.base import ALGORITHMS, Algorithm, Solver, TracePoint
from counterpoise.store import check_writable, read_cpz, write_cpz
from counterpoise.tree import Strategy, Values, enumerate_game, evaluate, strategy_arrays, strategy_from, tree_digest

DEFAULT_ALGORITHM = "dcfr"
DEFAULT_ITERATIONS = 1000
BATCH_SECONDS = 0.1
CHECKPOINT_SECONDS = 30.0

Callback = Callable[[Solver, TracePoint], bool | None]
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
    nodes_touched: int
    seconds: float
    cpu_seconds: float
    trace: list[TracePoint] = field(repr=False)
    reached: bool = True
    """False if a target was set and the run ended before it."""
    interrupted: bool = False
    unsaved: str | None = None
    """Why the last checkpoint could not be written, if so; the run itself is whole."""
    digest: str = field(default="", repr=False)
    """Of the enumerated game, so that a run is never continued on other rules of the same name."""
    state: dict[str, NDArray[Any]] = field(default_factory=dict, repr=False)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write strategy, trace and state to a `.cpz` file from which `solve(resume=...)` continues."""
        header = {
            "game": self.game,
            "digest": self.digest,
            "algorithm": self.algorithm,
            "seed": self.seed,
            "value": list(self.value),
            "exploitability": self.exploitability,
            "nash_conv": self.nash_conv,
            "iterations": self.iterations,
            "nodes_touched": self.nodes_touched,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
            "trace": [list(point) for point in self.trace],
        }
        arrays = strategy_arrays(self.strategy) | {f"state.{name}": array for name, array in self.state.items()}
        write_cpz(path, "run", header, arrays)


def load_run(path: str | os.PathLike[str]) -> Run:
    """A run that was saved, checked field by field."""
    header, arrays = read_cpz(path, "run")
    strategy = strategy_from(header, arrays, path)
    try:
        run = Run(
            game=_text(header["game"]),
            algorithm=_text(header["algorithm"]),
            seed=int(header["seed"]),
            strategy=strategy,
            value=tuple(float(value) for value in header["value"]),
            exploitability=float(header["exploitability"]),
            nash_conv=float(header["nash_conv"]),
            iterations=int(header["iterations"]),
            nodes_touched=int(header["nodes_touched"]),
            seconds=float(header["seconds"]),
            cpu_seconds=float(header["cpu_seconds"]),
            digest=_text(header["digest"]),
            trace=[TracePoint(int(i), float(e), int(n), float(s)) for i, e, n, s in header["trace"]],
            state={name[6:]: array for name, array in arrays.items() if name.startswith("state.")},
        )
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{path} is damaged: its header is incomplete ({error})") from None
    return run


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a text")
    return value


def make_algorithm(algorithm: str | Algorithm) -> Algorithm:
    """Settings from what a user types, such as ``dcfr(alpha=1.5)``, or as they are."""
    if isinstance(algorithm, str):
        return ALGORITHMS.build(algorithm)
    if not isinstance(algorithm, Algorithm):
        raise InputError(f"an algorithm is a name or an Algorithm, not {algorithm!r}")
    return algorithm


def make_solver(game: Game | str, algorithm: str | Algorithm = DEFAULT_ALGORITHM, *, seed: int = 0) -> Solver:
    """A fresh solver for the game; step it yourself or iterate over it."""
    settings = make_algorithm(algorithm)
    return settings.solver(enumerate_game(as_game(game)), seed)


def solve(
    game: Game | str,
    algorithm: str | Algorithm | None = None,
    *,
    iterations: int | None = None,
    target: float | None = None,
    seconds: float | None = None,
    seed: int | None = None,
    resume: Run | str | os.PathLike[str] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    trace_at: Sequence[int] | None = None,
    callback: Callback | None = None,
    progress: bool | Live | None = None,
) -> Run:
    """Run an equilibrium finder until the first of: so many iterations in total, a target exploitability, seconds.

    With none of the three it runs 1,000 iterations. `resume` continues a saved run bit for bit, with its algorithm
    and seed; `checkpoint` names a file that is rewritten every half minute and at the end; Ctrl-C ends the run
    early and returns it. `trace_at` lists the iterations at which exploitability is measured, besides the last;
    `callback(solver, point)` is called at each of them and ends the run by returning True.
    """
    live = progress if isinstance(progress, Live) else Live(progress)
    earlier = load_run(resume) if isinstance(resume, str | os.PathLike) else resume
    settings = make_algorithm(algorithm or (DEFAULT_ALGORITHM if earlier is None else earlier.algorithm))
    stop = _Stop(iterations, target, seconds)
    seed = _checked_seed(seed, earlier)
    if checkpoint is not None:
        check_writable(checkpoint)
    rules = as_game(game)
    with live:
        live.begin(f"{settings.name} on {game_name(rules)}")
        tree = enumerate_game(
            rules, progress=lambda nodes, expected: live.show(nodes / expected, f"enumerating, {nodes:,} histories")
        )
        solver = settings.solver(tree, seed)
        _compile(settings, live)
        driver = _Driver(solver, stop, live, callback, trace_at, checkpoint)
        if earlier is not None:
            driver.resume(earlier)
        return driver.run()


def _checked_seed(seed: int | None, earlier: Run | None) -> int:
    if seed is None:
        return 0 if earlier is None else earlier.seed
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool) or seed < 0:
        raise InputError(f"seed must be a whole number of at least 0, not {seed!r}")
    if earlier is not None and seed != earlier.seed:
        raise InputError(f"the saved run was started with seed {earlier.seed}, not {seed}")
    return int(seed)


class _Stop:
    def __init__(self, iterations: int | None, target: float | None, seconds: float | None) -> None:
        if iterations is not None and (not isinstance(iterations, int | np.integer) or iterations < 1):
            raise InputError(f"iterations must be a whole number of at least 1, not {iterations!r}")
        for name, value in (("target", target), ("seconds", seconds)):
            number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
            if value is not None and not (number and value > 0 and math.isfinite(value)):
                raise InputError(f"{name} must be a positive number, not {value!r}")
        if iterations is None and target is None and seconds is None:
            iterations = DEFAULT_ITERATIONS
        self.iterations, self.target, self.seconds = iterations, target, seconds


def _checked_iterations(trace_at: Sequence[int] | None) -> list[int] | None:
    if trace_at is None:
        return None
    if not all(isinstance(t, int | np.integer) and not isinstance(t, bool) and t >= 1 for t in trace_at):
        raise InputError(f"trace_at must list whole numbers of at least 1, not {list(trace_at)!r}")
    return sorted({int(t) for t in trace_at})


class _Driver:
    def __init__(
        self,
        solver: Solver,
        stop: _Stop,
        live: Live,
        callback: Callback | None,
        trace_at: Sequence[int] | None,
        checkpoint: str | os.PathLike[str] | None,
    ) -> None:
        self.solver, self.stop, self.live, self.callback, self.checkpoint = solver, stop, live, callback, checkpoint
        self.trace_at = _checked_iterations(trace_at)
        self.trace: list[TracePoint] = []
        self.seconds = self.cpu_seconds = self.seconds_before = 0.0
        self.batch = 1
        self.called_off = False

    def resume(self, earlier: Run) -> None:
        settings, tree = self.solver.settings, self.solver.tree
        if earlier.algorithm != settings.name:
            raise InputError(f"the saved run used {earlier.algorithm}, not {settings.name}: name that algorithm")
        if earlier.game != tree.name:
            raise InputError(f"the saved run is for {earlier.game}, not for {tree.name}")
        if earlier.digest != tree_digest(tree):
            raise InputError(f"the saved run is for other rules of {tree.name}: the game has changed since")
        self.solver.restore(earlier.state)
        self.solver.seed = earlier.seed
        self.trace = list(earlier.trace)
        self.seconds, self.cpu_seconds = earlier.seconds, earlier.cpu_seconds
        self.seconds_before = earlier.seconds

    def run(self) -> Run:
        began = saved = time.monotonic()
        measured = self._measure() if self.solver.iteration > 0 else None  # a resumed run may be done already
        with _interruptible() as interrupted:
            while measured is None or not (interrupted.is_set() or self._ended(measured, time.monotonic() - began)):
                goal = self._next_measurement()
                while self.solver.iteration < goal and not interrupted.is_set():
                    self._advance(min(goal - self.solver.iteration, self.batch))
                    now = time.monotonic()
                    if self.checkpoint is not None and now - saved > CHECKPOINT_SECONDS:
                        _saved(self._result(self._values(), False), self.checkpoint)
                        saved = time.monotonic()
                    if self.stop.seconds is not None and now - began >= self.stop.seconds:
                        break
                measured = self._measure()
            run = self._result(measured, interrupted.is_set())
        return run if self.checkpoint is None else _saved(run, self.checkpoint)

    def _advance(self, iterations: int) -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        self.solver.step(iterations)
        wall = time.perf_counter() - wall
        self.seconds += wall
        self.cpu_seconds += time.process_time() - cpu
        self.batch = max(1, int(iterations * BATCH_SECONDS / max(wall, 1e-6)))
        self._show()

    def _values(self) -> Values:
        values = evaluate(self.solver.tree, self.solver.profile())
        if not math.isfinite(values.nash_conv):
            raise InputError(
                f"{self.solver.settings.name} overflowed by iteration {self.solver.iteration:,}: "
                "its settings are too extreme for so many iterations"
            )
        return values

    def _measure(self) -> Values:
        solver, values = self.solver, self._values()
        if not self.trace or self.trace[-1].iteration < solver.iteration:
            point = TracePoint(solver.iteration, values.exploitability, solver.nodes_touched, self.seconds)
            self.trace.append(point)
            self.called_off = self.callback is not None and bool(self.callback(solver, point))
        self._show()
        return values

    def _ended(self, values: Values, elapsed: float) -> bool:
        stop = self.stop
        return (
            self.called_off
            or (stop.iterations is not None and self.solver.iteration >= stop.iterations)
            or (stop.target is not None and values.exploitability <= stop.target)
            or (stop.seconds is not None and elapsed >= stop.seconds)
        )

    def _next_measurement(self) -> int:
        now = self.solver.iteration
        if self.trace_at is not None:
            later = [t for t in self.trace_at if t > now]
            goal = later[0] if later else self.stop.iterations or now + max(1, now // 4)
        else:
            per_decade = 10 if self.stop.target is None else 50
            step = 1
            while (goal := round(10 ** (step / per_decade))) <= now:
                step += 1
        return goal if self.stop.iterations is None else min(goal, self.stop.iterations)

    def _show(self) -> None:
        stop, now = self.stop, self.solver.iteration
        latest = f"exploitability {self.trace[-1].exploitability:.3g}" if self.trace else ""
        shares = []
        if stop.iterations is not None:
            shares.append(now / stop.iterations)
        if stop.target is not None and len(self.trace) > 1:
            first, last = self.trace[0].exploitability, max(self.trace[-1].exploitability, 1e-300)
            if first > stop.target:
                shares.append(math.log(first / last) / math.log(first / stop.target))
        if stop.seconds is not None:
            shares.append((self.seconds - self.seconds_before) / stop.seconds)
        self.live.show(max(shares, default=0.0), f"iteration {now:,}  {latest}")

    def _result(self, values: Values, interrupted: bool) -> Run:
        solver = self.solver
        return Run(
            game=solver.tree.name,
            algorithm=solver.settings.name,
            seed=solver.seed,
            strategy=solver.strategy,
            value=tuple(values.expected.tolist()),
            exploitability=values.exploitability,
            nash_conv=values.nash_conv,
            iterations=solver.iteration,
            nodes_touched=solver.nodes_touched,
            seconds=self.seconds,
            cpu_seconds=self.cpu_seconds,
            trace=list(self.trace),
            reached=self.stop.target is None or values.exploitability <= self.stop.target,
            interrupted=interrupted,
            digest=tree_digest(solver.tree),
            state=solver.state(),
        )


def _saved(run: Run, path: str | os.PathLike[str]) -> Run:
    """Save the run; a disk that has filled up meanwhile must not lose what was computed."""
    try:
        run.save(path)
    except Exception as error:
        warnings.warn(f"the run could not be saved to {path}: {error}", stacklevel=2)
        return replace(run, unsaved=str(error) or type(error).__name__)
    return run


@contextmanager
def _interruptible() -> Iterator[threading.Event]:
    """An event that Ctrl-C sets instead of breaking into the work; a second Ctrl-C interrupts as usual."""
    pressed = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield pressed
        return
    before = signal.getsignal(signal.SIGINT)
    if before is None:  # somebody else's handler, which Python could not put back
        yield pressed
        return

    def note(number: int, frame: FrameType | None) -> None:
        pressed.set()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, note)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before)


def _compile(settings: Algorithm, live: Live) -> None:
    """Compile (or load from the cache) the kernels of an algorithm on the smallest game, before the clock runs."""
    tree = enumerate_game(load("kuhn_poker"))
    solver = settings.solver(tree)
    if not all(_compiled_before(kernel) for kernel in solver.kernels):
        live.note("compiling kernels, first run only")
    solver.step()
    evaluate(tree, solver.profile())


def _compiled_before(kernel: Any) -> bool:
    name = f"{Path(kernel.py_func.__code__.co_filename).stem}.{kernel.py_func.__qualname__}-"
    folder = Path(kernel.stats.cache_path or "/nonexistent")
    return bool(kernel.signatures) or any(folder.glob(f"{name}*.nbi"))
