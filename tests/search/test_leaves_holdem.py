"""Leaves of depth-limited hold'em: by enumeration of pairs and flops on twelve cards, and their changes.

See Brown 2020, section 5.2.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import combinations
from threading import Barrier, get_ident

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.betting.rules import CALL, FOLD
from counterpoise.cards import board_strengths
from counterpoise.errors import InputError
from counterpoise.public import (
    FlopHoldem,
    LeafBatch,
    Learning,
    Profile,
    PublicNode,
    Traverser,
    build_dense,
    build_holdem,
)
from counterpoise.public.leaves import ValueLeaves, first_of
from counterpoise.public.node import BelowNode
from counterpoise.search.continuations import bias_approach, biased, poker_class
from counterpoise.search.depth_limited import depth_limited
from counterpoise.search.leaves import LeafTable, SimilarLeaves, penalised, pot_of, weakened
from counterpoise.search.limited_rules import HistoryTable
from counterpoise.solvers.public.solver import public_schedule
from counterpoise.solvers.run import make_algorithm

GAME = FlopHoldem(ranks=3, stack=200, preflop=("100%",), flop=("50%", "100%"), max_bets=(2, 2))


@pytest.fixture(scope="module")
def whole():
    return GAME.game()


@pytest.fixture(scope="module")
def blueprint(whole):
    learning = Learning.fresh(whole)
    Traverser(whole).iterate(learning, public_schedule(make_algorithm("cfr+"), 0, 30))
    return learning.average


@pytest.fixture(scope="module")
def response(whole, blueprint):
    return Traverser(whole).best_response(1, blueprint)


def deals(whole):
    """The nodes at which the flop is dealt."""
    tree = whole.street_trees[0]
    nodes = [PublicNode(whole, 0, ("leaf", number), ()) for number in range(len(tree.leaves))]
    return [node for node in nodes if node.kind == "deal"]


def walk(node, profiles, hands, strengths, rows):
    """What seat 0 wins with a pair of hands on a flop, by walking the betting; `rows` are strategies met before."""
    if node.kind == "end":
        return node.game.betting.payoffs(node.state, strengths)[0]
    if node not in rows:
        rows[node] = node.strategy(profiles[node.player])[:, hands[node.player]]
    return sum(
        likely * walk(after, profiles, hands, strengths, rows)
        for likely, (_, after) in zip(rows[node], node.children(), strict=True)
        if likely > 0
    )


@pytest.mark.slow
def test_values_by_enumeration(whole, blueprint, response):
    """A leaf is worth to a pair of groups what their pairs of hands win over all flops, one by one."""
    profiles, leaf = (blueprint, response), deals(whole)[0]
    matrix = LeafTable(whole, ([blueprint], [response])).matrix(leaf, (0, 0))
    hands = whole.hands[0].astype(int)
    for pair in ((0, 40), (20, 21)):
        groups, total = tuple(int(matrix.groups[seat][hand]) for seat, hand in enumerate(pair)), 0.0
        for other in np.flatnonzero(matrix.groups[1] == groups[1]):  # all hands of a group are alike
            if set(hands[pair[0]]) & set(hands[other]):
                continue
            left = [card for card in whole.deck.cards.tolist() if card not in {*hands[pair[0]], *hands[other]}]
            flops = list(combinations(left, 3))
            for flop in flops:
                strong = board_strengths([flop], whole.hands[0][[pair[0], other]], whole.deck)[0]
                total += walk(leaf.deal(flop), profiles, (pair[0], other), strong.tolist(), {}) / len(flops)
        assert matrix.values[0][groups] == pytest.approx(total, rel=1e-5, abs=1e-3)
        assert matrix.values[1][groups[::-1]] * (matrix.groups[1] == groups[1]).sum() == pytest.approx(
            -total * (matrix.groups[0] == groups[0]).sum(), rel=1e-5, abs=1e-3
        )


def test_a_best_response_has_the_best_value(whole, blueprint, response):
    """The strategy that is read off a best response wins what best responses are said to win."""
    best = Traverser(whole).best_response_values(blueprint)[1]
    assert Traverser(whole).root_values(response)[1] == pytest.approx(best, rel=1e-5)
    chosen = response.strategy(1, 1, 1)
    assert set(np.unique(chosen)) <= {0.0, 1.0}


def test_18_drawn_flops_are_right_on_average(whole, blueprint):
    """The mean of values over drawn flops is within four standard errors of the table."""
    lists, leaf = ([blueprint], [blueprint]), deals(whole)[0]
    table = LeafTable(whole, lists).matrix(leaf, (0, 0)).values[0]

    def draw(seed):
        return LeafTable(whole, lists, boards=2, seed=seed).matrix(leaf, (0, 0)).values[0]

    drawn = np.array([draw(seed) for seed in range(60)])
    off, error = drawn.mean(axis=0) - table, drawn.std(axis=0, ddof=1) / np.sqrt(len(drawn))
    assert (np.abs(off) <= 4 * error + 1e-3).all()
    assert np.array_equal(drawn[3], draw(3))


def limited_leaves(whole, blueprint, table):
    found = depth_limited(whole.root, blueprint, 0, table)
    leaves = ValueLeaves(found.game, table)
    return found.game, leaves.nodes, leaves.picks


@pytest.mark.parametrize("seat", [0, 1])
def test_15_weakening(whole, blueprint, seat):
    """After it no continuation is worth more to a hand than the blueprint; it is left alone where it was not.

    The blueprint is poor, so that best responses beat it.
    """
    best = Traverser(whole).best_response(seat, blueprint)
    lists = ([blueprint, best], [blueprint]) if seat == 0 else ([blueprint], [blueprint, best])
    table = LeafTable(whole, lists)
    weaker = weakened(table, seat, blueprint)
    game, nodes, picks = limited_leaves(whole, blueprint, table)
    before, after = table.matrices(game, nodes, picks), weaker.matrices(game, nodes, picks)
    changed = 0
    for number, (node, picked) in enumerate(zip(nodes, picks, strict=True)):
        base = next(n for n, other in enumerate(nodes) if other.steps == node.steps and picks[n] == (0, 0))
        reach = whole.find(game.history(node)).reach(blueprint)[1 - seat]
        met = reach[first_of(before[number].groups[1 - seat])]
        old, kept, new = (part.values[seat] @ met for part in (before[number], before[base], after[number]))
        scale = np.abs(kept).max()
        assert new == pytest.approx(np.minimum(old, kept), abs=1e-6 * scale)
        changed += int((old > kept + 1e-6 * scale).sum())
        batch = LeafBatch(game, [node], [picked], tuple(np.ones((1, count)) for count in game.hand_counts))
        for player, found in enumerate(weaker.values(batch)):
            ones = np.ones(after[number].values[player].shape[1])
            wanted = (after[number].values[player] @ ones)[after[number].groups[player]]
            assert found[0] == pytest.approx(wanted, abs=1e-6 * np.abs(wanted).max())
    assert changed


def test_penalties(whole, blueprint, response):
    """The opponent pays a share of the pot for anything but its blueprint."""
    table = LeafTable(whole, ([blueprint], [blueprint, response]))
    game, nodes, picks = limited_leaves(whole, blueprint, table)
    before, after = (leaves.matrices(game, nodes, picks) for leaves in (table, penalised(table, 1, 0.1, pot_of)))
    pairs = whole.pairs_apart.astype(float)
    for node, picked, old, new in zip(nodes, picks, before, after, strict=True):
        for seat in range(2):
            less = (new.values[seat] - old.values[seat])[old.groups[seat]]
            members = np.eye(old.values[seat].shape[1])[old.groups[1 - seat]]
            met = (pairs if seat == 0 else pairs.T) @ members
            assert less == pytest.approx((1 - 2 * seat) * 0.1 * pot_of(node) * (picked[1] > 0) * met)


def test_similar_leaves_are_fractions_of_the_pot(whole, blueprint):
    """A leaf with the values of two others has the mean of their shares of the pot, times its own pot."""
    table, (one, other, *_) = LeafTable(whole, ([blueprint], [blueprint])), deals(whole)
    assert pot_of(one) != pot_of(other)
    leaves = SimilarLeaves(table, lambda leaf: [one, other], pot_of)
    (made,) = leaves.matrices(whole, [other], [(0, 0)])
    shares = [table.matrix(node, (0, 0)).values[0] / pot_of(node) for node in (one, other)]
    assert made.values[0] == pytest.approx(pot_of(other) * (shares[0] + shares[1]) / 2)
    with pytest.raises(InputError, match="nothing is similar"):
        SimilarLeaves(table, lambda leaf: [], pot_of).matrices(whole, [other], [(0, 0)])


def test_17_bias(whole, blueprint):
    """A factor of 1 changes nothing; ten times a class of actions is ten times as likely relative to others;
    what is never done stays so."""
    for tree, number, board in ((0, 0, 0), (1, 2, 3), (2, 1, 5)):
        node = whole.street_trees[tree].decisions[number]
        before = blueprint.strategy(tree, number, board)
        for same in bias_approach(blueprint, 1.0):
            assert same.strategy(tree, number, board) == pytest.approx(before, abs=1e-6)
        for profile, chosen in zip(bias_approach(blueprint, 10.0)[1:], (FOLD, CALL, 1), strict=True):
            after = profile.strategy(tree, number, board)
            scale = np.array([[10.0 if min(action, 1) == chosen else 1.0] for action in node.actions])
            assert after == pytest.approx(before * scale / (before * scale).sum(axis=0), abs=1e-5)
            assert after.sum(axis=0) == pytest.approx(1)
            assert (after[before == 0] == 0).all()
    assert [poker_class(action) for action in (FOLD, CALL, 250)] == ["fold", "call", "raise"]
    with pytest.raises(InputError, match="factor"):
        biased(blueprint, "fold", 0)


def test_continuations_are_taken_and_appended(whole, blueprint, response):
    """Matrices that are known are kept, and a list of fewer is the beginning of it."""
    table = LeafTable(whole, ([blueprint], [blueprint]))
    leaf = deals(whole)[0]
    known = table.matrix(leaf, (0, 0))
    more = table.append(1, [response])
    assert more.counts == (1, 2)
    assert more.matrix(leaf, (0, 0)) is known
    assert more.take(1, 1).counts == (1, 1)
    alone = LeafTable(whole, ([blueprint], [response])).matrix(leaf, (0, 0))
    assert np.array_equal(more.matrix(leaf, (0, 1)).values[0], alone.values[0])
    assert more.megabytes == pytest.approx(2 * sum(part.nbytes for part in known.values) / 1e6)


def history_table():
    return HistoryTable("kuhn_poker", [[cp.Strategy.uniform(cp.enumerate_game("kuhn_poker"))]] * 2)


def test_wrong_input(whole, blueprint):
    table = LeafTable(whole, ([blueprint], [blueprint]))
    with pytest.raises(InputError, match="continuations"):
        LeafTable(whole, ([], [blueprint]))
    with pytest.raises(InputError, match="boards"):
        LeafTable(whole, ([blueprint], [blueprint]), boards=0)
    with pytest.raises(InputError, match="count"):
        table.take(1, 2)
    game, nodes, picks = limited_leaves(whole, blueprint, table)
    with pytest.raises(InputError, match="in hold'em use a LeafTable"):
        HistoryTable("kuhn_poker", [[cp.Strategy.uniform(cp.enumerate_game("kuhn_poker"))]] * 2).matrices(
            game, nodes, picks
        )
    apart = build_holdem(replace(whole.rules, isomorphism=False))
    (leaf, *_), _ = limited_leaves(apart, Learning.fresh(apart).average, table)[1:]
    with pytest.raises(InputError, match="does not tell suits apart"):
        table.matrix(leaf, (0, 0))


@pytest.mark.parametrize("wrong", [2, -1, True, "first"], ids=repr)
def test_seats(whole, blueprint, wrong):
    table = LeafTable(whole, ([blueprint], [blueprint]))
    for act in (
        lambda: penalised(table, wrong, 0.1, pot_of),
        lambda: weakened(table, wrong, blueprint),
        lambda: table.take(wrong, 1),
        lambda: table.append(wrong, [blueprint]),
    ):
        with pytest.raises(InputError, match=r"^seat must be seat 0 or 1, not "):
            act()


def test_tables_in_several_threads_have_scratch_rows_of_their_own(monkeypatch):
    """A table, its copies and their threads never share a traverser, whose scratch rows serve one caller at a time."""
    whole = build_dense("kuhn_poker")
    uniform = Profile(whole)
    table = LeafTable(whole, ([uniform], [uniform, uniform.copy()]))
    tables, used, meet = [table, table.take(1, 1), table.append(0, [uniform.copy()])], {}, Barrier(3)

    class Recorded(BelowNode):
        def __init__(self, node, profile, traverser=None):
            used[get_ident()] = traverser
            meet.wait(timeout=20)  # all three evaluate at the same time
            super().__init__(node, profile, traverser)

    monkeypatch.setattr("counterpoise.search.leaves.BelowNode", Recorded)
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda one: one.matrix(whole.root, (0, 0)), tables))
    assert len({id(traverser) for traverser in used.values()}) == len(used) == 3
    for one in found[1:]:
        np.testing.assert_array_equal(one.values[0], found[0].values[0])


@pytest.mark.parametrize("threads", [0, True, 1.5], ids=repr)
def test_wrong_threads_are_refused(threads):
    whole = build_dense("kuhn_poker")
    with pytest.raises(InputError, match="threads must be a whole number of at least 1"):
        LeafTable(whole, ([Profile(whole)], [Profile(whole)]), threads=threads)
