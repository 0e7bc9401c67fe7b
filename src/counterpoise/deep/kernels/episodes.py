"""Play an enumerated game again and again by strategies of two kinds, and note every decision."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.kernels.drawing import draw_action
from counterpoise.kernels.options import LEAN
from counterpoise.kernels.random import uniform
from counterpoise.solvers.kernels.mccfr import draw_outcome
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

NOTHING = -1


class EpisodeGame(NamedTuple):
    """An enumerated game as episodes read it; payoffs are in units of the largest one."""

    tree: SamplingTree
    infoset: NDArray[np.int32]  # [sequence] the infoset that owns it
    column: NDArray[np.int32]  # [sequence] the output of a network that stands for it


class Notes(NamedTuple):
    """Decisions in the order in which they are met, one row each."""

    infoset: NDArray[np.int32]
    column: NDArray[np.int32]  # the action
    seat: NDArray[np.int8]
    learning: NDArray[np.bool_]  # whether the seat played by the first strategy in this episode
    reward: FloatArray  # of the seat's last decision: what it received at the end; 0 before
    following: NDArray[np.int64]  # the row of the same seat's next decision in the episode, or `NOTHING`


@njit(**LEAN)
def play_episodes(game, count, profiles, share, random, notes):
    """Play episodes; return the number of decisions, and of nodes touched.

    `profiles` [kind, sequence] are the strategies of all players; in every episode each seat plays by the first with
    probability `share`, else by the second.
    """
    tree = game.tree
    rows, touched = 0, 0
    for _ in range(count):
        first = uniform(random) < share
        second = uniform(random) < share
        last_first, last_second = NOTHING, NOTHING
        node = np.uint64(0)
        while True:
            touched += 1
            kind = tree.nodes[node, KIND]
            if kind == CHANCE_KIND:
                node = draw_outcome(tree, node, random)
                continue
            if kind == TERMINAL_KIND:
                break
            learning = first if kind == 0 else second
            strategy = profiles[0 if learning else 1]
            low, width = np.uint64(tree.nodes[node, BLOCK]), np.uint64(tree.nodes[node, WIDTH])
            total = 0.0
            for k in range(width):
                total += strategy[low + k]
            action = draw_action(random, strategy, low, width, total)
            notes.infoset[rows], notes.column[rows] = game.infoset[low], game.column[low + action]
            notes.seat[rows], notes.learning[rows] = kind, learning
            notes.reward[rows], notes.following[rows] = 0.0, NOTHING
            last = last_first if kind == 0 else last_second
            if last != NOTHING:
                notes.following[last] = rows
            if kind == 0:
                last_first = rows
            else:
                last_second = rows
            rows += 1
            node = np.uint64(tree.nodes[node, FIRST]) + action
        payoff = np.uint64(tree.nodes[node, FIRST])
        if last_first != NOTHING:
            notes.reward[last_first] = tree.payoffs[payoff, 0]
        if last_second != NOTHING:
            notes.reward[last_second] = tree.payoffs[payoff, 1]
    return rows, touched
