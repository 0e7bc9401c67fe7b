"""The contract of a long job: what the driver asks of it."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Generic, Literal, NamedTuple, TypeVar

from counterpoise.jobs.clock import own_cpu
from counterpoise.jobs.results import JobHistory, JobResult

Measured = TypeVar("Measured")
Result = TypeVar("Result", bound=JobResult)


class TracePoint(NamedTuple):
    """One measurement: exploitability (game units), with the iterations, nodes touched and seconds until then.

    `live_bytes` is the memory of the solver's tables at that moment.
    """

    iteration: int
    exploitability: float
    nodes_touched: int
    seconds: float
    live_bytes: int = 0


class Timing(NamedTuple):
    """By the clock, whether a measurement may be due."""

    since: float
    """Seconds since the last measurement, or since the run began."""
    cost: float
    """Seconds that the last measurement took."""
    seconds: float
    """Seconds of the job in all."""


class Job(ABC, Generic[Measured, Result]):
    """Long work in steps between which it can be measured, saved and stopped.

    A job knows what it computes and nothing of who drives it: not the limits, not the clock, not the display. All that
    changes is in its `state`, so that a step is the same wherever and whenever it is done.
    """

    batch_seconds: ClassVar[float | None] = 0.1
    """About how long a batch of iterations takes between two looks at the cancel token; None: always one iteration."""
    grain: int = 1
    """Batches are multiples of it."""
    begins_anyway: bool = False
    """Whether the first step is taken even if the job is cancelled by then, so that there is always a result."""
    show_seconds: ClassVar[float] = 0.0
    """How many seconds to wait before progress is shown again; 0: it is shown after every batch."""
    clocked: ClassVar[Literal["steps", "measuring", "everything"]] = "steps"
    """What the seconds of the result include: steps alone, measuring too, or saving and everything else too."""
    first_step_compiles: ClassVar[bool] = False
    """Whether the first step of a process takes long for other reasons, so that no limit counts it."""
    measured_first: ClassVar[bool] = True
    """Whether a resumed job is measured before its first step, unless the trace says how good it is."""
    state_beside: ClassVar[bool] = False
    """Whether a checkpoint is a file of its own, written by `checkpoint`; otherwise the result is what is resumed."""

    @property
    @abstractmethod
    def iteration(self) -> int:
        """Iterations so far, those of earlier runs and of a warm start included."""

    @abstractmethod
    def step(self, iterations: int) -> None:
        """Advance by at most this many iterations, and by at least one."""

    @abstractmethod
    def measure(self) -> Measured:
        """Return how good what was found is, and whatever else the result needs; None if there is nothing to tell."""

    @abstractmethod
    def result(self, measured: Measured, history: JobHistory) -> Result:
        """Return the result of the job if it ends here."""

    @abstractmethod
    def state(self) -> Any:
        """Return everything that changes from step to step, so that it can be sent to another process."""

    @abstractmethod
    def restore(self, state: Any) -> None:
        """Continue from a `state` of the same job, bit for bit; a job under way is not restored."""

    @property
    def finished(self) -> bool:
        """Whether there is nothing left to do, whatever the limits."""
        return False

    def count(self, name: str) -> float:
        """Return how much is done of what one of `Limits.others` limits."""
        raise KeyError(name)

    def cpu(self) -> float:
        """Return the CPU seconds of all processes that work for the job."""
        return own_cpu()

    def wind_up(self) -> None:
        """Take in what is still under way, after the last step; called once, before the last measurement."""

    def pace(self, share: float) -> None:
        """Take note that a share of the time is over, if the job is limited by time."""

    # Measuring

    def next_measurement(self, done: int, to_target: bool) -> int | None:
        """Return after how many iterations since the origin to measure next; None: when `is_due` says so.

        By default 10 times while iterations grow tenfold, 50 times on the way to a target.
        """
        per_decade, step = 50 if to_target else 10, 1
        while (goal := round(10 ** (step / per_decade))) <= done:
            step += 1
        return goal

    def is_due(self, timing: Timing) -> bool:
        """Return whether to measure after the last step, for jobs that do not plan it by iterations."""
        return False

    def remembered(self, point: Any) -> Measured | None:
        """Return what was measured at the last point of the trace, if the point says all; None: measure again."""
        return None

    def distance(self, measured: Measured) -> float:
        """Return the figure that a target is compared with."""
        return float(measured.exploitability)  # type: ignore[attr-defined]

    def point(self, measured: Measured, seconds: float) -> Any:
        """Return the point of the trace for a measurement; None if it leaves none."""
        return None

    def is_current(self, point: Any) -> bool:
        """Return whether a point of the trace was measured where the job stands now."""
        return bool(point.iteration == self.iteration)

    # Showing and saving

    def figure(self, latest: Any) -> str:
        """Return what the progress line shows; `latest` is the last point of the trace, if there is one."""
        return f"iteration {self.iteration:,}"

    def save(self, result: Result, path: str | os.PathLike[str]) -> None:
        """Write the result to its file."""
        result.save(path)  # type: ignore[attr-defined]

    def checkpoint(self, path: str | os.PathLike[str], measured: Measured, history: JobHistory) -> None:
        """Write what a later run continues from, for the result file `path`; by default the result as it stands."""
        self.save(self.result(measured, history), path)


class UnmeasuredJob(Job[None, Result]):
    """A job of which nothing is measured on the way: what it has done is all there is to tell."""

    measured_first = False

    def measure(self) -> None:
        """Find nothing."""

    def next_measurement(self, done: int, to_target: bool) -> int | None:
        """Return None: there is nothing to measure."""
        return None
