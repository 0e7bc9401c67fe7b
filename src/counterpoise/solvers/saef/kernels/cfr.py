"""CFR on a public betting tree that may grow, and the recovery game of a new bet (Brown 2020, section 4.3.1)."""

from __future__ import annotations

import numpy as np
from numba import njit

from counterpoise.kernels.options import LEAN
from counterpoise.solvers.saef.kernels.layouts import DEAL, FIRST_FOLDED, SHOWDOWN


@njit(**LEAN, error_model="numpy")
def iterate(tree, deals, tables, iterations, archive):
    """Run iterations of CFR with alternating updates from the root; return the number of nodes touched."""
    touched = 0
    for _ in range(iterations):
        for player in range(2):
            for h in range(tables.values.shape[1]):
                tables.reach[0, 0, h] = 1.0
                tables.reach[0, 1, h] = 1.0
            touched += traverse(tree, deals, tables, np.int64(0), player, archive)
    return touched


@njit(**LEAN, error_model="numpy")
def traverse(tree, deals, tables, root, player, archive):
    """Update a player below `root`, whose reach has been written; return the number of nodes touched.

    With `archive`, the walk stops at decisions and deals that neither player reaches: nothing would change below them
    (Brown 2020, section 4.3.5).
    """
    reach, strategy, values, order = tables.reach, tables.strategy, tables.values, tables.order
    hands = values.shape[1]
    order[0] = root
    count, position = 1, 0
    while position < count:  # reach, parents first
        n = order[position]
        position += 1
        kind, c = tree.kind[n], tree.first[n]
        while c != 0:
            met = 0.0
            for h in range(hands):
                first, second = reach[n, 0, h], reach[n, 1, h]
                if kind == 0:
                    first *= strategy[c, h]
                elif kind == 1:
                    second *= strategy[c, h]
                reach[c, 0, h], reach[c, 1, h] = first, second
                met += first + second
            if met > 0.0 or not archive or tree.kind[c] >= SHOWDOWN:
                order[count] = c
                count += 1
            else:
                for h in range(hands):
                    values[c, h] = 0.0
            c = tree.next[c]
    while position > 0:  # values, children first
        position -= 1
        n = order[position]
        kind = tree.kind[n]
        if kind >= SHOWDOWN:
            end_values(tree, deals, n, player, reach[n, 1 - player], tree.stake[n], values[n])
        elif kind == player:
            update(tree, tables, n, player)
        else:
            for h in range(hands):
                values[n, h] = 0.0
            c = tree.first[n]
            while c != 0:
                for h in range(hands):
                    values[n, h] += values[c, h]
                c = tree.next[c]
    return count


@njit(**LEAN, error_model="numpy")
def end_values(tree, deals, n, player, reach, stake, values):
    """Write the counterfactual values of an end for a stake: to each hand, against the opponent's reach."""
    kind = tree.kind[n]
    table = deals.wins[tree.board[n]] if kind == SHOWDOWN else deals.weight[tree.board[n]]
    if kind == FIRST_FOLDED + player:
        stake = -stake
    for h in range(len(values)):
        total = 0.0
        for k in range(len(values)):
            total += table[h, k] * reach[k]
        values[h] = stake * total


@njit(**LEAN, error_model="numpy")
def update(tree, tables, n, player):
    """Add the values below a decision to its sums and regrets, its strategy to the average; match the next one."""
    values, strategy, regrets = tables.values, tables.strategy, tables.regrets
    hands = values.shape[1]
    met = 0.0
    for h in range(hands):
        values[n, h] = 0.0
        tables.faced[n, h] += tables.reach[n, 1 - player, h]
        met += tables.reach[n, 1 - player, h]
    c = tree.first[n]
    while c != 0:
        for h in range(hands):
            values[n, h] += strategy[c, h] * values[c, h]
        c = tree.next[c]
    for h in range(hands):
        tables.value[n, h] += values[n, h]
    c = tree.first[n]
    while c != 0:
        for h in range(hands):
            regrets[c, h] += values[c, h] - values[n, h]
            tables.average[c, h] += tables.reach[n, player, h] * strategy[c, h]
        if tree.size[c] > 0.0 and met > 0.0:
            for h in range(hands):
                tables.folded[c, h] += values[tree.first[c], h]
        c = tree.next[c]
    match(tree, tables, n)


