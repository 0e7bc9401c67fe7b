"""Samples of external sampling for methods that learn from them instead of keeping tables (Brown 2020, section 4.1.2).

    traverser     v(a) = walk(h a) for all actions; sample the advantages v(a) - sum_b sigma(b) v(b)
    opponent      sample sigma; draw an action by it

Values are not weighted by any reach: an information set is met in proportion to the reach of the others, so the sum of
its samples estimates its counterfactual regret. Strategies are frozen while walks run (K-external sampling).

All branches of a walk meet the same chance: the k-th draw on a path is made with the same random number in every
branch. That leaves the expectation of every sample as it is and makes differences between actions less noisy.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.kernels.options import LEAN
from counterpoise.kernels.random import uniform
from counterpoise.solvers.kernels.mccfr import outcome_of
from counterpoise.tree.kernels.layouts import FloatArray

ADVANTAGES, STRATEGIES, LUCK = 0, 1, 2
"""What `Samples.used` counts: the two kinds of samples, and the random numbers of chance in a walk."""


class Samples(NamedTuple):
    """The strategy that walks play, and room for what they find: advantages of the traverser, strategies of the others.

    `column` says which output of a network stands for a sequence; entries of illegal actions stay 0. `luck` are the
    random numbers by which the chance nodes of a walk are drawn, by the number of chance nodes above.
    """

    strategy: FloatArray  # [sequence]
    infoset: NDArray[np.int32]  # [sequence] the infoset that owns it
    column: NDArray[np.int32]  # [sequence]
    own: NDArray[np.int32]  # [row] infosets of the traverser
    advantages: FloatArray  # [row, column]
    other: NDArray[np.int32]  # [row] infosets of the others
    strategies: FloatArray  # [row, column]
    luck: FloatArray  # [chance nodes above]
    used: NDArray[np.int64]  # [3]


@njit(**LEAN)
def count_samples(histories, traverser, most):
    """Write the most advantages and strategies that a walk from each history can sample, bottom-up."""
    for h in range(len(histories.parent) - 1, -1, -1):
        advantages, strategies = 0, 0
        first = histories.first_child[h]
        own = histories.player[h] == traverser
        for child in range(first, first + histories.children[h]):
            if own:  # all actions are explored
                advantages += most[child, ADVANTAGES]
                strategies += most[child, STRATEGIES]
            else:  # one is drawn
                advantages = max(advantages, most[child, ADVANTAGES])
                strategies = max(strategies, most[child, STRATEGIES])
        most[h, ADVANTAGES] = advantages + (1 if own else 0)
        most[h, STRATEGIES] = strategies + (1 if histories.player[h] >= 0 and not own else 0)


@njit(cache=True, nogil=True, inline="always")
def repeat_outcome(tree, node, samples, above, random):
    """Draw an outcome of a chance node by the number that all nodes with as many chance nodes above share."""
    if above == samples.used[LUCK]:
        samples.luck[above] = uniform(random)
        samples.used[LUCK] += 1
    return outcome_of(tree, node, samples.luck[above])


@njit(cache=True, nogil=True, inline="always")
def given_weights(strategy, low, width, weights, slot):
    """Write the given strategy of an infoset from `slot` on and return the sum of its probabilities."""
    total = 0.0
    for k in range(width):
        weights[slot + k] = strategy[low + k]
        total += strategy[low + k]
    return total


@njit(cache=True, nogil=True, inline="always")
def write_strategy(samples, low, width, weights, slot):
    """Sample the strategy of an infoset of an opponent."""
    row = samples.used[STRATEGIES]
    samples.other[row] = samples.infoset[low]
    for k in range(width):
        samples.strategies[row, samples.column[low + k]] = weights[slot + k]
    samples.used[STRATEGIES] = row + 1


@njit(cache=True, nogil=True, inline="always")
def write_advantages(samples, low, width, values, slot, value):
    """Sample the advantages v(a) - v(I) of an infoset of the traverser."""
    row = samples.used[ADVANTAGES]
    samples.own[row] = samples.infoset[low]
    for k in range(width):
        samples.advantages[row, samples.column[low + k]] = values[slot + k] - value
    samples.used[ADVANTAGES] = row + 1
