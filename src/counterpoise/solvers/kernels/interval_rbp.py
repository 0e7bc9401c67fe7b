"""Interval regret-based pruning: CFR that leaves hopeless branches alone and makes up for it later, compiled."""

from __future__ import annotations

import numpy as np
from numba import njit

from counterpoise.kernels.options import LEAN
from counterpoise.kernels.regret_matching import discounted, first_largest, match_unpruned
from counterpoise.solvers.kernels.cfr import add_to_average
from counterpoise.solvers.kernels.layouts import IntervalTables
from counterpoise.solvers.kernels.pruning import declared_value, walk_all, walk_branch, walk_one
from counterpoise.tree.kernels.layouts import FloatArray


def empty_tables(strategy: FloatArray, reach: FloatArray, average: FloatArray, infosets: int) -> IntervalTables:
    """Return tables at iteration 0 around the iterate and the average of a solver."""
    sequences = len(strategy)
    return IntervalTables(
        regrets=np.zeros(sequences),
        strategy=strategy,
        reach=reach,
        average=average,
        faced=np.zeros(sequences),
        gradients=np.zeros(sequences),
        pruned=np.zeros(sequences, dtype=np.bool_),
        bound=np.zeros(sequences),
        missed=np.zeros(sequences),
        value=np.zeros(infosets),
        seen=np.zeros(infosets),
        elapsed=np.zeros(2),
        touched=np.zeros(1, dtype=np.int64),
    )


@njit(**LEAN, error_model="numpy")
def iterate(tree, rules, factors, tables, work):
    """Run ``len(factors.weights)`` iterations of CFR with interval RBP for two players.

    See Brown 2020, sections 3.3.2 to 3.3.4.
    """
    form, nodes, highest = tree.form, tree.nodes, tree.branches.highest
    regrets, strategy, reach = tables.regrets, tables.strategy, tables.reach
    pruned, bound = tables.pruned, tables.bound
    start, stop, parent, touched = form.start, form.stop, form.parent, tables.touched
    values, external = work.all.values, work.all.external
    for t in range(len(factors.weights)):
        positive, negative = factors.positive[t], factors.negative[t]
        # Walk the tree without pruned branches; add to what was faced and to the sums of gradients.
        if rules.simultaneous:
            touched[0] += walk_all(form, nodes, rules, reach, None, pruned, work.all)
            for player in range(2):
                add_to_sums(form, player, negative, tables, values)
        for player in range(2):
            if not rules.simultaneous:
                touched[0] += walk_one(form, nodes, player, reach, None, pruned, work.all)
                add_to_sums(form, player, negative, tables, values)
            elapsed = tables.elapsed[player]
            i = np.uint64(form.first_infoset[player + 1])
            while i > form.first_infoset[player]:
                i -= np.uint64(1)
                low, high = start[i], stop[i]
                # Not met: discounts still apply.
                if external[i] == 0.0:
                    if positive != 1.0 or negative != 1.0:
                        _fade(i, low, high, positive, negative, tables)
                    continue
                # Value of the infoset, passed on to the sequence before it.
                unreached = rules.best and reach[parent[i]] == 0.0
                value = declared_value(low, high, unreached, strategy, pruned, values)
                values[parent[i]] += value
                tables.value[i] = negative * (tables.value[i] + value)
                tables.seen[i] = negative * (tables.seen[i] + external[i])
                # Pruned actions: raise the bound on what they can have gained (equation 3.19); above 0 the skipped
                # iterations are made up for. Others: their regret.
                for s in range(low, high):
                    if pruned[s]:
                        add_to_bound(s, external[i] * highest[s], value, negative, regrets, bound, tables.missed)
                        if bound[s] > 0.0:
                            _make_up(tree, player, i, s, rules.theta, rules.argmax, tables, work)
                    else:
                        add_regret(s, values[s] - value, rules.jump, positive, negative, regrets)
                # Regret matching among the actions that are not pruned.
                match_unpruned(regrets, low, high - low, pruned, rules.argmax, strategy, low)
                # Prune what is not played and will stay negative for long enough (equation 3.20).
                for s in range(low, high):
                    if strategy[s] == 0.0 and not pruned[s] and regrets[s] < 0.0:
                        gain = tables.seen[i] * highest[s] - tables.value[i]
                        if expected_skip(regrets[s], gain, elapsed) > rules.theta:
                            _settle(tree, player, s, rules.argmax, tables, work)
                            begin(s, tables)
            add_to_average(form, player, factors.weights[t], strategy, reach, tables.average)


@njit(**LEAN)
def add_to_sums(form, player, factor, tables, values):
    """Add to what `player` has faced the opponent's plan, and to the sums of gradients those of this walk."""
    tables.elapsed[player] = factor * (tables.elapsed[player] + 1.0)
    faced, reach, gradients, opponent = tables.faced, tables.reach, tables.gradients, 1 - player
    for s in range(form.first_sequence[opponent], form.first_sequence[opponent + 1]):
        faced[s] = factor * (faced[s] + reach[s])
    for s in range(form.first_sequence[player], form.first_sequence[player + 1]):
        gradients[s] = factor * (gradients[s] + values[s])


