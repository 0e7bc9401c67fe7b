"""Many experiments in one go: what fits, in which order, once for each commit."""

import signal
from signal import SIGINT

import pytest

from counterpoise.progress import CancelToken, cancel_on_interrupt
from counterpoise.reproduce import Claim, Experiment
from counterpoise.reproduce.harness import sweep as module
from counterpoise.reproduce.harness.last_run import KeptClaim, KeptRun, KeptRuns, read_runs
from counterpoise.reproduce.harness.sweep import longest_gap_first, sweep
from counterpoise.solvers import solve

CLAIM = {"yes": "it holds"}


def body(lab):
    yield Claim("yes", lambda: (True, ""))


def broken(lab):
    raise RuntimeError("out of paper")
    yield


def kept(commit, date):
    return KeptRun(commit=commit, machine="m", date=date, cpu_seconds=1.0, claims=[])


@pytest.fixture(autouse=True)
def experiments(monkeypatch):
    """Four experiments of 1, 2, 5 and 1,000 seconds, the third of which fails; the commit is c2."""
    seconds = {"short": 1, "middle": 2, "broken": 5, "endless": 1_000}
    entries = {
        id: Experiment(id, id, "Brown 2020, chapter 1", took, broken if id == "broken" else body, claims=CLAIM)
        for id, took in seconds.items()
    }
    monkeypatch.setattr(module, "EXPERIMENTS", entries)
    monkeypatch.setattr(module, "package_commit", lambda: "c2")


def test_the_longest_gap_comes_first():
    """Never run before run, the short ones first; then by date; what has a run of this commit is not run again."""
    runs = KeptRuns(
        runs={"short": kept("c1", "2026-02-01"), "endless": kept("c1", "2026-01-01"), "broken": kept("c2", "")}
    )
    assert [entry.id for entry in longest_gap_first(runs, "c2")] == ["middle", "endless", "short"]
    assert [entry.id for entry in longest_gap_first(runs, "c2+")] == ["middle", "broken", "endless", "short"]


def test_a_sweep_runs_what_fits_and_keeps_it_piece_by_piece(tmp_path, monkeypatch):
    monkeypatch.setattr("counterpoise.reproduce.harness.last_run.package_commit", lambda: "c2")
    file = tmp_path / "kept.json"
    result = sweep(file, 60)
    assert result == (["short", "middle"], ["endless"], {"broken": "RuntimeError: out of paper"})
    found = read_runs(file).runs
    assert list(found) == ["middle", "short"]
    assert found["short"].claims == [KeptClaim(id="yes", text="it holds", holds=True, here=True)]
    assert sweep(file, 1).done == []  # of this commit all is there


def test_a_cancelled_sweep_begins_nothing(tmp_path):
    token = CancelToken()
    token.cancel()
    assert sweep(tmp_path / "kept.json", 60, cancel=token).done == []


def test_ctrl_c_ends_a_sweep_and_the_experiment_at_work(tmp_path, monkeypatch):
    """The experiment stops, is not kept, and none is begun after it."""
    begun = []

    def pressed(lab):
        begun.append(lab)
        solve("kuhn_poker", "cfr+", iterations=10**9, progress=False, callback=lambda *_: signal.raise_signal(SIGINT))
        yield Claim("yes", lambda: (True, ""))

    entries = {id: Experiment(id, id, "Brown 2020", 1, pressed, claims=CLAIM) for id in ("one", "two")}
    monkeypatch.setattr(module, "EXPERIMENTS", entries)
    token, file = CancelToken(), tmp_path / "kept.json"
    with cancel_on_interrupt(token):
        assert sweep(file, 60, cancel=token) == ([], [], {"one": "it was stopped"})
    assert token.cancelled
    assert len(begun) == 1
    assert read_runs(file).runs == {}
