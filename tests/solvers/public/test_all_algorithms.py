"""What every algorithm that runs on public games must do there: resume bit for bit, repeat itself, converge."""

from copy import copy
from functools import cache

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.errors import InputError
from counterpoise.public import HandLock, Traverser, build_dense
from counterpoise.solvers import ALGORITHMS, make_algorithm
from counterpoise.tree import enumerate_game, evaluate

from ...public.helpers import Shaken, by_infoset
from ...public.test_mini_holdem import mini
from ...sampling.boards.test_external import river
from .test_warm_start import payoff_widths

SAMPLERS = {"pcs", "ops", "sps", "cs-mccfr"}
ONLY_HOLDEM = {"es-mccfr", "linear-es-mccfr"}
SETTINGS = {"hedge": "hedge(rate=theory)", "lfp": "lfp(start=1)", "fp": "fp(start=1)", "flop": "flop(start=1)"}
NAMES = [name for name in ALGORITHMS if "public" in make_algorithm(name).representations()]
RUNS = [(SETTINGS.get(name, name), bits) for name in NAMES for bits in (32, 16)]
RUNS = [(name, bits) for name, bits in RUNS if bits == 32 or name not in SAMPLERS | ONLY_HOLDEM]
SLOW_TO_CONVERGE = {"hedge(rate=theory)": 1.1} | dict.fromkeys(("es-mccfr", "linear-es-mccfr"), 5.0)
SLOW_TO_CONVERGE |= dict.fromkeys(("ops", "sps", "cs-mccfr"), 4.0)
"""By how much exploitability comes down at least, where others divide it by ten."""

dense = cache(build_dense)


def games(algorithm):
    """The small game and the hold'em game that an algorithm runs on."""
    if algorithm in ONLY_HOLDEM:
        return [river()]
    return [dense("leduc_poker"), mini(3, (2, 1))]


def solvers(algorithm, bits, count=1):
    return [[make_algorithm(algorithm).on(game, seed=5, bits=bits) for _ in range(count)] for game in games(algorithm)]


def assert_same_state(one, other):
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)


@pytest.mark.parametrize(("algorithm", "bits"), RUNS)
def test_resumes_and_repeats_itself_in_any_batches(algorithm, bits):
    """12 iterations are 5, a copy of the state into a fresh solver, and 7 single ones; looking changes nothing."""
    for straight, first, second in solvers(algorithm, bits, 3):
        straight.step(12)
        first.step(5)
        state = first.state()
        first.exploitability()
        first.values()
        assert_same_state(first.state(), state)
        second.restore(state)
        for _ in range(7):
            second.step()
        assert_same_state(second.state(), straight.state())
        assert second.exploitability() == straight.exploitability()


@pytest.mark.parametrize(("algorithm", "bits"), RUNS)
def test_threads_change_no_bit(algorithm, bits):
    one, two = (make_algorithm(algorithm).on(games(algorithm)[-1], threads=k, bits=bits) for k in (1, 2))
    for solver in (one, two):
        solver.step(4)
    assert_same_state(two.state(), one.state())


@pytest.mark.parametrize(("algorithm", "bits"), RUNS)
def test_converges(algorithm, bits):
    """Exploitability comes down, and the value is the game's within what is left of it."""
    (solver,) = solvers(algorithm, bits)[0]
    uniform = solver.exploitability()
    solver.step(20_000 if algorithm in ONLY_HOLDEM else 3_000 if algorithm in SAMPLERS else 1_000)
    left = solver.exploitability()
    assert left < uniform / SLOW_TO_CONVERGE.get(algorithm, 10.0)
    if solver.game is dense("leduc_poker"):
        assert solver.values()[0] == pytest.approx(-0.0856064240780, abs=2 * left)
        assert cp.exploitability("leduc_poker", solver.game.strategy(solver.result())) == pytest.approx(left, abs=1e-3)


