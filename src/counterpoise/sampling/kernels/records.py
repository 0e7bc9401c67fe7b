"""What a walk of external sampling keeps on its way, and how it writes down what is to be added to tables."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.kernels.drawing import action_at
from counterpoise.kernels.options import LEAN
from counterpoise.kernels.regret_matching import match
from counterpoise.sampling.kernels.blocks import AMOUNTS, FRESH, NOWHERE, PLACE, RECORDS, Records

INLINE = LEAN | {"error_model": "numpy", "inline": "always"}
_1 = np.uint64(1)


class Stack(NamedTuple):
    """Own decisions on the path; strategies, values and weights of their actions, `width` numbers for each."""

    node: NDArray[np.uint64]
    action: NDArray[np.uint64]
    row: NDArray[np.uint64]
    strategy: NDArray[np.float64]
    value: NDArray[np.float64]
    weight: NDArray[np.float64]
    width: np.uint64


class Walker(NamedTuple):
    """What one thread needs."""

    dealt: object
    stack: Stack
    records: Records
    scratch: LeafScratch


class LeafScratch(NamedTuple):
    """Room for a visit of a leaf: what each seat has picked, its strength, and the random numbers to repeat."""

    picked: NDArray[np.int64]  # [seat]
    strengths: NDArray[np.uint16]  # [seat]
    random: NDArray[np.uint64]  # [4]


@njit(**INLINE)
def row_strategy(nodes, table, records, node, offset, count, strategy, base):
    """Write the current strategy of a row; decisions that have no block yet are written down and play evenly."""
    place = nodes[node, PLACE]
    if place == NOWHERE:
        records.fresh[records.used[FRESH]] = node
        records.used[FRESH] += _1
        even_shares(count, strategy, base)
    else:
        match(table, np.uint64(place) + offset, count, strategy, base)


@njit(**INLINE)
def even_shares(count, strategy, base):
    """Write the strategy that plays all actions alike."""
    for a in range(count):
        strategy[base + a] = 1.0 / np.float64(count)


@njit(**INLINE)
def write_strategy(records, row, count, strategy, base, draw):
    """Write down a strategy for the average, and return the action that a uniform number draws from it."""
    used = records.used[AMOUNTS]
    for a in range(count):
        records.amount[used + a] = strategy[base + a]
    records.row[records.used[RECORDS]] = row
    records.used[RECORDS] += _1
    records.used[AMOUNTS] = used + count
    return action_at(draw, strategy, base, count)


@njit(**INLINE)
def write_regrets(records, stack, top, count):
    """Write down v(a) - v for the explored actions of an own decision, and return v."""
    # v: the mean of the explored actions' values by the current strategy; the others are not played.
    base, used, value = top * stack.width, records.used[AMOUNTS], 0.0
    for a in range(count):
        if stack.weight[base + a] != 0.0:
            value += stack.strategy[base + a] * stack.value[base + a]
    # v(a) - v, times more for actions that are seldom explored, and 0 for those that were not.
    for a in range(count):
        weight = stack.weight[base + a]
        records.amount[used + a] = weight * (stack.value[base + a] - value) if weight != 0.0 else 0.0
    records.row[records.used[RECORDS]] = stack.row[top]
    records.used[RECORDS] += _1
    records.used[AMOUNTS] = used + count
    return value
