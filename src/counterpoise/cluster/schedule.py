"""How long work would take on more workers than there are: a simulated schedule of jobs whose costs were measured.

Simulated is what `counterpoise.cluster.crew` does, event by event, with the costs of the head one after the other:

1. the head plans pieces in their order, `AHEAD` for each worker beyond the first whose result it has not taken;
2. it hands each to the worker that has the fewest, at most `EACH`, which does them in turn;
3. it takes results in the order of the plan, and adds each up;
4. when all of an update are taken it does what only the head can, and plans the next update.

A worker that dies loses what it was doing and is replaced. Jobs have the durations that their number says, whoever does
them, so that numbers of workers are compared on the same jobs; the same seed gives the same schedule.
"""

from __future__ import annotations

import heapq
from collections import deque
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from counterpoise.jobs.processes import AHEAD, EACH
from counterpoise.parameters import require, require_number, require_whole

MOST_WORKERS = 100_000


@dataclass(frozen=True, kw_only=True)
class JobCosts:
    """What the jobs of an update cost, as measured with one worker; times in seconds."""

    jobs: int
    """Jobs of an update."""
    job: float
    """What a job takes, on average."""
    spread: float = 0.0
    """Standard deviation of the logarithm of what jobs take."""
    hand_out: float = 0.0
    """What the head takes to hand out a job."""
    take: float = 0.0
    """What the head takes to receive a result and to add it to what it has."""
    update: float = 0.0
    """What the head does alone, once in each update."""
    bytes_out: float = 0.0
    bytes_back: float = 0.0
    bandwidth: float = 1.25e9
    """Bytes per second of the head's network, each way."""
    latency: float = 2e-4
    straggler_share: float = 0.0
    """Share of the jobs that meet a slow machine."""
    straggler_factor: float = 1.0
    """How much longer these take."""
    life: float | None = None
    """How long a worker lives on average; None: for ever."""
    restart: float = 10.0
    """What passes before one that has died is replaced."""

    def __post_init__(self) -> None:
        require_whole("jobs", self.jobs, 1, 10**7)
        for name in ("job", "bandwidth", "straggler_factor", *(["life"] if self.life is not None else [])):
            require(getattr(self, name) > 0, f"{name} must be above 0, not {getattr(self, name)!r}")
        for name in ("spread", "hand_out", "take", "update", "bytes_out", "bytes_back", "latency", "restart"):
            require_number(name, getattr(self, name), 0, 1e15)
        require_number("straggler_share", self.straggler_share, 0, 1)

    def durations(self, seed: int, update: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """Return what each job of an update takes."""
        random = np.random.default_rng([seed, update])
        found = self.job * np.exp(self.spread * random.standard_normal(self.jobs) - self.spread**2 / 2)
        slow = random.random(self.jobs) < self.straggler_share
        return np.where(slow, self.straggler_factor * found, found)


class SimulatedSchedule(NamedTuple):
    """How a simulated run went."""

    workers: int
    seconds: float
    """The seconds that an update takes on average."""
    work: float
    """Seconds that the jobs of an update take together, each once."""
    head_busy: float
    """Share of the time in which the head works."""
    workers_busy: float
    """Share of the workers' time in which they do jobs that count."""
    lost: int
    """Workers that died."""

    @property
    def speedup(self) -> float:
        """How many workers' work is done."""
        return self.work / self.seconds


def simulate(costs: JobCosts, workers: int, updates: int = 1, seed: int = 0, ahead: int = AHEAD) -> SimulatedSchedule:
    """Return how long an update takes with a number of workers.

    `ahead` are the jobs for each worker that are planned beyond the first whose result was not taken.

    >>> costs = JobCosts(jobs=1000, job=0.1, hand_out=0.001, take=0.001, latency=0)
    >>> [round(simulate(costs, workers).speedup) for workers in (1, 10, 100)]
    [1, 10, 50]
    """
    require_whole("workers", workers, 1, MOST_WORKERS)
    require_whole("updates", updates, 1, 10**6)
    require_whole("ahead", ahead, 1, 10**6)
    run = _Run(costs, workers, seed, ahead)
    work = sum(run.update(number) for number in range(updates))
    return SimulatedSchedule(
        workers,
        run.now / updates,
        work / updates,
        run.head / run.now,
        work / (run.now * workers),
        run.lost,
    )


class _Worker:
    """A worker: which jobs it has, until when it is at work, and when it dies."""

    def __init__(self, dies: float) -> None:
        self.jobs: list[int] = []
        self.busy_until, self.dies = 0.0, dies


class _Run:
    """A simulated run; `now` is the head's clock and `head` what it has worked."""

    def __init__(self, costs: JobCosts, workers: int, seed: int, ahead: int) -> None:
        self.costs, self.seed, self.count, self.ahead = costs, seed, workers, ahead
        self.now = self.head = 0.0
        self.lost = self._next = 0
        self._random = np.random.default_rng([seed, 2**32 - 1])
        self._out = self._back = 0.0  # until when the network is used, each way
        self._workers: dict[int, _Worker] = {}
        self._events: list[tuple[float, int, int, bool]] = []  # when, worker, its job (-1: it dies), whether it is back
        self._idle: list[tuple[int, int]] = []  # how many jobs a worker has, and its number; some out of date
        for _ in range(workers):
            self._hire(0.0)

    def update(self, number: int) -> float:
        """Simulate an update; return what its jobs take together."""
        costs = self.costs
        self._durations = costs.durations(self.seed, number).tolist()
        unplanned, first = 0, 0
        self._todo: deque[int] = deque()
        self._back_at = [-1.0] * costs.jobs  # when the head has seen a result
        while first < costs.jobs:
            self._see_events()
            if unplanned < costs.jobs and unplanned - first <= self.ahead * self.count:
                self._todo.append(unplanned)
                unplanned += 1
            elif self._todo and (worker := self._fewest()) is not None:
                self._work(costs.hand_out)
                self._give(worker, self._todo.popleft())
            elif self._back_at[first] >= 0:
                self._work(costs.take)
                first += 1
            else:
                self.now = max(self.now, self._events[0][0])
        self._work(costs.update)
        return float(sum(self._durations))

    def _work(self, seconds: float) -> None:
        self.now += seconds
        self.head += seconds

    def _hire(self, when: float) -> None:
        """Let a worker begin at some time."""
        dies = np.inf if self.costs.life is None else when + float(self._random.exponential(self.costs.life))
        worker = self._workers[self._next] = _Worker(dies)
        worker.busy_until = when
        heapq.heappush(self._idle, (0, self._next))
        if self.costs.life is not None:
            heapq.heappush(self._events, (dies, self._next, -1, True))
        self._next += 1

    def _fewest(self) -> int | None:
        """Return the worker with the fewest jobs, None if all have as many as they may."""
        while self._idle:
            load, number = self._idle[0]
            worker = self._workers.get(number)
            if worker is not None and len(worker.jobs) == load and load < EACH:
                return number
            heapq.heappop(self._idle)
        return None

    def _give(self, number: int, job: int) -> None:
        """Send a job to a worker, and note when its result will be back."""
        costs, worker = self.costs, self._workers[number]
        self._out = max(self._out, self.now) + costs.bytes_out / costs.bandwidth
        worker.busy_until = max(worker.busy_until, self._out + costs.latency) + self._durations[job]
        worker.jobs.append(job)
        heapq.heappush(self._idle, (len(worker.jobs), number))
        heapq.heappush(self._events, (worker.busy_until, number, job, False))

    def _see_events(self) -> None:
        """Take note of results that are back by now, and of workers that have died."""
        costs = self.costs
        while self._events and self._events[0][0] <= self.now:
            when, number, job, here = heapq.heappop(self._events)
            worker = self._workers.get(number)
            if worker is None:
                continue
            if job < 0:
                del self._workers[number]
                self.lost += 1
                self._todo.extendleft(reversed(worker.jobs))
                self._hire(when + costs.restart)
                continue
            if not here:  # results share the network
                self._back = max(self._back, when) + costs.bytes_back / costs.bandwidth
                heapq.heappush(self._events, (self._back + costs.latency, number, job, True))
                continue
            worker.jobs.remove(job)
            self._back_at[job] = when
            heapq.heappush(self._idle, (len(worker.jobs), number))