@pytest.mark.parametrize(("algorithm", "bits"), RUNS)
def test_refuses_foreign_states(algorithm, bits):
    (solver,) = solvers(algorithm, bits)[0]
    solver.step()
    kept = solver.state()
    with pytest.raises(InputError, match="not one of"):
        solver.restore({"counters": kept["counters"]})
    largest = max(solver.arrays(), key=lambda name: kept[name].size)
    with pytest.raises(InputError, match="another game"):
        solver.restore(kept | {largest: kept[largest][:-1]})
    assert_same_state(solver.state(), kept)


@pytest.mark.parametrize("updates", ["alternating", "simultaneous"])
@pytest.mark.parametrize("algorithm", ["fp", "lfp", "ofp", "flop"])
@pytest.mark.parametrize("name", ["kuhn_poker", "leduc_poker"])
def test_fictitious_play_is_that_of_the_enumerated_game(name, algorithm, updates):
    """With a start that counts and no ties between actions: averages of 20 iterations, to float32 [1e-4]."""
    rules = Shaken(name)
    game, tree, settings = build_dense(rules), enumerate_game(rules), f"{algorithm}(start=1, updates={updates})"
    public, general = make_algorithm(settings).on(game), make_algorithm(settings).on(tree)
    for _ in range(4):
        public.step(5)
        general.step(5)
        expected = evaluate(tree, general.average_profile())
        assert public.exploitability() == pytest.approx(expected.exploitability, abs=1e-4)
        np.testing.assert_allclose(public.values(), expected.expected, atol=1e-4)


@pytest.mark.parametrize("name", ["kuhn_poker", "leduc_poker", "liars_dice(dice=1, faces=3)"])
def test_hedge_is_that_of_the_enumerated_game(name):
    """With the public game's bound on the range of payoffs: averages of 30 iterations, to float32 [1e-4]."""
    game, tree = dense(name), copy(enumerate_game(name))  # a copy: enumerated trees are kept and shared
    bound = by_infoset(game, tree, payoff_widths(game))[tree.form.start]
    vars(tree)["payoff_range"] = np.where(bound > 0, bound, tree.payoff_range)
    settings = make_algorithm("hedge(rate=theory)")
    public, general = settings.on(game), settings.on(tree)
    for _ in range(3):
        public.step(10)
        general.step(10)
        np.testing.assert_allclose(game.strategy(public.result()).on(tree), general.average_profile(), atol=1e-4)


def locked(game):
    count = len(game.root.actions)
    bet = tuple(float(k == 0) for k in range(count))
    return game.with_hand_locks([HandLock(0, 0, game.rules.board, 0, bet)])


@pytest.mark.parametrize(
    ("algorithm", "sentence"),
    [
        ("hedge", "the variance of every hand's values is not kept there"),
        ("hedge(rate=theory, updates=simultaneous)", "updates alternate"),
        ("cfr(updates=simultaneous)", "updates alternate"),
        ("cfr(output=current)", "the output is the average"),
        ("egt", "does not run on public trees"),
        ("os-mccfr", "does not run on public trees"),
        ("cfr+/rbp", "does not run on public trees"),
    ],
)
def test_what_does_not_run_there_says_so_in_a_sentence(algorithm, sentence):
    with pytest.raises(InputError, match=sentence) as refusal:
        make_algorithm(algorithm).on(dense("leduc_poker"))
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("algorithm", ["fp", "flop", "hedge(rate=theory)", "es-mccfr", "pcs"])
def test_locks_are_refused_where_they_would_not_be_kept(algorithm):
    with pytest.raises(InputError, match="locked"):
        make_algorithm(algorithm).on(locked(river()))


def test_regret_matching_keeps_locks():
    game = locked(river())
    solver = make_algorithm("dcfr").on(game)
    solver.step(20)
    np.testing.assert_array_equal(solver.average.numbers[game.lock_arrays.entry], game.lock_arrays.value)
    free = make_algorithm("dcfr").on(river())
    free.step(20)
    assert Traverser(river()).exploitability(free.average) != solver.exploitability()
