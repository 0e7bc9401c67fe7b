"""Depth-limited hold'em: its values are those of the whole tree, picks at its leaves, continuations (BROWN 5.2)."""

from itertools import pairwise

import numpy as np
import pytest
from counterpoise.public.tables import Lock
from counterpoise.search.depth_limited_holdem import DepthLimitedHoldem, self_generated_leaves, side_by_side
from counterpoise.search.leaves_holdem import HandClasses, bias_approach_stores, leaf_matrices

from counterpoise.errors import InputError
from counterpoise.public import Start
from counterpoise.public.kernels.street import DEAL, RUNOUT
from counterpoise.public.mini_holdem import FlopHoldem
from counterpoise.search import Subgame, search
from counterpoise.solvers.public.solver import public_schedule
from counterpoise.solvers.run import make_algorithm

SIZES = ("50%", "100%")
GAME = FlopHoldem(ranks=3, stack=200, preflop=SIZES, flop=SIZES, max_bets=(3, 1))
SHORT = FlopHoldem(ranks=3, stack=4, preflop=("100%", "allin"), flop=("100%",), max_bets=(3, 1))


def solved(game, iterations):
    tree = game.tree()
    tree.iterate(public_schedule(make_algorithm("cfr+"), 0, iterations))
    return tree


@pytest.fixture(scope="module")
def tree():
    return solved(GAME, 600)


@pytest.fixture(scope="module")
def generated(tree):
    return self_generated_leaves(tree, 0, 8, iterations=600)


def limited_value(tree, leaves, iterations=2_000):
    limited = DepthLimitedHoldem(tree, leaves)
    search(Subgame(limited, 0), "unsafe", iterations=iterations)
    return limited.root_values()


@pytest.mark.parametrize("game", [GAME, SHORT], ids=["200 big blinds", "all-in before the flop"])
def test_values_are_those_of_the_whole_tree(game):
    """With the blueprint above the leaves and below both trees have the same value for every hand; zero-sum."""
    whole = solved(game, 40)
    average, classes = whole.tables.average, HandClasses(whole)
    limited = DepthLimitedHoldem(whole, leaf_matrices(whole, ([average], [average])))
    for number, node in enumerate(whole.lines[0].decisions):
        rows = classes.of_hands(node.player, whole.average_strategy(0, number, 0))
        limited.set_average(0, number, 0, rows)
        assert limited.behaviour(number) == pytest.approx(whole.average_strategy(0, number, 0), abs=1e-6)
    assert limited.root_values() == pytest.approx(whole.root_values(), rel=1e-4, abs=1e-4)
    assert limited.root_values().sum() == pytest.approx(0, abs=1e-4)
    for seat in range(2):
        ours, theirs = (Subgame(part, 1 - seat).values() for part in (limited, whole))
        assert ours[classes.of[seat]] == pytest.approx(theirs, rel=1e-4, abs=1e-3)


def test_continuations_find_the_value_of_the_game(tree, generated):
    """Against a good blueprint the searcher overrates itself with one value per leaf, and less with more of them.

    What the best responses win when they are made falls to what a best response wins against the blueprint.
    """
    value, error = tree.root_values()[0], tree.exploitability()
    values = [limited_value(tree, generated.leaves.first(1, count))[0] for count in (1, 2, 4, 8)]
    assert all(fewer >= more - 0.02 for fewer, more in pairwise(values))
    assert values[0] >= value - 0.02
    assert values[-1] == pytest.approx(value, abs=2 * error + 0.02)
    best = tree.best_response_values()[1]
    assert generated.won[0] > best + 1
    assert generated.won[-1] == pytest.approx(best, abs=0.3)


def test_with_all_that_matters_the_searcher_plays_as_well_as_the_blueprint(tree, generated):
    """With many continuations the searcher's first street, with its blueprint below, is not exploitable more than the
    blueprint, while with one it is."""
    losses = []
    for count in (1, 8):
        limited = DepthLimitedHoldem(tree, generated.leaves.first(1, count))
        search(Subgame(limited, 0), "unsafe", iterations=2_000)
        target = tree.tables.average._replace(wide=tree.tables.average.wide.copy())
        for number, node in enumerate(tree.lines[0].decisions):
            if node.player == 0:
                tree.set_strategy_in(target, 0, number, 0, limited.behaviour(number))
        losses.append(tree.best_response_values(store=target)[1])
    best = tree.best_response_values()[1]
    assert losses[0] > best + 1
    assert losses[1] == pytest.approx(best, abs=0.3)


def test_16_both_choose(tree):
    """Check 16: with one continuation of the searcher the opponent alone picks, and gets exactly the values of its
    continuations one by one; a second one of the searcher that is the same changes no value."""
    average = tree.tables.average
    biased = bias_approach_stores(tree, 1)
    alone = leaf_matrices(tree, ([average], biased))
    twice = leaf_matrices(tree, ([average, average], biased))
    street, cut = tree.lines[0], DepthLimitedHoldem(tree, alone)
    picks = cut.lines[0].decisions[len(street.decisions) :]
    assert [(node.player, len(node.actions)) for node in picks] == [(1, 4)] * len(alone.won)
    for pick, store in enumerate(biased):
        single = leaf_matrices(tree, ([average], [store])).won
        for edge, (kind, number) in street.children.items():
            if kind == "leaf" and street.leaves[number].kind == DEAL:
                place, node = cut.lines[0].children[edge]
                assert place == "decision"
                end = cut.lines[0].leaves[cut.lines[0].children[node, pick][1]]
                assert np.array_equal(cut.ends[end.matrix], single[street.leaves[number].line][0, 0])
    assert limited_value(tree, twice) == pytest.approx(limited_value(tree, alone), abs=0.02)


