"""The functions of regret matching, compiled, against formulas in NumPy."""

import numpy as np
import pytest
from numba import njit

from counterpoise.kernels.regret_matching import Discounts, match, match_unpruned, update_regrets


@njit
def compiled_match(regrets, low, count, strategy, slot):
    match(regrets, low, count, strategy, slot)


@njit
def compiled_match_unpruned(regrets, low, count, pruned, argmax, strategy, slot):
    match_unpruned(regrets, low, count, pruned, argmax, strategy, slot)


@njit
def compiled_update(low, high, values, value, discounts, regrets, strategy):
    update_regrets(low, high, values, value, discounts, regrets, strategy)


@pytest.mark.parametrize("regrets", [[1.0, -2.0, 3.0], [-1.0, -2.0, -0.5], [0.0, 0.0, 0.0]])
def test_matching_is_in_proportion_to_positive_regrets_wherever_the_arrays_begin(regrets):
    table, strategy = np.array([9.0, 9.0, *regrets, 9.0]), np.full(4, 7.0)
    compiled_match(table, np.uint32(2), np.uint64(3), strategy, np.uint64(1))
    positive = np.maximum(regrets, 0.0)
    expected = positive / positive.sum() if positive.any() else np.full(3, 1 / 3)
    assert strategy[0] == 7.0
    assert strategy[1:] == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("regrets", "argmax", "expected"),
    [
        ([1.0, 5.0, 3.0, -1.0], False, [0.25, 0, 0.75, 0]),
        ([-1.0, 5.0, -3.0, -1.0], True, [1, 0, 0, 0]),
        ([-1.0, 5.0, -3.0, -1.0], False, [1 / 3, 0, 1 / 3, 1 / 3]),
    ],
)
def test_pruned_actions_are_not_played(regrets, argmax, expected):
    pruned, strategy = np.array([False, True, False, False]), np.full(4, 7.0)
    compiled_match_unpruned(np.array(regrets), 0, 4, pruned, argmax, strategy, 0)
    assert strategy == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("prediction", [0.0, 1.0])
def test_an_update_adds_discounts_and_matches(prediction):
    values, regrets, strategy = np.array([1.0, -2.0, 4.0]), np.array([0.5, 2.0, -9.0]), np.zeros(3)
    compiled_update(0, 3, values, 1.5, Discounts(0.5, 0.25, prediction), regrets, strategy)
    gains = values - 1.5
    sums = np.array([0.0, 0.0 if 2.0 + gains[1] == 0 else (2.0 + gains[1]) * 0.25, (-9.0 + gains[2]) * 0.25])
    assert regrets == pytest.approx(sums, abs=1e-15)
    likely = np.maximum(sums + prediction * gains, 0.0)
    assert strategy == pytest.approx(likely / likely.sum() if likely.any() else np.full(3, 1 / 3), abs=1e-15)
