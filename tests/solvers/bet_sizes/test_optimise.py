"""Algorithm 3 and what a user sees of it; where it ends is checked by exact values."""

import json
import os
import signal
import threading

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.solvers.bet_sizes.ascent import mean_payoff

SECOND_BET = {"bets[1]": (0.5, 20.0)}
KEYS = (
    "algorithm box cpu_seconds exploitability game interrupted iterations parameters seat seconds start steps trace "
    "value"
)
STEP_KEYS = "exploitability iterations parameters slope step value weight"


def optimise(game="leduc_poker", parameters=SECOND_BET, seat=1, **options):
    return cp.optimise_parameters(game, parameters, seat=seat, progress=False, **options)


@pytest.fixture(scope="module")
def short():
    return optimise(steps=121, settings=cp.Ascent(scale=5))


@pytest.mark.slow
def test_fewer_iterations_than_a_fresh_start_in_every_step(short):
    """At step 120 at least 5 times fewer than K s (s + 1) / 2."""
    assert short.trace[119].step == 120
    assert 5 * short.trace[119].iterations <= 100 * 120 * 121 / 2


def test_every_step_is_worth_its_iterations(short):
    """Step s runs K s - w K (s - 1) iterations, rounded up."""
    before, kept = 0, 0.0
    for point in short.trace:
        assert 100 * point.step <= kept + point.iterations - before < 100 * point.step + 1
        kept = point.weight * (kept + point.iterations - before)
        before = point.iterations


def test_it_moves_towards_the_best_bet(short):
    """The exact value grows from 0.0856 at 4 towards 0.1607 at 9.75."""
    assert cp.exact(short.game).value[1] > 0.15
    assert short.value == pytest.approx(cp.exact(short.game).value[1], abs=2 * short.exploitability)
    assert short.exploitability == pytest.approx(cp.exploitability(short.game, short.strategy))
    assert short.start == {"bets[1]": 4.0}
    assert all(0.5 <= point.parameters[0] <= 20 for point in short.trace)


def test_a_run_repeats_exactly(short):
    again = optimise(steps=30, settings=cp.Ascent(scale=5))
    assert again.trace == short.trace[:30]


def test_restarting_is_a_weight_of_zero():
    run = optimise(steps=6, settings=cp.Ascent(weight=0, iterations_per_step=20))
    assert [point.iterations for point in run.trace] == [20 * s * (s + 1) // 2 for s in range(1, 7)]
    assert {point.weight for point in run.trace} == {0.0}


@pytest.mark.parametrize("weight", ["potential", "total potential", "largest", 1])
def test_other_weights(weight):
    run = optimise(steps=5, settings=cp.Ascent(weight=weight, iterations_per_step=20))
    assert all(0 < point.weight <= 1 for point in run.trace)


def test_two_parameters_and_their_slopes():
    """The slopes are the change of the value with each parameter alone: here 0.5 and -0.5 whatever is played."""

    def game(gain, loss):
        return cp.load("matrix", row_payoffs=((gain, -loss), (-loss, gain)))

    box = {"gain": (0.0, 4.0), "loss": (0.0, 4.0)}
    found = optimise(game, box, seat=0, steps=10, start={"gain": 1}, settings=cp.Ascent(step_size=1))
    assert found.trace[0].parameters == (1.0, 2.0)
    for point in found.trace:
        assert point.slope == pytest.approx((0.5, -0.5), abs=0.1)
    other = optimise(game, box, seat=1, steps=10, settings=cp.Ascent(step_size=1))
    assert found.parameters["gain"] > 1.5
    assert other.parameters["gain"] < 1.5
    assert other.parameters["loss"] > 2.5


def test_probes_and_point_stay_in_their_box():
    run = optimise(parameters={"bets[1]": (3.9, 4.3)}, steps=10, settings=cp.Ascent(iterations_per_step=20))
    assert run.parameters["bets[1]"] == 4.3
    assert all(np.isfinite(point.slope[0]) for point in run.trace)


def test_default_scale_is_the_mean_size_of_payoffs():
    """5.71 chips on Leduc."""
    assert mean_payoff(cp.enumerate_game("leduc_poker")) == pytest.approx(5.71, abs=0.005)


def test_result_as_json_and_figure(short, tmp_path):
    answer = short.to_json()
    assert json.loads(json.dumps(answer, allow_nan=False)) == answer
    assert sorted(answer) == KEYS.split()
    assert sorted(answer["trace"][0]) == STEP_KEYS.split()
    short.save(tmp_path / "bets.json")
    assert json.loads((tmp_path / "bets.json").read_text()) == answer
    assert short.plot(tmp_path / "bets.png").exists()


def test_limits():
    assert optimise(steps=3).steps == 3
    assert 1_000 <= optimise(iterations=1_000).iterations <= 2_000
    assert optimise(seconds=0.2, steps=10**6).steps < 10**6


def test_cancelled_before_the_first_step_returns_the_start():
    token = cp.CancelToken()
    token.cancel()
    with pytest.raises(cp.Cancelled):
        cp.sweep_parameters("leduc_poker", {"bets[1]": [4]}, seat=1, progress=False, cancel=token)
    run = optimise(cancel=token)
    assert run.interrupted
    assert (run.steps, run.parameters) == (0, {"bets[1]": 4.0})


def test_interrupt_returns_what_has_been_found():
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    run = optimise(steps=10**7)
    timer.join()
    assert run.interrupted
    assert run.steps == len(run.trace)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"parameters": {"bets[1]": (5, 1)}}, r"bets\[1\] must have a lower and an upper end"),
        ({"parameters": {"bets[1]": 4}}, r"bets\[1\] must have a lower and an upper end, such as \(1, 15\), not 4"),
        ({"start": {"bets[0]": 3}}, r"start names 'bets\[0\]', which is none of bets\[1\]"),
        ({"start": {"bets[1]": 30}}, r"start: bets\[1\] must be a number from 0.5 to 20.0, not 30"),
        ({"seat": 2}, "seat must be seat 0 or 1, not 2"),
        ({"steps": 0}, "steps must be a whole number of at least 1, not 0"),
        ({"seconds": -1}, "seconds must be a positive number, not -1"),
        ({"algorithm": "lcfr"}, "optimise_parameters counts all iterations alike: use cfr, not lcfr"),
        ({"algorithm": "cfr+"}, "a floor is not linear"),
        ({"game": "leduc_poker(players=3, ranks=2)"}, "needs a two-player zero-sum game; .* has 3 players"),
    ],
)
def test_wrong_input_is_refused_in_a_sentence(options, sentence):
    with pytest.raises(cp.InputError, match=sentence):
        optimise(**options)


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("iterations_per_step", 0, "iterations_per_step must be a whole number of at least 1"),
        ("step_size", -1, "step_size must be a positive number, not -1"),
        ("decay", 0.4, "decay must be a number from 0.5 to 1, not 0.4"),
        ("probe", 0, "probe must be a positive number, not 0"),
        ("weight", 2, "weight must be largest, potential, total potential, change or a number from 0 to 1, not 2"),
        ("scale", 0, "scale must be a positive number, not 0"),
    ],
)
def test_wrong_settings_are_refused_in_a_sentence(field, value, sentence):
    with pytest.raises(cp.InputError, match=sentence):
        cp.Ascent(**{field: value})
