"""Jobs whose work falls into pieces that are taken in one after another, in a fixed order.

A piece may be small, such as a block of hands that another process plays, or a long job itself, such as a point of a
frontier: then it is given the same cancel token, and what it returns early is taken in as the last piece.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Generator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Generic, TypeVar

from counterpoise.jobs.clock import cpu_with_children
from counterpoise.jobs.driver import Driver
from counterpoise.jobs.job import Result, UnmeasuredJob
from counterpoise.jobs.limits import Limits
from counterpoise.jobs.processes import WorkersLike, cpu_elsewhere
from counterpoise.jobs.results import JobHistory, JobResult
from counterpoise.progress import CancelToken, Progress, SilentProgress

Piece = TypeVar("Piece")
Found = TypeVar("Found")


class PiecesJob(UnmeasuredJob[Result], Generic[Found, Result]):
    """Work in pieces, of which each step takes in the next; a subclass says what they are and what becomes of them."""

    batch_seconds = None
    clocked = "everything"
    workers: WorkersLike = 1
    """Who does the pieces; their CPU seconds are those of the job."""
    _left: Generator[Found, None, None] | None = None
    _exhausted = False

    @abstractmethod
    def pieces(self) -> Generator[Found, None, None]:
        """Yield what is found for each piece that has not been taken in yet; called at the first step."""

    @abstractmethod
    def take(self, found: Found) -> None:
        """Take in what was found for the next piece."""

    @property
    def finished(self) -> bool:
        """Whether no piece is left."""
        return self._exhausted

    def step(self, iterations: int) -> None:
        """Take in the next piece."""
        if self._left is None:
            self._left = self.pieces()
        try:
            found = next(self._left)
        except StopIteration:
            self._exhausted = True
        else:
            self.take(found)

    def wind_up(self) -> None:
        """End the processes that do pieces."""
        if self._left is not None:
            self._left.close()

    def cpu(self) -> float:
        """Return the CPU seconds of this process and of those that have done pieces."""
        return cpu_with_children() + cpu_elsewhere(self.workers)


@dataclass(frozen=True, kw_only=True)
class Parts(JobResult, Generic[Found]):
    """What was found for each part of some work, in order; later ones are missing if it was interrupted."""

    found: list[Found]


class PartsJob(PiecesJob[Found, Parts[Found]]):
    """Work in a known number of parts, whose findings are all kept.

    `find(first)` yields what is found for the parts from number `first` on, `figure(number)` is what the progress line
    shows after a number of them.
    """

    def __init__(
        self,
        total: int,
        find: Callable[[int], Generator[Found, None, None]],
        figure: Callable[[int], str] = str,
        workers: WorkersLike = 1,
    ) -> None:
        self.total, self.workers, self.found = total, workers, list[Found]()
        self._find, self._figure = find, figure

    @property
    def iteration(self) -> int:
        """How many parts are done."""
        return len(self.found)

    @property
    def finished(self) -> bool:
        """Whether no part is left."""
        return self._exhausted or self.iteration >= self.total

    def pieces(self) -> Generator[Found, None, None]:
        """Yield what is found for each part that is left."""
        return self._find(self.iteration)

    def take(self, found: Found) -> None:
        """Keep what was found."""
        self.found.append(found)

    def state(self) -> list[Found]:
        """Return what was found so far."""
        return copy(self.found)

    def restore(self, state: list[Found]) -> None:
        """Continue after the parts that were done elsewhere."""
        self.found = copy(state)

    def figure(self, latest: None) -> str:
        """Return how many parts are done, in words."""
        return self._figure(self.iteration)

    def result(self, measured: None, history: JobHistory) -> Parts[Found]:
        """Return what was found."""
        return Parts(found=self.found, **history.spent)

    def run(self, progress: Progress, cancel: CancelToken | None) -> Parts[Found]:
        """Do all parts, or those that are done before Ctrl-C or the cancel token ends it."""
        limits = Limits(iterations=self.total or None)
        return Driver(self, limits, progress, cancel=cancel).run()


def do_parts(do: Callable[[Piece], Found], parts: Sequence[Piece], cancel: CancelToken) -> Parts[Found]:
    """Return what is found for each part of some work; the parts are jobs with the same token, which show themselves.

    The first is done even if it is cancelled by then: it returns early.

    >>> do_parts(abs, [-1, 2, -3], CancelToken()).found
    [1, 2, 3]
    """

    def find(first: int) -> Generator[Found, None, None]:
        for part in parts[first:]:
            yield do(part)

    job = PartsJob(len(parts), find)
    job.begins_anyway = True
    return job.run(SilentProgress(), cancel)
