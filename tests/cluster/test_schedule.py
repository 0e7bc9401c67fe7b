"""Simulated schedules: closed forms, the rules of the order, workers that die."""

from __future__ import annotations

import pytest

from counterpoise.cluster.schedule import JobCosts, simulate
from counterpoise.errors import InputError

EVEN = JobCosts(jobs=120, job=1.0, latency=0.0)


@pytest.mark.parametrize(("workers", "seconds"), [(1, 120), (7, 18), (120, 1), (500, 1)])
def test_even_jobs_take_whole_rounds(workers: int, seconds: int):
    assert simulate(EVEN, workers).seconds == pytest.approx(seconds)
    assert simulate(EVEN, workers, updates=3).seconds == pytest.approx(seconds)


def test_the_head_limits_the_speed_up():
    costs = JobCosts(jobs=1000, job=1.0, hand_out=0.004, take=0.006, update=2.0, latency=0.0)
    found = simulate(costs, 1000)
    assert found.seconds >= 1000 * 0.01 + 2
    assert found.seconds < 1000 * 0.01 + 2 + 1.1
    assert found.head_busy > 0.9
    assert simulate(costs, 10).seconds == pytest.approx(102, rel=0.02)


def test_the_network_of_the_head_is_shared():
    costs = JobCosts(jobs=1000, job=1.0, bytes_back=1e7, bandwidth=1e9, latency=0.0)
    assert simulate(costs, 1000).seconds == pytest.approx(1.0 + 1000 * 0.01, rel=0.01)


def test_planning_ahead_lets_others_work_past_a_slow_job():
    costs = JobCosts(jobs=2000, job=1.0, straggler_share=0.02, straggler_factor=8.0)
    narrow, wide = (simulate(costs, 20, ahead=ahead) for ahead in (2, 16))
    assert narrow.work == wide.work
    assert wide.seconds < 0.85 * narrow.seconds
    assert wide.workers_busy > 0.9


def test_what_dead_workers_did_is_done_again():
    costs = JobCosts(jobs=400, job=1.0, spread=0.5, life=30.0, restart=3.0)
    found = simulate(costs, 8, seed=3)
    assert found.lost > 5
    assert found == simulate(costs, 8, seed=3)
    assert found != simulate(costs, 8, seed=4)
    immortal = simulate(JobCosts(jobs=400, job=1.0, spread=0.5), 8, seed=3)
    assert found.work == immortal.work
    assert found.seconds > immortal.seconds + found.lost * 3 / 8 * 0.5


def test_wrong_costs_are_refused():
    for wrong in ({"jobs": 0}, {"job": 0.0}, {"straggler_share": 2.0}, {"life": 0.0}, {"take": -1.0}):
        with pytest.raises(InputError, match=next(iter(wrong))):
            JobCosts(**{"jobs": 1, "job": 1.0} | wrong)
    with pytest.raises(InputError, match="workers"):
        simulate(EVEN, 0)
