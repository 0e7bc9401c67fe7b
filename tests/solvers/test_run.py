"""The driver: stopping rules, trace, callbacks, checkpoints, interruption."""

import os
import signal
import threading
from dataclasses import dataclass

import numpy as np
import pytest

import counterpoise as cp


def test_stops_at_the_iterations(capsys):
    run = cp.solve("kuhn_poker", "cfr+", iterations=37, progress=False)
    assert run.iterations == 37
    assert run.trace[-1].iteration == 37
    assert run.reached
    assert capsys.readouterr().out == ""


def test_stops_at_the_target():
    run = cp.solve("kuhn_poker", "cfr+", target=0.01, iterations=10_000, progress=False)
    assert run.exploitability <= 0.01
    assert run.iterations < 10_000
    assert run.trace[-2].exploitability > 0.01
    late = cp.solve("kuhn_poker", "cfr", target=1e-9, iterations=20, progress=False)
    assert not late.reached


def test_stops_after_the_seconds():
    run = cp.solve("leduc_poker", "cfr", seconds=0.3, progress=False)
    assert run.seconds < 3
    assert run.iterations > 1


def test_trace_has_the_figures():
    run = cp.solve("leduc_poker", "dcfr", iterations=100, progress=False)
    assert run.exploitability == run.trace[-1].exploitability
    assert run.nash_conv == pytest.approx(2 * run.exploitability)
    assert run.trace[-1].nodes_touched == run.nodes_touched == 100 * 2 * 1936
    assert [p.iteration for p in run.trace] == sorted({p.iteration for p in run.trace})
    assert {1, 10, 100} <= {p.iteration for p in run.trace}
    assert run.value[0] == pytest.approx(-0.0856064, abs=run.nash_conv)


def test_measurement_does_not_disturb_the_run():
    """Where exploitability is measured changes nothing."""
    a = cp.solve("leduc_poker", "pcfr+", iterations=60, progress=False)
    b = cp.solve("leduc_poker", "pcfr+", iterations=60, trace_at=[60], progress=False)
    assert a.strategy == b.strategy


def test_callback_sees_and_stops():
    seen = []

    def callback(solver, point):
        seen.append(point)
        return point.iteration >= 8

    run = cp.solve("kuhn_poker", "cfr", iterations=1000, callback=callback, progress=False)
    assert run.iterations == seen[-1].iteration == 8
    assert seen == run.trace


@pytest.mark.parametrize(
    "keywords", [{"iterations": 0}, {"iterations": 2.5}, {"target": 0}, {"target": -1}, {"seconds": 0}]
)
def test_bad_stopping_rules(keywords):
    with pytest.raises(cp.InputError, match=next(iter(keywords))):
        cp.solve("kuhn_poker", "cfr", **keywords)


def test_checkpoint_is_checked_before_the_work(tmp_path):
    with pytest.raises(cp.InputError, match="does not exist"):
        cp.solve("kuhn_poker", "cfr", checkpoint=tmp_path / "missing" / "x.cpz", iterations=10**9)


def test_resume_refuses_another_game_or_algorithm(tmp_path):
    cp.solve("kuhn_poker", "cfr", iterations=3, checkpoint=tmp_path / "k.cpz", progress=False)
    with pytest.raises(cp.InputError, match="used cfr, not dcfr"):
        cp.solve("kuhn_poker", "dcfr", resume=tmp_path / "k.cpz")
    with pytest.raises(cp.InputError, match="is for kuhn_poker, not for leduc_poker"):
        cp.solve("leduc_poker", "cfr", resume=tmp_path / "k.cpz")


def test_ctrl_c_keeps_the_run(tmp_path):
    """An interrupt ends the run at a whole iteration; the checkpoint continues to the same result."""
    path, before = tmp_path / "c.cpz", signal.getsignal(signal.SIGINT)
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    run = cp.solve("leduc_poker", "dcfr", iterations=10**8, checkpoint=path, progress=False)
    assert run.interrupted
    assert 0 < run.iterations < 10**8
    goal = run.iterations + 10
    again = cp.solve("leduc_poker", "dcfr", iterations=goal, resume=path, progress=False)
    straight = cp.solve("leduc_poker", "dcfr", iterations=goal, progress=False)
    assert again.strategy == straight.strategy
    assert signal.getsignal(signal.SIGINT) is before


def test_users_own_algorithm():
    """A variant is a settings class: CFR+ with a cubic average in five lines."""

    @dataclass(frozen=True, kw_only=True)
    class Cubic(cp.RegretMatching):
        def discounts(self, t):
            return np.ones_like(t), np.zeros_like(t)

        def weights(self, t):
            return t**3

    run = cp.solve("kuhn_poker", Cubic(), iterations=500, progress=False)
    assert run.algorithm == "Cubic"
    assert run.exploitability < 1e-3


def test_users_own_game():
    """Any object with the methods is a game; it needs no base class."""

    class Pennies:
        players = 2

        def initial(self):
            return ""

        def player(self, state):
            return len(state) if len(state) < 2 else cp.TERMINAL

        def actions(self, state):
            return ["h", "t"]

        def next(self, state, action):
            return state + action

        def infoset(self, state):
            return f"player {len(state)}"

        def payoffs(self, state):
            return (1, -1) if state[0] == state[1] else (-1, 1)

    run = cp.solve(Pennies(), "cfr+", iterations=200, progress=False)
    assert run.strategy["player 0"]["h"] == pytest.approx(0.5, abs=0.02)
    assert run.game == "Pennies"
