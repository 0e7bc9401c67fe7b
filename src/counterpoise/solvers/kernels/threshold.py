"""Dynamic thresholding in CFR with Hedge and with regret matching: many iterations in one call.

See Brown 2020, section 3.4.1.

Both walk the tree, for each player in turn or once for all (simultaneous updates), skip branches that the others play
with probability 0, and return the histories touched.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from counterpoise.kernels.options import LEAN
from counterpoise.kernels.regret_matching import Discounts
from counterpoise.solvers.kernels.cfr import add_to_average, match_regrets, prefer_largest
from counterpoise.solvers.kernels.hedge import learn
from counterpoise.solvers.kernels.pruning import walk_all, walk_one
from counterpoise.tree.kernels.sequence_form import counterfactual_values


@njit(**LEAN)
def hedge_threshold(actions, excess, t):
    """Return d sqrt(ln|A|) / (sqrt(2) |A|^2 sqrt(t)), which keeps Hedge's bound within the factor 1 + d (Theorem 8)."""
    return excess * np.sqrt(np.log(float(actions)) / (2.0 * t)) / (actions * actions)


@njit(**LEAN)
def matching_threshold(actions, excess, t):
    """Return (C^2 - 1) / (2 C |A|^2 sqrt(t)) with C = 1 + d, the factor on regret matching's bound (Theorem 9)."""
    factor = 1.0 + excess
    return (factor * factor - 1.0) / (2.0 * factor * actions * actions * np.sqrt(t))


@njit(**LEAN)
def cut(low, high, floor, strategy):
    """Set probabilities below `floor` to 0, never the largest, and make the others of `low:high` add up to 1."""
    # The largest probability is never cut.
    best = low
    for s in range(low, high):
        if strategy[s] > strategy[best]:
            best = s
    # Cut what is below the threshold.
    kept, removed = 0.0, False
    for s in range(low, high):
        if s != best and strategy[s] < floor:
            removed = removed or strategy[s] > 0.0
            strategy[s] = 0.0
        kept += strategy[s]
    # Scale the rest to sum to 1.
    if removed:
        for s in range(low, high):
            strategy[s] /= kept


@njit(**LEAN)
def iterate_hedge(tree, rules, steps, walked, infoset_values, tables, statistics):
    """Run `hedge.iterate` from ``steps[0]`` to ``steps[1]`` with thresholded strategies; returns nodes touched."""
    form, nodes = tree.form, tree.nodes
    strategy, reach = tables.strategy, tables.reach
    touched = 0
    for t in range(steps[0], steps[1] + 1):
        if rules.simultaneous:
            touched += walk_all(form, nodes, rules, reach, None, None, walked)
        for player in range(len(form.first_infoset) - 1):
            if not rules.simultaneous:
                touched += walk_one(form, nodes, player, reach, None, None, walked)
            # Walks skip what the others do not reach; then learn and cut at every infoset.
            counterfactual_values(form, player, strategy, walked.values, infoset_values)
            for i in range(form.first_infoset[player], form.first_infoset[player + 1]):
                learn(form, i, t, rules, walked, infoset_values, tables, statistics)
                low, high = form.start[i], form.stop[i]
                cut(low, high, hedge_threshold(high - low, rules.excess, t + 1.0), strategy)
            # Average the thresholded strategy, whose branches of probability 0 are skipped from now on.
            add_to_average(form, player, 1.0, strategy, reach, tables.average)
    return touched


@njit(**LEAN)
def iterate_matching(tree, rules, factors, first, tables, walked):
    """Run `cfr.iterate` with thresholded strategies, from iteration `first` on; returns nodes touched."""
    form, nodes = tree.form, tree.nodes
    strategy, reach, regrets = tables.strategy, tables.reach, tables.regrets
    touched = 0
    for k in range(len(factors.weights)):
        discounts = Discounts(factors.positive[k], factors.negative[k], 0.0)
        if rules.simultaneous:
            touched += walk_all(form, nodes, rules, reach, None, None, walked)
        for player in range(len(form.first_infoset) - 1):
            if not rules.simultaneous:
                touched += walk_one(form, nodes, player, reach, None, None, walked)
            # Regret matching as in plain CFR, on values of walks that skip branches.
            match_regrets(form, player, discounts, walked.values, regrets, strategy)
            if rules.argmax:
                prefer_largest(form, player, regrets, strategy)
            # Cut small probabilities to 0.
            for i in range(form.first_infoset[player], form.first_infoset[player + 1]):
                low, high = form.start[i], form.stop[i]
                cut(low, high, matching_threshold(high - low, rules.excess, first + k + 1.0), strategy)
            add_to_average(form, player, factors.weights[k], strategy, reach, tables.average)
    return touched
