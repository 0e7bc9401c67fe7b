"""Chance sampling: walks through every decision below drawn chance outcomes.

See Johanson 2016, section 3.3; Brown 2020, section 2.3.6.

At each node of the traverser: R(I,a) += pi_others(h) (v(a) - v) and X(I,a) += pi_own(h) sigma(a); the probability of
chance cancels against that of the draw. A walk can meet several histories of one information set, so its strategy is
fixed at the first of them. A subtree is left out only where both reaches are zero: nothing below it would change, not
even the average.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.kernels.options import LEAN
from counterpoise.solvers.kernels.layouts import Turn
from counterpoise.solvers.kernels.mccfr import block_of, draw_outcome, end_iteration, match_weights
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
from counterpoise.tree.kernels.sequence_form import infoset_value


class ChanceScratch(NamedTuple):
    """Working memory of a walk.

    `path` holds the decisions above the current node, `position` the sequence followed there, `own` and `others` the
    reach of the traverser and of the other players there. `met` marks information sets whose strategy is fixed,
    `meetings` lists where they begin and end.
    """

    strategy: FloatArray
    values: FloatArray
    met: NDArray[np.bool_]
    meetings: NDArray[np.uint64]
    path: NDArray[np.uint64]
    position: NDArray[np.uint64]
    own: FloatArray
    others: FloatArray


def chance_scratch(tree: SamplingTree, sequences: int) -> ChanceScratch:
    """Return working memory for walks of a game with this many sequences."""
    return ChanceScratch(
        strategy=np.empty(sequences),
        values=np.empty(sequences),
        met=np.zeros(sequences, dtype=np.bool_),
        meetings=np.empty((sequences, 2), dtype=np.uint64),
        path=np.empty(tree.height, dtype=np.uint64),
        position=np.empty(tree.height, dtype=np.uint64),
        own=np.empty(tree.height),
        others=np.empty(tree.height),
    )


@njit(**LEAN)
def chance_sampling(tree, schedule, stretch, tables, scratch, place):
    """Run a stretch of iterations, a walk per player each; returns the nodes touched so far."""
    touched = stretch.touched
    for t in range(stretch.done + 1, stretch.done + stretch.iterations + 1):
        before = touched
        weight = np.float64(t) if schedule.linear_average else 1.0
        for player in range(tree.payoffs.shape[1]):
            touched += chance_walk(tree, Turn(player, weight, schedule.floor), tables, scratch, place)
        end_iteration(schedule, before, touched, tables.regrets, tables.cumulative, place)
    return touched


@njit(**LEAN, error_model="numpy")
def chance_walk(tree, turn, tables, scratch, place):
    """Walk once for a traverser, without recursion; returns the nodes touched."""
    regrets, cumulative, traverser = tables.regrets, tables.cumulative, turn.traverser
    strategy, values, met, meetings = scratch.strategy, scratch.values, scratch.met, scratch.meetings
    path, position, own, others = scratch.path, scratch.position, scratch.own, scratch.others
    nodes = tree.nodes
    node, one = np.uint64(0), np.uint64(1)
    touched, level, meeting = 0, 0, 0
    reach, reach_others = 1.0, 1.0
    while True:
        touched += 1
        kind = nodes[node, KIND]
        if kind == CHANCE_KIND:
            node = draw_outcome(tree, node, tables.random)
            continue
        returned = kind == TERMINAL_KIND
        value = 0.0
        if returned:
            value = tree.payoffs[nodes[node, FIRST], traverser]
        else:
            width = np.uint64(nodes[node, WIDTH])
            low = block_of(place, nodes[node, BLOCK], width)
            high = low + width
            # The strategy of the information set, fixed for the whole walk.
            if not met[low]:
                total, _ = match_weights(regrets, low, width, strategy, low)
                for s in range(low, high):
                    strategy[s] /= total
                met[low] = True
                meetings[meeting, 0], meetings[meeting, 1] = low, high
                meeting += 1
            if kind == traverser:
                share = turn.weight * reach
                for s in range(low, high):
                    cumulative[s] += share * strategy[s]
            path[level], own[level], others[level] = node, reach, reach_others
            level += 1
        while level > 0:  # return the value to the last node with an action left to follow, and follow that
            node = path[level - 1]
            kind = nodes[node, KIND]
            first, width = np.uint64(nodes[node, FIRST]), np.uint64(nodes[node, WIDTH])
            low = block_of(place, nodes[node, BLOCK], width)
            high = low + width
            followed = low
            if returned:
                followed = position[level - 1]
                values[followed] = value
                followed += one
            # Follow the next action, unless neither the traverser nor the others get there.
            if followed < high:
                position[level - 1] = followed
                reach, reach_others = own[level - 1], others[level - 1]
                if kind == traverser:
                    reach *= strategy[followed]
                else:
                    reach_others *= strategy[followed]
                if reach > 0.0 or reach_others > 0.0:
                    node = first + (followed - low)
                    break
                value, returned = 0.0, True
                continue
            # All actions are valued: v(I), and the traverser's regrets.
            level -= 1
            value = infoset_value(low, high, strategy, values)
            if kind == traverser:
                reached = others[level]
                for s in range(low, high):
                    regrets[s] += reached * (values[s] - value)
            returned = True
        if level == 0:
            break
    # Forget which strategies were fixed.
    for k in range(meeting):
        met[meetings[k, 0]] = False
        if turn.floor:
            for s in range(meetings[k, 0], meetings[k, 1]):
                regrets[s] = max(regrets[s], 0.0)
    return touched
