"""The solver at work in a thread of its own, which rests between two iterations while a command looks into the tree."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from counterpoise.errors import InputError
from counterpoise.progress import CancelToken, SilentProgress
from counterpoise.solvers import TracePoint
from counterpoise.solvers.public.base import PublicGameSolver
from counterpoise.spots.solve import solve_spot
from counterpoise.upi.tree import SolvedTree, named_results

MOST_ITERATIONS = 10**9
"""The iteration at which a run without another limit ends."""
MISTAKE = "a mistake of Counterpoise"
"""How an error begins that no input should cause."""
LONGEST_WORD = 300
REPORT_SECONDS = 1.0
"""Seconds between two reports, at least."""


@dataclass(frozen=True)
class RunLimits:
    """When a run stops, whichever comes first."""

    accuracy: float | None
    """Exploitability in per cent of the pot."""
    steps: int | None
    seconds: float | None
    threads: int | None
    info_freq: int


class Runner:
    """One run of the solver on a tree. `report` gets what the solver says, in lines."""

    def __init__(self, tree: SolvedTree, limits: RunLimits, report: Callable[[Sequence[str]], None]) -> None:
        self.tree, self.limits, self.report = tree, limits, report
        self._changed = threading.Condition()
        self._token = CancelToken()
        self._paused = self._resting = False
        self._reported, self._told_at = 0, 0.0
        self._thread = threading.Thread(target=self._work, name="solver", daemon=True)

    def start(self) -> None:
        """Begin to work."""
        self._told_at = time.monotonic()
        self._thread.start()

    @property
    def active(self) -> bool:
        """Whether the run has begun and not ended."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """End the run between two iterations, and wait for that."""
        self._token.cancel()
        self.wait()

    def wait(self) -> None:
        """Wait until the run has ended."""
        if self._thread.ident is not None:
            self._thread.join()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Let the solver rest between two iterations, its tables whole; it works on afterwards."""
        with self._changed:
            self._paused = True
            while self.active and not self._resting:
                self._changed.wait(0.05)
        try:
            yield
        finally:
            with self._changed:
                self._paused = False
                self._changed.notify_all()

    def rest(self) -> None:
        """Wait as long as a command looks into the tree; called by the solver where it has just finished a step."""
        with self._changed:
            while self._paused:
                self._resting = True
                self._changed.notify_all()
                self._changed.wait()
            self._resting = False

    def _work(self) -> None:
        with suppress(BrokenPipeError):  # whoever listened is gone
            self.report(["SOLVER: started"])
            self.report([f"SOLVER: stopped ({self._outcome()})"])

    def _outcome(self) -> str:
        """Solve, and return why that has ended."""
        try:
            return self._solve()
        except (InputError, MemoryError) as error:
            return one_line(error)
        except BrokenPipeError:
            raise
        except Exception as error:  # a client that waits must hear of it
            return f"{MISTAKE}: {type(error).__name__}: {one_line(error)}"

    def _solve(self) -> str:
        """Work until a limit is reached; return which one."""
        tree, limits = self.tree, self.limits
        if tree.starts_anew:
            # One iteration of a tree that was rebuilt or has other locks, warm if there is anything to start from;
            # then on as usual.
            earlier = tree.solution if tree.solution.iterations else None
            tree.solution = solve_spot(
                tree.locked_spot(),
                warm_start=earlier,
                iterations=1,
                threads=limits.threads,
                algorithm=tree.solution.algorithm,
                progress=False,
            )
        before = tree.solution
        done = before.iterations - before.warm_iterations
        steps = MOST_ITERATIONS if limits.steps is None else done + limits.steps
        tree.solution = found = solve_spot(
            resume=before,
            in_place=True,
            target=limits.accuracy,
            iterations=steps,
            seconds=limits.seconds,
            threads=limits.threads,
            callback=self._report_progress,
            progress=_Rests(self),
            cancel=self._token,
        )
        if self._token.cancelled:
            return "requested"
        if limits.accuracy is not None and found.exploitability_pct <= limits.accuracy:
            return "accuracy reached"
        return "steps done" if found.iterations - found.warm_iterations >= steps else "time is up"

    def _report_progress(self, solver: PublicGameSolver, point: TracePoint) -> None:
        """Report how the run stands, now and then."""
        now = time.monotonic()
        if point.iteration - self._reported < self.limits.info_freq or now - self._told_at < REPORT_SECONDS:
            return
        self._reported, self._told_at = point.iteration, now
        half = self.tree.spot.pot / 2
        values, best = solver.values() + half, solver.judge.best_response_values(solver.result()) + half
        self.report(["SOLVER:", *written_results(named_results(point.seconds, values, best))])


class _Rests(SilentProgress):
    """Shows nothing, and lets the solver rest where it would show how far it is: between two iterations."""

    def __init__(self, runner: Runner) -> None:
        self.runner = runner

    def show(self, fraction: float | None, figure: str) -> None:
        """Rest if a command waits."""
        self.runner.rest()


def written_results(results: dict[str, float]) -> list[str]:
    """Return figures as UPI writes them, a name and a number in each line."""
    return [f"{name}: {value:.3f}" for name, value in results.items()]


def one_line(error: BaseException) -> str:
    """Return what an error says, in one line; words as long as a range of single hands are cut."""
    words = [word if len(word) <= LONGEST_WORD else f"{word[:60]}..." for word in str(error).split()]
    return " ".join(words) or type(error).__name__
