"""The driver with a job that only counts: limits, measuring, batches, checkpoints, clocks, cancelling, resuming."""

from __future__ import annotations

import os
import pickle
import signal
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

from counterpoise.errors import InputError
from counterpoise.games import load
from counterpoise.jobs import Driver, IteratedResult, Job, JobHistory, Limits, Output, Timing, TracePoint
from counterpoise.progress import CancelToken, SilentProgress
from counterpoise.solvers.run import GameJob, make_algorithm
from counterpoise.tree import enumerate_game


class Measured(NamedTuple):
    exploitability: float


@dataclass(frozen=True, kw_only=True)
class Counted(IteratedResult):
    trace: list[TracePoint]

    def save(self, path: str | os.PathLike[str]) -> None:
        Path(path).write_text(str(self.iterations))


class Counting(Job[Measured, Counted]):
    """Halves its exploitability with every doubling of the iterations."""

    def __init__(self, done: int = 0) -> None:
        self.done, self.batches = done, list[int]()

    @property
    def iteration(self) -> int:
        return self.done

    def step(self, iterations: int) -> None:
        self.batches.append(iterations)
        self.done += iterations

    def measure(self) -> Measured:
        return Measured(1 / max(self.done, 1))

    def point(self, measured: Measured, seconds: float) -> TracePoint:
        return TracePoint(self.done, measured.exploitability, 0, seconds)

    def state(self) -> int:
        return self.done

    def restore(self, state: int) -> None:
        self.done = state

    def count(self, name: str) -> float:
        return {"doubles": 2 * self.done}[name]

    def result(self, measured: Measured, history: JobHistory) -> Counted:
        return Counted(iterations=self.done, trace=list(history.trace), **history.outcome)


