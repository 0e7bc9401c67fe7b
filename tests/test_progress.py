"""Progress and cancelling: the terminal, the notebook and the silent form; tokens set by Ctrl-C or another thread."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from random import Random
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import counterpoise as cp
from counterpoise import progress
from counterpoise.errors import Cancelled
from counterpoise.progress import (
    CancelToken,
    NotebookProgress,
    SilentProgress,
    TerminalProgress,
    as_progress,
    cancel_on_interrupt,
)


class Recorder(SilentProgress):
    """A form that keeps what it is told, as a web page's would send it."""

    def __init__(self) -> None:
        self.jobs: list[str] = []
        self.shown: list[tuple[float | None, str]] = []
        self.notes: list[str] = []

    def begin(self, job: str) -> None:
        self.jobs.append(job)

    def show(self, fraction: float | None, figure: str) -> None:
        self.shown.append((fraction, figure))

    def note(self, sentence: str) -> None:
        self.notes.append(sentence)


def test_a_form_from_outside_sees_a_run() -> None:
    recorder = Recorder()
    cp.solve("kuhn_poker", "cfr+", iterations=20, progress=recorder)
    assert recorder.jobs == ["cfr+ on kuhn_poker"]
    assert recorder.shown[-1][0] == 1
    assert "exploitability" in recorder.shown[-1][1]


def test_a_token_ends_a_run_and_keeps_it() -> None:
    cancel = CancelToken()

    def stop(solver: Any, point: Any) -> None:
        if point.iteration >= 50:
            cancel.cancel()

    run = cp.solve("kuhn_poker", "cfr", iterations=10**9, callback=stop, cancel=cancel, progress=False)
    assert run.interrupted
    assert 50 <= run.iterations < 10**9


def test_a_token_set_by_another_thread_ends_a_run_outside_the_main_thread() -> None:
    cancel, runs = CancelToken(), []

    def work() -> None:
        runs.append(cp.solve("kuhn_poker", "cfr", iterations=10**12, cancel=cancel, progress=False))

    thread = threading.Thread(target=work)
    thread.start()
    cancel.cancel()
    thread.join(60)
    assert runs[0].interrupted


def test_ctrl_c_sets_the_token_of_the_caller() -> None:
    cancel, before = CancelToken(), signal.getsignal(signal.SIGINT)
    with cancel_on_interrupt(cancel) as token:
        assert token is cancel
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
    assert cancel.cancelled
    assert signal.getsignal(signal.SIGINT) is before
    with pytest.raises(Cancelled):
        cancel.check()


def test_ctrl_c_sets_the_tokens_of_all_that_the_work_is_part_of() -> None:
    outer, inner = CancelToken(), CancelToken()
    with cancel_on_interrupt(outer), cancel_on_interrupt(inner):
        signal.raise_signal(signal.SIGINT)
    assert outer.cancelled
    assert inner.cancelled


def test_what_shows_where(monkeypatch: pytest.MonkeyPatch) -> None:
    assert type(as_progress(False)) is SilentProgress
    assert type(as_progress(None)) is SilentProgress  # the tests' standard error is no terminal
    assert type(as_progress(True)) is TerminalProgress
    recorder = Recorder()
    assert as_progress(recorder) is recorder
    notebook = ModuleType("IPython")
    notebook.get_ipython = lambda: SimpleNamespace(kernel=object())  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    assert type(as_progress(None)) is NotebookProgress


def test_a_notebook_redraws_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    class Handle:
        def update(self, data: dict[str, str], raw: bool) -> None:
            shown.append(f"update: {data['text/plain']}")

    def display(data: dict[str, str], raw: bool, display_id: bool) -> Handle:
        shown.append(data["text/plain"])
        return Handle()

    module = ModuleType("IPython.display")
    module.display = display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    with NotebookProgress() as notebook:
        notebook.begin("cfr on kuhn_poker")
        notebook.show(0.25, "iteration 5")
        notebook.show(0.5, "iteration 10")  # too soon after the last one
        notebook.note("compiling kernels")
        notebook.show(1.0, "iteration 20")
    assert shown == [
        "cfr on kuhn_poker",
        "update: cfr on kuhn_poker  25 %  iteration 5",
        "compiling kernels",
        "update: cfr on kuhn_poker  100 %  iteration 20",
    ]


def test_a_terminal_draws_lines_and_notes(capfd: pytest.CaptureFixture[str]) -> None:
    with TerminalProgress(True) as terminal, terminal:
        terminal.begin("cfr+ on [b]game[/b]")
        terminal.note("compiling [kernels]")
        terminal.show(None, "building")
        terminal.show(2.0, "iteration 20")
    err = capfd.readouterr().err
    assert "compiling [kernels]" in err
    assert "cfr+ on [b]game[/b]" in err
    assert "iteration 20" in err


