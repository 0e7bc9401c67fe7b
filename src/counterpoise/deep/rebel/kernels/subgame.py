"""One iteration on many belief subgames: reach forwards, questions and answers at leaves, values backwards, learning.

Subgames are independent of each other; they share a call so that one network evaluation serves all of their leaves.
"""

from __future__ import annotations

from numba import njit

from counterpoise.deep.rebel.kernels.layouts import DECISION, VALUE
from counterpoise.kernels.options import KERNEL

TINY = 1e-30
"""A range whose weights sum to less has no mass (the zero-mass rule)."""
LOWEST = -1e30
"""Below every value."""


@njit(**KERNEL)
def spread(forest, batch, policy):
    """Write the reach of both players at all decisions and leaves under the policies of rows."""
    hands = batch.beliefs.shape[2]
    for g in range(batch.tree.size):
        tree = batch.tree[g]
        first, last = forest.decision_start[tree], forest.decision_start[tree + 1]
        for d in range(last - first):
            before, row = forest.parent[first + d], forest.parent_row[first + d]
            for player in range(2):
                if before < 0:
                    for h in range(hands):
                        batch.reach[g, player, d, h] = batch.beliefs[g, player, h]
                elif forest.actor[first + before] == player:
                    for h in range(hands):
                        batch.reach[g, player, d, h] = batch.reach[g, player, before, h] * policy[g, row, h]
                else:
                    for h in range(hands):
                        batch.reach[g, player, d, h] = batch.reach[g, player, before, h]
            own, row = forest.own_before[first + d], forest.own_row[first + d]
            if own < 0:
                for h in range(hands):
                    batch.own[g, d, h] = 1.0
            else:
                for h in range(hands):
                    batch.own[g, d, h] = batch.own[g, own, h] * policy[g, row, h]
        leaf_begin = forest.leaf_start[tree]
        for k in range(forest.leaf_start[tree + 1] - leaf_begin):
            d, row = forest.leaf_decision[leaf_begin + k], forest.leaf_row[leaf_begin + k]
            actor = forest.actor[first + d]
            for h in range(hands):
                batch.leaf_reach[g, actor, k, h] = batch.reach[g, actor, d, h] * policy[g, row, h]
                batch.leaf_reach[g, 1 - actor, k, h] = batch.reach[g, 1 - actor, d, h]


@njit(**KERNEL)
def ask(forest, prior, batch, player, questions):
    """Write a question for every leaf at which hands of the opponent arrive; return how many there are.

    Where none arrives the counterfactual value is 0 whatever the answer.
    """
    hands = batch.beliefs.shape[2]
    count, width = 0, questions.features.shape[1]
    for g in range(batch.tree.size):
        begin = forest.leaf_start[batch.tree[g]]
        for k in range(forest.leaf_start[batch.tree[g] + 1] - begin):
            mass = 0.0
            for h in range(hands):
                mass += batch.leaf_reach[g, 1 - player, k, h]
            if mass <= TINY:
                questions.place[g, k] = -1
                continue
            state = forest.leaf_state[begin + k]
            questions.place[g, k] = count
            questions.state[count] = state
            for f in range(width):
                questions.inputs[count, f] = questions.features[state, f]
            for side in range(2):
                total = 0.0
                for h in range(hands):
                    total += batch.leaf_reach[g, side, k, h]
                at = width + side * hands
                if total > TINY:
                    factor = questions.scale / total
                    for h in range(hands):
                        questions.inputs[count, at + h] = batch.leaf_reach[g, side, k, h] * factor
                else:
                    for h in range(hands):
                        questions.inputs[count, at + h] = prior[side, h] * questions.scale
            count += 1
    return count


@njit(**KERNEL)
def take_answers(forest, payoffs, batch, player, questions, answers):
    """Write the counterfactual values of leaves: conditional values times the mass of what each hand can meet."""
    hands = batch.beliefs.shape[2]
    at = player * hands
    for g in range(batch.tree.size):
        begin = forest.leaf_start[batch.tree[g]]
        for k in range(forest.leaf_start[batch.tree[g] + 1] - begin):
            question = questions.place[g, k]
            if question < 0:
                for h in range(hands):
                    batch.leaf_value[g, k, h] = 0.0
                continue
            unit = questions.unit[forest.leaf_state[begin + k]]
            if payoffs.blocking:
                for h in range(hands):
                    batch.leaf_value[g, k, h] = 0.0
                for o in range(hands):
                    weight = batch.leaf_reach[g, 1 - player, k, o]
                    if weight != 0.0:
                        for h in range(hands):
                            batch.leaf_value[g, k, h] += weight * payoffs.meet[o, h]
                for h in range(hands):
                    batch.leaf_value[g, k, h] *= unit * answers[question, at + h]
            else:
                mass = 0.0
                for o in range(hands):
                    mass += batch.leaf_reach[g, 1 - player, k, o]
                for h in range(hands):
                    batch.leaf_value[g, k, h] = unit * mass * answers[question, at + h]


