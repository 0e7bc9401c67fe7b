"""Best responses to a translated strategy where every size of bet is possible, from one walk of the abstraction.

What a node is worth scales with the pot, so it is computed for a stake of 1 there (Brown 2020, section 4.3.3). A bet x
between the sizes A < B of the abstraction is answered as A with probability f(x), else as B: for one hand it is worth

    g(x) = f(x) (F_A + (1 + 2x) C_A) + (1 - f(x)) (F_B + (1 + 2x) C_B),

where F is the value of the opponent's immediate folds, and C that of all else for a stake of 1.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from counterpoise.abstraction.kernels.translation import even_size, pseudo_harmonic
from counterpoise.kernels.options import LEAN
from counterpoise.solvers.saef.kernels.cfr import end_values
from counterpoise.solvers.saef.kernels.layouts import FIRST_FOLDED, GONE, SHOWDOWN

ABSTRACT, REVEALED, DETERMINISTIC = 0, 1, 2
"""What the best responder may do: only the abstraction's bets; all bets, and it learns which size each is taken for;
all bets, each taken for the size that is likelier."""


@njit(**LEAN, error_model="numpy")
def respond(tree, deals, strategy, count, player, mode, work):
    """Return what a player's best response to the opponent's strategy is worth at the root, in antes.

    `work` is [3, node, rank]: the opponent's reach, values for a stake of 1, and values of immediate folds.
    """
    reach, values, folds = work[0], work[1], work[2]
    hands = strategy.shape[1]
    reach[0] = 1.0
    for n in range(1, count):
        if tree.kind[n] == GONE:
            continue
        above = tree.parent[n]
        for h in range(hands):
            reach[n, h] = reach[above, h] * strategy[n, h] if tree.kind[above] == 1 - player else reach[above, h]
    for back in range(count):
        n = count - 1 - back
        kind = tree.kind[n]
        if kind == GONE:
            continue
        if kind >= SHOWDOWN:
            # Who folds loses what was paid before the bet, which is at stake 1 above it.
            stake = 1.0 / (1.0 + 2.0 * tree.size[tree.parent[n]]) if kind >= FIRST_FOLDED else 1.0
            end_values(tree, deals, n, player, reach[n], stake, values[n])
        elif kind == player:
            best_action(tree, n, mode, values, folds)
        else:
            add_answers(tree, n, values, folds)
    total = 0.0
    for h in range(hands):
        total += values[0, h]
    return total


@njit(**LEAN, error_model="numpy")
def add_answers(tree, n, values, folds):
    """Write the value of a deal or of the opponent's decision, and apart from it that of immediate folds.

    After a bet the value is C, and `folds` is F; the value of a node without a bet above it is complete.
    """
    for h in range(values.shape[1]):
        values[n, h] = 0.0
        folds[n, h] = 0.0
    c = tree.first[n]
    while c != 0:
        scale = 1.0 + 2.0 * tree.size[c]
        folding = tree.kind[c] >= FIRST_FOLDED
        for h in range(values.shape[1]):
            if folding:
                folds[n, h] = values[c, h] * (1.0 + 2.0 * tree.size[n])
            else:
                values[n, h] += scale * values[c, h]
        c = tree.next[c]


@njit(**LEAN, error_model="numpy")
def best_action(tree, n, mode, values, folds):
    """Write the best that each hand can do at its decision: fold, call, or any bet that the mode allows."""
    for h in range(values.shape[1]):
        best, smaller, c = -np.inf, tree.first[n], tree.first[n]
        while c != 0:
            size = tree.size[c]
            if size == 0.0:
                best = max(best, values[c, h])
            else:
                best = max(best, folds[c, h] + (1.0 + 2.0 * size) * values[c, h])
                low = tree.size[smaller]
                if mode == REVEALED and low > 0.0:
                    best = max(
                        best, best_between(low, size, folds[smaller, h], values[smaller, h], folds[c, h], values[c, h])
                    )
                elif mode == DETERMINISTIC and low > 0.0:
                    stake = 1.0 + 2.0 * even_size(low, size)
                    best = max(best, folds[smaller, h] + stake * values[smaller, h])
                    best = max(best, folds[c, h] + stake * values[c, h])
            smaller = c
            c = tree.next[c]
        values[n, h] = best


@njit(**LEAN, error_model="numpy")
def best_between(low, high, folds_low, rest_low, folds_high, rest_high):
    """Return the maximum of g inside (low, high), or -inf if it is at an end.

    With s = 1 + x, g is a constant plus b s + c / s, whose only maximum is at sqrt(c / b) if both are negative.
    """
    slope = (1.0 + low) / (high - low)
    b = 2.0 * rest_high - 2.0 * slope * (rest_low - rest_high)
    c = slope * (1.0 + high) * ((folds_low - folds_high) - (rest_low - rest_high))
    if b >= 0.0 or c >= 0.0:
        return -np.inf
    size = np.sqrt(c / b) - 1.0
    if size <= low or size >= high:
        return -np.inf
    share = pseudo_harmonic(size, low, high)
    stake = 1.0 + 2.0 * size
    return share * (folds_low + stake * rest_low) + (1.0 - share) * (folds_high + stake * rest_high)
