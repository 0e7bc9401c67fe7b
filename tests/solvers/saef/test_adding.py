"""Adding bets while CFR runs: theorems 18 and 19, regret transfer, discounts, removal."""

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.solvers.saef import ContinuousLeduc, GrowingCFR, exploitability
from counterpoise.solvers.saef.adding import (
    add_by_recovery,
    add_by_transfer,
    check_new_bet,
    recovery_iterations,
    remove_hopeless,
    summed_reach,
)
from counterpoise.solvers.saef.cfr import SUMS, value_parts
from counterpoise.solvers.saef.kernels.layouts import DEAL, GONE
from counterpoise.solvers.saef.weights import past_weight

from .slow import play_recovery, record, walk

KUHN = ContinuousLeduc(suits=1, rounds=1)


def replay(tree, met, weights):
    """Return the sums of profiles, each counted with its weight, in a tree that contains them."""
    sums = {name: np.zeros((tree.count, tree.game.ranks)) for name in SUMS}
    for seat in range(2):
        for strategy, weight in zip(met[seat], weights, strict=True):
            visits = {}
            walk(tree, seat, strategy, visits=visits)
            for node, found in visits.items():
                children = tree.children(node)
                sums["regrets"][children] += weight * (found.actions - found.value)
                sums["average"][children] += weight * found.own * strategy[children]
                sums["value"][node] += weight * found.value
                sums["faced"][node] += weight * found.other
                for child in tree.bets(node).values():
                    fold = tree.children(child)[0]
                    sums["folded"][child] += weight * walk(
                        tree, seat, strategy, fold, found.own, found.other * strategy[fold]
                    )
    return sums


@pytest.mark.parametrize(
    ("game", "history", "turns", "rounds"),
    [
        (KUHN, "", 7, 5),
        (KUHN, "cr1", 7, 5),
        (ContinuousLeduc(), "cr1c/K:", 3, 3),
        (ContinuousLeduc(ranks=2), "r1", 2, 3),
    ],
)
def test_recovery_is_a_replay_of_all_pairs(game, history, turns, rounds):
    """Brown 2020, theorem 18: the sums are those of all pairs of an iteration outside and one of the recovery game
    inside.
    """
    cfr = GrowingCFR(game)
    outside = record(cfr, turns)
    node = cfr.tree.find(history)
    faced, value = cfr.tables.faced[node].copy(), cfr.tables.value[node].copy()
    root = add_by_recovery(cfr, node, 0.3, rounds)
    inside = play_recovery(cfr.tree, root, faced, value, rounds)
    pairs = [], []
    for seat in range(2):
        for first in outside[seat]:
            for second in inside[seat]:
                both = second.copy()
                both[:root] = first[:root]
                both[root] = 0.0  # never entered
                pairs[seat].append(both)
    expected = replay(cfr.tree, pairs, np.full(turns * rounds, 1 / rounds))
    for name in SUMS:
        found = getattr(cfr.tables, name)[: cfr.tree.count]
        np.testing.assert_allclose(found, expected[name], atol=1e-12, err_msg=name)


def test_the_weight_of_theorem_19():
    """The sum of sqrt(w^2 S T + T') is at most |I| sqrt(w T + T') for every T', with w = min(1, 1 / mean S)."""
    random = np.random.default_rng(1)
    for _ in range(200):
        potentials = random.gamma(0.3, random.uniform(0.1, 100), size=random.integers(1, 50))
        weight, before = min(1, 1 / potentials.mean()), random.uniform(1, 1e4)
        for after in (0, 1, before, 1e6):
            total = np.sqrt(weight**2 * potentials * before + after).sum()
            assert total <= len(potentials) * np.sqrt(weight * before + after) * (1 + 1e-12)


def test_weights_are_within_theorem_19():
    """On a live run with whole recovery games, the weight by potentials never exceeds the largest allowed."""
    cfr = GrowingCFR()
    weights = []
    for step, history in enumerate(["r1c/K:r1", "cr1", "cc/Q:", "c", "r0.01c/J:c", "cr1c/K:", "r1"]):
        cfr.step(40)
        node = cfr.tree.find(history)
        assert recovery_iterations(cfr, node, 1, None) >= summed_reach(cfr, node) ** 2 / cfr.worth
        root = add_by_recovery(cfr, node, 0.2 + 0.05 * step, recovery_iterations(cfr, node, 1, None))
        weight, largest = past_weight(cfr, root), past_weight(cfr, root, "largest")
        assert 0 < weight <= largest <= 1
        cfr.discount(weight)
        weights.append(weight)
    assert min(weights) < 0.999


