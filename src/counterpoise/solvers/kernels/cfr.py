"""Counterfactual regret minimisation over the sequence form: many iterations in one compiled call."""

from __future__ import annotations

import numpy as np
from numba import njit

from counterpoise.kernels.options import LEAN
from counterpoise.kernels.regret_matching import Discounts, first_largest, update_regrets
from counterpoise.tree.kernels.sequence_form import gradient, infoset_value


@njit(**LEAN, error_model="numpy")
def iterate(form, rules, factors, tables, values):
    """Run ``len(factors.weights)`` iterations of CFR with the given discounts and averaging weights.

    See Brown 2020, section 2.3.5.

    Alternating updates: each player in turn faces the others' newest strategies. Simultaneous updates: all
    gradients are taken before any strategy changes. The average receives the strategy in force before the update.
    """
    players = len(form.first_infoset) - 1
    strategy, reach, regrets = tables.strategy, tables.reach, tables.regrets
    for t in range(len(factors.weights)):
        discounts = Discounts(factors.positive[t], factors.negative[t], rules.prediction)
        # Simultaneous updates: every player's gradient against the strategies of the last iteration.
        if rules.simultaneous:
            for player in range(players):
                gradient(form, player, reach, values)
        for player in range(players):
            if not rules.simultaneous:
                gradient(form, player, reach, values)
            # Values bottom-up, regrets and the next strategy of every infoset.
            match_regrets(form, player, discounts, values, regrets, strategy)
            # Where no regret is positive any strategy may be played: the largest regret's action, if asked.
            if rules.argmax:
                prefer_largest(form, player, regrets, strategy)
            # Average the strategy that was in force, then let reach follow the new one.
            add_to_average(form, player, factors.weights[t], strategy, reach, tables.average)


@njit(**LEAN, error_model="numpy")
def match_regrets(form, player, discounts, values, regrets, strategy):
    """Bottom-up pass: the value of each infoset under the strategy in force, then its regrets and next strategy."""
    i, first = np.uint64(form.first_infoset[player + 1]), np.uint64(form.first_infoset[player])
    while i > first:
        i -= np.uint64(1)
        low, high = form.start[i], form.stop[i]
        # v(I): actions' values under the strategy in force; pass it up to the sequence before I.
        value = infoset_value(low, high, strategy, values)
        values[form.parent[i]] += value
        # R(I,a): discount the sums, add v(I,a) - v(I), match the next strategy.
        update_regrets(low, high, values, value, discounts, regrets, strategy)


@njit(**LEAN)
def prefer_largest(form, player, regrets, strategy):
    """Where no regret is positive, play the action with the largest one instead of all alike."""
    for i in range(form.first_infoset[player], form.first_infoset[player + 1]):
        low, high = form.start[i], form.stop[i]
        best = first_largest(regrets, low, high - low, None)
        if regrets[best] <= 0.0:
            for s in range(low, high):
                strategy[s] = 0.0
            strategy[best] = 1.0


@njit(**LEAN)
def add_to_average(form, player, weight, strategy, reach, average):
    """Top-down pass: the average gains the reach of the old strategy, then that of the new one replaces it."""
    average[form.first_sequence[player]] += weight
    start, stop, parent, one = form.start, form.stop, form.parent, np.uint64(1)
    i, last = np.uint64(form.first_infoset[player]), np.uint64(form.first_infoset[player + 1])
    while i < last:
        above, s, high = reach[parent[i]], np.uint64(start[i]), np.uint64(stop[i])
        while s < high:
            # Weight t times own reach of the old strategy; reach of the new one from its parent.
            average[s] += weight * reach[s]
            reach[s] = above * strategy[s]
            s += one
        i += one
