"""Total regret-based pruning (best-response pruning), compiled. Tables with gaps are kept packed, and shrink."""

from __future__ import annotations

import numpy as np
from numba import njit

from counterpoise.kernels.options import LEAN
from counterpoise.kernels.regret_matching import first_largest, positive_parts
from counterpoise.solvers.kernels.interval_rbp import add_regret, expected_skip
from counterpoise.solvers.kernels.pruning import walk_all, walk_branch, walk_one

UPDATE, DECIDE = 0, 1
"""The two parts of a player's turn; between them the tables may have to grow."""
LAST_PERIOD = 253
"""Long past any run: from there on an action that was not pruned is looked at again in every iteration."""


@njit(**LEAN, error_model="numpy")
def iterate(tree, rules, first, factors, position, tables, work):
    """Continue from a `position`: a part of a player's turn of iteration ``first + step``; returns where it stopped.

    It stops at the end, or before a decision for which `need` says that the tables must grow.
    """
    step, player, part = position
    form, nodes, walked, touched = tree.form, tree.nodes, work.all, tables.touched
    strategy = work.strategy
    while step < len(factors.weights):
        factor = factors.positive[step]
        # First part: walk without pruned branches, add plans and regrets.
        if part == UPDATE:
            if rules.simultaneous and player == 0:
                touched[0] += walk_all(form, nodes, rules, tables.reach, tables.place, tables.pruned, walked)
                for each in range(2):
                    _add_to_faced(form, each, factor, tables)
            elif not rules.simultaneous:
                touched[0] += walk_one(form, nodes, player, tables.reach, tables.place, tables.pruned, walked)
                _add_to_faced(form, player, factor, tables)
            if rules.separate:
                _add_to_average(form, player, factors.weights[step], tables)
            _update(tree, player, rules, factor, strategy, tables, walked)
            part = DECIDE
        # Branches that come back need room: if there is none, the caller makes the tables larger.
        used, need = tables.used, tables.need
        if (
            used[0] + need[0] > len(tables.regrets)
            or used[1] + need[1] > len(tables.value)
            or used[2] + need[2] > len(tables.faced)
        ):
            return step, player, part
        # Second part: end or begin prunes, then play by the new regrets.
        _decide(tree, player, first + step, rules, strategy, tables, work)
        _follow(form, player, strategy, tables)
        part, player = UPDATE, player + 1
        if player == 2:
            player, step = 0, step + 1
    return step, player, part


@njit(**LEAN)
def _add_to_faced(form, player, factor, tables):
    """Add the opponent's plan to what `player` has faced."""
    place, average_place, reach, faced = tables.place, tables.average_place, tables.reach, tables.faced
    tables.elapsed[player] = factor * (tables.elapsed[player] + 1.0)
    opponent = 1 - player
    for s in range(form.first_sequence[opponent], form.first_sequence[opponent + 1]):
        at = average_place[s]
        if at > 0:
            faced[at] = factor * (faced[at] + reach[place[s]])


@njit(**LEAN)
def _add_to_average(form, player, weight, tables):
    """Add the player's own plan to an average with weights of its own."""
    place, average_place, reach, average = tables.place, tables.average_place, tables.reach, tables.average
    for s in range(form.first_sequence[player], form.first_sequence[player + 1]):
        if average_place[s] > 0:
            average[average_place[s]] += weight * reach[place[s]]


@njit(**LEAN)
def _update(tree, player, rules, factor, strategy, tables, walked):
    """Bottom-up pass: values, regrets, bounds of pruned actions, and what room those need that are above 0 now."""
    form, branches, values, external = tree.form, tree.branches, walked.values, walked.external
    place, slot, reach, regrets = tables.place, tables.slot, tables.reach, tables.regrets
    pruned, need, parent, highest = tables.pruned, tables.need, form.parent, branches.highest
    value_sum, seen = tables.value, tables.seen
    start, stop, first_infoset = form.start, form.stop, np.uint64(form.first_infoset[player])
    need[:] = 0
    i = np.uint64(form.first_infoset[player + 1])
    while i > first_infoset:
        i -= np.uint64(1)
        at = slot[i]
        if at == 0 or (external[i] == 0.0 and factor == 1.0):
            continue
        low, high = start[i], stop[i]
        base = place[low]
        # Value under the matched strategy, or of the best action where own play does not lead.
        value = values[low]
        if rules.best and reach[place[parent[i]]] == 0.0:
            value = -np.inf
            for k in range(high - low):
                if not pruned[base + k]:
                    value = max(value, values[low + k])
        else:
            match_shared(base, high - low, regrets, pruned, strategy)
            for k in range(1, high - low):
                value += strategy[k] * (values[low + k] - values[low])
        values[parent[i]] += value
        # Sums of the infoset: value and external reach, discounted.
        value_sum[at] = factor * (value_sum[at] + value)
        seen[at] = factor * (seen[at] + external[i])
        # Pruned actions gain at most the highest payoff below; if that is above 0 they may come back.
        for k in range(high - low):
            if pruned[base + k]:
                regrets[base + k] = factor * (regrets[base + k] + external[i] * highest[low + k] - value)
                if regrets[base + k] > 0.0:
                    _add_to_need(form, branches, low + k, tables)
            else:
                add_regret(base + k, values[low + k] - value, rules.jump, factor, factor, regrets)


