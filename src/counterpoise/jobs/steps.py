"""The iterations of one object, such as the solver of a subgame, as a job of which nothing is measured."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from counterpoise.jobs.driver import Driver
from counterpoise.jobs.job import UnmeasuredJob
from counterpoise.jobs.limits import Limits
from counterpoise.jobs.results import JobHistory, JobResult
from counterpoise.progress import CancelToken, Progress, SilentProgress


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
