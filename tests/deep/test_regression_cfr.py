"""Regression CFR: exact regressors are CFR, and the regression tree is that of scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

import counterpoise as cp
from counterpoise.deep.enumerated import EnumeratedGame
from counterpoise.deep.kernels.regression_tree import grow, look_up
from counterpoise.deep.regression_cfr import RegressionCFRSettings
from counterpoise.tree import enumerate_game


@pytest.fixture(scope="module")
def leduc():
    return EnumeratedGame(enumerate_game("leduc_poker"))


def run(game, iterations, **settings):
    learner = RegressionCFRSettings(**settings).on(game)
    for _ in range(iterations):
        learner.step()
    return learner


@pytest.mark.parametrize("weighting", ["uniform", "linear"])
def test_table_is_cfr(leduc, weighting):
    """With the regrets themselves as predictions, regression CFR is CFR, or LCFR with linear weights."""
    algorithm = {"uniform": "cfr", "linear": "lcfr"}[weighting]
    expected = cp.solve("leduc_poker", algorithm, iterations=40, progress=False)
    found = run(leduc, 40, regressor="table", weighting=weighting)
    assert found.exploitability() == pytest.approx(expected.exploitability, rel=1e-6)


def test_tree_with_a_leaf_for_each_pair_is_cfr(leduc):
    exact, tree = run(leduc, 15, regressor="table"), run(leduc, 15, regressor="tree", leaves=1000)
    assert tree.figures()["loss"] < 1e-20
    assert tree.exploitability() == pytest.approx(exact.exploitability(), rel=0.02)


def test_a_tree_has_no_more_leaves_than_pairs(leduc):
    """However many are allowed: room is made for as many as there can be."""
    some, any_number = (run(leduc, 2, regressor="tree", leaves=leaves) for leaves in (10**5, 10**12))
    np.testing.assert_array_equal(some.regrets, any_number.regrets)


def test_better_regressors_come_closer(leduc):
    """The bound on approximate regret matching: what a regressor leaves over shows in exploitability."""
    found = [run(leduc, 60, regressor="tree", leaves=leaves) for leaves in (20, 100, 400)]
    losses, exploitable = [one.figures()["loss"] for one in found], [one.exploitability() for one in found]
    assert losses == sorted(losses, reverse=True)
    assert exploitable == sorted(exploitable, reverse=True)


@pytest.mark.long
def test_network_comes_close(leduc):
    assert run(leduc, 60, regressor="mlp").exploitability() < 0.3


def test_tree_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    features, targets = rng.random((300, 5)), rng.standard_normal(300)
    weights = rng.random(300) + 0.1
    found = np.empty(300)
    look_up(*grow(features, targets, weights, 5, 1000), features, found)
    oracle = DecisionTreeRegressor(min_samples_leaf=5).fit(features, targets, weights)
    np.testing.assert_allclose(found, oracle.predict(features), atol=1e-9)


@pytest.mark.parametrize("regressor", ["tree", "mlp"])
def test_resumes_bit_for_bit(regressor):
    game = EnumeratedGame(enumerate_game("kuhn_poker"))
    settings = {"regressor": regressor, "hidden": (8,), "steps": 5, "leaves": 4}
    whole, first = run(game, 4, **settings), run(game, 2, **settings)
    second = run(game, 0, **settings)
    second.restore(first.state())
    second.step()
    second.step()
    for name, array in whole.state().items():
        np.testing.assert_array_equal(second.state()[name], array)
