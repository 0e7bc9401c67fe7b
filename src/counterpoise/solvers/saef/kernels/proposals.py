"""Where a bet is missing: estimates of its regret from those of its neighbours (BROWN 4.3.4)."""

from __future__ import annotations

from numba import njit

from counterpoise.abstraction.kernels.translation import pseudo_harmonic
from counterpoise.kernels.options import LEAN
from counterpoise.solvers.saef.kernels.layouts import DEAL, GONE


@njit(**LEAN, error_model="numpy")
def estimate_missing(tree, tables, count, points, narrowest, excess, sizes, gains):
    """Write, for every decision, the missing size with the largest summed regret, and that regret; 0 if there is none.

    `points` sizes are tried in every gap that is not narrower than `narrowest`. With `excess`, only what exceeds the
    largest regret R(I) of the actions present counts.
    """
    for n in range(count):
        gains[n] = 0.0
        if tree.kind[n] >= DEAL:
            continue
        a = tree.first[n]
        while a != 0:
            b = tree.next[a]
            if tree.size[a] > 0.0 and b != 0 and tree.size[b] - tree.size[a] >= narrowest:
                for k in range(points):
                    size = tree.size[a] + (tree.size[b] - tree.size[a]) * (k + 1) / (points + 1)
                    gain = missing_regret(tree, tables, n, a, b, size, excess)
                    if gain > gains[n]:
                        sizes[n], gains[n] = size, gain
            a = b


@njit(**LEAN, error_model="numpy")
def missing_regret(tree, tables, n, a, b, size, excess):
    """Return the positive estimated regret of a bet between two others, summed over the hands of a decision."""
    share, total = pseudo_harmonic(size, tree.size[a], tree.size[b]), 0.0
    for h in range(tables.regrets.shape[1]):
        smaller, larger = transferred_value(tree, tables, n, a, size, h), transferred_value(tree, tables, n, b, size, h)
        regret = share * smaller + (1.0 - share) * larger - tables.value[n, h]
        if excess:
            present, c = 0.0, tree.first[n]
            while c != 0:
                present = max(present, tables.regrets[c, h])
                c = tree.next[c]
            regret -= present
        total += max(regret, 0.0)
    return total


@njit(**LEAN, error_model="numpy")
def transferred_value(tree, tables, n, a, size, h):
    """Return F + C (1 + 2 size) / (1 + 2 theta): the summed value of the bet theta at node a, had it been `size`.

    F comes from immediate folds, C from all else, and together they are the value of the bet (BROWN 4.3.2).
    """
    folds = tables.folded[a, h]
    rest = tables.regrets[a, h] + tables.value[n, h] - folds
    return folds + rest * (1.0 + 2.0 * size) / (1.0 + 2.0 * tree.size[a])


@njit(**LEAN)
def count_below(tree, count, below):
    """Write how many nodes each node and what follows it are."""
    for n in range(count):
        below[n] = 1
    for back in range(count - 1):
        n = count - 1 - back
        if tree.kind[n] != GONE:
            below[tree.parent[n]] += below[n]
