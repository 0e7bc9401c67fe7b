"""What the walks of Monte Carlo CFR share: draws, regret matching on the spot, discounts.

Information sets are matched to their regrets when a walk comes by, into a scratch array, from some `slot` on. Their
part of the tables begins at their first sequence or, if kernels are given a `place`, where `block_of` has put it.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from counterpoise.kernels.drawing import draw_action
from counterpoise.kernels.options import LEAN
from counterpoise.kernels.random import uniform
from counterpoise.kernels.regret_matching import even_weights, positive_parts
from counterpoise.tree.kernels.layouts import BLOCK, CHANCE_KIND, FIRST, KIND, TERMINAL_KIND, WIDTH

INITIAL = 2
"""The value of `Schedule.discount` that discounts once; 1 discounts after every period, 0 never."""
NEXT_FREE = 0
"""Sequence 0 is an empty one, without tables: its entry of `place` tells which entry of the tables is free next."""


@njit(cache=True, nogil=True, inline="always")
def draw_outcome(tree, node, random):
    """Draw an outcome of a chance node and return the child it leads to."""
    return outcome_of(tree, node, uniform(random))


@njit(cache=True, nogil=True, inline="always")
def outcome_of(tree, node, number):
    """Return the child of a chance node that a random number from 0 (included) to 1 (excluded) leads to."""
    block, width = np.uint64(tree.nodes[node, BLOCK]), np.int64(tree.nodes[node, WIDTH])
    scaled = number * width
    whole = np.int64(scaled)
    column = np.uint64(whole)
    if scaled - whole >= tree.accept[block + column]:
        column = np.uint64(tree.alias[block + column])
    return tree.nodes[node, FIRST] + column


@njit(cache=True, nogil=True, inline="always")
def block_of(place, sequence, width):
    """Return the entry of the tables where the information set begins whose first sequence is `sequence`.

    Without `place` it is that sequence. With it, an information set that is met for the first time gets the next free
    entries, one per action; until then its part of `place` is 0.
    """
    block = np.uint64(sequence)
    if place is not None:
        if place[block] == 0:
            for k in range(width):
                place[block + k] = place[NEXT_FREE] + k
            place[NEXT_FREE] += width
        block = np.uint64(place[block])
    return block


@njit(cache=True, nogil=True, inline="always")
def match_weights(regrets, low, width, weights, slot):
    """Write, from `slot` on, weights in proportion to which to act by the regrets from `low` on.

    Returns their sum, and whether any regret was positive; if not, the weights are even.
    """
    total = positive_parts(regrets, low, width, None, weights, slot)
    decided = total > 0.0
    if not decided:
        total = even_weights(width, weights, slot)
    return total, decided


@njit(**LEAN)
def end_iteration(schedule, before, after, regrets, cumulative, place=None):
    """Discount the tables for every period that ended while the nodes touched went from `before` to `after`."""
    if schedule.discount == 0:
        return
    period = np.int64(schedule.period)
    for n in range(before // period + 1, after // period + 1):
        factor = n / (n + 1.0)
        if schedule.discount == INITIAL:
            factor = 0.1 if n == 1 else 1.0
        if factor != 1.0:
            for s in range(len(regrets) if place is None else place[NEXT_FREE]):
                regrets[s] *= factor
                cumulative[s] *= factor


@njit(**LEAN)
def average_walk(tree, turn, everything, tables, weights, stack, place):
    """Add the traverser's strategy to its average where the walk meets it; returns the nodes touched.

    Chance and the traverser are drawn. The others' actions are all followed (`everything`) or drawn evenly: in either
    case the probability of meeting an information set is the traverser's reach times a constant, whatever the others
    play.
    """
    regrets, cumulative, random = tables.regrets, tables.cumulative, tables.random
    touched, waiting = 0, 1
    stack[0] = 0
    while waiting:
        waiting -= 1
        node = np.uint64(stack[waiting])
        while True:
            touched += 1
            kind = tree.nodes[node, KIND]
            if kind == TERMINAL_KIND:
                break
            if kind == CHANCE_KIND:
                node = draw_outcome(tree, node, random)
                continue
            first, width = np.uint64(tree.nodes[node, FIRST]), np.uint64(tree.nodes[node, WIDTH])
            if kind == turn.traverser:
                low = block_of(place, tree.nodes[node, BLOCK], width)
                total, _ = match_weights(regrets, low, width, weights, np.uint64(0))
                for k in range(width):
                    cumulative[low + k] += turn.weight * weights[k] / total
                node = first + draw_action(random, weights, np.uint64(0), width, total)
            elif everything:
                for k in range(np.uint64(1), width):
                    stack[waiting] = first + k
                    waiting += 1
                node = first
            else:
                node = first + np.uint64(np.int64(uniform(random) * np.float64(width)))
    return touched
