"""Regret matching at one information set: the one set of functions that every traversal calls.

The regrets of an information set are ``regrets[low : low + count]``; its strategy, or weights in proportion to it, are
``strategy[slot : slot + count]``. Every variant of CFR is the same rule with other numbers: after adding the regrets of
an iteration, positive sums are multiplied by one factor and negative sums by another (Brown 2020, section 3.1.2; a
factor of 0 on negative sums is the floor of RM+), and the next strategy is proportional to the positive part of the
sums, plus once more the last regrets where a variant predicts that they will repeat (Farina et al. 2021).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

INLINE: dict[str, Any] = {"cache": True, "nogil": True, "inline": "always", "error_model": "numpy"}


class Discounts(NamedTuple):
    """The factors of one iteration on positive and on negative sums, and how often the last regrets are predicted."""

    positive: float
    negative: float
    prediction: float


@njit(**INLINE)
def discounted(regret, positive, negative):
    """Return a regret sum times the factor of its sign."""
    return regret * (positive if regret > 0.0 else negative)


@njit(**INLINE)
def positive_parts(regrets, low, count, pruned, strategy, slot):
    """Write the positive parts of the regrets and return their sum; pruned actions (None: none) get 0."""
    total = 0.0
    for k in range(count):
        part = max(regrets[low + k], 0.0)
        if pruned is not None and pruned[low + k]:
            part = 0.0
        strategy[slot + k] = part
        total += part
    return total


@njit(**INLINE)
def even_weights(count, strategy, slot):
    """Write a weight of 1 for every action and return their sum."""
    for k in range(count):
        strategy[slot + k] = 1.0
    return np.float64(count)


@njit(**INLINE)
def normalise(count, total, strategy, slot):
    """Divide weights by their sum; where that is 0, play all actions alike."""
    if total > 0.0:
        scale = 1.0 / total
        for k in range(count):
            strategy[slot + k] *= scale
    else:
        even = 1.0 / np.float64(count)
        for k in range(count):
            strategy[slot + k] = even


@njit(**INLINE)
def first_largest(regrets, low, count, pruned):
    """Return where the first of the largest regrets of actions that are not pruned (None: of all) is."""
    best, largest = low, -np.inf
    for k in range(count):
        if (pruned is None or not pruned[low + k]) and regrets[low + k] > largest:
            best, largest = low + k, regrets[low + k]
    return best


@njit(**INLINE)
def regret_based_probability(regret, threshold, scale):
    """Return the probability of exploring an action: 1 from the threshold C on, 1/2 at C - K (`scale`), 0 far below.

    Regret-based sampling (Brown 2020, section 6.3) draws own actions by it.
    """
    return 1.0 if regret >= threshold else scale / (scale + threshold - regret)


@njit(**INLINE)
def match(regrets, low, count, strategy, slot):
    """Write the strategy in proportion to the positive regrets, or all actions alike if there are none."""
    total = positive_parts(regrets, low, count, None, strategy, slot)
    normalise(count, total, strategy, slot)


@njit(**INLINE)
def match_unpruned(regrets, low, count, pruned, argmax, strategy, slot):
    """`match` for the actions that are not pruned; with `argmax` the fallback is the largest regret."""
    total = positive_parts(regrets, low, count, pruned, strategy, slot)
    if total > 0.0:
        normalise(count, total, strategy, slot)
    elif argmax:
        strategy[slot + (first_largest(regrets, low, count, pruned) - low)] = 1.0
    else:
        left = 0
        for k in range(count):
            left += not pruned[low + k]
        for k in range(count):
            if not pruned[low + k]:
                strategy[slot + k] = 1.0 / left


@njit(**INLINE)
def update_regrets(low, high, action_values, infoset_value, discounts, regrets, strategy):
    """Add v(I,a) - v(I) to the regrets of sequences `low:high`, discount them and match the next strategy."""
    total = 0.0
    for s in range(low, high):
        regret = action_values[s] - infoset_value
        accumulated = discounted(regrets[s] + regret, discounts.positive, discounts.negative)
        regrets[s] = accumulated
        likely = max(accumulated + discounts.prediction * regret, 0.0)
        strategy[s] = likely
        total += likely
    normalise(high - low, total, strategy, low)
