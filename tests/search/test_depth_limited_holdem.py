"""Depth-limited hold'em: its values are those of the whole game, picks at its leaves, continuations.

See Brown 2020, section 5.2.
"""

from itertools import pairwise

import numpy as np
import pytest

from counterpoise.errors import InputError
from counterpoise.public import FlopHoldem, Learning, Lock, Traverser
from counterpoise.public.leaves import ValueLeaves
from counterpoise.search import Subgame, search_subgame, write_part
from counterpoise.search.continuations import bias_approach, self_generated
from counterpoise.search.depth_limited import depth_limited
from counterpoise.search.leaves import LeafTable, SimilarLeaves, pot_of, same_ranks
from counterpoise.search.solver import SearchSolver
from counterpoise.solvers.public.solver import public_schedule
from counterpoise.solvers.run import make_algorithm

SIZES = ("50%", "100%")
GAME = FlopHoldem(ranks=3, stack=200, preflop=SIZES, flop=SIZES, max_bets=(3, 1))
SHORT = FlopHoldem(ranks=3, stack=4, preflop=("100%", "allin"), flop=("100%",), max_bets=(3, 1))
WITH = FlopHoldem(ranks=3, stack=4, preflop=("100%", "allin"), flop=("100%",), max_bets=(2, 1))


def solved(game, iterations, algorithm="cfr+"):
    learning = Learning.fresh(game, predictive=algorithm.startswith("p"))
    Traverser(game).iterate(learning, public_schedule(make_algorithm(algorithm), 0, iterations))
    return learning.average


@pytest.fixture(scope="module")
def whole():
    return GAME.game()


@pytest.fixture(scope="module")
def blueprint(whole):
    return solved(whole, 600)


@pytest.fixture(scope="module")
def generated(whole, blueprint):
    return self_generated(whole, blueprint, 0, 8, iterations=600)


def limited_value(whole, blueprint, leaves, iterations=2_000):
    solver = SearchSolver(make_algorithm("cfr+"), depth_limited(whole.root, blueprint, 0, leaves), None)
    solver.step(iterations)
    return solver.values()


@pytest.mark.parametrize("game", [GAME, SHORT], ids=["200 big blinds", "all-in before the flop"])
def test_values_are_those_of_the_whole_game(game):
    """With the blueprint above the leaves and below both games have the same value for every hand; zero-sum."""
    whole = game.game()
    average = solved(whole, 40)
    table = LeafTable(whole, ([average], [average]))
    limited = depth_limited(whole.root, average, 0, table).game
    played = Learning.fresh(limited).average
    for node in limited.root.decisions_below():
        node.set_strategy(played, whole.find(limited.history(node)).strategy(average))
    cut, full = Traverser(limited, leaves=table), Traverser(whole)
    assert cut.root_values(played) == pytest.approx(full.root_values(average), rel=1e-4, abs=1e-4)
    assert cut.root_values(played).sum() == pytest.approx(0, abs=1e-4)
    for seat in range(2):
        ours = Subgame(limited, 1 - seat, leaves=table).root_values(played)
        assert ours == pytest.approx(Subgame(whole, 1 - seat).root_values(average), rel=1e-4, abs=1e-3)


@pytest.mark.slow
def test_continuations_find_the_value_of_the_game(whole, blueprint, generated):
    """Against a good blueprint the searcher overrates itself with one value per leaf, and less with more of them.

    What the best responses win when they are made falls to what a best response wins against the blueprint.
    """
    judge = Traverser(whole)
    value, error = judge.root_values(blueprint)[0], judge.exploitability(blueprint)
    values = [limited_value(whole, blueprint, generated.leaves.take(1, count))[0] for count in (1, 2, 4, 8)]
    assert all(fewer >= more - 0.02 for fewer, more in pairwise(values))
    assert values[0] >= value - 0.02
    assert values[-1] == pytest.approx(value, abs=2 * error + 0.02)
    best = judge.best_response_values(blueprint)[1]
    assert generated.won[0] > best + 1
    assert generated.won[-1] == pytest.approx(best, abs=0.3)


