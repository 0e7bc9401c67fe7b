"""Outcome sampling: one path per walk (Lanctot et al. 2009; Brown 2020, section 2.3.6).

Chance and the others are drawn by their own probabilities, the traverser's actions with
xi(a) = exploration / |A| + (1 - exploration) sigma(a). With W the payoff divided by the xi of the whole path, and
`tail` the traverser's own probability of the rest of the path below the action a that was drawn at I,

    R(I,a) += W tail (1 - sigma(a)),    R(I,b) -= W tail sigma(a)  for the actions b that were not drawn.

The others' averages gain their strategy divided by the xi above, which makes the expected weight their own reach.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.kernels.drawing import draw_action
from counterpoise.kernels.options import LEAN
from counterpoise.solvers.kernels.layouts import Turn
from counterpoise.solvers.kernels.mccfr import (
    average_walk,
    block_of,
    draw_outcome,
    end_iteration,
    match_weights,
)
from counterpoise.tree.kernels.layouts import (
    BLOCK,
    CHANCE_KIND,
    FIRST,
    KIND,
    TERMINAL_KIND,
    WIDTH,
    FloatArray,
    SamplingTree,
)


class PathScratch(NamedTuple):
    """Working memory of a path: at each own node in `path`, `taken` is the action drawn, `probability` its sigma.

    `stack` is that of the walks for averages.
    """

    weights: FloatArray
    mixed: FloatArray
    probability: FloatArray
    path: NDArray[np.uint64]
    taken: NDArray[np.uint64]
    stack: NDArray[np.uint32]


def outcome_scratch(tree: SamplingTree) -> PathScratch:
    """Return working memory for paths."""
    return PathScratch(
        weights=np.empty(tree.widest),
        mixed=np.empty(tree.widest),
        probability=np.empty(tree.height),
        path=np.empty(tree.height, dtype=np.uint64),
        taken=np.empty(tree.height, dtype=np.uint64),
        stack=np.empty(1, dtype=np.uint32),
    )


@njit(**LEAN)
def outcome_sampling(tree, schedule, exploration, stretch, tables, scratch, place):
    """Run a stretch of iterations, a path per player each; returns the nodes touched so far."""
    players, touched = tree.payoffs.shape[1], stretch.touched
    for t in range(stretch.done + 1, stretch.done + stretch.iterations + 1):
        before = touched
        weight = np.float64(t) if schedule.linear_average else 1.0
        for player in range(players):
            turn = Turn(player, weight, schedule.floor)
            touched += outcome_walk(tree, turn, exploration, tables, scratch, place)
            if players != 2:
                touched += average_walk(tree, turn, np.bool_(False), tables, scratch.weights, scratch.stack, place)
        end_iteration(schedule, before, touched, tables.regrets, tables.cumulative, place)
    return touched


@njit(**LEAN, error_model="numpy")
def outcome_walk(tree, turn, exploration, tables, scratch, place):
    """Draw a path for a traverser; returns the nodes touched."""
    regrets, cumulative, random, traverser = tables.regrets, tables.cumulative, tables.random, turn.traverser
    weights, mixed, probability = scratch.weights, scratch.mixed, scratch.probability
    path, taken = scratch.path, scratch.taken
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
        total, _ = match_weights(regrets, low, width, weights, start)
        if kind == traverser:  # draw by the strategy mixed with an even one
            summed = 0.0
            for k in range(width):
                mixed[k] = exploration * total / np.float64(width) + (1.0 - exploration) * weights[k]
                summed += mixed[k]
            drawn = draw_action(random, mixed, start, width, summed)
            probability[level] = weights[drawn] / total
            above *= summed / mixed[drawn]
            path[level], taken[level] = node, drawn
            level += 1
        else:  # add the strategy to the average of another seat, draw an action
            if averaging:
                share = turn.weight * above / total
                for k in range(width):
                    cumulative[low + k] += share * weights[k]
            drawn = draw_action(random, weights, start, width, total)
        node = first + drawn
    # Back along the path: W times the own probability of the rest of it.
    value = tree.payoffs[nodes[node, FIRST], traverser] * above
    while level > 0:
        level -= 1
        node, drawn, played = path[level], taken[level], probability[level]
        width = np.uint64(nodes[node, WIDTH])
        low = block_of(place, nodes[node, BLOCK], width)
        for k in range(width):
            regret = regrets[low + k] + value * ((1.0 if k == drawn else 0.0) - played)
            regrets[low + k] = max(regret, 0.0) if turn.floor else regret
        value *= played
    return touched
