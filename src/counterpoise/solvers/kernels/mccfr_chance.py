"""Chance sampling: walks through every decision below drawn chance outcomes (JOHANSON 3.3, BROWN 2.3.6).

At each node of the traverser: R(I,a) += pi_others(h) (v(a) - v) and X(I,a) += pi_own(h) sigma(a); the probability of
chance cancels against that of the draw. A walk can meet several histories of one information set, so its strategy is
fixed at the first of them. A subtree is left out only where both reaches are zero: nothing below it would change, not
even the average.
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
    block_of,
    draw_outcome,
    end_iteration,
    match,
)
from counterpoise.tree.kernels.sequence_form import infoset_value


@njit(cache=True, nogil=True)
def chance_sampling(tree, schedule, done, iterations, touched, random, regrets, cumulative, place=None):
    """Run so many iterations after the `done` ones: a walk per player each. Returns the nodes touched so far."""
    strategy, values = np.empty_like(regrets), np.empty_like(regrets)
    met, meetings = np.zeros(len(regrets), dtype=np.bool_), np.empty((len(regrets), 2), dtype=np.uint64)
    path, position = np.empty(tree.height, dtype=np.uint64), np.empty(tree.height, dtype=np.uint64)
    own, others = np.empty(tree.height), np.empty(tree.height)
    for t in range(done + 1, done + iterations + 1):
        before = touched
        weight = np.float64(t) if schedule.linear_average else 1.0
        for player in range(tree.payoffs.shape[1]):
            touched += chance_walk(
                tree, player, schedule.floor, weight, random, regrets, cumulative,
                strategy, values, met, meetings, path, position, own, others, place,
            )  # fmt: skip
        end_iteration(schedule, before, touched, regrets, cumulative, place)
    return touched


@njit(cache=True, nogil=True, error_model="numpy")
def chance_walk(
    tree, traverser, floor, weight, random, regrets, cumulative,
    strategy, values, met, meetings, path, position, own, others, place=None,
):  # fmt: skip
    """One walk of `traverser`, without recursion; returns the nodes touched.

    `path` holds the decisions above the current node, `position` the sequence followed there, `own` and `others` the
    reach of the traverser and of the other players there. `met` marks information sets whose strategy is fixed.
    """
    nodes = tree.nodes
    node, one = np.uint64(0), np.uint64(1)
    touched, level, meeting = 0, 0, 0
    reach, reach_others = 1.0, 1.0
    while True:
        touched += 1
        kind = nodes[node, KIND]
        if kind == CHANCE_KIND:
            node = draw_outcome(tree, node, random)
            continue
        returned = kind == TERMINAL_KIND
        value = 0.0
        if returned:
            value = tree.payoffs[nodes[node, FIRST], traverser]
        else:
            width = np.uint64(nodes[node, WIDTH])
            low = block_of(place, nodes[node, BLOCK], width)
            high = low + width
            if not met[low]:
                total, _ = match(regrets, low, width, strategy, low)
                for s in range(low, high):
                    strategy[s] /= total
                met[low] = True
                meetings[meeting, 0], meetings[meeting, 1] = low, high
                meeting += 1
            if kind == traverser:
                for s in range(low, high):
                    cumulative[s] += weight * reach * strategy[s]
            path[level], own[level], others[level] = node, reach, reach_others
            level += 1
        while level > 0:  # hand the value up to a node with an action left, and go on there
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
            level -= 1
            value = infoset_value(low, high, strategy, values)
            if kind == traverser:
                for k in range(low, high):
                    regrets[k] += others[level] * (values[k] - value)
            returned = True
        if level == 0:
            break
    for k in range(meeting):
        met[meetings[k, 0]] = False
        if floor:
            for s in range(meetings[k, 0], meetings[k, 1]):
                regrets[s] = max(regrets[s], 0.0)
    return touched