@njit(**LEAN, error_model="numpy")
def match(tree, tables, n):
    """Match the strategy of a decision to its positive regrets; without any, play the fallback."""
    strategy, regrets, fallback = tables.strategy, tables.regrets, tables.fallback
    for h in range(strategy.shape[1]):
        total, c = 0.0, tree.first[n]
        while c != 0:
            total += max(regrets[c, h], 0.0)
            c = tree.next[c]
        c = tree.first[n]
        while c != 0:
            strategy[c, h] = max(regrets[c, h], 0.0) / total if total > 0.0 else fallback[c, h]
            c = tree.next[c]


@njit(**LEAN, error_model="numpy")
def recover(tree, deals, tables, root, iterations, head):
    """Play the recovery game of the bet that leads to `root`; return the number of nodes touched.

    The bettor, seat i, chooses by hand between entering and V(I); the opponent arrives with the reach summed so far.
    Both are spread evenly over the iterations. `head` is working memory: two rows of regrets and the reach of i.
    Afterwards the row of `root` in `regrets` holds the summed value of entering, and in `folded` its part from folds.
    """
    parent, player = tree.parent[root], 1 - tree.kind[root]
    reach, values = tables.reach, tables.values
    hands = values.shape[1]
    touched = 0
    head[:2] = 0.0
    head[2] = 0.5
    for _ in range(iterations):
        for turn in range(2):
            for h in range(hands):
                reach[root, player, h] = head[2, h]
                reach[root, 1 - player, h] = tables.faced[parent, h] / iterations
            touched += traverse(tree, deals, tables, root, player if turn == 0 else 1 - player, np.bool_(False))
            if turn == 1:
                continue
            for h in range(hands):
                outside = tables.value[parent, h] / iterations
                mean = head[2, h] * values[root, h] + (1.0 - head[2, h]) * outside
                head[0, h] += values[root, h] - mean
                head[1, h] += outside - mean
                total = max(head[0, h], 0.0) + max(head[1, h], 0.0)
                head[2, h] = max(head[0, h], 0.0) / total if total > 0.0 else 0.5
                tables.regrets[root, h] += values[root, h]
                tables.folded[root, h] += values[tree.first[root], h]
    return touched


@njit(**LEAN, error_model="numpy")
def settle(tree, tables, root, stop):
    """Make of the sums of nodes `root` to `stop` those of a game that the bettor never entered (theorem 18).

    The bettor keeps its regrets and loses its average; the opponent keeps its average and loses its regrets. Averages
    become the fallback of both (Brown 2020, section 4.3.1: where no regret is positive anything may be played).
    """
    bettor = 1 - tree.kind[root]
    for n in range(root, stop):
        if tree.kind[n] >= DEAL:
            continue
        own = tree.kind[n] == bettor
        for h in range(tables.strategy.shape[1]):
            total, c = 0.0, tree.first[n]
            while c != 0:
                total += tables.average[c, h]
                c = tree.next[c]
            c = tree.first[n]
            while c != 0:
                if total > 0.0:
                    tables.fallback[c, h] = tables.average[c, h] / total
                if own:
                    tables.average[c, h] = 0.0
                else:
                    tables.regrets[c, h] = 0.0
                    tables.folded[c, h] = 0.0
                c = tree.next[c]
            if not own:
                tables.value[n, h] = 0.0
                tables.faced[n, h] = 0.0
        match(tree, tables, n)


@njit(**LEAN, error_model="numpy")
def sums_of_regrets(tree, tables, count, totals):
    """Write, per seat, the sum of the largest positive regrets of its infosets and that of the squares of all."""
    totals[:] = 0.0
    for n in range(count):
        kind = tree.kind[n]
        if kind >= DEAL:
            continue
        for h in range(tables.regrets.shape[1]):
            largest, c = 0.0, tree.first[n]
            while c != 0:
                regret = max(tables.regrets[c, h], 0.0)
                largest = max(largest, regret)
                totals[kind, 1] += regret * regret
                c = tree.next[c]
            totals[kind, 0] += largest
