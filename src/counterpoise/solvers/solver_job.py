"""A solver as a job of the driver: what solving games, spots, subgames and counter-strategies share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol, Self, TypeVar

from counterpoise.errors import InputError
from counterpoise.jobs import (
    Driver,
    Job,
    JobHistory,
    JobResult,
    Limits,
    Output,
    TraceKeywords,
    TracePoint,
    WatchKeywords,
    checked_marks,
)
from counterpoise.jobs.keywords import Callback
from counterpoise.parameters import shown
from counterpoise.progress import CancelToken, Progress, SilentProgress, as_progress
from counterpoise.solvers.base import Arrays, Solver


class Measurement(Protocol):
    """How good the strategies are at one iteration, with whatever else the job needs for its result."""

    @property
    def exploitability(self) -> float:
        """Exploitability in the unit of the target."""
        ...


Measured = TypeVar("Measured", bound=Measurement)
Result = TypeVar("Result", bound=JobResult)


class SolverJob(Job[Measured, Result]):
    """A solver at work: its steps are the solver's iterations, its points their exploitability."""

    solver: Solver
    unit: ClassVar[str] = ""
    """The unit behind an exploitability on the progress line."""

    @property
    def iteration(self) -> int:
        return self.solver.iteration

    def step(self, iterations: int) -> None:
        self.solver.step(iterations)

    def state(self) -> Arrays:
        return self.solver.state()

    def restore(self, state: Arrays) -> None:
        self.solver.restore(state)

    @abstractmethod
    def measure(self) -> Measured:
        """Return the exploitability by exact best responses, and whatever else the result needs."""

    @abstractmethod
    def result(self, measured: Measured, history: JobHistory) -> Result:
        """Return the result of the run if it ends here."""

    def point(self, measured: Measured, seconds: float) -> TracePoint:
        solver = self.solver
        return TracePoint(
            solver.iteration, measured.exploitability, int(solver.nodes_touched), seconds, solver.live_bytes
        )

    def figure(self, latest: TracePoint | None) -> str:
        found = "" if latest is None else f"exploitability {latest.exploitability:.3g}{self.unit}"
        return f"iteration {self.iteration:,}  {found}"


@dataclass(frozen=True)
class Watch:
    """Who looks on while a solver works, and where: the display, the cancel token, a callback and trace points."""

    progress: Progress
    cancel: CancelToken | None = None
    callback: Callback | None = None
    trace_at: Sequence[int] | None = None
    """The iterations at which to measure; None: as the job plans."""

    def __post_init__(self) -> None:
        checked_marks(self.trace_at)
        if self.cancel is not None and not hasattr(self.cancel, "cancelled"):
            raise InputError(f"cancel must be a CancelToken, not {shown(self.cancel)}")
        if self.callback is not None and not callable(self.callback):
            raise InputError(f"callback must be a function of the solver and the point, not {shown(self.callback)}")

    @classmethod
    def of(cls, options: WatchKeywords) -> Self:
        """Return who looks on by a user's keywords."""
        return cls(as_progress(options.get("progress")), options.get("cancel"))

    @classmethod
    def of_trace(cls, options: TraceKeywords) -> Self:
        """Return who looks on by a user's keywords, and when."""
        return replace(cls.of(options), callback=options.get("callback"), trace_at=options.get("trace_at"))

    def drive(
        self,
        job: SolverJob[Any, Result],
        limits: Limits,
        before: JobHistory | None = None,
        output: Output | None = None,
    ) -> Result:
        """Run a solver to its limits and return the result."""
        callback = self.callback
        on_point = None if callback is None else lambda point: callback(job.solver, point)
        options: dict[str, Any] = {"cancel": self.cancel, "measure_at": self.trace_at}
        return Driver(job, limits, self.progress, before=before, output=output, on_point=on_point, **options).run()


UNWATCHED = Watch(SilentProgress())
"""Nobody looks on."""
