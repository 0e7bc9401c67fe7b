"""Drive any solver: step, measure, show, stop, checkpoint. General games and hold'em spots share it.

Exploitability is measured at iterations spaced evenly on a log scale (or where `trace_at` says, or as a job wants
it), so that measuring costs little; a stopping rule is judged at measured iterations only. All these count from the
`origin` of a run, where a warm start put it: 0 without one. Iterations run in batches of about a tenth of a second in
one compiled call; the cancel token, which Ctrl-C sets, is read between batches, so that it never leaves a half-updated
state.
"""

from __future__ import annotations

import math
import os
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from counterpoise.errors import InputError
from counterpoise.kernels.compiling import needs_compiling
from counterpoise.parameters import is_number, is_whole, require, require_whole, shown
from counterpoise.progress import CancelToken, Progress, cancel_on_interrupt, duration
from counterpoise.solvers.base import Solver, TracePoint

DEFAULT_ITERATIONS = 1000
BATCH_SECONDS = 0.1
CHECKPOINT_SECONDS = 30.0
CHECKPOINT_SHARE = 0.1
"""The most that saving may take of the time of a run."""


class Measurement(Protocol):
    """How good the strategies are at one iteration, with whatever else the job needs for its result."""

    @property
    def exploitability(self) -> float:
        """Exploitability in the unit of the target."""
        ...


class Saveable(Protocol):
    """A result that can be written to a file."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file from which a later run can continue."""
        ...


Measured = TypeVar("Measured", bound=Measurement)
Result = TypeVar("Result", bound=Saveable)


@dataclass(frozen=True)
class RunHistory:
    """How a run has gone so far, the earlier runs that it continues included."""

    trace: list[TracePoint] = field(default_factory=list)
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    reached: bool = True
    """False if a target was set and the run ended before it."""
    interrupted: bool = False
    """Whether Ctrl-C or a cancel token ended the run."""
    unsaved: str | None = None
    """Why the last checkpoint could not be written, if so; the run itself is whole."""
    origin: int = 0
    """The iteration at which a warm start began the run; 0 without one."""


class Job(ABC, Generic[Measured, Result]):
    """A solver at work, how it is measured, and the result to return."""

    solver: Solver
    unit: ClassVar[str] = ""
    """The unit behind an exploitability on the progress line."""
    measuring_counts: ClassVar[bool] = False
    """Whether the seconds of a run include those spent measuring."""

    @abstractmethod
    def measure(self) -> Measured:
        """Return the exploitability by exact best responses, and whatever else the result needs."""

    @abstractmethod
    def result(self, measured: Measured, history: RunHistory) -> Result:
        """Return the result of the run if it ends here."""

    def save(self, result: Result, path: str | os.PathLike[str]) -> None:
        """Write the result to a file, as it stands or without what is not wanted there."""
        result.save(path)

    def next_measurement(self, done: int, to_target: bool) -> int:
        """Return after how many iterations to measure next: 10 times per decade, 50 on the way to a target."""
        per_decade, step = 50 if to_target else 10, 1
        while (goal := round(10 ** (step / per_decade))) <= done:
            step += 1
        return goal


class Stop:
    """When to stop: at a number of iterations after the origin, a target exploitability or seconds of this run."""

    def __init__(self, iterations: int | None, target: float | None, seconds: float | None) -> None:
        if iterations is not None:
            require_whole("iterations", iterations, 1)
        for name, value in (("target", target), ("seconds", seconds)):
            require(
                value is None or (is_number(value) and value > 0),
                f"{name} must be a positive number, not {shown(value)}",
            )
        if iterations is None and target is None and seconds is None:
            iterations = DEFAULT_ITERATIONS
        self.iterations, self.target, self.seconds = iterations, target, seconds