@njit(**LEAN)
def _add_to_need(form, branches, s, tables):
    """Note how much room the branch of s takes at most."""
    tables.need[2] += 1
    for k in range(branches.low[s], branches.high[s]):
        j = branches.infosets[k]
        tables.need[0] += form.stop[j] - form.start[j]
        tables.need[1] += 1
        tables.need[2] += form.stop[j] - form.start[j]


@njit(**LEAN)
def _decide(tree, player, t, rules, strategy, tables, work):
    """At every infoset met: end or renew prunes, match the strategy, look for actions to prune, discard averages."""
    form, branches = tree.form, tree.branches
    place, slot, regrets, faced = tables.place, tables.slot, tables.regrets, tables.faced
    pruned, recheck, average_place, external = tables.pruned, tables.recheck, tables.average_place, work.all.external
    value, seen, highest, start, stop = tables.value, tables.seen, branches.highest, form.start, form.stop
    elapsed, theta, jump = tables.elapsed[player], rules.theta, rules.jump
    now = period(t)
    few = rules.discard * tables.elapsed[1 - player] / t**rules.discard_power
    first_infoset = np.uint64(form.first_infoset[player])
    i = np.uint64(form.first_infoset[player + 1])
    while i > first_infoset:
        i -= np.uint64(1)
        at = slot[i]
        if at == 0 or external[i] == 0.0:
            continue
        low, base, actions = start[i], place[start[i]], stop[i] - start[i]
        # Pruned actions whose bound is above 0: the exact regret by a best response decides.
        for k in range(actions):
            if pruned[base + k] and regrets[base + k] > 0.0:
                regret = _best_response_regret(tree, player, i, low + k, tables, work.branch)
                regrets[base + k] = regret
                if not _stays_negative(regret, seen[at] * highest[low + k] - value[at], elapsed, theta):
                    pruned[base + k] = False
                    _revive(tree, low + k, theta, elapsed, tables, work.branch)
        match_shared(base, actions, regrets, pruned, strategy)
        # Prune what stays negative even if a best response had been played below.
        for k in range(actions):
            if not pruned[base + k]:
                if strategy[k] > 0.0 or regrets[base + k] >= 0.0 or now < recheck[base + k]:
                    continue
                gain = seen[at] * highest[low + k] - value[at]
                # RM+ knows no more than that the regret has fallen for a while
                if not jump and not _stays_negative(regrets[base + k], gain, elapsed, theta):
                    continue
                regret = _best_response_regret(tree, player, i, low + k, tables, work.branch)
                if not _stays_negative(regret, gain, elapsed, theta):
                    recheck[base + k] = min(now + 2, LAST_PERIOD)
                    continue
                pruned[base + k] = True
                regrets[base + k] = regret
                _free(form, branches, low + k, tables)
            # Averages of actions that were played too little are forgotten.
            if average_place[low + k] > 0 and faced[average_place[low + k]] <= few:
                _discard(form, branches, i, low + k, rules.separate, tables)


@njit(**LEAN)
def period(t):
    """Return the number of the period of iteration t, a byte; a period is about 5 + t / 15 iterations long."""
    return np.uint8(min(15.0 * np.log1p(t / 75.0), float(LAST_PERIOD)))


@njit(cache=True, nogil=True, inline="always")
def _stays_negative(regret, gain, elapsed, theta):
    """Return whether a regret is negative and expected to be so for more than `theta` iterations."""
    return regret < 0.0 and expected_skip(regret, gain, elapsed) > theta


@njit(cache=True, nogil=True, inline="always")
def match_shared(base, actions, regrets, pruned, strategy):
    """Match the strategy to the positive regrets; without any, all on the largest (shared if there are several).

    Regrets begin at `base`, the strategy at 0.
    """
    total = positive_parts(regrets, base, actions, pruned, strategy, np.uint64(0))
    if total > 0.0:
        for k in range(actions):
            strategy[k] /= total
    else:
        largest, several = regrets[first_largest(regrets, base, actions, pruned)], 0
        for k in range(actions):
            several += not pruned[base + k] and regrets[base + k] == largest
        for k in range(actions):
            if not pruned[base + k] and regrets[base + k] == largest:
                strategy[k] = 1.0 / several


@njit(**LEAN)
def _best_response_regret(tree, player, i, s, tables, walked):
    """Return N psi(I,a) - V(I): the regret if a best response to all that was faced had always been played below."""
    form, branches, values = tree.form, tree.branches, walked.values
    # Gradient of the branch against all that was faced.
    tables.touched[0] += walk_branch(tree, player, i, s, tables.faced, tables.average_place, walked)
    # Best response bottom-up.
    for k in range(np.int64(branches.high[s]) - 1, np.int64(branches.low[s]) - 1, -1):
        j = branches.infosets[k]
        low = form.start[j]
        values[form.parent[j]] += values[first_largest(values, low, form.stop[j] - low, None)]
    return values[s] - tables.value[tables.slot[i]]


