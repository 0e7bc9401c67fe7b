"""Interval regret-based pruning: CFR that leaves hopeless branches alone and makes up for it later, compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.solvers.kernels.cfr import add_to_average
from counterpoise.solvers.kernels.pruning import clear, declared_value, walk, walk_branch, walk_together
from counterpoise.tree.kernels.sequence_form import FloatArray


class Tables(NamedTuple):
    """What interval RBP keeps. Sums fade like negative regrets, if those do.

    Per sequence: `regrets`, the iterate (`strategy` and its `reach`), the output `average`; `faced`, the sum of the
    plans that the opponent has met; `gradients`, the sum of the values of the terminals right below, up to when its
    branch was walked last; `pruned`, and for a pruned action `bound`, what its regret can be by now at most, and
    `missed`, the sum of v(I) since it was pruned. Per infoset: `value`, the sum of v(I), and `seen`, that of
    pi_{-i}(I). `elapsed[player]` is the sum of the weights of the iterations, `touched[0]` the number of nodes.
    """

    regrets: FloatArray
    strategy: FloatArray
    reach: FloatArray
    average: FloatArray
    faced: FloatArray
    gradients: FloatArray
    pruned: NDArray[np.bool_]
    bound: FloatArray
    missed: FloatArray
    value: FloatArray
    seen: FloatArray
    elapsed: FloatArray
    touched: NDArray[np.int64]


class Work(NamedTuple):
    """Sums of one walk: over all nodes (`values`, `external`) and over one branch (the other two)."""

    values: FloatArray
    external: FloatArray
    branch_values: FloatArray
    branch_external: FloatArray


def empty_tables(strategy: FloatArray, reach: FloatArray, average: FloatArray, infosets: int) -> Tables:
    """Tables at iteration 0 around the iterate and the average of a solver."""
    sequences = len(strategy)
    return Tables(
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


@njit(cache=True, nogil=True, error_model="numpy")
def iterate(
    form, nodes, branches, tables, work, simultaneous, together, argmax, best, jump, theta, positive, negative, weight
):
    """Run ``len(weight)`` iterations of CFR with interval RBP (BROWN 3.3.2 to 3.3.4) for two players.

    `jump` replaces the floor of CFR+: a regret may be negative, and a positive one starts again from zero.
    """
    regrets, strategy, reach, pruned, bound = (
        tables.regrets, tables.strategy, tables.reach, tables.pruned, tables.bound
    )  # fmt: skip
    start, stop, parent, highest = form.start, form.stop, form.parent, branches.highest
    values, external, touched = work.values, work.external, tables.touched
    size = len(nodes.end)
    for t in range(len(weight)):
        if simultaneous:
            for player in range(2):
                clear(form, player, values, external)
                if not together:
                    touched[0] += walk(nodes, player, 0, size, reach, None, pruned, None, values, external)
            if together:
                touched[0] += walk_together(nodes, reach, None, pruned, values, external)
            for player in range(2):
                add_to_sums(form, player, negative[t], tables, values)
        for player in range(2):
            if not simultaneous:
                clear(form, player, values, external)
                touched[0] += walk(nodes, player, 0, size, reach, None, pruned, None, values, external)
                add_to_sums(form, player, negative[t], tables, values)
            elapsed = tables.elapsed[player]
            i = np.uint64(form.first_infoset[player + 1])
            while i > form.first_infoset[player]:
                i -= np.uint64(1)
                low, high = start[i], stop[i]
                if external[i] == 0.0:
                    if positive[t] != 1.0 or negative[t] != 1.0:
                        _fade(i, low, high, positive[t], negative[t], tables)
                    continue
                unreached = best and reach[parent[i]] == 0.0
                value = declared_value(low, high, unreached, strategy, pruned, values)
                values[parent[i]] += value
                tables.value[i] = negative[t] * (tables.value[i] + value)
                tables.seen[i] = negative[t] * (tables.seen[i] + external[i])
                for s in range(low, high):
                    if pruned[s]:
                        add_to_bound(s, external[i] * highest[s], value, negative[t], regrets, bound, tables.missed)
                        if bound[s] > 0.0:
                            _make_up(form, nodes, branches, player, i, s, theta, argmax, tables, work)
                    else:
                        add_regret(s, values[s] - value, jump, positive[t], negative[t], regrets)
                match(low, high, argmax, regrets, pruned, strategy)
                for s in range(low, high):
                    if strategy[s] == 0.0 and not pruned[s] and regrets[s] < 0.0:
                        gain = tables.seen[i] * highest[s] - tables.value[i]
                        if expected_skip(regrets[s], gain, elapsed) > theta:
                            _settle(form, nodes, branches, player, s, argmax, tables, work)
                            begin(s, tables)
            add_to_average(form, player, weight[t], strategy, reach, tables.average)


@njit(cache=True, nogil=True)
def add_to_sums(form, player, factor, tables, values):
    """Add to what `player` has faced the opponent's plan, and to the sums of gradients those of this walk."""
    tables.elapsed[player] = factor * (tables.elapsed[player] + 1.0)
    faced, reach, gradients, opponent = tables.faced, tables.reach, tables.gradients, 1 - player
    for s in range(form.first_sequence[opponent], form.first_sequence[opponent + 1]):
        faced[s] = factor * (faced[s] + reach[s])
    for s in range(form.first_sequence[player], form.first_sequence[player + 1]):
        gradients[s] = factor * (gradients[s] + values[s])