def test_transfer_to_the_same_size_copies():
    """Everything of the bettor is copied, the head's regret is the same."""
    cfr = GrowingCFR()
    cfr.step(50)
    like = cfr.tree.bets(0)[1.0]
    root = add_by_transfer(cfr, 0, 1.0, like)
    sources, tables, kind = cfr.tree.below(like), cfr.tables, cfr.tree.arrays.kind
    for name in ("regrets", "value", "folded", "faced"):
        table = getattr(tables, name)
        np.testing.assert_allclose(table[root], table[like] * (name in ("regrets", "folded")), atol=1e-12)
        for copy, source in zip(range(root + 1, cfr.tree.count), sources[1:], strict=True):
            decides = copy if name in ("value", "faced") else cfr.tree.arrays.parent[copy]
            own = kind[decides] == 0
            expected = table[source] if own else 0 * table[source]
            if kind[decides] < DEAL:
                np.testing.assert_array_equal(table[copy], expected)
    np.testing.assert_array_equal(cfr.tree.arrays.stake[root : cfr.tree.count], cfr.tree.arrays.stake[sources])


def test_folds_and_the_rest_are_the_value():
    """F + C is the summed value of a bet, and with C scaled that of the same play after a bet of another size."""
    cfr = GrowingCFR(KUHN)
    met = record(cfr, 20)
    node, size = cfr.tree.find("c"), 0.37
    like = cfr.tree.bets(node)[1.0]
    sources = cfr.tree.below(like)
    folds, rest = value_parts(cfr)[:, like]
    np.testing.assert_allclose(folds, replay(cfr.tree, met, np.ones(20))["folded"][like], rtol=1e-12)
    np.testing.assert_allclose(folds + 3 * rest, cfr.tables.regrets[like] + cfr.tables.value[node], rtol=1e-12)
    expected = folds + (1 + 2 * size) * rest
    root = add_by_transfer(cfr, node, size, like)
    assert cfr.tree.arrays.stake[cfr.tree.children(root)[0]] == 1.0  # an immediate fold costs what it did
    total = 0
    for strategy in met[1]:
        played = np.zeros((cfr.tree.count, 3))
        played[:root] = strategy[:root]
        played[root:] = strategy[sources]
        visits = {}
        walk(cfr.tree, 1, played, visits=visits)
        total += visits[node].actions[cfr.tree.children(node).index(root)]
    np.testing.assert_allclose(expected, total, rtol=1e-12)
    np.testing.assert_allclose(cfr.tables.regrets[root] + cfr.tables.value[node], total, rtol=1e-12)


def test_a_discount_reaches_every_sum():
    """Discounting changes no strategy, and equals weighing the future more."""
    one, other = GrowingCFR(KUHN), GrowingCFR(KUHN)
    for cfr in (one, other):
        cfr.step(30)
    one.discount(0.25)
    assert one.worth == 7.5
    for name in SUMS:
        np.testing.assert_array_equal(getattr(one.tables, name), 0.25 * getattr(other.tables, name))
    np.testing.assert_array_equal(one.average_strategy(), other.average_strategy())


def test_new_bets_have_no_average_and_are_judged_all_the_same():
    """Right after an addition the bettor has never been below it; the fallback is played and judged there."""
    cfr = GrowingCFR()
    cfr.step(30)
    before = exploitability(cfr.tree, cfr.average_strategy(), "abstract")
    root = add_by_recovery(cfr, 0, 0.4, 50)
    strategy = cfr.average_strategy()
    assert strategy[root].tolist() == [0, 0, 0]
    for node in cfr.tree.below(0):
        if cfr.tree.arrays.kind[node] < DEAL:
            np.testing.assert_allclose(strategy[cfr.tree.children(node)].sum(axis=0), 1)
            np.testing.assert_allclose(cfr.tables.strategy[cfr.tree.children(node)].sum(axis=0), 1)
    assert np.isfinite(exploitability(cfr.tree, strategy))
    assert exploitability(cfr.tree, strategy, "abstract") >= before - 1e-12


def test_hopeless_bets_are_removed_for_good():
    """A bet that is never made goes with all that follows; one that an equilibrium makes stays."""
    cfr = GrowingCFR(ContinuousLeduc(max_bets=1), sizes=(0.01, 0.5, 1))
    cfr.step(3000)
    size, count = cfr.tree.live, cfr.tree.count
    removed = remove_hopeless(cfr, 0.5)
    assert removed
    assert all(history.endswith("r0.5") for history in removed)
    gone = np.count_nonzero(cfr.tree.arrays.kind[:count] == GONE)
    assert cfr.tree.live == size - gone == len(cfr.tree.below(0))
    before = exploitability(cfr.tree, cfr.average_strategy(), "abstract")
    for table in (cfr.average_strategy(), cfr.tables.strategy):
        for node in cfr.tree.below(0):
            if cfr.tree.arrays.kind[node] < DEAL:
                np.testing.assert_allclose(table[cfr.tree.children(node)].sum(axis=0), 1)
    cfr.step(3000)
    assert exploitability(cfr.tree, cfr.average_strategy(), "abstract") < before


def test_wrong_bets():
    cfr = GrowingCFR()
    with pytest.raises(cp.InputError, match="no bet is allowed after 'r1r1'"):
        check_new_bet(cfr, cfr.tree.find("r1r1"), 0.5)
    with pytest.raises(cp.InputError, match=r"must be from 0.01 to 1 of the pot and none of 0.01, 1, not 1"):
        check_new_bet(cfr, 0, 1.0)
