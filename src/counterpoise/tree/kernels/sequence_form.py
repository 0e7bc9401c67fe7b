"""The passes over a game's sequence form that every solver and evaluator is made of.

Sequences of all players share one index, so a realisation plan, a behaviour strategy or a vector of values for
all players is one float64 array. Infosets of a player are stored parents first: a loop upwards through the
index is a top-down pass, a loop downwards is a bottom-up pass. Values are counterfactual: weighted by the reach
of chance and of the other players, not normalised.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from counterpoise.kernels.options import LEAN


@njit(**LEAN, fastmath={"contract"})
def gradient(form, player, reach, out):
    """Write, for every sequence of `player`, the value of the terminals right below it (before own later play)."""
    others = form.columns.shape[0]
    one, two = np.uint64(1), np.uint64(2)
    k = np.uint64(form.row[form.first_sequence[player]])
    for s in range(form.first_sequence[player], form.first_sequence[player + 1]):
        end = np.uint64(form.row[s + one])
        even = odd = 0.0  # two sums in flight: most rows are too short for vectors
        # Two players: a sparse matrix times the opponent's plan.
        if others == 1:
            while k + one < end:
                even += form.values[k] * reach[form.columns[0, k]]
                odd += form.values[k + one] * reach[form.columns[0, k + one]]
                k += two
            if k < end:
                even += form.values[k] * reach[form.columns[0, k]]
                k += one
        else:
            # More players: payoff times the plans of all others.
            while k < end:
                weight = form.values[k]
                for other in range(others):
                    weight *= reach[form.columns[other, k]]
                even += weight
                k += one
        out[s] = even + odd


@njit(cache=True, nogil=True, inline="always")
def infoset_value(low, high, strategy, action_values):
    """Return the value of the infoset that owns sequences `low:high`, under `strategy`.

    Summed as differences from the first action, so that a tie of all actions is exact and leaves no regret.
    """
    first = action_values[low]
    value = first
    for s in range(low + 1, high):
        value += strategy[s] * (action_values[s] - first)
    return value


@njit(**LEAN)
def counterfactual_values(form, player, strategy, action_values, infoset_values):
    """Bottom-up pass: add to each sequence's own terminals the values of the infosets below it, under `strategy`.

    `action_values` holds the gradient on entry and v(I,a) on return; `infoset_values` receives v(I).
    """
    i = np.uint64(form.first_infoset[player + 1])
    while i > form.first_infoset[player]:
        i -= np.uint64(1)
        # v(I), and its part in the value of the sequence before it.
        value = infoset_value(form.start[i], form.stop[i], strategy, action_values)
        infoset_values[i] = value
        action_values[form.parent[i]] += value


@njit(**LEAN)
def best_response(form, player, action_values, strategy):
    """Bottom-up pass with a maximum: a best response at every infoset of `player`, reached or not.

    `action_values` holds the gradient on entry and the counterfactual best-response values on return; `strategy`
    receives the pure response (ties go to the first action). Returns the value of the game to `player`.
    """
    i = np.uint64(form.first_infoset[player + 1])
    while i > form.first_infoset[player]:
        i -= np.uint64(1)
        # The action of the largest value gets probability 1.
        best = form.start[i]
        for s in range(form.start[i], form.stop[i]):
            strategy[s] = 0.0
            if action_values[s] > action_values[best]:
                best = s
        strategy[best] = 1.0
        # Its value belongs to the sequence before.
        action_values[form.parent[i]] += action_values[best]
    return action_values[form.first_sequence[player]]


@njit(**LEAN)
def realisation_weights(form, player, strategy, reach):
    """Write, top-down, the product of the player's own probabilities up to and including each sequence."""
    reach[form.first_sequence[player]] = 1.0
    for i in range(form.first_infoset[player], form.first_infoset[player + 1]):
        # Own reach of an action: that before the infoset times its probability.
        above = reach[form.parent[i]]
        for s in range(form.start[i], form.stop[i]):
            reach[s] = above * strategy[s]


@njit(**LEAN)
def normalise(form, player, plan, strategy):
    """Write the behaviour strategy of a (possibly unnormalised) realisation plan; uniform where the plan is zero."""
    for i in range(form.first_infoset[player], form.first_infoset[player + 1]):
        total = 0.0
        for s in range(form.start[i], form.stop[i]):
            total += plan[s]
        for s in range(form.start[i], form.stop[i]):
            strategy[s] = plan[s] / total if total > 0.0 else 1.0 / (form.stop[i] - form.start[i])


@njit(cache=True, nogil=True)
def profile_values(form, strategy, expected, best):
    """Write the expected value and the best-response value of every player against the others' `strategy`.

    NashConv is the sum of the differences. One gradient per player serves both figures.
    """
    players = len(form.first_infoset) - 1
    reach = np.empty_like(strategy)
    values = np.empty_like(strategy)
    response = np.empty_like(strategy)
    # Plans of all players, then one gradient each.
    for player in range(players):
        realisation_weights(form, player, strategy, reach)
    for player in range(players):
        gradient(form, player, reach, values)
        # Expected value: own plan times gradient. Best response: the maximum, bottom-up.
        total = 0.0
        for s in range(form.first_sequence[player], form.first_sequence[player + 1]):
            total += reach[s] * values[s]
        expected[player] = total
        best[player] = best_response(form, player, values, response)


@njit(**LEAN)
def external_reach(histories, start, strategy, external, reach):
    """Write pi_{-i}(I), the probability with which chance and the other players reach each infoset.

    `start` is where the infosets' sequences begin; `external` is working memory, one row per history and one column
    per seat.
    """
    reach[:] = 0.0
    external[0] = 1.0
    for h in range(len(histories.parent)):
        seat = histories.player[h]
        # The infoset collects what the others and chance give to each of its histories.
        if seat >= 0:
            reach[histories.infoset[h]] += external[h, seat]
        # Pass it on, times chance and the actions of everybody but the seat.
        for a in range(histories.children[h]):
            child = histories.first_child[h] + a
            for other in range(external.shape[1]):
                likely = external[h, other] * histories.probability[child]
                if seat >= 0 and seat != other:
                    likely *= strategy[start[histories.infoset[h]] + a]
                external[child, other] = likely
