"""The scalar rule of strategy-based warm starting and the passes that apply it to a whole game.

See Brown 2020, section 3.2.4.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from counterpoise.kernels.options import LEAN
from counterpoise.kernels.regret_matching import discounted
from counterpoise.solvers.kernels.layouts import Substitutes
from counterpoise.tree.kernels.sequence_form import external_reach, gradient, normalise, realisation_weights

PRECISION = 1e-10
"""Of the excess that the search of the factor leaves, relative to NashConv."""
MAX_TRIALS = 100
"""Of factors; rounding ends the search sooner where the precision cannot be met."""


@njit(**LEAN)
def substitute_value(action_values, squared_regret):
    """Return the value v of an infoset at which the positive parts of ``action_values - v`` have this sum of squares.

    The sum of ``max(q_a - v, 0)^2`` falls from infinity to 0 at ``v = max q``, which is the answer for
    `squared_regret` 0. In terms of w = max q - v and of the gaps d_a = max q - q_a it is, over the k actions with
    gaps below w, ``k w^2 - 2 w sum d + sum d^2``: the actions join in the order of their gaps until the next one is
    too far. Exact, without sorting or memory of its own; equal actions join together.
    """
    best = action_values[0]
    for value in action_values:
        best = max(best, value)
    if squared_regret <= 0.0:
        return best
    active, total, squares, gap = 0, 0.0, 0.0, 0.0
    while True:
        # Actions whose gap is reached join; remember the next gap.
        following = math.inf
        for value in action_values:
            behind = best - value
            if behind == gap:
                active += 1
                total += behind
                squares += behind * behind
            elif behind > gap:
                following = min(following, behind)
        # Root of k w^2 - 2 w sum d + sum d^2 = squared_regret; done if it ends before the next gap.
        spread = max(total * total - active * (squares - squared_regret), 0.0)
        width = (total + math.sqrt(spread)) / active
        if not width > following:
            return best - width
        gap = following


@njit(**LEAN)
def excess(form, factor, substitutes):
    """Return by how much substitute values of all players exceed the sum of payoffs, which is NashConv for factor 0.

    Bottom-up pass: infoset I gets the substitute value v'(I) for the right-hand side ``factor * bound[I]``, and its
    player's sequence above passes it on (Brown 2020, equations 3.4 to 3.6).
    """
    bound, action_values = substitutes.bound, substitutes.action_values
    for s in range(len(action_values)):
        action_values[s] = substitutes.direct[s]
    total = -substitutes.payoff_sum
    for player in range(len(form.first_infoset) - 1):
        i = np.uint64(form.first_infoset[player + 1])
        while i > form.first_infoset[player]:
            i -= np.uint64(1)
            # v'(I), passed on to the sequence before I.
            value = substitute_value(action_values[form.start[i] : form.stop[i]], factor * bound[i])
            substitutes.infoset_values[i] = value
            action_values[form.parent[i]] += value
        # The player's value at the root.
        total += action_values[form.first_sequence[player]]
    return total


@njit(**LEAN)
def smallest_factor(form, substitutes):
    """Return the smallest factor with which substitute values exceed the sum of payoffs no longer.

    See Brown 2020, section 3.2.4.

    The excess falls with the factor, almost in a straight line with its square root, of which this is the false
    position method; the end that stays twice counts half the second time. The values are left as the factor
    returned makes them. 0 for an equilibrium, and where no factor helps because payoffs below every infoset are equal.
    """
    low, high, kept = 0.0, 1.0, 0
    above = nash_conv = excess(form, 0.0, substitutes)
    if nash_conv <= 0.0:
        return 0.0
    # Double until the excess is no longer positive.
    below = excess(form, high * high, substitutes)
    while below > 0.0:
        if not below < above:
            excess(form, 0.0, substitutes)
            return 0.0
        low, above, high = high, below, 2.0 * high
        below = excess(form, high * high, substitutes)
    # False position between the two ends; an end that stays twice counts half.
    for _ in range(MAX_TRIALS):
        middle = (low * below - high * above) / (below - above)
        if not low < middle < high:
            break
        left = excess(form, middle * middle, substitutes)
        if left > 0.0:
            low, above = middle, left
            if kept == 1:
                below *= 0.5
            kept = 1
        else:
            high, below = middle, left
            if left >= -PRECISION * nash_conv:
                break
            if kept == -1:
                above *= 0.5
            kept = -1
    # Leave the values as the factor makes them.
    excess(form, high * high, substitutes)
    return high * high


@njit(**LEAN)
def substitute_regrets(form, positive, negative, substitutes, regrets):
    """Write R'(I,a): the substitute regret per iteration times the weight of all iterations, by its sign."""
    for i in range(len(form.start)):
        for s in range(form.start[i], form.stop[i]):
            regret = substitutes.action_values[s] - substitutes.infoset_values[i]
            regrets[s] = discounted(regret, positive, negative)


@njit(cache=True, nogil=True)
def iterate_without_regrets(form, histories, payoff_sum, scale, squared_reach, iterations, tables):
    """Run iterations of CFR that set the regrets anew from the average strategy every time (Brown 2020, section 3.2.5).

    `scale` is Delta(I)^2 |A(I)|, the bound of equation 3.6 before the reach; T cancels against the factor. The
    `regrets` are working memory.
    """
    players = len(form.first_infoset) - 1
    strategy, reach, regrets, average = tables.strategy, tables.reach, tables.regrets, tables.average
    mean, plan, direct = np.empty_like(strategy), np.empty_like(strategy), np.zeros_like(strategy)
    action_values = np.empty_like(strategy)
    infoset_values, likely = np.empty(len(form.start)), np.empty(len(form.start))
    external = np.empty((len(histories.parent), players))
    for _ in range(iterations):
        # Average strategy so far, and its plan.
        for player in range(players):
            for s in range(form.first_sequence[player], form.first_sequence[player + 1]):
                average[s] += reach[s]
            normalise(form, player, average, mean)
            realisation_weights(form, player, mean, plan)
        # Gradients against the average, and the opponents' reach that bounds regrets.
        for player in range(players):
            gradient(form, player, plan, direct)
        external_reach(histories, form.start, mean, external, likely)
        bound = scale * (likely * likely if squared_reach else likely)
        # Substitute values of the smallest factor, and the regrets that they stand for.
        substitutes = Substitutes(bound, direct, payoff_sum, action_values, infoset_values)
        smallest_factor(form, substitutes)
        substitute_regrets(form, 1.0, 1.0, substitutes, regrets)
        # Regret matching gives the next strategy and its reach.
        matched = np.maximum(regrets, 0.0)
        for player in range(players):
            normalise(form, player, matched, strategy)
            realisation_weights(form, player, strategy, reach)
