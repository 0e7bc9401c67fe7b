"""Outcome sampling: one path per walk (Lanctot et al. 2009; BROWN 2.3.6).

Chance and the others are drawn by their own probabilities, the traverser's actions with
xi(a) = exploration / |A| + (1 - exploration) sigma(a). With W the payoff divided by the xi of the whole path, and
`tail` the traverser's own probability of the rest of the path below the action a that was drawn at I,

    R(I,a) += W tail (1 - sigma(a)),    R(I,b) -= W tail sigma(a)  for the actions b that were not drawn.

The others' averages gain their strategy divided by the xi above, which makes the expected weight their own reach.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from counterpoise.solvers.kernels.mccfr import (
    BLOCK,
    CHANCE_KIND,
    FIRST,
    KIND,
    TERMINAL_KIND,
    WIDTH,
    average_walk,
    block_of,
    draw_action,
    draw_outcome,
    end_iteration,
    match,
)


@njit(cache=True, nogil=True)
def outcome_sampling(tree, schedule, exploration, done, iterations, touched, random, regrets, cumulative, place=None):
    """Run so many iterations after the `done` ones: a path per player each. Returns the nodes touched so far."""
    players = tree.payoffs.shape[1]
    weights, mixed, probability = np.empty(tree.widest), np.empty(tree.widest), np.empty(tree.height)
    path, taken = np.empty(tree.height, dtype=np.uint64), np.empty(tree.height, dtype=np.uint64)
    stack = np.empty(1, dtype=np.uint32)
    for t in range(done + 1, done + iterations + 1):
        before = touched
        weight = np.float64(t) if schedule.linear_average else 1.0
        for player in range(players):
            touched += outcome_walk(
                tree, player, exploration, schedule.floor, weight, random, regrets, cumulative,
                weights, mixed, probability, path, taken, place,
            )  # fmt: skip
            if players != 2:
                touched += average_walk(tree, player, False, weight, random, regrets, cumulative, weights, stack, place)
        end_iteration(schedule, before, touched, regrets, cumulative, place)
    return touched


@njit(cache=True, nogil=True, error_model="numpy")
def outcome_walk(
    tree, traverser, exploration, floor, weight, random, regrets, cumulative,
    weights, mixed, probability, path, taken, place=None,
):  # fmt: skip
    """One path of `traverser`; returns the nodes touched.

    At each of its own nodes in `path`, `taken` is the number of the action drawn and `probability` its sigma.
    """
    averaging = tree.payoffs.shape[1] == 2
    nodes = tree.nodes
    node, start = np.uint64(0), np.uint64(0)
    touched, level = 1, 0
    above = 1.0
    while nodes[node, KIND] != TERMINAL_KIND:
        touched += 1
        kind = nodes[node, KIND]
        if kind == CHANCE_KIND:
            node = draw_outcome(tree, node, random)
            continue
        first, width = np.uint64(nodes[node, FIRST]), np.uint64(nodes[node, WIDTH])
        low = block_of(place, nodes[node, BLOCK], width)
        total, _ = match(regrets, low, width, weights, start)
        if kind == traverser:
            summed = 0.0
            for k in range(width):
                mixed[k] = exploration * total / np.float64(width) + (1.0 - exploration) * weights[k]
                summed += mixed[k]
            drawn = draw_action(random, mixed, start, width, summed)
            probability[level] = weights[drawn] / total
            above *= summed / mixed[drawn]
            path[level], taken[level] = node, drawn
            level += 1
        else:
            if averaging:
                share = weight * above / total
                for k in range(width):
                    cumulative[low + k] += share * weights[k]
            drawn = draw_action(random, weights, start, width, total)
        node = first + drawn
    value = tree.payoffs[nodes[node, FIRST], traverser] * above
    while level > 0:
        level -= 1
        node, drawn = path[level], taken[level]
        low = block_of(place, nodes[node, BLOCK], nodes[node, WIDTH])
        for k in range(np.uint64(nodes[node, WIDTH])):
            regrets[low + k] += value * ((1.0 if k == drawn else 0.0) - probability[level])
            if floor:
                regrets[low + k] = max(regrets[low + k], 0.0)
        value *= probability[level]
    return touched
