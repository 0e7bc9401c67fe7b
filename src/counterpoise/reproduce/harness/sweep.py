"""Running many experiments: those whose last run is longest ago first, as far as a budget goes, by any workers.

Each experiment is a piece of work of its own, done in one process, wherever that is. The file of kept runs is written
after every piece, so that a stopped sweep continues where it was: pieces with a run of this commit are skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from counterpoise.jobs.clock import Clock, cpu_with_children, now
from counterpoise.jobs.processes import WorkersLike, at_most, map_in_order, worker_count
from counterpoise.progress import CancelToken, Progress, SilentProgress, duration
from counterpoise.reproduce.harness.experiment import EXPERIMENTS, Experiment
from counterpoise.reproduce.harness.last_run import KeptRun, KeptRuns, kept_run, package_commit, read_runs

Found = tuple[str, KeptRun | None, str]
"""The id of an experiment and its run, or why it could not be run."""


class Sweep(NamedTuple):
    """What a sweep has done: experiments run, those it left for lack of time, and those that failed with the reason."""

    done: list[str]
    left: list[str]
    failed: dict[str, str]


def longest_gap_first(kept: KeptRuns, commit: str, ids: Sequence[str] | None = None) -> list[Experiment]:
    """Return the experiments without a run of this commit: those never run first, the shorter ones before the longer.

    After them those that were run, the longest ago first. A working tree with changes ("+") has no commit to go by.
    """
    waiting = []
    for id in EXPERIMENTS if ids is None else ids:
        run = kept.runs.get(id)
        if run is None or run.commit != commit or commit.endswith("+"):
            waiting.append((run.date if run else "", EXPERIMENTS[id].seconds, id))
    return [EXPERIMENTS[id] for _, _, id in sorted(waiting)]


def run_kept(experiment: Experiment, progress: Progress, cancel: CancelToken | None = None, **options: object) -> Found:
    """Run one experiment in full and return what is kept of it; a stopped run is not kept."""
    clock = Clock(cpu=cpu_with_children)
    with clock:
        report = experiment.run(progress, cancel=cancel, **options)  # type: ignore[arg-type]
    if report.interrupted:
        return experiment.id, None, "it was stopped"
    return experiment.id, kept_run(report, clock.cpu_seconds), ""


class SweepWorker(NamedTuple):
    """Makes what runs single experiments, in this process or in another one."""

    data: Path | None = None

    def make(self) -> Callable[[str], Found]:
        """Return what runs an experiment by its id."""
        return self.run

    def run(self, id: str, cancel: CancelToken | None = None) -> Found:
        """Run an experiment; what goes wrong in it ends it and not the sweep."""
        try:
            return run_kept(EXPERIMENTS[id], SilentProgress(), cancel, data=self.data)
        except KeyboardInterrupt:
            raise
        except Exception as error:
            return id, None, f"{type(error).__name__}: {error}"


def sweep(
    path: Path,
    budget: float,
    processes: WorkersLike = 1,
    progress: Progress | None = None,
    cancel: CancelToken | None = None,
    data: Path | None = None,
    ids: Sequence[str] | None = None,
) -> Sweep:
    """Run the experiments that fit into `budget` seconds on the wall, the longest gap first, and keep them in a file.

    An experiment is begun if what it is said to take fits into the time that is left; one that does not fit makes room
    for a shorter one behind it.
    """
    kept, display, token = read_runs(path), progress or SilentProgress(), cancel or CancelToken()
    waiting, began, worker = longest_gap_first(kept, package_commit(), ids), now(), SweepWorker(data)
    total, result, planned = len(waiting), Sweep([], [], {}), dict[str, float]()

    def plan() -> Iterator[tuple[str]]:
        for entry in waiting:
            queued = sum(planned.values()) / worker_count(processes)
            if now() - began + queued + entry.seconds <= budget:
                planned[entry.id] = entry.seconds
                yield (entry.id,)
            else:
                result.left.append(entry.id)

    with display:
        display.begin(f"{total} experiments, {worker_count(processes)} at a time, at most {duration(budget)}")
        do, workers = partial(worker.run, cancel=token), at_most(processes, total)
        for id, run, trouble in map_in_order(worker.make, do, plan(), workers, token):
            planned.pop(id)
            if run is None:
                result.failed[id] = trouble
            else:
                result.done.append(id)
                kept.runs[id] = run
                kept.save(path)
            finished = len(result.done) + len(result.failed)
            display.show(finished / max(total, 1), f"{id}: {run.summary if run else trouble}")
    return result
