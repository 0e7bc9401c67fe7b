"""The driver: stopping rules, trace, callbacks, checkpoints, interruption."""

import os
import signal
from dataclasses import dataclass

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.jobs import Job, checkpoints


class Pennies:
    """Matching pennies as a user would write it: no base class; what a match pays may change."""

    players, stake = 2, 1

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
        return (self.stake, -self.stake) if state[0] == state[1] else (-1, 1)


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
    with pytest.raises(cp.InputError, match="is a run of cfr, not of dcfr"):
        cp.solve("kuhn_poker", "dcfr", resume=tmp_path / "k.cpz")
    with pytest.raises(cp.InputError, match="is a run on kuhn_poker, not on leduc_poker"):
        cp.solve("leduc_poker", "cfr", resume=tmp_path / "k.cpz")


def test_ctrl_c_keeps_the_run(tmp_path):
    """An interrupt ends the run at a whole iteration; the checkpoint continues to the same result."""
    path, before = tmp_path / "c.cpz", signal.getsignal(signal.SIGINT)

    def press(solver, point):
        if point.iteration >= 100:
            os.kill(os.getpid(), signal.SIGINT)

    run = cp.solve("leduc_poker", "dcfr", iterations=10**8, checkpoint=path, callback=press, progress=False)
    assert run.interrupted
    assert 100 <= run.iterations < 10**8
    goal = run.iterations + 10
    again = cp.solve("leduc_poker", iterations=goal, resume=path, progress=False)
    straight = cp.solve("leduc_poker", "dcfr", iterations=goal, progress=False)
    assert again.algorithm == "dcfr"
    assert again.strategy == straight.strategy
    assert signal.getsignal(signal.SIGINT) is before


def test_resume_refuses_changed_rules(tmp_path):
    """A class of the user's own is known by its name only; its rules are compared by digest."""
    game, path = Pennies(), tmp_path / "p.cpz"
    cp.solve(game, "cfr", iterations=5, checkpoint=path, progress=False)
    assert cp.solve(game, iterations=9, resume=path, progress=False).iterations == 9
    game.stake = 3
    with pytest.raises(cp.InputError, match="other rules of Pennies"):
        cp.solve(game, iterations=9, resume=path)


def test_any_time_limit_ends():
    """At least one iteration is done, however short the time."""
    for game in ("kuhn_poker", "leduc_poker"):
        run = cp.solve(game, "cfr", seconds=1e-9, progress=False)
        assert run.iterations >= 1
        assert len(run.trace) == 1


