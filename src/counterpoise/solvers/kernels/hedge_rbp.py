"""Regret-based pruning for thresholded Hedge, compiled. The bookkeeping is that of interval RBP.

See Brown 2020, section 3.4.2.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from counterpoise.kernels.options import LEAN
from counterpoise.solvers.kernels.cfr import add_to_average
from counterpoise.solvers.kernels.hedge import learning_rate, observe
from counterpoise.solvers.kernels.interval_rbp import add_to_bound, add_to_sums, begin, replay
from counterpoise.solvers.kernels.pruning import declared_value, walk_all, walk_one
from counterpoise.solvers.kernels.threshold import cut, hedge_threshold


@njit(**LEAN)
def iterate(tree, rules, steps, state):
    """Run the iterations ``steps[0]`` (counted from 1) to ``steps[1]``, for two players."""
    form, nodes, highest = tree.form, tree.nodes, tree.branches.highest
    tables, statistics, walked = state.tables, state.statistics, state.work.all
    regrets, strategy, reach, pruned = tables.regrets, tables.strategy, tables.reach, tables.pruned
    values, external, touched = walked.values, walked.external, tables.touched
    for t in range(steps[0], steps[1] + 1):
        if rules.simultaneous:
            touched[0] += walk_all(form, nodes, rules, reach, None, pruned, walked)
            for player in range(2):
                add_to_sums(form, player, 1.0, tables, values)
        for player in range(2):
            if not rules.simultaneous:
                touched[0] += walk_one(form, nodes, player, reach, None, pruned, walked)
                add_to_sums(form, player, 1.0, tables, values)
            i = np.uint64(form.first_infoset[player + 1])
            while i > form.first_infoset[player]:
                i -= np.uint64(1)
                # Inside a pruned branch nothing is known.
                if statistics.hidden[i]:
                    continue
                low, high = form.start[i], form.stop[i]
                # Value of the infoset and its statistics.
                unreached = rules.best and reach[form.parent[i]] == 0.0
                value = declared_value(low, high, unreached, strategy, pruned, values)
                values[form.parent[i]] += value
                tables.value[i] += value
                tables.seen[i] += external[i]
                statistics.visits[i] += 1
                observe(i, statistics.visits[i], value, statistics.mean, statistics.deviation)
                # Regrets, or for pruned actions the bound on them (equation 3.19).
                for s in range(low, high):
                    if pruned[s]:
                        add_to_bound(s, external[i] * highest[s], value, 1.0, regrets, tables.bound, tables.missed)
                    else:
                        regrets[s] += values[s] - value
                # Pruned actions that may be large enough to be played: make up for what was skipped.
                for s in range(low, high):
                    if pruned[s] and not _stays_small(form, i, s, t, 0.0, tables.bound[s], rules, state):
                        _make_up(tree, player, i, s, t, rules.theta, rules, state)
                # Exponential weights, thresholded.
                _play(form, i, t, rules, state)
                # Prune what is not played and will stay too small.
                for s in range(low, high):
                    idle = strategy[s] == 0.0 and not pruned[s]
                    if idle and _worth_pruning(tree, player, i, s, t, rules.theta, rules, state):
                        _settle(tree, player, s, t, rules, state)
                        _hide(tree.branches, s, True, statistics)
                        begin(s, tables)
            add_to_average(form, player, 1.0, strategy, reach, tables.average)


@njit(**LEAN)
def _rate(form, i, t, rules, statistics):
    """Return the learning rate of infoset i after iteration t."""
    actions, visits, deviation = form.stop[i] - form.start[i], statistics.visits[i], statistics.deviation[i]
    return learning_rate(actions, t, visits, rules.adaptive, rules.constant, deviation, rules.ranges[i])


@njit(**LEAN)
def _play(form, i, t, rules, state):
    """Set the next strategy of infoset i: exponential weights of the actions that are not pruned, thresholded."""
    low, high = form.start[i], form.stop[i]
    regrets, strategy, pruned = state.tables.regrets, state.tables.strategy, state.tables.pruned
    rate = _rate(form, i, np.float64(t), rules, state.statistics)
    # Exponential weights of what is not pruned, the largest exponent taken out.
    largest, total = -np.inf, 0.0
    for s in range(low, high):
        if not pruned[s]:
            largest = max(largest, regrets[s])
    for s in range(low, high):
        strategy[s] = 0.0 if pruned[s] else np.exp(rate * (regrets[s] - largest))
        total += strategy[s]
    for s in range(low, high):
        strategy[s] /= total
    # Small probabilities become 0.
    cut(low, high, hedge_threshold(high - low, rules.excess, t + 1.0), strategy)


@njit(**LEAN)
def _stays_small(form, i, a, t, ahead, bound, rules, state):
    """Return whether the action is not played `ahead` iterations after t if its regret is `bound`.

    Brown 2020, equation 3.21: its probability is below the threshold, with the regrets of the other actions as they
    are; those that are pruned too are left out of the sum, which makes the probability larger. And it is not the
    largest, which is played however small it is.
    """
    low, high = form.start[i], form.stop[i]
    regrets, pruned = state.tables.regrets, state.tables.pruned
    rate = _rate(form, i, t + ahead, rules, state.statistics)
    largest = -np.inf
    for s in range(low, high):
        if s != a and not pruned[s]:
            largest = max(largest, regrets[s])
    if bound >= largest:
        return False
    mine = np.exp(rate * (bound - largest))
    total = mine
    for s in range(low, high):
        if s != a and not pruned[s]:
            total += np.exp(rate * (regrets[s] - largest))
    return mine < total * hedge_threshold(high - low, rules.excess, t + ahead + 1.0)


@njit(**LEAN)
def _worth_pruning(tree, player, i, s, t, theta, rules, state):
    """Return whether the action is too small and would stay so for `theta` iterations like the past ones (3.20)."""
    tables = state.tables
    if theta == np.inf or not _stays_small(tree.form, i, s, t, 0.0, tables.regrets[s], rules, state):
        return False
    gain = tables.seen[i] * tree.branches.highest[s] - tables.value[i]
    expected = tables.regrets[s] + theta * gain / tables.elapsed[player]
    return _stays_small(tree.form, i, s, t, theta, expected, rules, state)


@njit(**LEAN)
def _make_up(tree, player, i, s, t, theta, rules, state):
    """Make up for the skipped iterations; the action stays pruned if it can be expected to stay too small."""
    branches = tree.branches
    replay(tree, player, i, s, state.tables, state.work)
    if _worth_pruning(tree, player, i, s, t, theta, rules, state):
        begin(s, state.tables)
        return
    state.tables.pruned[s] = False
    _hide(branches, s, False, state.statistics)
    for k in range(branches.low[s], branches.high[s]):
        _play(tree.form, np.uint64(branches.infosets[k]), t, rules, state)


@njit(**LEAN)
def _settle(tree, player, s, t, rules, state):
    """End the prunes below s, whose skipped iterations began earlier."""
    form, branches = tree.form, tree.branches
    for k in range(branches.low[s], branches.high[s]):
        j = np.uint64(branches.infosets[k])
        for b in range(form.start[j], form.stop[j]):
            if state.tables.pruned[b]:
                _make_up(tree, player, j, b, t, np.inf, rules, state)


@njit(**LEAN)
def _hide(branches, s, hidden, statistics):
    """Note for the own infosets below s whether they are in a pruned branch."""
    for k in range(branches.low[s], branches.high[s]):
        statistics.hidden[branches.infosets[k]] = hidden
