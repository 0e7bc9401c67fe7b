"""Leaves of depth-limited hold'em: by enumeration of pairs and flops on twelve cards, and their changes (BROWN 5.2)."""

from itertools import combinations

import numpy as np
import pytest
from counterpoise.search.leaves_holdem import (
    HandClasses,
    bias_approach_stores,
    leaf_matrices,
    leaf_reach,
)

from counterpoise.betting.rules import CALL, FOLD
from counterpoise.cards import board_strengths
from counterpoise.errors import InputError
from counterpoise.public import DenseTree
from counterpoise.public.mini_holdem import FlopHoldem
from counterpoise.solvers.public.solver import public_schedule
from counterpoise.solvers.run import make_algorithm

GAME = FlopHoldem(ranks=3, stack=200, preflop=("100%",), flop=("50%", "100%"), max_bets=(2, 2))


@pytest.fixture(scope="module")
def tree():
    solved = GAME.tree()
    solved.iterate(public_schedule(make_algorithm("cfr+"), 0, 30))
    return solved


@pytest.fixture(scope="module")
def response(tree):
    return tree.best_response(1)


def played(tree, store, line, number, cards):
    """The strategy of a store at a decision on any flop, [action, hand]: by the tree's own renaming of suits."""
    board, renamed = tree.find(cards)
    player = tree.lines[line].decisions[number].player
    return tree._spread(tree.strategy_in(store, line, number, board), player, board, renamed)


def walk(tree, line, cards, stores, first, second, strengths):
    """What seat 0 wins with a pair of hands on a flop, by walking the betting of a line."""
    spot, betting = tree.lines[line], tree.betting
    rows = {n: played(tree, stores[node.player], line, n, cards) for n, node in enumerate(spot.decisions)}
    hands = (first, second)

    def value(number, state):
        node, total = spot.decisions[number], 0.0
        for k, action in enumerate(node.actions):
            likely = rows[number][k, hands[node.player]]
            after = betting.apply(state, action)
            kind, child = spot.children[number, action]
            total += likely * (value(child, after) if kind == "decision" else betting.payoffs(after, strengths)[0])
        return total

    return value(0, spot.state)


@pytest.mark.slow
def test_values_by_enumeration(tree, response):
    """A leaf is worth to a pair of classes what their pairs of hands win over all flops, one by one."""
    stores = (tree.tables.average, response)
    leaves, classes = leaf_matrices(tree, ([stores[0]], [stores[1]])), HandClasses(tree)
    line = 1
    hands = tree.hands[0].astype(int)
    for pair in ((0, 40), (7, 13), (20, 21)):
        wanted, total = tuple(int(classes.of[seat][hand]) for seat, hand in enumerate(pair)), 0.0
        mates = [np.flatnonzero(classes.of[seat] == wanted[seat]) for seat in range(2)]
        for a in mates[0][:1]:  # all hands of a class are alike
            for b in mates[1]:
                if set(hands[a]) & set(hands[b]):
                    continue
                left = [card for card in tree.deck.cards.tolist() if card not in {*hands[a], *hands[b]}]
                flops = list(combinations(left, 3))
                for flop in flops:
                    strong = board_strengths([flop], tree.hands[0][[a, b]], tree.deck)[0]
                    total += walk(tree, line, flop, stores, a, b, strong.tolist()) / len(flops)
        assert leaves.won[line][0, 0][wanted] == pytest.approx(total * len(mates[0]), rel=1e-5, abs=1e-3)


def test_a_best_response_has_the_best_value(tree, response):
    """The strategy that is read off a best response wins what best responses are said to win."""
    best = tree.best_response_values()[1]
    again = GAME.tree()
    again.tables.average.wide[:] = response.wide
    assert again.root_values()[1] == pytest.approx(best, rel=1e-5)
    chosen = again.average_strategy(1, 1, 1)
    assert set(np.unique(chosen)) <= {0.0, 1.0}


def test_18_drawn_flops_are_right_on_average(tree):
    """Check 18: the mean of values over drawn flops is within four standard errors of the table."""
    average = tree.tables.average
    table = leaf_matrices(tree, ([average], [average])).won[1][0, 0]
    drawn = np.array([leaf_matrices(tree, ([average], [average]), 2, seed).won[1][0, 0] for seed in range(60)])
    off, error = drawn.mean(axis=0) - table, drawn.std(axis=0, ddof=1) / np.sqrt(len(drawn))
    assert (np.abs(off) <= 4 * error + 1e-9).all()
    assert np.array_equal(drawn[3], leaf_matrices(tree, ([average], [average]), 2, 3).won[1][0, 0])


@pytest.mark.parametrize("seat", [0, 1])
def test_15_weakening(tree, seat):
    """Check 15: after it no continuation is worth more to a hand than the blueprint; it is left alone where it was not.

    The blueprint is poor, so that best responses beat it.
    """
    average, best = tree.tables.average, tree.best_response(seat)
    lists = ([average, best], [average]) if seat == 0 else ([average], [average, best])
    leaves, reach = leaf_matrices(tree, lists), leaf_reach(tree, 1 - seat)
    weaker = leaves.weakened(seat, reach)

    def worth(found, line):
        own = found.won[line][:, 0] if seat == 0 else -found.won[line][0].transpose(0, 2, 1)
        pairs = found.pairs if seat == 0 else found.pairs.T
        return own @ reach[line] / (pairs @ reach[line])

    changed = 0
    for line in leaves.won:
        before, after = worth(leaves, line), worth(weaker, line)
        assert (after[1] <= after[0] + 1e-9).all()
        assert after[0] == pytest.approx(before[0])
        kept = before[1] <= before[0]
        assert after[1][kept] == pytest.approx(before[1][kept])
        changed += int((~kept).sum())
    assert changed


