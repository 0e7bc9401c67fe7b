"""The four parts of a public tree apart: games that never change, profiles that reading leaves alone, threads."""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from counterpoise.errors import InputError
from counterpoise.public import BelowNode, Cut, Learning, Profile, Traverser, build_dense, build_holdem
from counterpoise.public.mini_holdem import mini_holdem
from counterpoise.public.node import traverser_of
from counterpoise.solvers import make_algorithm
from counterpoise.solvers.public.solver import public_schedule

from .helpers import dcfr
from .test_holdem import SMALL, rules

GAMES = {
    "leduc": lambda: build_dense("leduc_poker"),
    "turn": lambda: build_holdem(rules(*SMALL[1])),
    "two rounds": lambda: mini_holdem(3, (2, 1)),
}
CHOICES = {"choices": lambda: build_dense("leduc_poker", cut=Cut(depth=3, choices=(2, 2)))}


@pytest.fixture(scope="module", params=GAMES)
def game(request):
    return GAMES[request.param]()


class Numbered:
    """Leaf values that differ by leaf and hand, times what of the other's range arrives."""

    def values(self, batch):
        met = [batch.reach[1 - seat].sum(axis=1, keepdims=True) for seat in range(2)]
        rising = [np.add.outer(np.arange(len(batch.leaves)), np.arange(count)) for count in batch.game.hand_counts]
        return met[0] * rising[0], -met[1] * rising[1]


def everything(game, profile, traverser, nodes=2):
    """All that can be asked about a profile, as one list of arrays; about this many nodes, the root the first."""
    found = [traverser.root_values(profile), traverser.best_response_values(profile)]
    found += [np.array(traverser.exploitability(profile)), *traverser.hand_values(profile, best=True)]
    found += [traverser.best_response(player, profile).numbers for player in range(2)]
    for at in list(game.root.decisions_below())[:nodes]:
        found += [at.strategy(profile), *at.reach(profile), np.array([len(at.path()), len(at.steps)])]
        if at.decision.choice:
            continue
        values = at.values(profile, traverser)
        found += [values.actions, *values.node]
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


def worked(game, algorithm, threads=1, nodes=2):
    """A run with measurements in between, as one list of arrays."""
    settings, traverser = make_algorithm(algorithm), Traverser(game, threads, Numbered())
    learning, found = Learning.fresh(game, predictive=settings.predictive), []
    for done in range(0, 12, 3):
        traverser.iterate(learning, public_schedule(settings, done, 3))
        found += everything(game, learning.average, traverser, nodes)
        if not game.value_leaves:  # with the thread's own traverser
            found += [array.copy() for array in game.root.values(learning.average).node]
    return [*found, *learning.arrays().values()]


@pytest.mark.parametrize("threads", [1, 2])
def test_two_threads_work_on_one_game(game, threads):
    """Two callers with a traverser each, at the same time, find to the last bit what they find one after the other."""
    algorithms = ["dcfr", "pcfr+"] * 2
    alone = [worked(game, algorithm) for algorithm in algorithms]
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(lambda algorithm: worked(game, algorithm, threads), algorithms))
    assert all(same(one, other) for one, other in zip(alone, together, strict=True))


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name == "turn" else ()) for name in GAMES | CHOICES]
)
def test_threads_meet_in_a_game_that_nobody_has_looked_into(name):
    """Four callers start at the same moment in a fresh game, at its last nodes: all find what one finds alone."""
    build, begin = (GAMES | CHOICES)[name], threading.Barrier(4)

    def look(game):
        return [node.trail for node in list(game.root.decisions_below())[:-40:-1] * 200]

    def meet(game):
        begin.wait()
        return look(game), worked(game, "dcfr", nodes=6)

    one = build()
    alone, before, game = (look(one), worked(one, "dcfr", nodes=6)), sys.getswitchinterval(), build()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            together = list(pool.map(meet, [game] * 4))
    finally:
        sys.setswitchinterval(before)
    assert all(trails == alone[0] and same(found, alone[1]) for trails, found in together)


