"""What jobs of CFR+ out of core cost on this machine, and how long updates would take on up to 1,000 workers.

1. Jobs that sleep, on 1, 2 and 4 local workers of Ray, beside their simulated schedule: they need no processor, so that
   the rules of the schedule are checked even on a machine that others use.
2. A run out of core on 1 and 2 local workers: CPU seconds of jobs and of the head, and the time that was predicted from
   those of one worker. Wall times mean something only if nothing else runs.
3. The schedule of larger games with the costs of the head that were measured.
"""

from __future__ import annotations

import argparse
import dataclasses
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

from counterpoise.cluster import connect
from counterpoise.cluster.schedule import JobCosts, simulate
from counterpoise.jobs.sharing import SharedArray
from counterpoise.progress import CancelToken
from counterpoise.solvers.out_of_core import solve_out_of_core

SLEEPING = {
    "even": JobCosts(jobs=60, job=0.2, bandwidth=1e10),
    "one in ten three times as long": JobCosts(
        jobs=60, job=0.2, spread=0.3, straggler_share=0.1, straggler_factor=3.0, bandwidth=1e10
    ),
}
GAME, DEALS_PER_PART = "limit_holdem(board=[0, 3, 1], ranks=8, max_bets=2)", 4
WORKERS = (1, 2, 10, 100, 300, 1000)
SCENARIOS = {
    # Jobs of an update, seconds of a job, reach out and values back in bytes. Hold'em by flops, or by flops and turns.
    "3 rounds, 52 cards": dict(jobs=1755, job=240 / 2 / 1755, bytes_out=42e3, bytes_back=85e3),
    "4 rounds, 20 cards": dict(jobs=5985, job=373 / 2 / 5985, bytes_out=6e3, bytes_back=12e3),
    "whole limit hold'em": dict(jobs=1755, job=7.4 * 86400 / 2 / 1755, bytes_out=42e3, bytes_back=85e3),
    "whole, flop and turn": dict(jobs=1755 * 49, job=7.4 * 86400 / 2 / 1755 / 49, bytes_out=3.8e5, bytes_back=7.6e5),
}


SLEEPER = partial(partial, time.sleep)
"""Makes a job that only takes time, from what any worker has."""


def check_rules() -> None:
    """Print real and simulated times of jobs that sleep."""
    print("jobs that sleep                  workers   real s  simulated s")
    for count in (1, 2, 4):
        with connect(f"local:{count}") as cluster:
            list(cluster.map_in_order(SLEEPER, iter([(0.0,)] * 4 * count), CancelToken()))
            for name, costs in SLEEPING.items():
                began = time.monotonic()
                plan = ((float(one),) for one in costs.durations(0, 0))
                list(cluster.map_in_order(SLEEPER, plan, CancelToken()))
                real = time.monotonic() - began
                print(f"{name:33s}{count:7d}{real:9.2f}{simulate(costs, count).seconds:13.2f}", flush=True)


class Timed:
    """Workers whose jobs are counted; what the head's process spends meanwhile is its own."""

    def __init__(self, workers: Any) -> None:
        self.workers, self.jobs = workers, 0

    @property
    def count(self) -> int:
        return int(self.workers.count)

    @property
    def cpu_seconds(self) -> float:
        return float(self.workers.cpu_seconds)

    def share(self, shape: Any, dtype: Any) -> SharedArray:
        found: SharedArray = self.workers.share(shape, dtype)
        return found

    def map_in_order(self, make: Any, plan: Iterator[tuple[Any, ...]], cancel: CancelToken) -> Iterator[Any]:
        for found in self.workers.map_in_order(make, plan, cancel):
            self.jobs += 1
            yield found


def measure(iterations: int) -> JobCosts:
    """Run out of core on one and two workers, print what jobs and head cost, and return the costs of one worker."""
    costs = None
    print(f"\n{GAME} out of core, {iterations} iterations (and one before that is not counted)")
    print("workers    jobs   job CPU ms   head CPU ms   s per update   predicted")
    for count in (1, 2):
        with connect(f"local:{count}") as cluster, tempfile.TemporaryDirectory() as folder:
            workers = Timed(cluster)
            options: dict[str, Any] = {"deals_per_part": DEALS_PER_PART, "workers": workers, "progress": False}
            solve_out_of_core(GAME, folder, iterations=1, measure_at=[], **options)
            before = workers.jobs, cluster.cpu_seconds, time.process_time(), time.monotonic()
            solve_out_of_core(GAME, folder, iterations=1 + iterations, measure_at=[], **options)
            jobs = workers.jobs - before[0]
            job, head = (cluster.cpu_seconds - before[1]) / jobs, (time.process_time() - before[2]) / jobs
            updates = 2 * (iterations + 1)  # best responses of both seats at the end are as many jobs
            wall = (time.monotonic() - before[3]) / updates
            if costs is None:
                costs = JobCosts(jobs=jobs // updates, job=job, hand_out=head / 2, take=head / 2)
            predicted = simulate(costs, count).seconds
            print(f"{count:7d}{jobs:8d}{1e3 * job:13.2f}{1e3 * head:14.2f}{wall:15.3f}{predicted:12.3f}", flush=True)
    assert costs is not None
    return costs


def project(measured: JobCosts) -> None:
    """Print the schedule of larger games."""
    head = measured.hand_out
    for trouble, more in (
        ("nothing goes wrong", {}),
        (
            "1 % of jobs take five times as long, a worker dies each week",
            dict(straggler_share=0.01, straggler_factor=5.0),
        ),
    ):
        print(f"\nspeed-up with {trouble}; head busy in brackets")
        print(f"{'':24s}" + "".join(f"{count:>14,d}" for count in WORKERS))
        for name, sizes in SCENARIOS.items():
            costs = JobCosts(hand_out=head, take=head, spread=0.3, **sizes, **more)  # type: ignore[arg-type]
            if more:
                costs = dataclasses.replace(costs, life=7 * 86400.0)
            cells = [simulate(costs, count) for count in WORKERS]
            print(f"{name:24s}" + "".join(f"{one.speedup:8.1f} ({one.head_busy:3.0%})" for one in cells), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--iterations", type=int, default=3)
    parser.add_argument("--only-projected", action="store_true", help="take 1 ms of the head for a job")
    asked = parser.parse_args()
    if asked.only_projected:
        project(JobCosts(jobs=1, job=1.0, hand_out=5e-4, take=5e-4))
    else:
        check_rules()
        project(measure(asked.iterations))
