"""CFR over the sequence form with regrets that are affine functions of game parameters (Brown 2020, section 4.2.1)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.kernels.options import LEAN
from counterpoise.kernels.regret_matching import match
from counterpoise.solvers.kernels.cfr import add_to_average
from counterpoise.tree.kernels.layouts import FloatArray, SequenceForm
from counterpoise.tree.kernels.sequence_form import gradient, infoset_value, realisation_weights


class PayoffTables(NamedTuple):
    """The payoff tables that iterations meet: one of the whole game, or one for each deal of chance.

    Row k of ``payoffs[deal]`` holds term k of the table, which is worth ``point[k]`` (1 for the constant term).
    The update of a player in iteration t meets deal ``drawn[t, player]``: each its own, or the second would meet an
    opponent who has just learned from the same deal. What play is worth to `seat` is written into ``worth[t]``.
    """

    payoffs: FloatArray
    drawn: NDArray[np.int64]
    seat: int
    worth: FloatArray


@njit(**LEAN, error_model="numpy")
def iterate_parametric(form, deals, point, rules, factors, tables, sums, values):
    """Run ``len(factors.weights)`` iterations of CFR in the game at `point`, with regrets for every point.

    Row k of `sums` holds term k of the regrets, and `values` is working memory of that shape. `tables.regrets` are
    those at `point`. Every term takes the three passes of CFR: the strategies that they share are matched at `point`.
    """
    players = len(form.first_infoset) - 1
    strategy, reach, regrets = tables.strategy, tables.reach, tables.regrets
    root = form.first_sequence[deals.seat]
    for t in range(len(factors.weights)):
        if rules.simultaneous:
            for player in range(players):
                gradients(form, deals.payoffs[deals.drawn[t, player]], player, reach, values)
        for player in range(players):
            if not rules.simultaneous:
                gradients(form, deals.payoffs[deals.drawn[t, player]], player, reach, values)
            # Every term of the regrets, and the strategy matched at `point`.
            match_sums(form, player, point, factors.positive[t], values, sums, regrets, strategy)
            # What the game at `point` was worth to the seat on this iteration.
            if player == deals.seat:
                deals.worth[t] = 0.0
                for k in range(len(point)):
                    deals.worth[t] += point[k] * values[k, root]
            add_to_average(form, player, factors.weights[t], strategy, reach, tables.average)


@njit(**LEAN, error_model="numpy")
def gradients(form, payoffs, player, reach, values):
    """Write the gradient of every term of the payoffs."""
    for k in range(len(payoffs)):
        term = SequenceForm(
            form.first_infoset,
            form.first_sequence,
            form.start,
            form.stop,
            form.parent,
            form.row,
            form.columns,
            payoffs[k],
        )
        gradient(term, player, reach, values[k])


@njit(**LEAN, error_model="numpy")
def match_sums(form, player, point, discount, values, sums, regrets, strategy):
    """Bottom-up pass: every term of each infoset's regrets, their sum at `point` and the next strategy."""
    i, first = np.uint64(form.first_infoset[player + 1]), np.uint64(form.first_infoset[player])
    while i > first:
        i -= np.uint64(1)
        low, high, above = form.start[i], form.stop[i], form.parent[i]
        for s in range(low, high):
            regrets[s] = 0.0
        # Each term has a value and a regret of its own; regrets at `point` are their weighted sum.
        for k in range(len(point)):
            value = infoset_value(low, high, strategy, values[k])
            values[k, above] += value
            for s in range(low, high):
                gathered = (sums[k, s] + (values[k, s] - value)) * discount
                sums[k, s] = gathered
                regrets[s] += point[k] * gathered
        # One strategy for all terms.
        match(regrets, low, high - low, strategy, low)


@njit(**LEAN, error_model="numpy")
def move_point(form, point, tables, sums):
    """Write the regrets that all past iterations have at `point`, and the strategy that they lead to there."""
    strategy, regrets = tables.strategy, tables.regrets
    for player in range(len(form.first_infoset) - 1):
        for i in range(form.first_infoset[player], form.first_infoset[player + 1]):
            low, high = form.start[i], form.stop[i]
            for s in range(low, high):
                regrets[s] = 0.0
            # Regrets are affine in the parameters: add the terms at the new point.
            for k in range(len(point)):
                for s in range(low, high):
                    regrets[s] += point[k] * sums[k, s]
            # The strategy that past iterations lead to there.
            match(regrets, low, high - low, strategy, low)
        realisation_weights(form, player, strategy, tables.reach)
