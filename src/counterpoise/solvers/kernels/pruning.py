"""Walks over the histories that skip branches, and CFR on top of them.

The histories are laid out in preorder, so that a walk is a loop over a range of nodes and
skipping a branch is one jump. A walk for a player adds up, per own sequence, the terminals right below it (what
`sequence_form.gradient` computes from the sequence form) and, per own infoset, the reach of chance and of the other
players; it leaves out every branch that they do not reach, and those that the caller has pruned.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from counterpoise.kernels.options import LEAN
from counterpoise.kernels.regret_matching import Discounts, first_largest, update_regrets
from counterpoise.solvers.kernels.cfr import add_to_average, prefer_largest
from counterpoise.tree.kernels.layouts import TERMINAL_NODE
from counterpoise.tree.kernels.sequence_form import infoset_value


@njit(**LEAN)
def walk(nodes, player, low, high, plan, position, skip, walked):
    """Walk the nodes ``low:high`` (a subtree, or all) for `player`; returns how many were touched.

    Adds chance * payoff * others' plan to ``values[s]`` for the terminals whose last own sequence is s, and
    chance * others' plan to ``external[i]`` for the own infosets met. Branches that the others' plan does not reach
    are left out, and so are those whose own sequence is marked in `skip` (None to skip none). With `position` the
    entry of sequence s in `plan` and in `skip` is at ``position[s]`` instead of s, so that a plan with gaps can be
    kept packed.
    """
    values, external = walked.values, walked.external
    players = nodes.last.shape[0]
    own, other, weight = nodes.last[player], nodes.last[(player + 1) % players], nodes.weight[player]
    first, stop = np.int64(nodes.first_infoset[player]), np.int64(nodes.first_infoset[player + 1])
    touched = 0
    n = low
    while n < high:
        s = own[n]
        # A pruned own action: jump over its branch.
        if skip is not None:
            mark = s if position is None else position[s]
            if skip[mark]:
                n = np.uint64(nodes.end[n])
                continue
        # Reach of the others; 0 means that nothing below counts for this player.
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
        # Terminals add to the gradient, own infosets to their external reach.
        kind = np.int64(nodes.infoset[n])
        if kind == TERMINAL_NODE:
            values[s] += weight[n] * reach
        elif first <= kind < stop:
            external[kind] += weight[n] * reach
        n += np.uint64(1)
    return touched


@njit(**LEAN)
def walk_together(nodes, plan, position, skip, walked):
    """Walk all nodes once for all players, as `walk` does for each: a node is left out if no player needs it."""
    end, infoset, last, weight, first_infoset = nodes.end, nodes.infoset, nodes.last, nodes.weight, nodes.first_infoset
    values, external = walked.values, walked.external
    players, size = last.shape[0], np.uint64(len(end))
    until = walked.until  # where the branch ends that a player leaves out
    until[:] = 0
    touched = 0
    n = np.uint64(0)
    while n < size:
        needed, nearest = False, size
        for player in range(players):
            # A player who is not inside a branch that it leaves out looks at the node.
            if until[player] <= n:
                s = last[player, n]
                reach = 1.0
                if skip is not None and skip[s if position is None else position[s]]:
                    reach = 0.0
                for other in range(players):
                    if other != player:
                        o = last[other, n]
                        reach *= plan[o if position is None else position[o]]
                # Leave out the branch for this player, or take the node's part.
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
        # Nobody needs the node: go on where the first player needs one again.
        touched += needed
        n = n + np.uint64(1) if needed else nearest
    return touched


@njit(**LEAN)
def walk_branch(tree, player, i, s, plan, position, walked):
    """Walk the branch of sequence s of infoset i, from all histories of i, with fresh sums; returns nodes touched.

    ``values`` is set for s and for the sequences of the infosets below, ``external`` for those infosets.
    """
    form, nodes, branches = tree.form, tree.nodes, tree.branches
    values, external = walked.values, walked.external
    # Fresh sums for the branch.
    values[s] = 0.0
    for k in range(branches.low[s], branches.high[s]):
        j = branches.infosets[k]
        external[j] = 0.0
        for b in range(form.start[j], form.stop[j]):
            values[b] = 0.0
    touched = 0
    for k in range(branches.row[i], branches.row[i + 1]):
        # The child of this history after action s, behind its earlier siblings.
        child = np.uint64(branches.history[k] + 1)
        for _ in range(s - form.start[i]):
            child = np.uint64(nodes.end[child])
        touched += walk(nodes, player, child, np.uint64(nodes.end[child]), plan, position, None, walked)
    return touched


@njit(cache=True, nogil=True, inline="always")
def clear(form, player, walked):
    """Set the sums of a player to zero before a walk over all nodes."""
    walked.values[form.first_sequence[player] : form.first_sequence[player + 1]] = 0.0
    walked.external[form.first_infoset[player] : form.first_infoset[player + 1]] = 0.0


@njit(cache=True, nogil=True, inline="always")
def declared_value(low, high, best, strategy, pruned, values):
    """Return the value of an infoset under the strategy or, if `best`, of its best action that is not pruned."""
    if not best:
        return infoset_value(low, high, strategy, values)
    return values[first_largest(values, low, high - low, pruned)]


@njit(**LEAN)
def walk_all(form, nodes, rules, plan, position, skip, walked):
    """Walk all nodes for all players, with fresh sums: together or one after the other; returns nodes touched."""
    touched = 0
    for player in range(len(form.first_infoset) - 1):
        clear(form, player, walked)
        if not rules.together:
            touched += walk(nodes, player, np.uint64(0), np.uint64(len(nodes.end)), plan, position, skip, walked)
    if rules.together:
        touched += walk_together(nodes, plan, position, skip, walked)
    return touched


@njit(**LEAN)
def walk_one(form, nodes, player, plan, position, skip, walked):
    """Walk all nodes for one player, with fresh sums; returns nodes touched."""
    clear(form, player, walked)
    return walk(nodes, player, np.uint64(0), np.uint64(len(nodes.end)), plan, position, skip, walked)


@njit(**LEAN, error_model="numpy")
def iterate(form, nodes, rules, factors, tables, walked):
    """Run iterations of CFR by walks that skip what the others do not reach; returns nodes touched.

    With `together` a simultaneous iteration is one walk for all players, else one for each. With `best`, infosets
    that the player's own strategy does not reach get the value of a best response (Brown 2020, section 3.3.1).
    """
    players = len(form.first_infoset) - 1
    strategy, reach, regrets = tables.strategy, tables.reach, tables.regrets
    values, external = walked.values, walked.external
    touched = 0
    for t in range(len(factors.weights)):
        discounts = Discounts(factors.positive[t], factors.negative[t], rules.prediction)
        # An infoset that was not met stays as it is, unless its sums fade or predict.
        lasting = rules.prediction == 0.0 and discounts.positive == 1.0
        lasting = lasting and (discounts.negative == 1.0 or discounts.negative == 0.0)
        if rules.simultaneous:
            touched += walk_all(form, nodes, rules, reach, None, None, walked)
        for player in range(players):
            if not rules.simultaneous:
                touched += walk_one(form, nodes, player, reach, None, None, walked)
            i = np.uint64(form.first_infoset[player + 1])
            while i > form.first_infoset[player]:
                i -= np.uint64(1)
                # Not met: neither values nor regrets change.
                if external[i] == 0.0 and lasting:
                    continue
                low, high = form.start[i], form.stop[i]
                # Infosets that own play does not reach get a best response's value, which prunes more.
                unreached = rules.best and reach[form.parent[i]] == 0.0
                value = declared_value(low, high, unreached, strategy, None, values)
                values[form.parent[i]] += value
                update_regrets(low, high, values, value, discounts, regrets, strategy)
            if rules.argmax:
                prefer_largest(form, player, regrets, strategy)
            add_to_average(form, player, factors.weights[t], strategy, reach, tables.average)
    return touched
