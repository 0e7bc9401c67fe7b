"""Drive any long job: step, measure, show, stop, checkpoint.

What a job measures is measured at the iterations it plans (by default spaced evenly on a log scale), where `measure_at`
says, or when the job finds it due, so that measuring costs little; a target is judged at measured iterations only. All
these count from the `origin` of a run, where a warm start put it: 0 without one. Iterations run in batches of about a
tenth of a second; the cancel token, which Ctrl-C sets, is read between batches, so that it never leaves a half-updated
state.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Generic, Protocol, TypeVar, cast

from counterpoise.errors import InputError
from counterpoise.jobs.checkpoints import Output, Pauses
from counterpoise.jobs.clock import Clock, now
from counterpoise.jobs.job import Job, Measured, Result, Timing, UnmeasuredJob
from counterpoise.jobs.limits import Limits
from counterpoise.jobs.results import JobHistory, JobResult
from counterpoise.kernels.compiling import needs_compiling
from counterpoise.parameters import is_whole, shown
from counterpoise.progress import CancelToken, Progress, SilentProgress, cancel_on_interrupt

Saved = TypeVar("Saved")


class Driver(Generic[Measured, Result]):
    """Runs a job until its limits, the job itself, `on_point`, the cancel token or Ctrl-C ends it."""

    def __init__(
        self,
        job: Job[Measured, Result],
        limits: Limits,
        progress: Progress,
        *,
        cancel: CancelToken | None = None,
        before: JobHistory | None = None,
        on_point: Callable[[Any], bool | None] | None = None,
        measure_at: Sequence[int] | None = None,
        output: Output | None = None,
        catch_interrupts: bool = True,
    ) -> None:
        """`before` is the history of the run that this one continues; the job stands at its end.

        `on_point` sees every new point of the trace and ends the run by returning True. Without `catch_interrupts`
        Ctrl-C is the caller's, as in a search that is part of something larger.
        """
        self.job, self.limits, self.progress, self.cancel = job, limits, progress, cancel
        self.on_point, self.marks, self.output = on_point, checked_marks(measure_at), output
        earlier = before or JobHistory()
        self.trace, self.origin = list(earlier.trace), earlier.origin
        self.clock = Clock(earlier.seconds, earlier.cpu_seconds, job.cpu)
        self.batch = job.grain
        self._catch = catch_interrupts
        self._called_off = False
        self._last: tuple[int, Measured] | None = None  # the iteration of the last measurement, and what it found
        self._shown = -math.inf
        self._shown_at: int | None = None
        self._goal: int | None = None  # after how many iterations since the origin to measure next, once that is known

    def run(self) -> Result:
        """Step to the end and return the result, saved if there is an output."""
        job, fresh = self.job, self.job.iteration == 0
        self._began = self._measured = now()
        self._cost, self._waits = 0.0, job.first_step_compiles
        pauses = None if self.output is None else Pauses(self.output)
        with self._token() as token, self._counted("everything"):
            if not fresh:
                self._recall()
            while not job.finished and (
                (fresh and job.begins_anyway) or (not token.cancelled and (fresh or not self._ended()))
            ):
                fresh = False
                if self._advance():
                    self._measure()
                if pauses is not None and pauses.over:
                    begun = now()
                    self._checkpoint()
                    pauses.saved(begun)
            if token.cancelled:
                self.progress.note("stopping: what has been found is kept")
            job.wind_up()
            return self._finish(self._current(), token.cancelled)

    @contextmanager
    def _token(self) -> Iterator[CancelToken]:
        if not self._catch:
            yield self.cancel or CancelToken()
            return
        with cancel_on_interrupt(self.cancel) as token:
            yield token

    @contextmanager
    def _counted(self, *kinds: str) -> Iterator[None]:
        """Count the time if the job's figures include it."""
        if self.job.clocked not in kinds or self.clock.running:
            yield
            return
        with self.clock:
            yield

    def _advance(self) -> bool:
        """Do a batch, never past the next measurement; return whether to measure now."""
        job, before, wall = self.job, self.job.iteration, now()
        if self._goal is None:  # set once after each measurement: a goal that moved with every batch might never come
            self._goal = self._next_measurement()
        goal, count = self._goal, self.batch
        if goal is not None:
            count = min(count, max(self.origin + goal - before, 1))
        with self._counted("steps", "measuring"):
            job.step(count)
        taken = now() - wall
        if self._waits:
            self._began, self._waits = now(), False
        if job.batch_seconds is not None:
            fitting = (job.iteration - before) * job.batch_seconds / max(taken, 1e-6)
            self.batch = max(int(fitting) // job.grain, 1) * job.grain
        if self.limits.seconds is not None:
            job.pace(self._elapsed / self.limits.seconds)
        reached = goal is not None and self._done >= goal
        due = reached or job.is_due(Timing(now() - self._measured, self._cost, self.clock.seconds))
        if not due and now() - self._shown >= job.show_seconds:
            self._show()
        return due

    @property
    def _elapsed(self) -> float:
        """Seconds of this run that count against the limit."""
        return 0.0 if self._waits else now() - self._began

    @property
    def _done(self) -> int:
        """Iterations since the origin."""
        return self.job.iteration - self.origin

    def _next_measurement(self) -> int | None:
        done, most = self._done, self.limits.iterations
        if self.marks is None:
            goal = self.job.next_measurement(done, self.limits.target is not None)
        else:
            later = [mark for mark in self.marks if mark > done]
            goal = later[0] if later else most or done + max(1, done // 4)
        return goal if most is None else most if goal is None else min(goal, most)

    def _recall(self) -> None:
        """Know, or find out, how good a resumed job is: it may be done already."""
        job = self.job
        known = job.remembered(self.trace[-1]) if self.trace and job.is_current(self.trace[-1]) else None
        if known is not None:
            self._last = job.iteration, known
        elif job.measured_first:
            self._measure()

    def _measure(self) -> Measured:
        job, began = self.job, now()
        with self._counted("measuring"):
            measured = job.measure()
        self._last, self._goal = (job.iteration, measured), None
        if not self.trace or not job.is_current(self.trace[-1]):
            point = job.point(measured, self.clock.seconds)
            if point is not None:
                self.trace.append(point)
                self._called_off = self.on_point is not None and bool(self.on_point(point))
        self._measured = now()
        self._cost = self._measured - began
        if measured is not None or self._shown_at != job.iteration:  # else the same is shown already
            self._show()
        return measured

    def _current(self) -> Measured:
        """Return what the last measurement found if the job still stands there; measure otherwise."""
        if self._last is not None and self._last[0] == self.job.iteration:
            return self._last[1]
        return self._measure()

    def _ended(self) -> bool:
        limits = self.limits
        return (
            self._called_off
            or (limits.iterations is not None and self._done >= limits.iterations)
            or self._on_target()
            or (limits.seconds is not None and self._elapsed >= limits.seconds)
            or any(self.job.count(name) >= most for name, most in limits.others.items())
        )

    def _on_target(self) -> bool:
        target = self.limits.target
        return target is not None and self._last is not None and self.job.distance(self._last[1]) <= target

    def _show(self) -> None:
        self._shown, self._shown_at = now(), self.job.iteration
        self.progress.show(self._share(), self.job.figure(self.trace[-1] if self.trace else None))

    def _share(self) -> float:
        """Return how much of the nearest limit is used up, that of a target on a log scale."""
        limits = self.limits
        shares = [self.job.count(name) / most for name, most in limits.others.items()]
        if limits.iterations is not None:
            shares.append(self._done / limits.iterations)
        if limits.target is not None and len(self.trace) > 1:
            first, last = self.trace[0].exploitability, max(self.trace[-1].exploitability, 1e-300)
            if first > limits.target:
                shares.append(math.log(first / last) / math.log(first / limits.target))
        if limits.seconds is not None:
            shares.append(self._elapsed / limits.seconds)
        return max(shares, default=0.0)

    def _history(self, interrupted: bool = False) -> JobHistory:
        reached = self.limits.target is None or self._on_target()
        clock = self.clock
        return JobHistory(list(self.trace), clock.seconds, clock.cpu_seconds, reached, interrupted, self.origin)

    def _checkpoint(self) -> None:
        """Write a checkpoint. If that fails the job continues, and the next checkpoint may fit."""
        job, output = self.job, self.output
        assert output is not None
        known = self._last is not None and self._last[0] == job.iteration
        measured = self._last[1] if known and self._last is not None else job.measure()
        history = self._history()
        if (error := _failure(lambda: job.checkpoint(output.path, measured, history))) is not None:
            self.progress.note(f"{output.path} could not be saved: {error}")

    def _finish(self, measured: Measured, interrupted: bool) -> Result:
        """Return the result, saved; a disk that has filled up meanwhile must not lose what was computed."""
        job, output = self.job, self.output
        errors: list[str | None] = []
        if output is not None and job.state_beside:  # before the result, whose making may fail
            errors.append(_failure(lambda: job.checkpoint(output.path, measured, self._history(interrupted))))
        result = job.result(measured, self._history(interrupted))
        if output is not None:
            errors.append(_failure(lambda: job.save(result, output.path)))
        changes: dict[str, Any] = {}
        for error in filter(None, errors):
            warnings.warn(f"{output and output.path} could not be saved: {error}", stacklevel=3)
            changes["unsaved"] = error
        if self.clock.running:
            changes |= self.clock.spent
        return cast("Result", replace(cast("Any", result), **changes)) if changes else result


def saved_or_told(result: Saved, save: Callable[[], None]) -> Saved:
    """Return a result after it was saved; if that failed the result is not lost, and says why."""
    error = _failure(save)
    return result if error is None else cast("Saved", replace(cast("Any", result), unsaved=error))


def _failure(save: Callable[[], None]) -> str | None:
    """Return why something could not be saved; None if it was."""
    try:
        save()
    except OSError as error:  # whoever tells it names the file
        return error.strerror or str(error)
    except Exception as error:
        return str(error) or type(error).__name__
    return None


class Iterating(Protocol):
    """What iterates."""

    iteration: int

    def step(self, iterations: int) -> None:
        """Advance by this many iterations."""
        ...

    def state(self) -> Any:
        """Return everything that changes."""
        ...

    def restore(self, state: Any) -> None:
        """Continue from a state."""
        ...


class StepsJob(UnmeasuredJob[JobResult]):
    """Iterations of one object, at least one; `figure(iterations)` is what the progress line shows."""

    begins_anyway = True

    def __init__(self, solver: Iterating, figure: Callable[[int], str] = str) -> None:
        self.solver, self._figure, self._origin = solver, figure, solver.iteration

    @property
    def iteration(self) -> int:
        """Iterations so far."""
        return self.solver.iteration

    def step(self, iterations: int) -> None:
        """Iterate."""
        self.solver.step(iterations)

    def state(self) -> Any:
        """Return the state of the object."""
        return self.solver.state()

    def restore(self, state: Any) -> None:
        """Continue from a state of an object of the same problem."""
        self.solver.restore(state)

    def figure(self, latest: None) -> str:
        """Return how many iterations are done, in words."""
        return self._figure(self.iteration - self._origin)

    def result(self, measured: None, history: JobHistory) -> JobResult:
        """Return what the iterations took."""
        return JobResult(**history.spent)


def run_steps(solver: Iterating, iterations: int, cancel: CancelToken, progress: Progress | None = None) -> JobResult:
    """Advance an object by this many iterations, or by fewer, but at least one, if it is cancelled meanwhile."""
    job = StepsJob(solver, lambda done: f"{done:,} of {iterations:,} iterations")
    before, display = JobHistory(origin=solver.iteration), progress or SilentProgress()
    return Driver(job, Limits(iterations), display, cancel=cancel, before=before, catch_interrupts=False).run()


def checked_marks(measure_at: Sequence[int] | None) -> list[int] | None:
    """Return the iterations at which to measure, in order; refuse what is no iteration."""
    if measure_at is None:
        return None
    if not all(is_whole(mark) and mark >= 1 for mark in measure_at):
        raise InputError(f"trace_at must list whole numbers of at least 1, not {shown(list(measure_at))}")
    return sorted({int(mark) for mark in measure_at})


class Compiled(Protocol):
    """What has kernels that must be loaded or compiled before its first step."""

    @property
    def kernels(self) -> Iterable[Any]:
        """The compiled functions behind a step."""
        ...

    @property
    def compile_seconds(self) -> float:
        """About how long compiling them takes."""
        ...

    def prepare(self) -> None:
        """Load or compile them."""
        ...


def prepare(work: Compiled, progress: Progress) -> None:
    """Load kernels before the clock runs; say so, with an estimate, if they must be compiled."""
    announce_compiling(work.kernels, work.compile_seconds, progress)
    work.prepare()


def announce_compiling(kernels: Iterable[Any], seconds: float, progress: Progress) -> None:
    """Say that kernels will be compiled, and about how long that takes, if they are not in the cache."""
    if needs_compiling(kernels):
        progress.count_down("compiling kernels, the first time only", seconds)
