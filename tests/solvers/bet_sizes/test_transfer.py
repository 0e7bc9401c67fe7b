"""Regret transfer: the weights and the bounds that they keep, on random matrix games and against NumPy."""

import math

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.solvers import make_algorithm
from counterpoise.solvers.bet_sizes import ParametricSolver, Transfer, enumerate_family, make_family
from counterpoise.solvers.bet_sizes.transfer import change_weight
from counterpoise.tree import evaluate

from .replay import Matrices, iterate

SIMULTANEOUS = "cfr(updates=simultaneous)"
SIZE = 5


def matrix_family(seed, perturbation=0.1):
    """A random game of 5 x 5 at 0, with all payoffs perturbed at 1."""
    random = np.random.default_rng(seed)
    payoffs, change = random.uniform(-1, 1, (SIZE, SIZE)), random.uniform(-perturbation, perturbation, (SIZE, SIZE))

    def game(theta):
        return cp.load("matrix", row_payoffs=tuple(map(tuple, (payoffs + theta * change).tolist())))

    return enumerate_family(make_family(game, ["theta"]), ((0.0, 1.0),))


def transferred(seed, rule, iterations):
    """A solver that has changed games after some iterations."""
    solver = ParametricSolver(make_algorithm(SIMULTANEOUS), matrix_family(seed), [0.0])
    solver.step(iterations)
    weight = solver.transfer([1.0], rule)
    assert 0 < weight <= 1
    return solver


def check_bound(seed, rule, iterations=2_000):
    """Brown 2020, theorem 16: every average regret keeps the bound of w T + T2 fresh iterations, and the profile
    follows.
    """
    solver = transferred(seed, rule, iterations)
    spread = np.ptp(solver.tree.histories.payoffs)
    for _ in range(iterations):
        solver.step()
        bound = spread * math.sqrt(SIZE / solver.worth)
        assert solver.regrets.max() / solver.worth <= bound
    assert evaluate(solver.tree, solver.average_profile()).nash_conv <= 2 * bound


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rule", ["largest", "potential"])
def test_regret_after_a_transfer_keeps_its_bound(seed, rule):
    """Three of the twenty games."""
    check_bound(seed, rule, 500)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_regret_after_a_transfer_keeps_its_bound_at_every_iteration(seed):
    """Twenty games, ten by each rule, 2,000 iterations before the change and each of 2,000 after it."""
    check_bound(seed, ("largest", "potential")[seed % 2])


def random_transfer(seed):
    """Regrets that regret matching can have after T iterations, and changed ones."""
    game, random = matrix_family(seed % 5), np.random.default_rng(seed)
    iterations = float(random.integers(1, 10_000))
    before, change = np.zeros((2, game.structure.table.size))
    for start, spread in zip(game.structure.table.start, game.payoff_range, strict=True):
        block = slice(start, start + SIZE)
        regrets = random.normal(size=SIZE)
        potential = np.square(regrets.clip(0)).sum()
        before[block] = regrets * spread * math.sqrt(SIZE * iterations / max(potential, 1e-9)) * random.uniform()
        change[block] = random.normal(size=SIZE) * iterations * random.uniform(0, 0.2)
    return Transfer(game, iterations, before, before + change)


@pytest.mark.parametrize("seed", range(200))
def test_weights_stay_in_the_range_of_the_theorem(seed):
    """What proposition 1 allows, theorem 16 allows too; so does the ratio of potentials."""
    transfer = random_transfer(seed)
    largest = transfer.largest_valid()
    for rule in ("change", "potential"):
        assert transfer.weight(rule) <= largest + 1e-12
    by_hand = [
        (spread**2 * SIZE * transfer.iterations) / np.square(transfer.after[start : start + SIZE].clip(0)).sum()
        for start, spread in zip(transfer.game.structure.table.start, transfer.game.payoff_range, strict=True)
        if transfer.after[start : start + SIZE].max() > 0
    ]
    assert largest == pytest.approx(min([1.0, *by_hand]))
    grown = [transfer.weight("change", scale) for scale in (0.01, 0.1, 1.0, 2.0, 10.0)]
    assert grown == sorted(grown)
    assert transfer.weight("change", 1e9) == pytest.approx(1.0, abs=1e-4)


def test_the_weight_that_the_source_prints():
    """An increase of 0.00712 after 10^6 iterations with three actions is 0.125 with an average payoff of 5."""
    weights = [change_weight(0.00712, 1e6, 3, scale) for scale in (5, 5.71, 1, 13)]
    assert weights == pytest.approx([0.1256, 0.146, 0.013, 0.31], rel=0.02)


def test_a_decrease_of_all_regrets_needs_no_discount():
    game = matrix_family(0)
    before = np.ones(game.structure.table.size)
    transfer = Transfer(game, 100.0, before, before - 0.5)
    assert transfer.increase == 0.0
    assert {transfer.weight(rule) for rule in ("change", "potential", "total potential", "largest")} == {1.0}
    assert transfer.weight("change", scale=3.0) == 1.0


@pytest.mark.parametrize("wrong", [-0.1, 1.5, "all", None, True])
def test_other_weights_are_refused(wrong):
    before = np.zeros(matrix_family(0).structure.table.size)
    with pytest.raises(cp.InputError, match=r"^weight must be largest, potential, total potential, change or a number"):
        Transfer(matrix_family(0), 1.0, before, before).weight(wrong)


def test_rules_count_iterations_alike():
    solver = ParametricSolver(make_algorithm("lcfr"), matrix_family(0), [0.0])
    solver.step(10)
    with pytest.raises(cp.InputError, match=r"^the weight 'potential' counts all iterations alike: use cfr, not lcfr"):
        solver.transfer([1.0], "potential")
    assert solver.transfer([1.0], 0.5) == 0.5


@pytest.mark.parametrize("weight", [0.125, 0.7])
def test_scaling_the_past_is_scaling_the_future(weight):
    """NumPy lets every later iteration count 1/w times instead; the strategies of 1,000 iterations are the same."""
    solver = transferred(7, weight, 300)
    game = Matrices(solver.tree.game, solver.tree.table)
    regrets, average, strategy = (
        row[None] for row in (solver.regrets / weight, solver.cumulative / weight, solver.current_profile())
    )
    for _ in range(1_000):
        iterate(game, regrets, average, strategy, 1 / weight)
        solver.step()
        np.testing.assert_allclose(
            solver.current_profile()[solver.tree.table.start], strategy[0][solver.tree.table.start], atol=1e-9
        )
        np.testing.assert_allclose(solver.regrets, weight * regrets[0], atol=1e-9)
    np.testing.assert_allclose(solver.cumulative, weight * average[0], rtol=1e-9)
