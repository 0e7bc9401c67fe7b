"""Weighted fictitious play over the sequence form: many iterations in one compiled call."""

from __future__ import annotations

from numba import njit

from counterpoise.kernels.options import LEAN
from counterpoise.tree.kernels.sequence_form import best_response, gradient, realisation_weights


@njit(**LEAN)
def iterate(form, simultaneous, optimism, weights, tables, values):
    """Run ``len(weights)`` iterations in which each player best-responds to the mixtures in `faced`.

    `cumulative` is the sum of all best responses as realisation plans, each with its weight. What the others
    face is this sum plus `optimism` times the last response with its weight once more. Neither is normalised:
    the scale of an opponent's plan does not change a best response.
    """
    players = len(form.first_infoset) - 1
    strategy, reach, cumulative, faced = tables.strategy, tables.reach, tables.cumulative, tables.faced
    for t in range(len(weights)):
        # Simultaneous updates: all gradients before any response.
        if simultaneous:
            for player in range(players):
                gradient(form, player, faced, values)
        for player in range(players):
            if not simultaneous:
                gradient(form, player, faced, values)
            # Best response to what the others have played so far, as a realisation plan.
            best_response(form, player, values, strategy)
            realisation_weights(form, player, strategy, reach)
            # Add it with its weight; optimistic play lets it count once more in what the others face.
            for s in range(form.first_sequence[player], form.first_sequence[player + 1]):
                gain = weights[t] * reach[s]
                cumulative[s] += gain
                faced[s] = cumulative[s] + optimism * gain