def test_with_all_that_matters_the_searcher_plays_as_well_as_the_blueprint(whole, blueprint, generated):
    """With many continuations the searcher's first street, with its blueprint below, is not exploitable more than the
    blueprint, while with one it is."""
    losses, judge = [], Traverser(whole)
    for count in (1, 8):
        limited = depth_limited(whole.root, blueprint, 0, generated.leaves.take(1, count))
        found = search_subgame(limited, "unsafe", iterations=2_000)
        played = blueprint.copy()
        write_part(played, whole.root, found.average, 0)
        losses.append(judge.best_response_values(played)[1])
    best = judge.best_response_values(blueprint)[1]
    assert losses[0] > best + 1
    assert losses[1] == pytest.approx(best, abs=0.3)


@pytest.mark.slow
def test_16_both_choose(whole, blueprint):
    """With one continuation of the searcher the opponent alone picks, and gets exactly the values of its
    continuations one by one; a second one of the searcher that is the same changes no value."""
    four = bias_approach(blueprint)
    alone, twice = LeafTable(whole, ([blueprint], four)), LeafTable(whole, ([blueprint, blueprint], four))
    cut = depth_limited(whole.root, blueprint, 0, alone).game
    picks = [node for node in cut.street_trees[0].decisions if node.choice]
    leaves = ValueLeaves(cut, alone)
    assert [(node.player, len(node.actions)) for node in picks] == [(1, 4)] * (len(leaves.nodes) // 4)
    for pick, profile in enumerate(four):
        single = LeafTable(whole, ([blueprint], [profile]))
        for node, picked in zip(leaves.nodes, leaves.picks, strict=True):
            if picked[1] == pick:
                wanted = single.matrix(node, (0, 0)).values[0]
                assert np.array_equal(alone.matrix(node, picked).values[0], wanted)
    assert limited_value(whole, blueprint, twice) == pytest.approx(limited_value(whole, blueprint, alone), abs=0.02)


def test_both_choose_gives_the_searcher_more(whole, blueprint):
    """A searcher that may go on with a best response as well has at least what it had, its pick unseen."""
    both = LeafTable(whole, ([blueprint, Traverser(whole).best_response(0, blueprint)], bias_approach(blueprint)))
    values = [limited_value(whole, blueprint, leaves)[0] for leaves in (both, both.take(0, 1))]
    assert values[0] >= values[1] - 0.02


@pytest.mark.parametrize("method", ["resolve", "maxmargin"])
def test_safe_roots(whole, blueprint, generated, method):
    """Behind a gadget at the root no hand of the opponent has more than what it had against the blueprint."""
    limited = depth_limited(whole.root, blueprint, 0, generated.leaves)
    alternative = Subgame(whole, 0).root_values(blueprint, best=True)
    found = search_subgame(limited, method, alternative=alternative, algorithm="dcfr", iterations=3_000)
    assert np.nanmin(found.margins) > -0.5


def test_locks_and_predictive_runs(whole):
    """A profile of a game with locks keeps them under a predictive rule; the game without them knows nothing of it."""
    always = np.eye(len(whole.root.actions))[1]  # to call, with every hand
    locked = whole.with_locks([Lock(0, 0, 0, hand, tuple(always)) for hand in range(whole.hand_counts[1])])
    assert solved(locked, 3, "pcfr+").strategy(0, 0, 0)[1] == pytest.approx(1)
    again, fresh = (Traverser(game).exploitability(solved(game, 20)) for game in (whole, GAME.game()))
    assert again == pytest.approx(fresh, rel=1e-4)


@pytest.fixture(scope="module")
def without():
    """A game with 4 big blinds in which nobody can be all-in before the flop, and a strategy of it."""
    game = FlopHoldem(ranks=3, stack=4, preflop=("100%",), flop=("100%",), max_bets=(2, 1)).game()
    return game, solved(game, 20)


def test_all_ins_that_the_whole_game_does_not_have(without):
    """With the leaves of a game without them, all-ins are worth what they are in the game that has them."""
    poorer, blueprint = without
    table, richer = LeafTable(poorer, ([blueprint], [blueprint])), WITH.game()
    known = poorer.root.child(poorer.root.actions[-1])
    similar = SimilarLeaves(table, lambda leaf: [poorer.find(richer_path(leaf, known))], pot_of)
    allin = richer.root.actions[-1]
    limited = depth_limited(richer.root, solved(richer, 1), 0, similar)
    found = search_subgame(limited, "unsafe", iterations=5)
    full = solved(richer, 5)
    called = [game.root.child(allin) for game in (limited.game, richer)]
    for seat in range(2):
        one, other = (
            node.values(profile, traverser).node[seat]
            for node, profile, traverser in (
                (called[0], found.average, Traverser(limited.game, leaves=similar)),
                (called[1], _same_above(found.average, full), Traverser(richer)),
            )
        )
        assert one == pytest.approx(other, rel=1e-4, abs=1e-2)
        assert np.abs(one).max() > 1_000


def richer_path(leaf, known):
    """A leaf of the poorer game by its number of bets: its own path if it has it, else that of the known one."""
    history = leaf.game.history(leaf)
    return history if max(history) in (0, known.steps[-1]) else (*known.steps, 0)


def _same_above(limited, full):
    found = full.copy()
    for node in limited.game.root.decisions_below():
        full.game.find(limited.game.history(node)).set_strategy(found, node.strategy(limited))
    return found


def test_20_a_street_with_which_the_game_ends():
    """After an all-in there are no leaves to cut off, and the values are those of the whole rest."""
    game = WITH.game()
    start, average = game.root.child(400), solved(game, 20)
    reach = tuple(np.ones(count) for count in game.hand_counts)
    full = Subgame(game.subtree(start, reach), 0)
    limited = depth_limited(start, average, 0, LeafTable(game, ([average], [average])))
    limited = limited.with_ranges(dict(enumerate(reach)))
    assert not limited.game.value_leaves
    solvers = [SearchSolver(make_algorithm("cfr+"), part, None) for part in (full, limited)]
    for solver in solvers:
        solver.step(20)
    assert solvers[1].values() == pytest.approx(solvers[0].values(), rel=1e-4)
    assert solvers[1].exploitability() == pytest.approx(solvers[0].exploitability(), abs=1e-3)
    called, wanted = (solver.learning.average.strategy(0, 0, 0)[1] for solver in solvers[::-1])
    assert called == pytest.approx(wanted, abs=1e-3)
    assert 0 < called.mean() < 1


def test_shapes_must_agree(whole, blueprint):
    """After a call there is another number of raises than after a raise."""
    cut = depth_limited(whole.root, blueprint, 0, LeafTable(whole, ([blueprint], [blueprint]))).game
    leaves = ValueLeaves(cut, LeafTable(whole, ([blueprint], [blueprint]))).nodes
    for leaf in leaves:
        assert same_ranks(leaf, whole.root).steps == leaf.steps
    with pytest.raises(InputError, match="shape"):
        same_ranks(leaves[0], whole.root.child(whole.root.actions[-1]))


def test_nothing_to_generate(whole, blueprint):
    with pytest.raises(InputError, match="count"):
        self_generated(whole, blueprint, 0, 0)


@pytest.mark.parametrize("wrong", [2, -1, True, None], ids=repr)
def test_seats(whole, blueprint, wrong):
    with pytest.raises(InputError, match="searcher must be seat 0 or 1, not "):
        self_generated(whole, blueprint, wrong, 2)
    with pytest.raises(InputError, match="searcher must be seat 0 or 1, not "):
        depth_limited(whole.root, blueprint, wrong, LeafTable(whole, ([blueprint], [blueprint])))