@njit(**KERNEL)
def gather(forest, payoffs, batch, policy, player, best):
    """Write the counterfactual values of a player's actions and of all decisions, from the ends and leaves upwards.

    Under the policies of rows or, with `best`, under a best response of the player.
    """
    hands = batch.beliefs.shape[2]
    for g in range(batch.tree.size):
        tree = batch.tree[g]
        first, rows = forest.decision_start[tree], forest.row_start[tree]
        ends = forest.end_start[tree]
        for step in range(forest.decision_start[tree + 1] - first):
            d = forest.decision_start[tree + 1] - first - 1 - step
            mine = forest.actor[first + d] == player
            low, high = forest.first_row[first + d + tree], forest.first_row[first + d + tree + 1]
            for h in range(hands):
                batch.value[g, d, h] = LOWEST if mine and best else 0.0
            for row in range(low, high):
                kind, child = forest.kind[rows + row], forest.child[rows + row]
                if kind == DECISION:
                    for h in range(hands):
                        batch.row_value[g, row, h] = batch.value[g, child, h]
                elif kind == VALUE:
                    for h in range(hands):
                        batch.row_value[g, row, h] = batch.leaf_value[g, child, h]
                else:
                    matrix, scale = forest.end_matrix[ends + child], forest.end_scale[ends + child]
                    for h in range(hands):
                        batch.row_value[g, row, h] = 0.0
                    for o in range(hands):
                        weight = scale * batch.reach[g, 1 - player, d, o]
                        if not mine:
                            weight *= policy[g, row, o]
                        if weight != 0.0:
                            for h in range(hands):
                                batch.row_value[g, row, h] += weight * payoffs.matrix[player, matrix, o, h]
                if not mine:
                    for h in range(hands):
                        batch.value[g, d, h] += batch.row_value[g, row, h]
                elif best:
                    for h in range(hands):
                        batch.value[g, d, h] = max(batch.value[g, d, h], batch.row_value[g, row, h])
                else:
                    for h in range(hands):
                        batch.value[g, d, h] += policy[g, row, h] * batch.row_value[g, row, h]


@njit(**KERNEL)
def accumulate(forest, batch, tables, player, weight):
    """Add a player's current policies to the sums, with `weight` times own reach (after `spread` with them)."""
    hands = batch.beliefs.shape[2]
    for g in range(batch.tree.size):
        tree = batch.tree[g]
        first = forest.decision_start[tree]
        for d in range(forest.decision_start[tree + 1] - first):
            if forest.actor[first + d] != player:
                continue
            for row in range(forest.first_row[first + d + tree], forest.first_row[first + d + tree + 1]):
                for h in range(hands):
                    tables.total[g, row, h] += weight * batch.own[g, d, h] * tables.policy[g, row, h]


@njit(**KERNEL)
def improve(forest, batch, tables, player, weight, share):
    """Add the regrets that `gather` has found, with `weight`, and match the player's next policies.

    `share` is the weight of this iteration among all so far, for the mean of the values at the root.
    """
    hands = batch.beliefs.shape[2]
    for g in range(batch.tree.size):
        tree = batch.tree[g]
        first = forest.decision_start[tree]
        for h in range(hands):
            tables.mean[g, player, h] += share * (batch.value[g, 0, h] - tables.mean[g, player, h])
        for d in range(forest.decision_start[tree + 1] - first):
            if forest.actor[first + d] != player:
                continue
            low, high = forest.first_row[first + d + tree], forest.first_row[first + d + tree + 1]
            for row in range(low, high):
                for h in range(hands):
                    tables.regret[g, row, h] += weight * (batch.row_value[g, row, h] - batch.value[g, d, h])
            match(tables.regret[g], tables.policy[g], low, high)