@njit(**LEAN)
def _fade(i, low, high, positive, negative, tables):
    """Let the sums of an infoset fade that was not met."""
    tables.value[i] *= negative
    tables.seen[i] *= negative
    for s in range(low, high):
        tables.regrets[s] = discounted(tables.regrets[s], positive, negative)
        tables.bound[s] *= negative
        tables.missed[s] *= negative


@njit(cache=True, nogil=True, inline="always")
def add_to_bound(s, most, value, factor, regrets, bound, missed):
    """Add to what a pruned action can have gained at most (3.19), and to what it is compared with."""
    regrets[s] *= factor
    bound[s] = factor * (bound[s] + most - value)
    missed[s] = factor * (missed[s] + value)


@njit(cache=True, nogil=True, inline="always")
def add_regret(s, regret, jump, positive, negative, regrets):
    """Add this iteration's regret and let the sum fade.

    With `jump` it plays as CFR+ does, and still knows how bad an action has become (Brown 2020, section 3.3.5).
    """
    total = regret if jump and regret > 0.0 and regrets[s] <= 0.0 else regrets[s] + regret
    regrets[s] = discounted(total, positive, negative)


@njit(cache=True, nogil=True, inline="always")
def expected_skip(regret, gain, elapsed):
    """Return how many more iterations a negative regret can be expected to stay below zero (3.20).

    `gain` is what the action can have gained at most in the `elapsed` iterations, and it keeps gaining at that rate.
    """
    return -regret * elapsed / gain if gain > 0.0 else np.inf


@njit(**LEAN)
def begin(s, tables):
    """Prune an action whose branch holds no pruned action; `gradients` stop growing here."""
    tables.pruned[s] = True
    tables.bound[s] = tables.regrets[s]
    tables.missed[s] = 0.0


@njit(**LEAN)
def _settle(tree, player, s, argmax, tables, work):
    """End the prunes below s, whose skipped iterations began earlier."""
    form, branches = tree.form, tree.branches
    for k in range(branches.low[s], branches.high[s]):
        j = np.uint64(branches.infosets[k])
        low, count = form.start[j], form.stop[j] - form.start[j]
        for b in range(form.start[j], form.stop[j]):
            if tables.pruned[b]:
                _make_up(tree, player, j, b, np.inf, argmax, tables, work)
                match_unpruned(tables.regrets, low, count, tables.pruned, argmax, tables.strategy, low)


@njit(**LEAN)
def _make_up(tree, player, i, s, theta, argmax, tables, work):
    """Make up for the skipped iterations; the action stays pruned if its regret can be expected to stay negative."""
    form, branches, regrets, pruned = tree.form, tree.branches, tables.regrets, tables.pruned
    replay(tree, player, i, s, tables, work)
    for k in range(branches.low[s], branches.high[s]):
        j = branches.infosets[k]
        low, count = form.start[j], form.stop[j] - form.start[j]
        match_unpruned(regrets, low, count, pruned, argmax, tables.strategy, low)
    gain = tables.seen[i] * branches.highest[s] - tables.value[i]
    if regrets[s] < 0.0 and expected_skip(regrets[s], gain, tables.elapsed[player]) > theta:
        begin(s, tables)
    else:
        pruned[s] = False


@njit(**LEAN)
def replay(tree, player, i, s, tables, work):
    """Give the branch of a pruned action the regrets of the skipped iterations, by a best response to their sum.

    The gain of a sequence is the difference of its gradients against all that was faced, now and when its branch
    was walked last.
    """
    form, branches, gain, regrets = tree.form, tree.branches, work.branch.values, tables.regrets
    # Gradients of the branch against all that was faced, less those at the time of pruning.
    tables.touched[0] += walk_branch(tree, player, i, s, tables.faced, None, work.branch)
    _take_differences(s, s + 1, gain, tables.gradients)
    for k in range(branches.low[s], branches.high[s]):
        j = branches.infosets[k]
        _take_differences(form.start[j], form.stop[j], gain, tables.gradients)
    # Best response bottom-up: regrets of the skipped iterations for every infoset below.
    for k in range(np.int64(branches.high[s]) - 1, np.int64(branches.low[s]) - 1, -1):
        j = branches.infosets[k]
        low, high = form.start[j], form.stop[j]
        largest = gain[first_largest(gain, low, high - low, None)]
        for b in range(low, high):
            regrets[b] += gain[b] - largest
        tables.value[j] += largest
        tables.seen[j] = work.branch.external[j]
        gain[form.parent[j]] += largest
    # The action itself, against what was really earned meanwhile.
    regrets[s] += gain[s] - tables.missed[s]


@njit(cache=True, nogil=True, inline="always")
def _take_differences(low, high, gain, gradients):
    """Turn the gradients against all that was faced into those of the skipped iterations."""
    for s in range(low, high):
        before = gradients[s]
        gradients[s] = gain[s]
        gain[s] -= before
