"""Counterfactual regret minimisation over the sequence form: many iterations in one compiled call."""

from __future__ import annotations

from numba import njit

from counterpoise.solvers.regret_kernels import update_regrets
from counterpoise.tree.tree_kernels import counterfactual_values, gradient, realisation_weights


@njit(cache=True, nogil=True)
def iterate(form, simultaneous, prediction, positive, negative, weight, strategy, reach, regrets, average, values, v):
    """Run ``len(weight)`` iterations of CFR (BROWN 2.3.5) with the given discounts and averaging weights.

    Alternating updates: each player in turn faces the others' newest strategies. Simultaneous updates: all
    gradients are taken before anybody changes. The average receives the strategy in force before the update.
    """
    players = len(form.first_infoset) - 1
    for t in range(len(weight)):
        if simultaneous:
            for player in range(players):
                gradient(form, player, reach, values)
        for player in range(players):
            if not simultaneous:
                gradient(form, player, reach, values)
            counterfactual_values(form, player, strategy, values, v)
            for s in range(form.first_sequence[player], form.first_sequence[player + 1]):
                average[s] += weight[t] * reach[s]
            for i in range(form.first_infoset[player], form.first_infoset[player + 1]):
                update_regrets(
                    form.start[i], form.stop[i], values, v[i], positive[t], negative[t], prediction, regrets, strategy
                )
            realisation_weights(form, player, strategy, reach)