def drive(job: Counting | None = None, limits: Limits | None = None, **options: Any) -> Counted:
    return Driver(job or Counting(), limits or Limits(iterations=100), SilentProgress(), **options).run()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that stands still unless it is moved."""
    reading = [0.0]
    time = SimpleNamespace(perf_counter=lambda: reading[0], process_time=lambda: 2 * reading[0])
    monkeypatch.setattr("counterpoise.jobs.clock.time", time)
    return reading


def test_every_limit_ends_a_run(clock: list[float]) -> None:
    assert drive(limits=Limits(iterations=37)).iterations == 37
    found = drive(limits=Limits(iterations=1000, target=0.02))
    assert found.reached
    assert 50 <= found.iterations < 60
    assert not drive(limits=Limits(iterations=10, target=0.02)).reached
    assert 10 <= drive(SlowCounting(clock), Limits(seconds=10)).iterations <= 12
    assert 15 <= drive(limits=Limits(others={"doubles": 30})).iterations <= 20

    class Finished(Counting):
        @property
        def finished(self) -> bool:
            return self.done >= 7

        def next_measurement(self, done: int, to_target: bool) -> int | None:
            return done + 7

    assert drive(Finished()).iterations == 7  # a batch of one, then six more: the goal stays where it was


class SlowCounting(Counting):
    """A step takes a second for every iteration."""

    def __init__(self, clock: list[float]) -> None:
        super().__init__()
        self.clock = clock

    def step(self, iterations: int) -> None:
        super().step(iterations)
        self.clock[0] += iterations


def test_batches_take_a_tenth_of_a_second_and_are_multiples_of_the_grain(clock: list[float]) -> None:
    class Fast(Counting):
        grain = 5

        def step(self, iterations: int) -> None:
            super().step(iterations)
            clock[0] += 0.001 * iterations

        def next_measurement(self, done: int, to_target: bool) -> int | None:
            return None

    job = Fast()
    drive(job, Limits(iterations=330))
    assert job.batches == [5, 100, 100, 100, 25]


def test_clocks_count_what_a_job_says(clock: list[float]) -> None:
    class Measuring(SlowCounting):
        def measure(self) -> Measured:
            self.clock[0] += 100
            return super().measure()

    for clocked, seconds in (("steps", 4), ("measuring", 104), ("everything", 104)):
        job = type("Clocked", (Measuring,), {"clocked": clocked})(clock)
        found = drive(job, Limits(iterations=4), measure_at=[4])
        assert (found.seconds, found.cpu_seconds) == (seconds, 2 * seconds)


def test_the_first_step_counts_against_no_limit_if_it_compiles(clock: list[float]) -> None:
    class Compiling(SlowCounting):
        first_step_compiles = True

        def step(self, iterations: int) -> None:
            if not self.done:
                self.clock[0] += 1000
            super().step(iterations)

    assert drive(Compiling(clock), Limits(seconds=5)).iterations in (6, 7)


def test_a_resumed_run_has_the_trace_of_the_uninterrupted_one() -> None:
    whole = drive(limits=Limits(iterations=500))
    for stop in (3, 10, 77, 499):
        early = drive(limits=Limits(iterations=stop))
        job, before = Counting(early.iterations), JobHistory(early.trace, early.seconds, early.cpu_seconds)
        later = drive(job, Limits(iterations=500), before=before)
        points = [point[:2] for point in later.trace if point.iteration != stop]
        assert points == [point[:2] for point in whole.trace if point.iteration != stop]
        assert later.seconds >= early.seconds
    assert drive(Counting(500), Limits(iterations=400), before=JobHistory(whole.trace)).trace == whole.trace


def test_jobs_may_measure_by_the_clock(clock: list[float]) -> None:
    class Timed(SlowCounting):
        batch_seconds = None

        def next_measurement(self, done: int, to_target: bool) -> int | None:
            return None

        def is_due(self, timing: Timing) -> bool:
            return timing.since >= 4

    found = drive(Timed(clock), Limits(iterations=10))
    assert [point.iteration for point in found.trace] == [4, 8, 10]


def test_ctrl_c_keeps_what_was_found(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGINT)

    def press(point: TracePoint) -> None:
        if point.iteration >= 20:
            os.kill(os.getpid(), signal.SIGINT)

    found = drive(limits=Limits(iterations=10**6), on_point=press, output=Output(tmp_path / "x"))
    assert found.interrupted
    assert int((tmp_path / "x").read_text()) == found.iterations < 10**6
    assert signal.getsignal(signal.SIGINT) is before
    token = CancelToken()
    token.cancel()
    assert drive(cancel=token).iterations == 0


def test_a_failed_checkpoint_ends_nothing_and_a_failed_result_is_told(tmp_path: Path, clock: list[float]) -> None:
    class Failing(SlowCounting):
        def save(self, result: Counted, path: str | os.PathLike[str]) -> None:
            raise OSError("the disk is full")

    notes: list[str] = []
    display = SilentProgress()
    display.note = notes.append  # type: ignore[method-assign]
    driver = Driver(Failing(clock), Limits(iterations=100), display, output=Output(tmp_path / "x"))
    with pytest.warns(UserWarning, match="could not be saved: the disk is full"):
        found = driver.run()
    assert (found.iterations, found.unsaved) == (100, "the disk is full")
    assert notes == [f"{tmp_path / 'x'} could not be saved: the disk is full"] * 3


def test_a_state_beside_the_result_is_written_before_the_result_is_made(tmp_path: Path) -> None:
    order = []

    class Beside(Counting):
        state_beside = True

        def checkpoint(self, path: str | os.PathLike[str], measured: Measured, history: JobHistory) -> None:
            order.append("state")

        def result(self, measured: Measured, history: JobHistory) -> Counted:
            order.append("result")
            return super().result(measured, history)

        def save(self, result: Counted, path: str | os.PathLike[str]) -> None:
            order.append("saved")

    drive(Beside(), output=Output(tmp_path / "x"))
    assert order == ["state", "result", "saved"]


def test_limits_that_make_no_sense_are_refused() -> None:
    for wrong, sentence in (
        ({"iterations": 0}, "iterations must be a whole number of at least 1, not 0"),
        ({"target": -1.0}, "target must be a positive number, not -1.0"),
        ({"seconds": "ten"}, "seconds must be a positive number, not 'ten'"),
    ):
        with pytest.raises(InputError, match=sentence):
            Limits(**wrong)  # type: ignore[arg-type]
    assert Limits.of({}).iterations == 1000
    assert Limits.of_training({"minutes": 2.0}).seconds == 120
    with pytest.raises(InputError, match="minutes or iterations must say when training ends"):
        Limits.of_training({"checkpoint_minutes": 10.0})
    with pytest.raises(InputError, match="trace_at must list whole numbers"):
        drive(measure_at=[0])


def test_results_are_told_with_the_common_fields_last() -> None:
    found = drive()
    names = list(found.fields_in_order())
    assert names[0] == "trace"
    assert set(names) == set(vars(replace(found, unsaved="x")))


def test_steps_can_be_done_elsewhere() -> None:
    """Every step by a job of its own that is sent the state: the result is that of one job, bit for bit."""
    tree = enumerate_game(load("kuhn_poker"))

    def fresh() -> GameJob:
        return GameJob(make_algorithm("dcfr").on(tree), None)

    whole, state = fresh(), fresh().state()
    whole.step(12)
    for iterations in (1, 4, 7):
        elsewhere = fresh()
        elsewhere.restore(pickle.loads(pickle.dumps(state)))
        elsewhere.step(iterations)
        state = elsewhere.state()
    assert whole.state().keys() == state.keys()
    assert all(np.array_equal(array, state[name]) for name, array in whole.state().items())
