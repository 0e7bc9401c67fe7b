"""Dynamic thresholding (BROWN 3.4.1) in CFR with Hedge and with regret matching: many iterations in one call.

Both walk the tree, for each player in turn or once for all (simultaneous updates), skip branches that the others play
with probability 0, and return the histories touched.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from counterpoise.solvers.kernels.cfr import add_to_average, match_regrets, prefer_largest
from counterpoise.solvers.kernels.hedge import learn
from counterpoise.solvers.kernels.pruning import clear, walk, walk_together
from counterpoise.tree.kernels.sequence_form import counterfactual_values


@njit(cache=True, nogil=True)
def hedge_threshold(actions, excess, t):
    """d sqrt(ln|A|) / (sqrt(2) |A|^2 sqrt(t)), which keeps Hedge's bound within the factor 1 + d (Theorem 8)."""
    return excess * np.sqrt(np.log(float(actions)) / (2.0 * t)) / (actions * actions)


@njit(cache=True, nogil=True)
def matching_threshold(actions, excess, t):
    """(C^2 - 1) / (2 C |A|^2 sqrt(t)) with C = 1 + d, the factor on regret matching's bound (Theorem 9)."""
    factor = 1.0 + excess
    return (factor * factor - 1.0) / (2.0 * factor * actions * actions * np.sqrt(t))


@njit(cache=True, nogil=True)
def cut(low, high, floor, strategy):
    """Set probabilities below `floor` to 0, never the largest, and make the others of `low:high` add up to 1."""
    best = low
    for s in range(low, high):
        if strategy[s] > strategy[best]:
            best = s
    kept, removed = 0.0, False
    for s in range(low, high):
        if s != best and strategy[s] < floor:
            removed = removed or strategy[s] > 0.0
            strategy[s] = 0.0
        kept += strategy[s]
    if removed:
        for s in range(low, high):
            strategy[s] /= kept


@njit(cache=True, nogil=True)
def walk_for(form, nodes, player, reach, values, external):
    """The player's gradient by a walk that leaves out what the others do not reach; returns the histories touched."""
    clear(form, player, values, external)
    return walk(nodes, player, 0, len(nodes.end), reach, None, None, None, values, external)


@njit(cache=True, nogil=True)
def walk_for_all(form, nodes, reach, values, external):
    """The gradients of all players by one walk that leaves out what nobody needs; returns the histories touched."""
    for player in range(len(form.first_infoset) - 1):
        clear(form, player, values, external)
    return walk_together(nodes, reach, None, None, values, external)


@njit(cache=True, nogil=True)
def iterate_hedge(
    form, nodes, simultaneous, excess, adaptive, constant, first, iterations, ranges,
    strategy, reach, regrets, average, mean, deviation, values, v, external,
):  # fmt: skip
    """`hedge.iterate` with thresholded strategies; returns the histories touched."""
    players = len(form.first_infoset) - 1
    touched = 0
    for t in range(first, first + iterations):
        if simultaneous:
            touched += walk_for_all(form, nodes, reach, values, external)
        for player in range(players):
            if not simultaneous:
                touched += walk_for(form, nodes, player, reach, values, external)
            counterfactual_values(form, player, strategy, values, v)
            for i in range(form.first_infoset[player], form.first_infoset[player + 1]):
                learn(form, i, t, adaptive, constant, ranges[i], values, v[i], regrets, mean, deviation, strategy)
                low, high = form.start[i], form.stop[i]
                cut(low, high, hedge_threshold(high - low, excess, t + 1.0), strategy)
            add_to_average(form, player, 1.0, strategy, reach, average)
    return touched


@njit(cache=True, nogil=True)
def iterate_matching(
    form, nodes, simultaneous, argmax, excess, first, positive, negative, weight,
    strategy, reach, regrets, average, values, external,
):  # fmt: skip
    """`cfr.iterate` with thresholded strategies; returns the histories touched."""
    players = len(form.first_infoset) - 1
    touched = 0
    for k in range(len(weight)):
        if simultaneous:
            touched += walk_for_all(form, nodes, reach, values, external)
        for player in range(players):
            if not simultaneous:
                touched += walk_for(form, nodes, player, reach, values, external)
            match_regrets(form, player, positive[k], negative[k], 0.0, values, regrets, strategy)
            if argmax:
                prefer_largest(form, player, regrets, strategy)
            for i in range(form.first_infoset[player], form.first_infoset[player + 1]):
                low, high = form.start[i], form.stop[i]
                cut(low, high, matching_threshold(high - low, excess, first + k + 1.0), strategy)
            add_to_average(form, player, weight[k], strategy, reach, average)
    return touched
