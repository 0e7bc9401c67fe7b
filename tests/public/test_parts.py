"""The four parts of a public tree apart: games that never change, profiles that reading leaves alone, threads."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from counterpoise.errors import InputError
from counterpoise.public import Learning, Profile, Traverser, build_dense
from counterpoise.public.node import traverser_of
from counterpoise.solvers import make_algorithm
from counterpoise.solvers.public.solver import public_schedule

from .helpers import dcfr
from .test_holdem import small
from .test_mini_holdem import mini

GAMES = {"leduc": lambda: build_dense("leduc_poker"), "turn": lambda: small(1), "two rounds": lambda: mini(3, (2, 1))}


@pytest.fixture(scope="module", params=GAMES)
def game(request):
    return GAMES[request.param]()


def everything(game, profile, traverser):
    """All that can be asked about a profile, as one list of arrays."""
    node = game.root.child(game.root.actions[-1])
    found = [traverser.root_values(profile), traverser.best_response_values(profile)]
    found += [np.array(traverser.exploitability(profile)), *traverser.hand_values(profile, best=True)]
    found += [traverser.best_response(player, profile).numbers for player in range(2)]
    for at in (game.root, node):
        values = at.values(profile, traverser)
        found += [at.strategy(profile), *at.reach(profile), values.actions, *values.node]
        found += [at.best_values(player, profile, traverser) for player in range(2)]
        found.append(at.best_action_values(profile, traverser))
    return found


def same(one, other):
    return len(one) == len(other) and all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("bits", [32, 16])
@pytest.mark.parametrize("threads", [1, 2])
def test_measuring_changes_nothing(game, bits, threads):
    """Not a byte of the profiles nor of the game, and a second look finds what the first one did."""
    learning, traverser = Learning.fresh(game, bits), Traverser(game, threads)
    traverser.iterate(learning, dcfr(7))
    before = {name: array.copy() for name, array in learning.arrays().items()}
    arrays = [array.copy() for part in game.arrays for array in part]
    first = everything(game, learning.average, traverser)
    assert same(first, everything(game, learning.average, traverser))
    assert same(first, everything(game, learning.average, Traverser(game)))
    assert all(np.array_equal(array, before[name]) for name, array in learning.arrays().items())
    assert same(arrays, [array for part in game.arrays for array in part])
    traverser.iterate(learning, dcfr(3))  # goes on as though nobody had looked
    other, undisturbed = Traverser(game), Learning.fresh(game, bits)
    other.iterate(undisturbed, dcfr(7))
    other.iterate(undisturbed, dcfr(3))
    assert all(np.array_equal(array, learning.arrays()[name]) for name, array in undisturbed.arrays().items())


def worked(game, algorithm, threads=1):
    """A run with measurements in between, as one list of arrays."""
    settings, traverser = make_algorithm(algorithm), Traverser(game, threads)
    learning, found = Learning.fresh(game, predictive=settings.predictive), []
    for done in range(0, 12, 3):
        traverser.iterate(learning, public_schedule(settings, done, 3))
        found += everything(game, learning.average, traverser)
        found += [array.copy() for array in game.root.values(learning.average).node]  # with the thread's own traverser
    return [*found, *learning.arrays().values()]


@pytest.mark.parametrize("threads", [1, 2])
def test_two_threads_work_on_one_game(game, threads):
    """Two callers with a traverser each, at the same time, find to the last bit what they find one after the other."""
    algorithms = ["dcfr", "pcfr+"] * 2
    alone = [worked(game, algorithm) for algorithm in algorithms]
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(lambda algorithm: worked(game, algorithm, threads), algorithms))
    assert all(same(one, other) for one, other in zip(alone, together, strict=True))


def test_each_thread_has_its_own_traverser(game):
    """It is kept for the next look, and another game has another."""
    other = build_dense("kuhn_poker")
    mine = traverser_of(game)
    assert traverser_of(other) is not mine
    assert traverser_of(game) is mine
    with ThreadPoolExecutor(1) as pool:
        theirs = [pool.submit(traverser_of, game).result() for _ in range(2)]
    assert theirs[0] is theirs[1]
    assert theirs[0] is not mine


def test_games_are_frozen(game):
    with pytest.raises(FrozenInstanceError):
        game.mass = 2.0
    with pytest.raises(ValueError, match="read-only"):
        game.ranges[0, 0] = 2.0
    changed = game.with_ranges({0: 0.5 * game.reach_at_root(0)})
    np.testing.assert_allclose(changed.reach_at_root(0), 0.5 * game.reach_at_root(0), rtol=1e-6)
    assert changed.boards is game.boards
    assert game.ranges.max() == 1.0
    with pytest.raises(FrozenInstanceError):
        game.root.tree = 1


@pytest.mark.parametrize("name", ["kuhn_poker", "leduc_poker"])
def test_16_bits_hold_strategies_of_small_games_too(name):
    """Written, read and used to start from, to the rounding of square roots."""
    game = build_dense(name)
    solver = make_algorithm("cfr+").on(game)
    solver.step(50)
    strategy = game.strategy(solver.average)
    narrow = game.profile(strategy).in_bits(16)
    assert narrow.in_bits(16) is narrow
    np.testing.assert_allclose(game.strategy(narrow).probabilities, strategy.probabilities, atol=2e-4)
    started = make_algorithm("cfr+").on(game, bits=16)
    found = started.warm_start(strategy, iterations=20)
    assert found.exploitability == pytest.approx(solver.exploitability(), abs=1e-3)


@pytest.mark.parametrize("bits", [8, "32", None])
def test_other_widths_are_refused(bits):
    with pytest.raises(InputError, match="bits must be 16 or 32"):
        Profile(build_dense("kuhn_poker"), bits)


def test_what_messages_call_them():
    game = build_dense("leduc_poker")
    assert repr(game) == "<DenseGame leduc_poker: 235 public nodes, 2 streets>"
    assert "Profile of leduc_poker" in repr(Profile(game))
    assert repr(game.root) == "<PublicNode decision after nothing of leduc_poker>"
