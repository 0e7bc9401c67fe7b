"""A best response that does not learn which size each of its bets was taken for, with sizes from a grid.

The responder's real histories are a tree of their own. At a real node the opponent is at one of several nodes of the
abstraction, each with the opponent's reach and the probability of the translations that led there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.abstraction.kernels.translation import pseudo_harmonic
from counterpoise.kernels.options import LEAN
from counterpoise.solvers.saef.kernels.cfr import end_values
from counterpoise.solvers.saef.kernels.layouts import FIRST_FOLDED, SHOWDOWN
from counterpoise.tree.kernels.layouts import FloatArray


class RealTree(NamedTuple):
    """Real nodes, parents first, the children of one side by side; [node], [node, shadow] or [node, shadow, rank]."""

    first: NDArray[np.uint32]
    children: NDArray[np.uint32]
    stake: FloatArray
    """What each has really paid once the last bet is called."""
    before: FloatArray
    """What each had paid before the last bet."""
    shadows: NDArray[np.uint8]
    """How many there are."""
    node: NDArray[np.uint32]
    """Of the abstraction, by shadow."""
    reach: FloatArray
    """The opponent's reach times the probability of the translations, by shadow."""
    values: FloatArray


@njit(**LEAN)
def least_nodes(tree, player, grid, below):
    """Return the fewest real nodes that there can be: as many as if all shadows knew the sizes of the first one.

    `below` is working memory, [node], for the same number from each node of the abstraction on.
    """
    for back in range(len(below)):
        n = len(below) - 1 - back
        below[n] = 1.0
        smaller, c = np.uint32(0), tree.first[n]
        while c != 0:
            below[n] += below[c]
            if smaller != 0 and tree.kind[n] == player:
                for size in grid:
                    if tree.size[smaller] < size < tree.size[c]:
                        below[n] += below[smaller]
            if tree.size[c] > 0.0:
                smaller = c
            c = tree.next[c]
    return below[0]


@njit(**LEAN, error_model="numpy")
def lay_out(tree, deals, strategy, player, grid, real, sizes):
    """Write the real nodes with the opponent's reach and return their number, or 0 if there is no room in `real`.

    `sizes` is working memory for the sizes of a decision, those of the grid and all that the opponent knows.
    """
    real.stake[0] = real.before[0] = 1.0
    real.shadows[0] = 1
    real.node[0, 0] = 0
    real.reach[0, 0] = 1.0
    count, n = 1, 0
    while n < count:
        at = real.node[n, 0]
        kind = tree.kind[at]
        real.first[n] = count
        if kind < SHOWDOWN:
            steps = real_steps(tree, real, n, kind == player, grid, sizes)
            if count + steps + 2 + deals.wins.shape[0] > len(real.stake):
                return 0
            c = tree.first[at]
            while c != 0:  # what does not depend on sizes: fold, call, boards
                if tree.size[c] == 0.0:
                    count += append_plain(tree, strategy, real, n, c, player, count)
                c = tree.next[c]
            for k in range(steps):
                count += append_bet(tree, strategy, real, n, sizes[k], player, count)
        real.children[n] = count - real.first[n]
        n += 1
    return count


@njit(**LEAN, error_model="numpy")
def respond_hidden(tree, deals, player, real, count):
    """Return what a player's best response is worth at the root of the real nodes."""
    for back in range(count):
        evaluate(tree, deals, real, count - 1 - back, player)
    total = 0.0
    for h in range(real.values.shape[1]):
        total += real.values[0, h]
    return total


@njit(**LEAN, error_model="numpy")
def real_steps(tree, real, n, own, grid, sizes):
    """Write the different sizes that may be bet at a real node and return their number."""
    count = 0
    for k in range(real.shadows[n]):
        c = tree.first[real.node[n, k]]
        while c != 0:
            if tree.size[c] > 0.0:
                count = include(tree.size[c], sizes, count)
            c = tree.next[c]
    if own and count > 0:
        for size in grid:
            count = include(size, sizes, count)
    return count


@njit(**LEAN)
def include(size, sizes, count):
    """Add a size unless it is there; return how many there are."""
    for k in range(count):
        if sizes[k] == size:
            return count
    sizes[count] = size
    return count + 1


@njit(**LEAN, error_model="numpy")
def append_plain(tree, strategy, real, n, c, player, to):
    """Append the real node after a fold, call or board, which are alike for all shadows; `c` is the first one's."""
    mover = tree.kind[tree.parent[c]]
    real.stake[to] = real.before[n] if tree.kind[c] >= FIRST_FOLDED else real.stake[n]
    real.before[to] = real.stake[to]
    real.shadows[to] = 0
    for k in range(real.shadows[n]):
        d = tree.first[real.node[n, k]]
        while d != 0 and not (tree.size[d] == 0.0 and tree.kind[d] == tree.kind[c] and tree.board[d] == tree.board[c]):
            d = tree.next[d]
        add_shadow(strategy, real, n, k, d, 1.0, mover == 1 - player, to)
    return 1


@njit(**LEAN, error_model="numpy")
def append_bet(tree, strategy, real, n, size, player, to):
    """Append the real node after a bet, if anybody makes it; return how many nodes were appended."""
    own = tree.kind[real.node[n, 0]] == player
    real.before[to] = real.stake[n]
    real.stake[to] = real.stake[n] * (1.0 + 2.0 * size)
    real.shadows[to] = 0
    for k in range(real.shadows[n]):
        below, c = np.uint32(0), tree.first[real.node[n, k]]
        while c != 0 and tree.size[c] < size:
            below = c
            c = tree.next[c]
        if c != 0 and tree.size[c] == size:
            add_shadow(strategy, real, n, k, c, 1.0, not own, to)
        elif own:
            share = pseudo_harmonic(size, tree.size[below], tree.size[c])
            add_shadow(strategy, real, n, k, below, share, False, to)
            add_shadow(strategy, real, n, k, c, 1.0 - share, False, to)
    return 1 if real.shadows[to] > 0 else 0


@njit(**LEAN, error_model="numpy")
def add_shadow(strategy, real, n, k, node, share, acts, to):
    """Add a shadow to a real node: the opponent may be at `node` after shadow k of real node n."""
    s = real.shadows[to]
    real.node[to, s] = node
    for h in range(strategy.shape[1]):
        real.reach[to, s, h] = real.reach[n, k, h] * share * (strategy[node, h] if acts else 1.0)
    real.shadows[to] = s + 1


@njit(**LEAN, error_model="numpy")
def evaluate(tree, deals, real, n, player):
    """Write the counterfactual value of a real node to each hand of the responder."""
    at = real.node[n, 0]
    kind = tree.kind[at]
    values = real.values
    if kind >= SHOWDOWN:
        for k in range(1, real.shadows[n]):
            for h in range(values.shape[1]):
                real.reach[n, 0, h] += real.reach[n, k, h]
        end_values(tree, deals, at, player, real.reach[n, 0], real.stake[n], values[n])
        return
    for h in range(values.shape[1]):
        best, total = -np.inf, 0.0
        for c in range(real.first[n], real.first[n] + real.children[n]):
            best = max(best, values[c, h])
            total += values[c, h]
        values[n, h] = best if kind == player else total