def test_penalties(tree, response):
    """The opponent pays a share of the pot for anything but its blueprint."""
    average = tree.tables.average
    leaves = leaf_matrices(tree, ([average], [average, response]))
    fined = leaves.penalised(1, 0.1)
    for line, won in leaves.won.items():
        assert np.array_equal(fined.won[line][0, 0], won[0, 0])
        assert fined.won[line][0, 1] - won[0, 1] == pytest.approx(0.1 * leaves.pots[line] * leaves.pairs)
    with pytest.raises(InputError, match="share"):
        leaves.penalised(1, -1)


def test_similar_leaves_are_fractions_of_the_pot(tree):
    """A leaf with the values of two others has the mean of their shares of the pot, times its own pot."""
    average = tree.tables.average
    leaves = leaf_matrices(tree, ([average], [average]))
    one, other = sorted(leaves.won)[:2]
    made = leaves.mapped({5: [one, other]}, {5: 1000.0}).won[5]
    shares = [leaves.won[line] / leaves.pots[line] for line in (one, other)]
    assert made == pytest.approx(500 * (shares[0] + shares[1]))
    assert leaves.pots[one] != leaves.pots[other]


def test_17_bias(tree):
    """Check 17: a factor of 1 changes nothing; ten times a class of actions is ten times as likely relative to others;
    what is never done stays so, and the other seat's strategy stays as it is."""
    same = bias_approach_stores(tree, 1, 1.0)
    blueprint, fold, call, up = bias_approach_stores(tree, 1, 10.0)
    for line, number, board in ((0, 0, 0), (1, 2, 3), (2, 1, 5)):
        node = tree.lines[line].decisions[number]
        before = tree.strategy_in(blueprint, line, number, board)
        for store in same:
            assert tree.strategy_in(store, line, number, board) == pytest.approx(before, abs=1e-6)
        for store, chosen in ((fold, FOLD), (call, CALL), (up, 1)):
            after = tree.strategy_in(store, line, number, board)
            scale = np.array(
                [[10.0 if min(action, 1) == chosen and node.player == 1 else 1.0] for action in node.actions]
            )
            assert after == pytest.approx(before * scale / (before * scale).sum(axis=0), abs=1e-5)
            assert after.sum(axis=0) == pytest.approx(1)
            assert (after[before == 0] == 0).all()
    with pytest.raises(InputError, match="factor"):
        bias_approach_stores(tree, 1, 0)


def test_wrong_input(tree):
    with pytest.raises(InputError, match="continuations"):
        leaf_matrices(tree, ([], [tree.tables.average]))
    with pytest.raises(InputError, match="flops"):
        leaf_matrices(tree, ([tree.tables.average], [tree.tables.average]), 0)
    with pytest.raises(InputError, match="count"):
        leaf_matrices(tree, ([tree.tables.average], [tree.tables.average])).first(1, 2)
    with pytest.raises(InputError, match="use LeafTable"):
        leaf_matrices(DenseTree("kuhn_poker"), ([], []))


@pytest.mark.parametrize("wrong", [2, -1, True, "first"], ids=repr)
def test_seats(tree, wrong):
    average = tree.tables.average
    leaves = leaf_matrices(tree, ([average], [average]))
    for act in (
        lambda: bias_approach_stores(tree, wrong),
        lambda: leaf_reach(tree, wrong),
        lambda: leaves.penalised(wrong, 0.1),
        lambda: leaves.weakened(wrong, leaf_reach(tree, 0)),
        lambda: leaves.first(wrong, 1),
        lambda: leaves.and_more(wrong, leaves),
    ):
        with pytest.raises(InputError, match=r"^seat must be seat 0 or 1, not "):
            act()


def test_leaves_that_do_not_fit(tree, response):
    average = tree.tables.average
    leaves, more = (leaf_matrices(tree, ([average], own)) for own in ([average], [average, response]))
    assert leaves.and_more(1, more).counts == (1, 3)
    with pytest.raises(InputError, match="as many continuations of seat 1, 1, not 2"):
        leaves.and_more(0, more)
    with pytest.raises(InputError, match="of the same tree, with values for lines"):
        leaves.and_more(1, leaves.mapped({1: [1]}, {1: 100.0}))
    with pytest.raises(InputError, match=r"similar to line 7 must be some of the lines with leaf values .* not \[99\]"):
        leaves.mapped({7: [99]}, {7: 100.0})
    with pytest.raises(InputError, match=r"similar to line 7 must be some of the lines with leaf values .* not \[\]"):
        leaves.mapped({7: []}, {7: 100.0})
    with pytest.raises(InputError, match="pots must have that of line 7"):
        leaves.mapped({7: [1]}, {})
    with pytest.raises(InputError, match="reach must have that of line"):
        leaves.weakened(0, {})