@njit(**KERNEL)
def set_regrets(forest, batch, tables, player, weight, firm):
    """Write a player's regrets against its best response, which `gather` has found, times a weight.

    To them comes `firm` times the current policy and the mass of the opponent, which regret matching returns.
    """
    for g in range(batch.tree.size):
        tree = batch.tree[g]
        first = forest.decision_start[tree]
        for d in range(forest.decision_start[tree + 1] - first):
            if forest.actor[first + d] != player:
                continue
            mass = 0.0
            for h in range(batch.beliefs.shape[2]):
                mass += batch.reach[g, 1 - player, d, h]
            for row in range(forest.first_row[first + d + tree], forest.first_row[first + d + tree + 1]):
                for h in range(batch.beliefs.shape[2]):
                    below = batch.row_value[g, row, h] - batch.value[g, d, h]
                    tables.regret[g, row, h] = weight * below + firm * mass * tables.policy[g, row, h]


@njit(**KERNEL)
def respond(forest, batch, tables, player, weight, share):
    """Finish an iteration of fictitious play after `gather` with `best`: the first best action of each hand, averaged.

    The response is the current policy afterwards and enters the sums with `weight`.
    """
    hands = batch.beliefs.shape[2]
    for g in range(batch.tree.size):
        tree = batch.tree[g]
        first = forest.decision_start[tree]
        for h in range(hands):
            tables.mean[g, player, h] += share * (batch.value[g, 0, h] - tables.mean[g, player, h])
        for d in range(forest.decision_start[tree + 1] - first):
            if forest.actor[first + d] != player:
                continue
            low, high = forest.first_row[first + d + tree], forest.first_row[first + d + tree + 1]
            own, before = forest.own_before[first + d], forest.own_row[first + d]
            for h in range(hands):
                reach = 1.0
                if own >= 0:
                    reach = batch.own[g, own, h] * tables.policy[g, before, h]
                batch.own[g, d, h] = reach
                taken = low
                for row in range(low, high):
                    tables.policy[g, row, h] = 0.0
                    if batch.row_value[g, row, h] > batch.row_value[g, taken, h]:
                        taken = row
                tables.policy[g, taken, h] = 1.0
                tables.total[g, taken, h] += weight * reach


@njit(**KERNEL)
def match(regret, policy, low, high):
    """Write policies in proportion to positive regrets, or all actions alike, for the rows `low:high` of a subgame."""
    hands = regret.shape[1]
    even = 1.0 / (high - low)
    for h in range(hands):
        total = 0.0
        for row in range(low, high):
            total += max(regret[row, h], 0.0)
        factor = 1.0 / total if total > 0.0 else 0.0
        for row in range(low, high):
            policy[row, h] = max(regret[row, h], 0.0) * factor if total > 0.0 else even


@njit(**KERNEL)
def average(forest, trees, total, found):
    """Write policies in proportion to sums; all actions alike where nothing was summed."""
    hands = total.shape[2]
    for g in range(trees.size):
        tree = trees[g]
        for d in range(forest.decision_start[tree], forest.decision_start[tree + 1]):
            low, high = forest.first_row[d + tree], forest.first_row[d + tree + 1]
            for h in range(hands):
                mass = 0.0
                for row in range(low, high):
                    mass += total[g, row, h]
                for row in range(low, high):
                    found[g, row, h] = total[g, row, h] / mass if mass > 0.0 else 1.0 / (high - low)


@njit(**KERNEL)
def keep_snapshots(policy, subgame, wanted, iteration, kept):
    """Copy the policies of this iteration for those who want them: k wants those of `subgame[k]` at `wanted[k]`."""
    for k in range(wanted.size):
        if wanted[k] == iteration:
            g = subgame[k]
            for row in range(kept.shape[1]):
                for h in range(kept.shape[2]):
                    kept[k, row, h] = policy[g, row, h]


@njit(**KERNEL)
def add_played(forest, batch, policy, arrived, first_row, total):
    """Add policies to those of the whole game, with own reach: what `arrived` at the root times that in the subgame.

    ``arrived[subgame, player, hand]`` starts from 1 at the beginning of the game; ``first_row`` says where the rows of
    each subgame stand in `total` [row of the whole game, hand]. Reach is that of the last `spread`.
    """
    hands = batch.beliefs.shape[2]
    for g in range(batch.tree.size):
        tree = batch.tree[g]
        first = forest.decision_start[tree]
        for d in range(forest.decision_start[tree + 1] - first):
            actor = forest.actor[first + d]
            for row in range(forest.first_row[first + d + tree], forest.first_row[first + d + tree + 1]):
                for h in range(hands):
                    weight = arrived[g, actor, h] * batch.own[g, d, h]
                    total[first_row[g] + row, h] += weight * policy[g, row, h]
