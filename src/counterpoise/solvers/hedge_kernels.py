"""CFR with Hedge at every information set: many iterations in one compiled call."""

from __future__ import annotations

import numpy as np
from numba import njit

from counterpoise.tree.tree_kernels import counterfactual_values, gradient, realisation_weights

ROUNDING = 1e-12
"""A standard deviation below this share of the payoff range is rounding, not variation."""


@njit(cache=True, nogil=True)
def exponential_weights(low, high, rate, regrets, strategy):
    """Strategy of sequences `low:high` proportional to exp(rate * regret); the largest exponent is made 0."""
    largest = regrets[low]
    for s in range(low, high):
        largest = max(largest, regrets[s])
    total = 0.0
    for s in range(low, high):
        strategy[s] = np.exp(rate * (regrets[s] - largest))
        total += strategy[s]
    for s in range(low, high):
        strategy[s] /= total


@njit(cache=True, nogil=True)
def iterate(
    form, simultaneous, adaptive, constant, first, iterations, ranges,
    strategy, reach, regrets, average, mean, deviation, values, v,
):  # fmt: skip
    """Run `iterations` iterations of CFR with Hedge, of which the first is number `first` (from 1).

    The learning rate after iteration t is sqrt(ln|A|) / (constant * spread * sqrt(t)). The spread is the
    standard deviation of v(I) so far if `adaptive`; where v(I) has not varied yet, or if not adaptive, it is
    the range of payoffs. `mean` and `deviation` hold the mean of v(I) and its sum of squared deviations.
    """
    players = len(form.first_infoset) - 1
    for t in range(first, first + iterations):
        if simultaneous:
            for player in range(players):
                gradient(form, player, reach, values)
        for player in range(players):
            if not simultaneous:
                gradient(form, player, reach, values)
            counterfactual_values(form, player, strategy, values, v)
            for s in range(form.first_sequence[player], form.first_sequence[player + 1]):
                average[s] += reach[s]
            for i in range(form.first_infoset[player], form.first_infoset[player + 1]):
                low, high = form.start[i], form.stop[i]
                for s in range(low, high):
                    regrets[s] += values[s] - v[i]
                away = v[i] - mean[i]
                mean[i] += away / t
                deviation[i] += away * (v[i] - mean[i])
                spread = np.sqrt(deviation[i] / t)
                if not adaptive or spread <= ROUNDING * ranges[i]:
                    spread = ranges[i]
                if high - low > 1 and spread > 0.0:
                    rate = np.sqrt(np.log(float(high - low)) / t) / (constant * spread)
                    exponential_weights(low, high, rate, regrets, strategy)
            realisation_weights(form, player, strategy, reach)