@njit(cache=True, nogil=True)
def _fade(i, low, high, positive, negative, tables):
    """An infoset that was not met: its sums only fade."""
    tables.value[i] *= negative
    tables.seen[i] *= negative
    for s in range(low, high):
        tables.regrets[s] *= positive if tables.regrets[s] > 0.0 else negative
        tables.bound[s] *= negative
        tables.missed[s] *= negative


@njit(cache=True, nogil=True, inline="always")
def add_to_bound(s, most, value, factor, regrets, bound, missed):
    """What a pruned action can have gained at most (3.19), and what it is compared with."""
    regrets[s] *= factor
    bound[s] = factor * (bound[s] + most - value)
    missed[s] = factor * (missed[s] + value)


@njit(cache=True, nogil=True, inline="always")
def add_regret(s, regret, jump, positive, negative, regrets):
    """Add this iteration's regret and let the sum fade.

    With `jump` it plays as CFR+ does, and still knows how bad an action has become (BROWN 3.3.5).
    """
    total = regret if jump and regret > 0.0 and regrets[s] <= 0.0 else regrets[s] + regret
    regrets[s] = total * (positive if total > 0.0 else negative)


@njit(cache=True, nogil=True, inline="always")
def match(low, high, argmax, regrets, pruned, strategy):
    """The strategy in proportion to the positive regrets of the actions that are not pruned, or the fallback."""
    total, left, best = 0.0, 0, low
    for s in range(low, high):
        strategy[s] = 0.0
        if not pruned[s]:
            if left == 0 or regrets[s] > regrets[best]:
                best = s
            left += 1
            strategy[s] = max(regrets[s], 0.0)
            total += strategy[s]
    if total > 0.0:
        scale = 1.0 / total
        for s in range(low, high):
            strategy[s] *= scale
    elif argmax:
        strategy[best] = 1.0
    else:
        for s in range(low, high):
            if not pruned[s]:
                strategy[s] = 1.0 / left


@njit(cache=True, nogil=True, inline="always")
def expected_skip(regret, gain, elapsed):
    """How many more iterations a negative regret can be expected to stay below zero (3.20).

    `gain` is what the action can have gained at most in the `elapsed` iterations, and it goes on gaining at that rate.
    """
    return -regret * elapsed / gain if gain > 0.0 else np.inf


@njit(cache=True, nogil=True)
def begin(s, tables):
    """Prune an action whose branch holds no pruned action; `gradients` stop growing here."""
    tables.pruned[s] = True
    tables.bound[s] = tables.regrets[s]
    tables.missed[s] = 0.0


@njit(cache=True, nogil=True)
def _settle(form, nodes, branches, player, s, argmax, tables, work):
    """End the prunes below s, whose skipped iterations began earlier."""
    for k in range(branches.low[s], branches.high[s]):
        j = np.uint64(branches.infosets[k])
        for b in range(form.start[j], form.stop[j]):
            if tables.pruned[b]:
                _make_up(form, nodes, branches, player, j, b, np.inf, argmax, tables, work)
                match(form.start[j], form.stop[j], argmax, tables.regrets, tables.pruned, tables.strategy)


@njit(cache=True, nogil=True)
def _make_up(form, nodes, branches, player, i, s, theta, argmax, tables, work):
    """Make up for the skipped iterations; the action stays pruned if its regret can be expected to stay negative."""
    regrets, pruned = tables.regrets, tables.pruned
    replay(form, nodes, branches, player, i, s, tables, work)
    for k in range(branches.low[s], branches.high[s]):
        j = branches.infosets[k]
        match(form.start[j], form.stop[j], argmax, regrets, pruned, tables.strategy)
    gain = tables.seen[i] * branches.highest[s] - tables.value[i]
    if regrets[s] < 0.0 and expected_skip(regrets[s], gain, tables.elapsed[player]) > theta:
        begin(s, tables)
    else:
        pruned[s] = False


@njit(cache=True, nogil=True)
def replay(form, nodes, branches, player, i, s, tables, work):
    """Give the branch of a pruned action the regrets of the skipped iterations, by a best response to their sum.

    The gain of a sequence is the difference of its gradients against all that was faced, now and when its branch
    was walked last.
    """
    gain, regrets = work.branch_values, tables.regrets
    tables.touched[0] += walk_branch(
        form, nodes, branches, player, i, s, tables.faced, None, gain, work.branch_external
    )
    _take_differences(s, s + 1, gain, tables.gradients)
    for k in range(branches.low[s], branches.high[s]):
        j = branches.infosets[k]
        _take_differences(form.start[j], form.stop[j], gain, tables.gradients)
    for k in range(np.int64(branches.high[s]) - 1, np.int64(branches.low[s]) - 1, -1):
        j = branches.infosets[k]
        low, high = form.start[j], form.stop[j]
        largest = -np.inf
        for b in range(low, high):
            largest = max(largest, gain[b])
        for b in range(low, high):
            regrets[b] += gain[b] - largest
        tables.value[j] += largest
        tables.seen[j] = work.branch_external[j]
        gain[form.parent[j]] += largest
    regrets[s] += gain[s] - tables.missed[s]


@njit(cache=True, nogil=True, inline="always")
def _take_differences(low, high, gain, gradients):
    """Turn the gradients against all that was faced into those of the skipped iterations."""
    for s in range(low, high):
        before = gradients[s]
        gradients[s] = gain[s]
        gain[s] -= before
