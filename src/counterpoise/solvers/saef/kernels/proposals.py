"""Where a bet is missing: its regret, from what its neighbours are worth (Brown 2020, section 4.3.4)."""

from __future__ import annotations

from numba import njit

from counterpoise.abstraction.kernels.translation import pseudo_harmonic
from counterpoise.kernels.options import LEAN
from counterpoise.solvers.saef.kernels.layouts import DEAL, GONE


@njit(**LEAN, error_model="numpy")
def find_missing(tree, tables, parts, options, sizes, gains):
    """Write, for every decision, the missing size with the largest summed regret, and that regret; 0 if there is none.

    `parts` is [2, node, rank]: the value of each bet, summed over iterations, from immediate folds, and from all else
    divided by 1 + 2 size. `options` are how many sizes to try in every gap, how wide a gap must be, and
    whether only what exceeds the largest regret of the actions present counts.
    """
    points, narrowest, excess = options
    for n in range(len(gains)):
        gains[n] = 0.0
        if tree.kind[n] >= DEAL:
            continue
        a = tree.first[n]
        while a != 0:
            b = tree.next[a]
            if tree.size[a] > 0.0 and b != 0 and tree.size[b] - tree.size[a] >= narrowest:
                for k in range(points):
                    size = tree.size[a] + (tree.size[b] - tree.size[a]) * (k + 1) / (points + 1)
                    gain = missing_regret(tree, tables, parts, n, a, b, size, excess)
                    if gain > gains[n]:
                        sizes[n], gains[n] = size, gain
            a = b


@njit(**LEAN, error_model="numpy")
def missing_regret(tree, tables, parts, n, a, b, size, excess):
    """Return the positive regret of a bet between those at nodes a and b, summed over the hands of a decision.

    The opponent takes it for either, so it is worth a mixture of F + (1 + 2 size) C of both.
    """
    folds, rest = parts[0], parts[1]
    share, stake, total = pseudo_harmonic(size, tree.size[a], tree.size[b]), 1.0 + 2.0 * size, 0.0
    for h in range(tables.regrets.shape[1]):
        smaller, larger = folds[a, h] + stake * rest[a, h], folds[b, h] + stake * rest[b, h]
        regret = share * smaller + (1.0 - share) * larger - tables.value[n, h]
        if excess:
            present, c = 0.0, tree.first[n]
            while c != 0:
                present = max(present, tables.regrets[c, h])
                c = tree.next[c]
            regret -= present
        total += max(regret, 0.0)
    return total


@njit(**LEAN)
def count_below(tree, count, below):
    """Write how many nodes each node and what follows it are."""
    for n in range(count):
        below[n] = 1
    for back in range(count - 1):
        n = count - 1 - back
        if tree.kind[n] != GONE:
            below[tree.parent[n]] += below[n]