class Watched(dict):
    """Edges that are read in two halves, between which a second reader begins and waits until the first is done."""

    def __init__(self, edges):
        super().__init__(edges)
        self.readers, self.second, self.done = 0, threading.Event(), threading.Event()

    def items(self):
        self.readers += 1
        edges = list(super().items())
        if self.readers == 1:
            half = len(edges) // 2
            yield from edges[:half]
            self.second.wait(0.5)
            yield from edges[half:]
        else:
            self.second.set()
            self.done.wait(0.5)
            yield from edges


@pytest.mark.parametrize("cut", [None, Cut(depth=3, choices=(2, 2))], ids=["whole", "choices"])
def test_ways_through_a_tree_do_not_depend_on_other_readers(cut):
    """A reader that another one overtakes still finds whole paths, and edges are read once, even where several meet."""
    known, tree = (build_dense("leduc_poker", cut=cut).street_trees[0] for _ in range(2))
    ends = [("decision", number) for number in range(len(known.decisions))]
    ends.sort(key=lambda end: len(known.way_to(end)), reverse=True)
    wanted = [known.way_to(end) for end in ends]
    tree.children = watched = Watched(tree.children)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(lambda: [tree.way_to(end) for end in ends])
        while not watched.readers:
            pass
        second = pool.submit(lambda: [tree.way_to(end) for end in ends])
        found = first.result()
        watched.done.set()
        assert second.result() == found == wanted
    readers = watched.readers
    assert [tree.way_to(end) for end in ends] == wanted
    assert watched.readers == readers


def test_a_second_game_of_the_same_rules_leaves_the_first_alone():
    shared = rules(*SMALL[1])
    game = build_holdem(shared)
    before = [node.hands for node in game.board_nodes]
    other = build_holdem(shared)
    assert all(node.hands is hands for node, hands in zip(game.board_nodes, before, strict=True))
    for own, others in zip(before, other.board_nodes, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(own, others.hands, strict=True))
    assert same([array for part in game.arrays for array in part], [array for part in other.arrays for array in part])


def test_what_lies_below_a_node_is_asked_with_the_scratch_of_the_thread(game):
    node = game.root.child(game.root.actions[-1])
    below, reach = BelowNode(node, Profile(game)), game.reach_at_root(1)
    wanted = below.values(0, reach)
    with ThreadPoolExecutor(1) as pool:
        assert np.array_equal(pool.submit(below.values, 0, reach).result(), wanted)
        assert pool.submit(lambda: hasattr(game.of_thread, "traverser")).result()


@pytest.mark.parametrize("bits", [32, 16])
def test_profiles_of_other_games_are_refused(game, bits):
    """Kernels index them without a check, so the number of entries and rows must be right."""
    other = build_dense("kuhn_poker")
    traverser, wrong, right = Traverser(game), Profile(other, bits), Profile(game)
    node, learning = game.root, Learning(right, right, wrong)
    asked = [
        lambda: traverser.iterate(learning, dcfr(1)),
        lambda: traverser.iterate_below(0, 0, game.ranges, learning, dcfr(1)),
        lambda: traverser.update(learning, dcfr(1), 0),
        lambda: traverser.root_values(wrong),
        lambda: traverser.best_response_values(wrong),
        lambda: traverser.exploitability(wrong),
        lambda: traverser.best_response(0, wrong),
        lambda: traverser.add_to_average(wrong, right, 1.0),
        lambda: traverser.fit_regrets(None, learning),
        lambda: traverser.hand_values(wrong),
        lambda: node.strategy(wrong),
        lambda: node.reach(wrong),
        lambda: node.values(wrong),
        lambda: node.best_values(0, wrong),
        lambda: node.set_strategy(wrong, np.ones((2, 2))),
        lambda: BelowNode(node, wrong),
        lambda: right.copy_from(wrong),
        lambda: right.joined(wrong),
    ]
    for ask in asked:
        with pytest.raises(InputError, match=r"a profile of kuhn_poker, .* does not fit"):
            ask()
    assert not right.numbers.any()


def test_profiles_of_other_widths_do_not_mix(game):
    wide, narrow = Profile(game), Profile(game, 16)
    for ask in (lambda: wide.joined(narrow), lambda: narrow.copy_from(wide)):
        with pytest.raises(InputError, match="must both have numbers of"):
            ask()
    with pytest.raises(InputError, match="not those of a profile of"):
        Profile(game, 16, wide.store)


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


@pytest.mark.slow
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
