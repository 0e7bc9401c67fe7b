"""CFR with Hedge at every information set: many iterations in one compiled call."""

from __future__ import annotations

import numpy as np
from numba import njit

from counterpoise.kernels.options import LEAN
from counterpoise.solvers.kernels.cfr import add_to_average
from counterpoise.tree.kernels.sequence_form import counterfactual_values, gradient

ROUNDING = 1e-12
"""A standard deviation below this share of the payoff range is rounding, not variation."""


@njit(**LEAN)
def exponential_weights(low, high, rate, regrets, strategy):
    """Make the strategy of sequences `low:high` proportional to exp(rate * regret); the largest exponent is made 0."""
    largest = regrets[low]
    for s in range(low, high):
        largest = max(largest, regrets[s])
    total = 0.0
    for s in range(low, high):
        strategy[s] = np.exp(rate * (regrets[s] - largest))
        total += strategy[s]
    for s in range(low, high):
        strategy[s] /= total


@njit(**LEAN)
def observe(i, count, v, mean, deviation):
    """Add v(I) to the statistics of infoset i, as the value number `count`: mean and sum of squared deviations."""
    away = v - mean[i]
    mean[i] += away / count
    deviation[i] += away * (v - mean[i])


@njit(**LEAN)
def learning_rate(actions, t, count, adaptive, constant, deviation, payoff_range):
    """Return eta after iteration t, sqrt(ln|A|) / (constant * spread * sqrt(t)); 0 where there is nothing to learn.

    The spread is the standard deviation of the `count` values of v(I) so far if `adaptive`; where v(I) has not varied
    yet, or if not adaptive, it is the range of payoffs.
    """
    spread = np.sqrt(deviation / count) if count > 0 else 0.0
    if not adaptive or spread <= ROUNDING * payoff_range:
        spread = payoff_range
    return np.sqrt(np.log(float(actions)) / t) / (constant * spread) if actions > 1 and spread > 0.0 else 0.0


@njit(**LEAN)
def learn(form, i, t, rules, walked, infoset_values, tables, statistics):
    """Update infoset i after iteration t: its regrets, the statistics of its value and its next strategy."""
    low, high, regrets, value = form.start[i], form.stop[i], tables.regrets, infoset_values[i]
    # R(I,a) += v(I,a) - v(I).
    for s in range(low, high):
        regrets[s] += walked.values[s] - value
    # The spread of v(I) sets the learning rate.
    observe(i, t, value, statistics.mean, statistics.deviation)
    deviation = statistics.deviation[i]
    rate = learning_rate(high - low, t, t, rules.adaptive, rules.constant, deviation, rules.ranges[i])
    # Exponential weights of the regrets; with nothing to learn the strategy stays.
    if rate > 0.0:
        exponential_weights(low, high, rate, regrets, tables.strategy)


@njit(**LEAN)
def iterate(form, rules, steps, walked, infoset_values, tables, statistics):
    """Run the iterations ``steps[0]`` (counted from 1) to ``steps[1]`` of CFR with Hedge."""
    players = len(form.first_infoset) - 1
    strategy, reach, values = tables.strategy, tables.reach, walked.values
    for t in range(steps[0], steps[1] + 1):
        # Simultaneous updates: all gradients before any strategy changes.
        if rules.simultaneous:
            for player in range(players):
                gradient(form, player, reach, values)
        for player in range(players):
            if not rules.simultaneous:
                gradient(form, player, reach, values)
            # Counterfactual values bottom-up, then every infoset learns.
            counterfactual_values(form, player, strategy, values, infoset_values)
            for i in range(form.first_infoset[player], form.first_infoset[player + 1]):
                learn(form, i, t, rules, walked, infoset_values, tables, statistics)
            # Average with equal weights.
            add_to_average(form, player, 1.0, strategy, reach, tables.average)
