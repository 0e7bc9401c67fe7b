"""Continuous Leduc: sizes of its abstractions, CFR on them, and wrong input."""

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.solvers.saef import ContinuousLeduc, GrowingCFR, GrowingTree, exploitability

from .conftest import BRANCH


@pytest.mark.parametrize(("branch", "infosets", "nodes"), [(2, 1_680, 1_560), (3, 5_928, 5_700), (5, 34_224, 33_672)])
def test_sizes(branch, infosets, nodes):
    """Information sets and public nodes of Branch-2, 3 and 5."""
    tree = GrowingTree(ContinuousLeduc(), BRANCH[branch])
    assert (tree.infosets, tree.live) == (infosets, nodes)
    per_player = 3 * (1 + branch + branch**2) + 9 * (1 + 2 * branch + 2 * branch**2) * (1 + branch + branch**2)
    assert tree.infosets == 2 * per_player


def test_new_nodes_are_counted_beforehand():
    tree = GrowingTree(ContinuousLeduc(), BRANCH[3])
    for history in ("", "c", "cr1", "cc/K:", "r0.01c/Q:r1"):
        before, node = tree.live, tree.find(history)
        expected = tree.new_nodes(node)
        assert tree.history(tree.add_bet(node, 0.5)) == f"{history}r0.5"
        assert tree.live - before == expected


def test_iterations_are_those_of_the_package():
    """The same iterations of CFR on the enumerated rule book: values and strategies agree until rounding matters."""
    cfr = GrowingCFR()
    cfr.step(50)
    run = cp.solve(ContinuousLeduc().rule_book(), "cfr", iterations=50, progress=False)
    assert exploitability(cfr.tree, cfr.average_strategy(), "abstract") == pytest.approx(run.exploitability, rel=1e-9)


def test_kuhn_poker():
    """One suit, one round, one bet of half the pot: Kuhn poker, worth -1/18 to the first seat."""
    cfr = GrowingCFR(ContinuousLeduc(low=0.5, high=0.5, suits=1, max_bets=1, rounds=1))
    assert cfr.tree.infosets == 12
    cfr.step(20_000)
    assert exploitability(cfr.tree, cfr.average_strategy(), "abstract") < 1e-3
    assert cfr.tables.value[0].sum() / cfr.iterations == pytest.approx(-1 / 18, abs=2e-3)


@pytest.mark.slow
def test_converges_to_the_value_of_the_linear_programme():
    """The mean value of CFR's iterations is within the exploitability of the equilibrium value by LP."""
    game = ContinuousLeduc(max_bets=1)
    cfr = GrowingCFR(game)
    cfr.step(10_000)
    gap = 2 * exploitability(cfr.tree, cfr.average_strategy(), "abstract")
    assert gap < 0.01
    value = cp.exact(game.rule_book()).value[0]
    assert cfr.tables.value[0].sum() / cfr.iterations == pytest.approx(value, abs=gap)


def test_archive_changes_nothing():
    """With and without the archive, the same strategies over 1,000 iterations."""
    game = ContinuousLeduc(max_bets=1)
    with_archive, without = (GrowingCFR(game, archive=archive) for archive in (True, False))
    for _ in range(10):
        for cfr in (with_archive, without):
            cfr.step(100)
        np.testing.assert_array_equal(with_archive.tables.strategy, without.tables.strategy)
        np.testing.assert_array_equal(with_archive.average_strategy(), without.average_strategy())
    assert with_archive.nodes_touched < 0.98 * without.nodes_touched


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: ContinuousLeduc(low=0.5, high=0.2), "no bet is from 0.5 to 0.2 of the pot: low must not exceed high"),
        (lambda: ContinuousLeduc(high=2), "high must be a fraction of the pot from 0.01 to 1, not 2"),
        (lambda: ContinuousLeduc(low=float("nan")), "low must be a fraction of the pot from 0.01 to 1, not nan"),
        (lambda: ContinuousLeduc(ranks=1), "ranks must be a whole number from 2"),
        (lambda: ContinuousLeduc(ranks=2, suits=1), "the deck must have more than 3 cards, not 2"),
        (lambda: GrowingCFR(sizes=(0.01, 0.001, 1)), "sizes must be fractions of the pot from 0.01 to 1, not 0.001"),
        (lambda: GrowingCFR(sizes=(0.5, 1)), "sizes must contain the smallest and the largest bet, 0.01 and 1"),
        (lambda: GrowingCFR(sizes=0.5), "sizes must be a list of fractions of the pot, not 0.5"),
        (lambda: GrowingTree(ContinuousLeduc()).find("cr0.7"), "after 'c' comes one of c, r0.01, r1"),
        (lambda: ContinuousLeduc(suits=3).rule_book(), "only games of two suits and two rounds have a rule book"),
    ],
)
def test_wrong_input(make, sentence):
    with pytest.raises(cp.InputError, match=sentence):
        make()