@pytest.mark.long
def test_checkpoints_are_written_on_the_way(tmp_path, monkeypatch):
    """Between two measurements that are far apart, too; each is a run that can be resumed."""
    path, seen = tmp_path / "c.cpz", []
    monkeypatch.setattr(checkpoints, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(checkpoints, "CHECKPOINT_SHARE", 1000.0)
    monkeypatch.setattr(Job, "batch_seconds", 1e-4)
    save = cp.Run.save

    def spy(run, target):
        save(run, target)
        seen.append(cp.load_run(target).iterations)

    monkeypatch.setattr(cp.Run, "save", spy)
    cp.solve("kuhn_poker", "cfr+", iterations=2000, trace_at=[2000], checkpoint=path, progress=False)
    assert len(seen) > 3
    assert seen == sorted(seen)
    assert seen[-1] == 2000


def test_a_failed_save_keeps_the_run(tmp_path, monkeypatch):
    def fail(run, path):
        raise MemoryError("no room")

    monkeypatch.setattr(cp.Run, "save", fail)
    with pytest.warns(UserWarning, match="could not be saved"):
        run = cp.solve("kuhn_poker", "cfr", iterations=5, checkpoint=tmp_path / "x.cpz", progress=False)
    assert run.unsaved == "no room"
    assert run.iterations == 5


def test_resume_takes_algorithm_and_seed_from_the_file(tmp_path):
    cp.solve("kuhn_poker", "lcfr", iterations=5, seed=3, checkpoint=tmp_path / "x.cpz", progress=False)
    run = cp.solve("kuhn_poker", resume=tmp_path / "x.cpz", iterations=9, progress=False)
    assert (run.algorithm, run.seed, run.iterations) == ("lcfr", 3, 9)
    done = cp.solve("kuhn_poker", resume=tmp_path / "x.cpz", iterations=5, progress=False)
    assert done.iterations == 5
    with pytest.raises(cp.InputError, match="started with seed 3, not 4"):
        cp.solve("kuhn_poker", resume=tmp_path / "x.cpz", seed=4)


@pytest.mark.parametrize(
    "weights",
    [
        lambda t: t**400.0, lambda t: -t, lambda t: t[:-1], lambda t: t * np.nan, lambda t: np.ones((2, 2)),
    ],
)  # fmt: skip
def test_a_variant_with_a_wrong_schedule(weights):
    """Too short, negative, infinite or undefined weights end with a sentence, not with nan or a wrong result."""

    @dataclass(frozen=True, kw_only=True)
    class Wrong(cp.RegretMatching):
        def weights(self, t):
            with np.errstate(over="ignore"):
                return weights(t)

    with pytest.raises(cp.InputError, match=r"Wrong: weights\(t\) must give finite numbers of at least 0"):
        cp.solve("kuhn_poker", Wrong(), iterations=100, progress=False)


def test_a_schedule_may_be_one_number():
    @dataclass(frozen=True, kw_only=True)
    class Plain(cp.RegretMatching):
        def weights(self, t):
            return 1.0

        def discounts(self, t):
            return 1, 1

    assert (
        cp.solve("kuhn_poker", Plain(), iterations=50).strategy == cp.solve("kuhn_poker", "cfr", iterations=50).strategy
    )


def test_slips_get_a_sentence():
    for wrong in (None, 42, type("Rules", (), {})):
        with pytest.raises(cp.InputError, match="a game is"):
            cp.solve(wrong)
    with pytest.raises(cp.InputError, match="an algorithm is a name or an Algorithm, not 3"):
        cp.solve("kuhn_poker", 3)
    run = cp.solve("kuhn_poker", "cfr", iterations=5, progress=False)
    assert cp.exploitability("kuhn_poker", run) == pytest.approx(run.exploitability)
    with pytest.raises(cp.InputError, match="a strategy is"):
        cp.exploitability("kuhn_poker", 7)
    with pytest.raises(cp.InputError, match=r"needs \{action: probability\}"):
        cp.exploitability("kuhn_poker", {"K:": [0.5, 0.5]})
    assert len(repr(run)) < 500


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("seed", -1), ("seed", "1"), ("trace_at", [2.5]), ("trace_at", [0]), ("target", "0.1"), ("target", True),
        ("iterations", "10"),
    ],
)  # fmt: skip
def test_wrong_types(field, value):
    with pytest.raises(cp.InputError, match=f"^{field} must"):
        cp.solve("kuhn_poker", "cfr", **{field: value})


@pytest.mark.parametrize("seed", [-1, 1.5, "1", True, None])
def test_wrong_seed_of_a_solver(seed):
    with pytest.raises(cp.InputError, match=f"^seed must be a whole number of at least 0, not {seed!r}"):
        cp.solver("kuhn_poker", "es-mccfr", seed=seed)


@pytest.mark.parametrize("algorithm", ["cfr/", "cfr/partial-pruning/", "cfr//rbp"])
def test_missing_modifier(algorithm):
    with pytest.raises(cp.InputError, match="a modifier's name is missing after the slash"):
        cp.solve("kuhn_poker", algorithm)


def test_empty_algorithm_is_not_the_default():
    with pytest.raises(cp.InputError, match="unknown algorithm ''"):
        cp.solve("kuhn_poker", "")


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
    run = cp.solve(Pennies(), "cfr+", iterations=200, progress=False)
    assert run.strategy["player 0"]["h"] == pytest.approx(0.5, abs=0.02)
    assert run.game == "Pennies"


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("resume", 5, "resume must be a file or a Run, not 5"),
        ("callback", 3, "callback must be a function"),
        ("progress", "yes", "progress must be True, False or a Progress, not 'yes'"),
        ("cancel", "yes", "cancel must be a CancelToken, not 'yes'"),
    ],
)
def test_what_is_no_such_thing_is_refused(name, value, sentence):
    with pytest.raises(cp.InputError, match=sentence):
        cp.solve("kuhn_poker", "cfr", iterations=3, **{name: value})
    for game in (None, 5, ["a"]):
        with pytest.raises(cp.InputError, match="a game is named by a text"):
            cp.load(game)


def test_a_caveat_is_in_the_json():
    assert "player" in cp.solve("kuhn_poker(players=3)", "cfr", iterations=2).to_json()["caveat"]
    assert cp.solve("kuhn_poker", "cfr", iterations=2).to_json()["caveat"] is None
