"""Regret-based pruning for thresholded Hedge (BROWN 3.4.2), compiled. The bookkeeping is that of interval RBP."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.solvers.kernels.cfr import add_to_average
from counterpoise.solvers.kernels.hedge import learning_rate, observe
from counterpoise.solvers.kernels.interval_rbp import add_to_bound, add_to_sums, begin, replay
from counterpoise.solvers.kernels.pruning import clear, declared_value, walk, walk_together
from counterpoise.solvers.kernels.threshold import cut, hedge_threshold
from counterpoise.tree.kernels.sequence_form import FloatArray


class Rule(NamedTuple):
    """How Hedge learns (`adaptive`, `constant`, payoff `ranges`) and how small a probability becomes 0 (`excess`)."""

    adaptive: bool
    constant: float
    excess: float
    ranges: FloatArray


class Statistics(NamedTuple):
    """Of v(I), per infoset: the number of values, their mean and squared deviations; `hidden` in a pruned branch."""

    visits: NDArray[np.int64]
    mean: FloatArray
    deviation: FloatArray
    hidden: NDArray[np.bool_]


@njit(cache=True, nogil=True)
def iterate(
    form, nodes, branches, tables, statistics, work, rule, simultaneous, together, best, theta, first, iterations
):
    """Run `iterations` iterations, the first of them number `first` (from 1), for two players."""
    regrets, strategy, reach, pruned = tables.regrets, tables.strategy, tables.reach, tables.pruned
    values, external, touched, size = work.values, work.external, tables.touched, len(nodes.end)
    for t in range(first, first + iterations):
        if simultaneous:
            for player in range(2):
                clear(form, player, values, external)
                if not together:
                    touched[0] += walk(nodes, player, 0, size, reach, None, pruned, None, values, external)
            if together:
                touched[0] += walk_together(nodes, reach, None, pruned, values, external)
            for player in range(2):
                add_to_sums(form, player, 1.0, tables, values)
        for player in range(2):
            if not simultaneous:
                clear(form, player, values, external)
                touched[0] += walk(nodes, player, 0, size, reach, None, pruned, None, values, external)
                add_to_sums(form, player, 1.0, tables, values)
            i = np.uint64(form.first_infoset[player + 1])
            while i > form.first_infoset[player]:
                i -= np.uint64(1)
                if statistics.hidden[i]:
                    continue
                low, high = form.start[i], form.stop[i]
                unreached = best and reach[form.parent[i]] == 0.0
                value = declared_value(low, high, unreached, strategy, pruned, values)
                values[form.parent[i]] += value
                tables.value[i] += value
                tables.seen[i] += external[i]
                statistics.visits[i] += 1
                observe(i, statistics.visits[i], value, statistics.mean, statistics.deviation)
                for s in range(low, high):
                    if pruned[s]:
                        most = external[i] * branches.highest[s]
                        add_to_bound(s, most, value, 1.0, regrets, tables.bound, tables.missed)
                    else:
                        regrets[s] += values[s] - value
                for s in range(low, high):
                    if pruned[s] and not _stays_small(form, i, s, t, 0.0, tables.bound[s], rule, tables, statistics):
                        _make_up(form, nodes, branches, player, i, s, t, theta, rule, tables, statistics, work)
                _play(form, i, t, rule, tables, statistics)
                for s in range(low, high):
                    idle = strategy[s] == 0.0 and not pruned[s]
                    if idle and _worth_pruning(form, branches, player, i, s, t, theta, rule, tables, statistics):
                        _settle(form, nodes, branches, player, s, t, rule, tables, statistics, work)
                        _hide(branches, s, True, statistics)
                        begin(s, tables)
            add_to_average(form, player, 1.0, strategy, reach, tables.average)


@njit(cache=True, nogil=True)
def _rate(form, i, t, rule, statistics):
    """The learning rate of infoset i after iteration t."""
    return learning_rate(
        form.stop[i] - form.start[i], t, statistics.visits[i], rule.adaptive, rule.constant,
        statistics.deviation[i], rule.ranges[i],
    )  # fmt: skip


@njit(cache=True, nogil=True)
def _play(form, i, t, rule, tables, statistics):
    """The next strategy of infoset i: exponential weights of the actions that are not pruned, thresholded."""
    low, high = form.start[i], form.stop[i]
    regrets, strategy, pruned = tables.regrets, tables.strategy, tables.pruned
    rate = _rate(form, i, t, rule, statistics)
    largest, total = -np.inf, 0.0
    for s in range(low, high):
        if not pruned[s]:
            largest = max(largest, regrets[s])
    for s in range(low, high):
        strategy[s] = 0.0 if pruned[s] else np.exp(rate * (regrets[s] - largest))
        total += strategy[s]
    for s in range(low, high):
        strategy[s] /= total
    cut(low, high, hedge_threshold(high - low, rule.excess, t + 1.0), strategy)


@njit(cache=True, nogil=True)
def _stays_small(form, i, a, t, ahead, bound, rule, tables, statistics):
    """Whether the action is not played `ahead` iterations after t if its regret is `bound`.

    BROWN (3.21): its probability is below the threshold, with the regrets of the other actions as they are; those that
    are pruned too are left out of the sum, which makes the probability larger. And it is not the largest, which is
    played however small it is.
    """
    low, high = form.start[i], form.stop[i]
    rate = _rate(form, i, t + ahead, rule, statistics)
    largest = -np.inf
    for s in range(low, high):
        if s != a and not tables.pruned[s]:
            largest = max(largest, tables.regrets[s])
    if bound >= largest:
        return False
    mine = np.exp(rate * (bound - largest))
    total = mine
    for s in range(low, high):
        if s != a and not tables.pruned[s]:
            total += np.exp(rate * (tables.regrets[s] - largest))
    return mine < total * hedge_threshold(high - low, rule.excess, t + ahead + 1.0)


@njit(cache=True, nogil=True)
def _worth_pruning(form, branches, player, i, s, t, theta, rule, tables, statistics):
    """Whether the action is too small and would stay so for `theta` iterations if these are like the past (3.20)."""
    if theta == np.inf or not _stays_small(form, i, s, t, 0.0, tables.regrets[s], rule, tables, statistics):
        return False
    gain = tables.seen[i] * branches.highest[s] - tables.value[i]
    expected = tables.regrets[s] + theta * gain / tables.elapsed[player]
    return _stays_small(form, i, s, t, theta, expected, rule, tables, statistics)


@njit(cache=True, nogil=True)
def _make_up(form, nodes, branches, player, i, s, t, theta, rule, tables, statistics, work):
    """Make up for the skipped iterations; the action stays pruned if it can be expected to stay too small."""
    replay(form, nodes, branches, player, i, s, tables, work)
    if _worth_pruning(form, branches, player, i, s, t, theta, rule, tables, statistics):
        begin(s, tables)
        return
    tables.pruned[s] = False
    _hide(branches, s, False, statistics)
    for k in range(branches.low[s], branches.high[s]):
        _play(form, branches.infosets[k], t, rule, tables, statistics)


@njit(cache=True, nogil=True)
def _settle(form, nodes, branches, player, s, t, rule, tables, statistics, work):
    """End the prunes below s, whose skipped iterations began earlier."""
    for k in range(branches.low[s], branches.high[s]):
        j = branches.infosets[k]
        for b in range(form.start[j], form.stop[j]):
            if tables.pruned[b]:
                _make_up(form, nodes, branches, player, j, b, t, np.inf, rule, tables, statistics, work)


@njit(cache=True, nogil=True)
def _hide(branches, s, hidden, statistics):
    """Note for the own infosets below s whether they are in a pruned branch."""
    for k in range(branches.low[s], branches.high[s]):
        statistics.hidden[branches.infosets[k]] = hidden