@njit(**LEAN)
def _free(form, branches, s, tables):
    """Give up the regrets of a branch."""
    for k in range(branches.low[s], branches.high[s]):
        j = branches.infosets[k]
        tables.slot[j] = 0
        for b in range(form.start[j], form.stop[j]):
            tables.place[b] = 0


@njit(**LEAN)
def _revive(tree, s, theta, elapsed, tables, walked):
    """Give a branch regrets again, as though the best response just computed had always been played (3.29, 3.30).

    Its bad actions can be pruned at once; then what lies below them stays away.
    """
    form, branches, values = tree.form, tree.branches, walked.values
    _begin_average(np.uint64(s), tables)
    for k in range(branches.low[s], branches.high[s]):
        j = branches.infosets[k]
        above = tables.place[form.parent[j]]
        # Below a pruned action nothing is set up.
        if above == 0 or tables.pruned[above]:
            continue
        low, actions = form.start[j], np.int64(form.stop[j] - form.start[j])
        # Room for the infoset; its sums as though the best response had always been played.
        base, at = tables.used[0], tables.used[1]
        tables.used[0] += actions
        tables.used[1] += 1
        tables.slot[j] = at
        largest = values[first_largest(values, low, actions, None)]
        tables.value[at] = largest
        tables.seen[at] = walked.external[j]
        for b in range(actions):
            # Regrets of its actions; those that are bad enough are pruned at once.
            regret = values[low + b] - largest
            gain = walked.external[j] * branches.highest[low + b] - largest
            tables.place[low + b] = base + b
            tables.regrets[base + b] = regret
            tables.reach[base + b] = 0.0
            tables.recheck[base + b] = 0
            tables.pruned[base + b] = _stays_negative(regret, gain, elapsed, theta)
            if not tables.pruned[base + b]:
                _begin_average(np.uint64(low + b), tables)


@njit(**LEAN)
def _begin_average(s, tables):
    """Give a sequence an average, if it has none."""
    if tables.average_place[s] == 0:
        at = tables.used[2]
        tables.used[2] += 1
        tables.average_place[s] = at
        tables.faced[at] = 0.0
        if len(tables.average) > 1:
            tables.average[at] = 0.0


@njit(**LEAN)
def _discard(form, branches, i, s, separate, tables):
    """Forget the average of a pruned action that was played little, and scale up that of the others.

    See Brown 2020, section 3.5.2.
    """
    place = tables.average_place
    if not _shift(form, branches, i, s, place, tables.faced):
        return
    if separate:
        _shift(form, branches, i, s, place, tables.average)
    place[s] = 0
    for k in range(branches.low[s], branches.high[s]):
        j = branches.infosets[k]
        for b in range(form.start[j], form.stop[j]):
            place[b] = 0


@njit(**LEAN)
def _shift(form, branches, i, s, place, plan):
    """Move the weight of s in a plan to the other actions of infoset i, in proportion, all the way down.

    Returns False, and changes nothing, if the others have no weight to scale.
    """
    moved, rest = plan[place[s]], 0.0
    if moved == 0.0:
        return True
    for b in range(form.start[i], form.stop[i]):
        if b != s:
            rest += plan[place[b]]
    if rest == 0.0:
        return False
    # Scale the others, and everything below them, by what they gain.
    scale = (rest + moved) / rest
    for other in range(form.start[i], form.stop[i]):
        if other != s:
            plan[place[other]] *= scale
            for k in range(branches.low[other], branches.high[other]):
                j = branches.infosets[k]
                for b in range(form.start[j], form.stop[j]):
                    plan[place[b]] *= scale
    return True


@njit(**LEAN)
def _follow(form, player, strategy, tables):
    """Top-down pass: the plan of the strategy that matches the regrets."""
    place, slot, reach, start, stop = tables.place, tables.slot, tables.reach, form.start, form.stop
    for i in range(form.first_infoset[player], form.first_infoset[player + 1]):
        if slot[i] > 0:
            above, base = reach[place[form.parent[i]]], place[start[i]]
            match_shared(base, stop[i] - start[i], tables.regrets, tables.pruned, strategy)
            for k in range(stop[i] - start[i]):
                reach[base + k] = above * strategy[k]


@njit(cache=True, nogil=True)
def matched(form, tables):
    """Return the strategy of all infosets that are stored, zero elsewhere."""
    profile = np.zeros(len(tables.place))
    for i in range(len(form.start)):
        if tables.slot[i] > 0:
            low, high = form.start[i], form.stop[i]
            match_shared(tables.place[low], high - low, tables.regrets, tables.pruned, profile[low:high])
    return profile
