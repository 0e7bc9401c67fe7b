"""Walks over the histories that skip branches, and CFR on top of them.

The histories are laid out in preorder (`preorder`), so that a walk is a loop over a range of nodes and
skipping a branch is one jump. A walk for a player adds up, per own sequence, the terminals
right below it (what `sequence_form.gradient` computes from the sequence form) and, per own infoset, the reach of chance
and of the other players; it leaves out every branch that they do not reach, and those that the caller has pruned.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from counterpoise.solvers.kernels.cfr import add_to_average, prefer_largest
from counterpoise.solvers.kernels.preorder import TERMINAL_NODE
from counterpoise.solvers.kernels.regret import update_regrets
from counterpoise.tree.kernels.sequence_form import infoset_value


@njit(cache=True, nogil=True)
def walk(nodes, player, low, high, plan, position, skip, skip_position, values, external):
    """Walk the nodes ``low:high`` (a subtree, or all) for `player`; returns how many were touched.

    Adds chance * payoff * others' plan to ``values[s]`` for the terminals whose last own sequence is s, and
    chance * others' plan to ``external[i]`` for the own infosets met. Branches that the others' plan does not reach
    are left out, and so are those whose own sequence is marked in `skip` (None to skip none). With `position` the
    entry of sequence s in `plan` is ``plan[position[s]]`` instead of ``plan[s]``, so that a plan with gaps can be
    kept packed; `skip_position` is the same for `skip`.
    """
    players = nodes.last.shape[0]
    own, other, weight = nodes.last[player], nodes.last[(player + 1) % players], nodes.weight[player]
    first, stop = np.int64(nodes.first_infoset[player]), np.int64(nodes.first_infoset[player + 1])
    touched = 0
    n, high = np.uint64(low), np.uint64(high)
    while n < high:
        s = own[n]
        if skip is not None:
            mark = s if skip_position is None else skip_position[s]
            if skip[mark]:
                n = np.uint64(nodes.end[n])
                continue
        if players == 2:
            reach = plan[other[n] if position is None else position[other[n]]]
        else:
            reach = 1.0
            for p in range(players):
                if p != player:
                    reach *= plan[nodes.last[p, n]]
        if reach == 0.0:
            n = np.uint64(nodes.end[n])
            continue
        touched += 1
        kind = np.int64(nodes.infoset[n])
        if kind == TERMINAL_NODE:
            values[s] += weight[n] * reach
        elif first <= kind < stop:
            external[kind] += weight[n] * reach
        n += np.uint64(1)
    return touched


@njit(cache=True, nogil=True)
def walk_together(nodes, plan, position, skip, values, external):
    """One walk for all players at once, as `walk` does for each: a node is left out if nobody needs it.

    `position` is that of the plan and of `skip`.
    """
    end, infoset, last, weight, first_infoset = nodes.end, nodes.infoset, nodes.last, nodes.weight, nodes.first_infoset
    players, size = last.shape[0], np.uint64(len(end))
    until = np.zeros(players, dtype=np.uint64)  # where the branch ends that a player leaves out
    touched = 0
    n = np.uint64(0)
    while n < size:
        needed, nearest = False, size
        for player in range(players):
            if until[player] <= n:
                s = last[player, n]
                reach = 1.0
                if skip is not None and skip[s if position is None else position[s]]:
                    reach = 0.0
                for other in range(players):
                    if other != player:
                        o = last[other, n]
                        reach *= plan[o if position is None else position[o]]
                if reach == 0.0:
                    until[player] = end[n]
                else:
                    needed = True
                    kind = np.int64(infoset[n])
                    if kind == TERMINAL_NODE:
                        values[s] += weight[player, n] * reach
                    elif first_infoset[player] <= kind < first_infoset[player + 1]:
                        external[kind] += weight[player, n] * reach
            nearest = min(nearest, max(until[player], n + np.uint64(1)))
        touched += needed
        n = n + np.uint64(1) if needed else nearest
    return touched


@njit(cache=True, nogil=True)
def walk_branch(form, nodes, branches, player, i, s, plan, position, values, external):
    """Walk the branch of sequence s of infoset i, from all histories of i, with fresh sums; returns nodes touched.

    ``values`` is set for s and for the sequences of the infosets below, ``external`` for those infosets.
    """
    values[s] = 0.0
    for k in range(branches.low[s], branches.high[s]):
        j = branches.infosets[k]
        external[j] = 0.0
        for b in range(form.start[j], form.stop[j]):
            values[b] = 0.0
    touched = 0
    for k in range(branches.row[i], branches.row[i + 1]):
        child = np.uint64(branches.history[k] + 1)
        for _ in range(s - form.start[i]):
            child = np.uint64(nodes.end[child])
        touched += walk(nodes, player, child, nodes.end[child], plan, position, None, None, values, external)
    return touched


@njit(cache=True, nogil=True, inline="always")
def clear(form, player, values, external):
    """Set the sums of a player to zero before a walk over all nodes."""
    values[form.first_sequence[player] : form.first_sequence[player + 1]] = 0.0
    external[form.first_infoset[player] : form.first_infoset[player + 1]] = 0.0


@njit(cache=True, nogil=True, inline="always")
def declared_value(low, high, best, strategy, pruned, values):
    """Value of an infoset: under the strategy or, if `best`, of the best action that is not pruned (None: none is)."""
    if not best:
        return infoset_value(low, high, strategy, values)
    largest = -np.inf
    for s in range(low, high):
        if (pruned is None or not pruned[s]) and values[s] > largest:
            largest = values[s]
    return largest


@njit(cache=True, nogil=True, error_model="numpy")
def iterate(
    form, nodes, simultaneous, together, argmax, best, prediction, positive, negative, weight,
    strategy, reach, regrets, average, values, external,
):  # fmt: skip
    """Run ``len(weight)`` iterations of CFR by walks that skip what the others do not reach; returns nodes touched.

    With `together` a simultaneous iteration is one walk for all players, else one for each. With `best`, infosets
    that the player's own strategy does not reach get the value of a best response (BROWN 3.3.1).
    """
    players = len(form.first_infoset) - 1
    touched = 0
    for t in range(len(weight)):
        if simultaneous:
            for player in range(players):
                clear(form, player, values, external)
                if not together:
                    touched += walk(nodes, player, 0, len(nodes.end), reach, None, None, None, values, external)
            if together:
                touched += walk_together(nodes, reach, None, None, values, external)
        for player in range(players):
            if not simultaneous:
                clear(form, player, values, external)
                touched += walk(nodes, player, 0, len(nodes.end), reach, None, None, None, values, external)
            # An infoset that was not met stays as it is, unless its sums fade or predict.
            lasting = prediction == 0.0 and positive[t] == 1.0 and (negative[t] == 1.0 or negative[t] == 0.0)
            i = np.uint64(form.first_infoset[player + 1])
            while i > form.first_infoset[player]:
                i -= np.uint64(1)
                if external[i] == 0.0 and lasting:
                    continue
                low, high = form.start[i], form.stop[i]
                unreached = best and reach[form.parent[i]] == 0.0
                value = declared_value(low, high, unreached, strategy, None, values)
                values[form.parent[i]] += value
                update_regrets(low, high, values, value, positive[t], negative[t], prediction, regrets, strategy)
            if argmax:
                prefer_largest(form, player, regrets, strategy)
            add_to_average(form, player, weight[t], strategy, reach, average)
    return touched
