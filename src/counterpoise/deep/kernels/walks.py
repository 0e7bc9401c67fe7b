"""External-sampling traversals of an enumerated game that write samples instead of changing tables.

See Brown 2020, section 4.1.2.

    walk(h): terminal      return u_i
             chance        draw an outcome and walk there
             traverser     v(a) = walk(h a) for all actions; sample the advantages v(a) - sum_b sigma(b) v(b)
             opponent      sample sigma; draw an action by it and walk there

All branches of a walk meet the same chance: the k-th draw on a path is made with the same random number in every
branch. That leaves the expectation of every sample as it is and makes differences between actions less noisy.

Values are not weighted by any reach: an information set is met in proportion to the reach of the others, so the sum of
its samples estimates its counterfactual regret (Lemma 11). Strategies are frozen while walks run (K-external
sampling).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.kernels.options import LEAN
from counterpoise.kernels.random import uniform
from counterpoise.solvers.kernels.mccfr import draw_action, outcome_of
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

ADVANTAGES, STRATEGIES = 0, 1
"""The two kinds of samples: where `Samples.used` counts them."""


class WalkedGame(NamedTuple):
    """An enumerated game as walks that write samples read it."""

    tree: SamplingTree
    infoset: NDArray[np.int32]  # [sequence] the infoset that owns it
    column: NDArray[np.int32]  # [sequence] the output of a network that stands for it
    scale: float  # what payoffs are multiplied by


class Samples(NamedTuple):
    """Room for what walks find: advantages of the traverser, strategies of the opponent.

    `used` counts the rows of each; entries of illegal actions stay 0.
    """

    infoset: NDArray[np.int32]  # [row]
    advantages: FloatArray  # [row, column]
    other: NDArray[np.int32]  # [row]
    strategies: FloatArray  # [row, column]
    used: NDArray[np.int64]  # [2]


class Room(NamedTuple):
    """Working memory of a walk: at each level an own node above the current one, the action followed, values.

    `depth` is the number of chance nodes above the node of a level, and `luck` the random number of each draw.
    """

    path: NDArray[np.uint64]
    taken: NDArray[np.uint64]
    depth: NDArray[np.int64]
    values: FloatArray
    luck: FloatArray


def walk_room(tree: SamplingTree) -> Room:
    """Return working memory for walks."""
    return Room(
        np.empty(tree.height, dtype=np.uint64),
        np.empty(tree.height, dtype=np.uint64),
        np.empty(tree.height, dtype=np.int64),
        np.empty(tree.height * tree.widest),
        np.empty(tree.height),
    )


@njit(**LEAN)
def count_samples(histories, traverser, most):
    """Write the most advantages and strategies that a walk from each history can sample, bottom-up."""
    for h in range(len(histories.parent) - 1, -1, -1):
        advantages, strategies = 0, 0
        first = histories.first_child[h]
        own = histories.player[h] == traverser
        for child in range(first, first + histories.children[h]):
            if own:
                advantages += most[child, ADVANTAGES]
                strategies += most[child, STRATEGIES]
            else:
                advantages = max(advantages, most[child, ADVANTAGES])
                strategies = max(strategies, most[child, STRATEGIES])
        most[h, ADVANTAGES] = advantages + (1 if own else 0)
        most[h, STRATEGIES] = strategies + (1 if histories.player[h] >= 0 and not own else 0)


@njit(**LEAN)
def walk_game(game, traverser, count, strategy, random, samples, room):
    """Walk a game `count` times for a traverser and return the nodes touched."""
    touched = 0
    for _ in range(count):
        touched += walk_once(game, traverser, strategy, random, samples, room)
    return touched


@njit(**LEAN, error_model="numpy")
def walk_once(game, traverser, strategy, random, samples, room):
    """Walk once, without recursion; returns the nodes touched, chance nodes and terminals included."""
    tree, path, taken, values = game.tree, room.path, room.taken, room.values
    nodes, payoffs, widest = tree.nodes, tree.payoffs, np.uint64(tree.widest)
    node, level, touched = np.uint64(0), 0, 0
    depth, drawn = 0, 0  # chance nodes on the path, and random numbers for them so far
    while True:
        touched += 1
        kind = nodes[node, KIND]
        if kind == CHANCE_KIND:
            if depth == drawn:
                room.luck[drawn] = uniform(random)
                drawn += 1
            node = outcome_of(tree, node, room.luck[depth])
            depth += 1
            continue
        first, value = np.uint64(nodes[node, FIRST]), 0.0
        returned = kind == TERMINAL_KIND
        if returned:
            value = payoffs[first, traverser] * game.scale
        elif kind != traverser:
            low, width = np.uint64(nodes[node, BLOCK]), np.uint64(nodes[node, WIDTH])
            total = write_strategy(game, low, width, strategy, samples)
            node = first + draw_action(random, strategy, low, width, total)
            continue
        else:
            path[level], room.depth[level] = node, depth
            level += 1
        while level > 0:  # return the value to the last own node with an action left to follow, and follow that
            top = level - 1
            here, node = np.uint64(top) * widest, path[top]
            first, width = np.uint64(nodes[node, FIRST]), np.uint64(nodes[node, WIDTH])
            action = np.uint64(0)
            if returned:
                action = taken[top]
                values[here + action] = value
                action += np.uint64(1)
            if action < width:
                taken[top] = action
                node, depth = first + action, room.depth[top]
                break
            value = write_advantages(game, np.uint64(nodes[node, BLOCK]), width, strategy, values, here, samples)
            returned = True
            level = top
        if level == 0:
            return touched


@njit(cache=True, nogil=True, inline="always")
def write_strategy(game, low, width, strategy, samples):
    """Sample the strategy of an infoset of the opponent; returns the sum of its probabilities."""
    row, total = samples.used[STRATEGIES], 0.0
    samples.other[row] = game.infoset[low]
    for k in range(width):
        total += strategy[low + k]
        samples.strategies[row, game.column[low + k]] = strategy[low + k]
    samples.used[STRATEGIES] = row + 1
    return total


@njit(cache=True, nogil=True, inline="always", error_model="numpy")
def write_advantages(game, low, width, strategy, values, here, samples):
    """Sample the advantages of an infoset of the traverser; returns its value.

    The mean is summed as differences from the first action, so that a tie of all leaves no advantage.
    """
    first, value = values[here], 0.0
    for k in range(width):
        value += strategy[low + k] * (values[here + k] - first)
    value += first
    row = samples.used[ADVANTAGES]
    samples.infoset[row] = game.infoset[low]
    for k in range(width):
        samples.advantages[row, game.column[low + k]] = values[here + k] - value
    samples.used[ADVANTAGES] = row + 1
    return value