def test_a_pipe_gets_a_line_every_half_minute(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no line is live, the clock alone brings the figure, the time left and the time so far, also for --json."""
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(progress, "TICK", 1e9)  # the test looks at the clock itself
    with TerminalProgress(False, notes=False, show_eta=True) as terminal:
        terminal.begin("training")
        for _ in range(29):
            now[0] += 1.0
            terminal.show(now[0] / 100, f"iteration {now[0]:.0f}")
            terminal.refresh()
        assert capfd.readouterr().err == ""
        now[0] = 30.0
        terminal.refresh()
        terminal.refresh()
        assert capfd.readouterr().err == "training: 29%, iteration 29, about 70 s left, 30 s so far\n"
        now[0] = 61.0  # nothing was shown meanwhile
        terminal.refresh()
        assert capfd.readouterr().err == "training: 29%, iteration 29, about 39 s left, 61 s so far\n"


def test_compiling_counts_down(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(progress, "TICK", 1e9)
    with TerminalProgress(False, notes=True) as terminal:
        terminal.begin("cfr+")
        terminal.count_down("compiling kernels", 75)
        for now[0] in (30.0, 60.0, 90.0):
            terminal.refresh()
    assert capfd.readouterr().err.splitlines() == [
        "compiling kernels: about 75 s",
        "cfr+: compiling kernels: about 45 s left, 30 s so far",
        "cfr+: compiling kernels: about 15 s left, 60 s so far",
        "cfr+: 90 s so far",  # it may have ended unseen
    ]
    with TerminalProgress(True) as terminal:
        terminal.begin("cfr+")
        terminal.count_down("compiling kernels", 75)
        now[0] += 30
        terminal.refresh()
    assert "about 45 s left" in capfd.readouterr().err


def test_the_time_left_follows_the_recent_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hands that took ten times as long at first, as an agent's searches were compiled, are forgotten."""
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    clock = progress.TimeLeft()
    for hand in range(1, 101):
        now[0] += 10.0 if hand <= 5 else 1.0
        left = clock.seconds_left(hand / 1000)
    assert left == pytest.approx(900.0)
    for hand in range(101, 2000):
        now[0] += 1.0
        left = clock.seconds_left(hand / 2000)
    assert left == pytest.approx(1.0)
    assert len(clock._steps) <= progress.MOST_STEPS


def test_the_time_left_of_a_match_is_about_right(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most hands take nothing, others seconds of search, two compile for half a minute: nine of ten estimates are
    within a factor of 2.5, where the plain mean is off by 3 half of the time."""
    now, off = [0.0], list[float]()
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    for seed in range(20):
        draw = Random(seed)
        hands = [0.01 if draw.random() < 0.55 else draw.expovariate(1 / 1.5) for _ in range(120)]
        hands[1], hands[4] = hands[1] + 30, hands[4] + 30
        clock, ends = progress.TimeLeft(), now[0] + sum(hands)
        for number, seconds in enumerate(hands, start=1):
            now[0] += seconds
            left = clock.seconds_left(number / len(hands))
            if left is not None and 10 < number <= 100:
                off.append(max(left / (ends - now[0]), (ends - now[0]) / left))
    off.sort()
    assert len(off) > 1000
    assert off[len(off) // 2] < 1.6
    assert off[9 * len(off) // 10] < 2.5


def test_the_time_left_leaves_compiling_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels that measure are compiled after the first step: until the second one the clock begins anew."""
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    clock = progress.TimeLeft()
    assert clock.seconds_left(0.001) is None
    now[0] += 20.0
    assert clock.seconds_left(0.001) is None
    now[0] += 4.0
    assert clock.seconds_left(0.101) == pytest.approx(4.0 * 0.899 / 0.1)


def test_compiling_is_announced_with_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    from counterpoise.jobs import driver

    told = Recorder()
    monkeypatch.setattr(driver, "needs_compiling", lambda kernels: True)
    for name in ("cfr+/total-rbp", "cfr+/rbp", "pcs"):
        solver = cp.solver("leduc_poker", name)
        monkeypatch.setattr(solver, "prepare", lambda: None)
        driver.prepare(solver, told)
        seconds = progress.duration(solver.compile_seconds)
        assert told.notes[-1] == f"compiling kernels, the first time only: about {seconds}"


def test_only_the_terminal_form_imports_rich() -> None:
    program = (
        "import sys; from counterpoise.progress import SilentProgress, NotebookProgress, as_progress; "
        "as_progress(False); NotebookProgress(); print('rich' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