class Driver(Generic[Measured, Result]):
    """Runs a job until its stopping rule, the callback, the cancel token or Ctrl-C ends it."""

    def __init__(
        self,
        job: Job[Measured, Result],
        stop: Stop,
        progress: Progress,
        *,
        cancel: CancelToken | None = None,
        before: RunHistory | None = None,
        callback: Callable[[Any, TracePoint], bool | None] | None = None,
        trace_at: Sequence[int] | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> None:
        """`before` is the history of the run that this one continues; the job's solver stands at its end."""
        self.job, self.solver, self.stop, self.progress = job, job.solver, stop, progress
        self.callback, self.cancel, self.checkpoint = callback, cancel, checkpoint
        self.trace_at = checked_iterations(trace_at)
        earlier = before or RunHistory()
        self.trace, self.origin = list(earlier.trace), earlier.origin
        self.seconds, self.cpu_seconds, self.seconds_before = earlier.seconds, earlier.cpu_seconds, earlier.seconds
        self.batch = 1
        self.called_off = False

    def run(self) -> Result:
        """Iterate to the end and return the result, saved if a checkpoint is named."""
        began = saved = time.monotonic()
        pause = CHECKPOINT_SECONDS
        measured = self._measure() if self.solver.iteration > 0 else None  # a resumed run may be done already
        with cancel_on_interrupt(self.cancel) as cancel:
            while measured is None or not (cancel.cancelled or self._ended(measured, time.monotonic() - began)):
                goal = self.origin + self._next_measurement()
                while self.solver.iteration < goal and not cancel.cancelled:
                    self._advance(min(goal - self.solver.iteration, self.batch))
                    now = time.monotonic()
                    if self.checkpoint is not None and now - saved > pause:
                        self._result(self.job.measure(), False, self.checkpoint)
                        saved = time.monotonic()
                        pause = max(CHECKPOINT_SECONDS, (saved - now) / CHECKPOINT_SHARE)
                    if self.stop.seconds is not None and now - began >= self.stop.seconds:
                        break
                if cancel.cancelled:
                    self.progress.note("stopping: measuring and keeping what has been found")
                measured = self._measure()
            return self._result(measured, cancel.cancelled, self.checkpoint)

    def _advance(self, iterations: int) -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        self.solver.step(iterations)
        wall = time.perf_counter() - wall
        self.seconds += wall
        self.cpu_seconds += time.process_time() - cpu
        self.batch = max(1, int(iterations * BATCH_SECONDS / max(wall, 1e-6)))
        self._show()

    def _measure(self) -> Measured:
        solver, wall, cpu = self.solver, time.perf_counter(), time.process_time()
        measured = self.job.measure()
        if self.job.measuring_counts:
            self.seconds += time.perf_counter() - wall
            self.cpu_seconds += time.process_time() - cpu
        if not self.trace or self.trace[-1].iteration < solver.iteration:
            point = TracePoint(
                solver.iteration, measured.exploitability, int(solver.nodes_touched), self.seconds, solver.live_bytes
            )
            self.trace.append(point)
            self.called_off = self.callback is not None and bool(self.callback(solver, point))
        self._show()
        return measured

    def _ended(self, measured: Measured, elapsed: float) -> bool:
        stop = self.stop
        return (
            self.called_off
            or (stop.iterations is not None and self._done >= stop.iterations)
            or self._on_target(measured)
            or (stop.seconds is not None and elapsed >= stop.seconds)
        )

    def _on_target(self, measured: Measured) -> bool:
        return self.stop.target is not None and measured.exploitability <= self.stop.target

    @property
    def _done(self) -> int:
        """Iterations since the origin."""
        return self.solver.iteration - self.origin

    def _next_measurement(self) -> int:
        now = self._done
        if self.trace_at is not None:
            later = [t for t in self.trace_at if t > now]
            goal = later[0] if later else self.stop.iterations or now + max(1, now // 4)
        else:
            goal = self.job.next_measurement(now, self.stop.target is not None)
        return goal if self.stop.iterations is None else min(goal, self.stop.iterations)

    def _show(self) -> None:
        stop = self.stop
        latest = f"exploitability {self.trace[-1].exploitability:.3g}{self.job.unit}" if self.trace else ""
        shares = []
        if stop.iterations is not None:
            shares.append(self._done / stop.iterations)
        if stop.target is not None and len(self.trace) > 1:
            first, last = self.trace[0].exploitability, max(self.trace[-1].exploitability, 1e-300)
            if first > stop.target:
                shares.append(math.log(first / last) / math.log(first / stop.target))
        if stop.seconds is not None:
            shares.append((self.seconds - self.seconds_before) / stop.seconds)
        self.progress.show(max(shares, default=0.0), f"iteration {self.solver.iteration:,}  {latest}")

    def _result(self, measured: Measured, interrupted: bool, path: str | os.PathLike[str] | None) -> Result:
        """Return the result, saved; a disk that has filled up meanwhile must not lose what was computed."""
        reached = self.stop.target is None or self._on_target(measured)
        history = RunHistory(list(self.trace), self.seconds, self.cpu_seconds, reached, interrupted, origin=self.origin)
        result = self.job.result(measured, history)
        if path is not None:
            try:
                self.job.save(result, path)
            except Exception as error:
                warnings.warn(f"the run could not be saved to {path}: {error}", stacklevel=2)
                return self.job.result(measured, replace(history, unsaved=str(error) or type(error).__name__))
        return result


def checked_iterations(trace_at: Sequence[int] | None) -> list[int] | None:
    """Return the iterations at which to measure, in order; refuse what is no iteration."""
    if trace_at is None:
        return None
    if not all(is_whole(t) and t >= 1 for t in trace_at):
        raise InputError(f"trace_at must list whole numbers of at least 1, not {shown(list(trace_at))}")
    return sorted({int(t) for t in trace_at})


def prepare(solver: Solver, progress: Progress) -> None:
    """Load the kernels of a solver before the clock runs; say so, with an estimate, if they must be compiled."""
    if needs_compiling(solver.kernels):
        progress.note(f"compiling kernels, the first time only: about {duration(solver.compile_seconds)}")
    solver.prepare()