def test_both_choose_gives_the_searcher_more(tree):
    """A searcher that may go on with a best response as well has at least what it had, its pick unseen."""
    average = tree.tables.average
    lists = bias_approach_stores(tree, 1)
    both = leaf_matrices(tree, ([average, tree.best_response(0)], lists))
    assert limited_value(tree, both)[0] >= limited_value(tree, both.first(0, 1))[0] - 0.02


@pytest.mark.parametrize("method", ["resolve", "maxmargin"])
def test_safe_roots(tree, generated, method):
    """Behind a gate at the root no hand of the opponent has more than what it had against the blueprint."""
    limited = DepthLimitedHoldem(tree, generated.leaves)
    alternative = HandClasses(tree).of_hands(1, Subgame(tree, 0).best_values())
    found = search(Subgame(limited, 0), method, alternative=alternative, algorithm="dcfr", iterations=3_000)
    assert np.nanmin(found.margins) > -0.5


def test_locks_and_predictive_runs(tree):
    """A tree that was solved by a predictive rule and with locks is free again afterwards."""
    again = GAME.tree()
    always = np.eye(len(again.lines[0].decisions[0].actions))[1]  # to call, with every hand
    again.set_locks([Lock(0, 0, 0, hand, tuple(always)) for hand in range(len(again.hands[1]))])
    again.iterate(public_schedule(make_algorithm("pcfr+"), 0, 3))
    assert again.average_strategy(0, 0, 0)[1] == pytest.approx(1)
    again.set_locks(())
    again.clear()
    again.iterate(public_schedule(make_algorithm("cfr+"), 0, 20))
    assert again.exploitability() == pytest.approx(solved(GAME, 20).exploitability(), rel=1e-4)


@pytest.fixture(scope="module")
def without():
    """The whole tree of a game with 4 big blinds in which nobody can be all-in before the flop."""
    return solved(FlopHoldem(ranks=3, stack=4, preflop=("100%",), flop=("100%",), max_bets=(2, 1)), 20)


WITH = FlopHoldem(ranks=3, stack=4, preflop=("100%", "allin"), flop=("100%",), max_bets=(2, 1))


def test_all_ins_that_the_whole_tree_does_not_have(without):
    """Their matrices are those of a whole tree that has them."""
    whole = WITH.tree()
    average, mine = without.tables.average, whole.tables.average
    known = {line.state.paid: number for number, line in enumerate(without.lines) if line.street == 1}
    similar = {
        number: [known.get(line.state.paid, 1)] for number, line in enumerate(whole.lines) if line.street == 1
    }  # fmt: skip
    pots = leaf_matrices(whole, ([mine], [mine]))
    leaves = leaf_matrices(without, ([average], [average])).mapped(similar, pots.pots)
    found, wanted = DepthLimitedHoldem(without, leaves, whole.lines), DepthLimitedHoldem(whole, pots)
    ends = [number for number, leaf in enumerate(whole.lines[0].leaves) if leaf.kind == RUNOUT]
    assert ends
    for number in ends:
        assert found.ends[number] == pytest.approx(wanted.ends[number], abs=1e-3)
        assert np.abs(found.ends[number]).max() > 1_000


def test_20_a_street_with_which_the_game_ends(without):
    """Check 20: after an all-in there are no leaves to cut off, and the values are those of the whole rest."""
    state = WITH.betting.apply(WITH.betting.initial(), 400)
    full = WITH.tree((), Start(state))
    average = without.tables.average
    limited = DepthLimitedHoldem(without, leaf_matrices(without, ([average], [average])), full.lines)
    for part in (full, limited):
        search(Subgame(part, 0), "unsafe", iterations=20)
    assert limited.root_values() == pytest.approx(full.root_values(), rel=1e-4)
    assert limited.exploitability() == pytest.approx(full.exploitability(), abs=1e-3)
    called = limited.behaviour(0)[1]
    assert called == pytest.approx(full.average_strategy(0, 0, 0)[1], abs=1e-3)
    assert 0 < called.mean() < 1


def test_shapes_must_agree(tree):
    """After a call there is another number of raises than after a raise."""
    root = tree.lines[0]
    raised = [root.children[0, action][1] for action in root.decisions[0].actions if action > 0]
    decisions, leaves = side_by_side(SHORT.tree().lines[0], SHORT.tree().lines[0])
    assert decisions[0] == 0
    assert all(one == other for one, other in leaves.items())
    with pytest.raises(InputError, match="shape"):
        side_by_side(root, root, raised[0])


def test_missing_leaves(tree):
    average = tree.tables.average
    leaves = leaf_matrices(tree, ([average], [average]))
    with pytest.raises(InputError, match="no leaf values"):
        DepthLimitedHoldem(tree, leaves.mapped({1: [1]}, leaves.pots))
    with pytest.raises(InputError, match="count"):
        self_generated_leaves(tree, 0, 0)


@pytest.mark.parametrize("wrong", [2, -1, True, None], ids=repr)
def test_seats(tree, wrong):
    with pytest.raises(InputError, match="searcher must be seat 0 or 1, not "):
        self_generated_leaves(tree, wrong, 2)
    with pytest.raises(InputError, match="searcher must be seat 0 or 1, not "):
        Subgame(tree, wrong)
