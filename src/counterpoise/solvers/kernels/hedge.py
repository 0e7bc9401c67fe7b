"""CFR with Hedge at every information set: many iterations in one compiled call."""

from __future__ import annotations

import numpy as np
from numba import njit

from counterpoise.tree.kernels.sequence_form import counterfactual_values, gradient, realisation_weights

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
def observe(i, count, v, mean, deviation):
    """Add v(I) to the statistics of infoset i, as the value number `count`: mean and sum of squared deviations."""
    away = v - mean[i]
    mean[i] += away / count
    deviation[i] += away * (v - mean[i])


@njit(cache=True, nogil=True)
def learning_rate(actions, t, count, adaptive, constant, deviation, payoff_range):
    """eta after iteration t, sqrt(ln|A|) / (constant * spread * sqrt(t)); 0 where there is nothing to learn.

    The spread is the standard deviation of the `count` values of v(I) so far if `adaptive`; where v(I) has not varied
    yet, or if not adaptive, it is the range of payoffs.
    """
    spread = np.sqrt(deviation / count) if count > 0 else 0.0
    if not adaptive or spread <= ROUNDING * payoff_range:
        spread = payoff_range
    return np.sqrt(np.log(float(actions)) / t) / (constant * spread) if actions > 1 and spread > 0.0 else 0.0


@njit(cache=True, nogil=True)
def learn(form, i, t, adaptive, constant, payoff_range, values, v, regrets, mean, deviation, strategy):
    """Update infoset i after iteration t: its regrets, the statistics of its value v and its next strategy."""
    low, high = form.start[i], form.stop[i]
    for s in range(low, high):
        regrets[s] += values[s] - v
    observe(i, t, v, mean, deviation)
    rate = learning_rate(high - low, t, t, adaptive, constant, deviation[i], payoff_range)
    if rate > 0.0:
        exponential_weights(low, high, rate, regrets, strategy)


@njit(cache=True, nogil=True)
def iterate(
    form, simultaneous, adaptive, constant, first, iterations, ranges,
    strategy, reach, regrets, average, mean, deviation, values, v,
):  # fmt: skip
    """Run `iterations` iterations of CFR with Hedge, of which the first is number `first` (from 1)."""
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
                learn(form, i, t, adaptive, constant, ranges[i], values, v[i], regrets, mean, deviation, strategy)
            realisation_weights(form, player, strategy, reach)
