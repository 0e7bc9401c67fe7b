"""A betting tree in words for walks, and the blocks of a table that its decisions get.

The entries of a decision with a bucket are a row of its actions' regrets and, beside them, of their average strategy: a
walk needs one place in memory for both. Blocks of rows are handed out when a decision is first met.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.kernels.options import LEAN

BYTE, ROUND, ACTIONS, MOST_ACTIONS, FOLDED = 0xFF, 8, 16, 0x7FFF, 31
"""How word `KIND` of a node is taken apart."""
END_OF_HAND = 0xFF
NOWHERE = 0xFFFFFFFF
"""Place of a decision that was not met yet."""
KIND, NEXT, PLACE, PAID = 0, 1, 2, 3
RECORDS, AMOUNTS, FRESH = 0, 1, 2
"""What `Records.used` counts."""

_0, _1, _2, _32, _LOW = (np.uint64(k) for k in (0, 1, 2, 32, 0xFFFFFFFF))
_EXACT = LEAN | {"error_model": "numpy"}


class WalkTree(NamedTuple):
    """A betting tree for walks: four words per node, and what its ends pay.

    Word `KIND` has the seat to act (`END_OF_HAND` at ends), the round, the number of actions and whether the node is
    reached by a fold; `NEXT` the first child or the row of `Ends`; `PLACE` where the decision's block begins, or
    `NOWHERE`; `PAID` the chips of the seat that folded. `tilt` is what regrets are trained with instead of payoffs.
    """

    nodes: NDArray[np.uint32]  # [node, 4]
    buckets: NDArray[np.uint32]  # [seat, round]
    ends: object
    tilt: NDArray[np.float64]  # [shown or folded, lost or won] factors of payoffs; all 1 in the true game
    seats: NDArray[np.uint32]  # those that walk
    leaves: object = None
    """Where a tree that is cut short stops (`counterpoise.sampling.kernels.leaves`); None in whole games.

    A leaf is an end whose `NEXT` counts on after the rows of `Ends`."""
    frozen: object = None
    """`Frozen` rows that walks do not change; None: all of them learn."""


class Frozen(NamedTuple):
    """Entries of a table that keep their values: regrets in proportion to a strategy that is given, not learned."""

    place: NDArray[np.uint64]
    value: NDArray[np.float32]


class Records(NamedTuple):
    """What is to be added: for each record a node and an offset in its block, and as many amounts as actions.

    ``used`` counts records, amounts, and fresh decisions, which have no block yet.
    """

    row: NDArray[np.uint64]
    amount: NDArray[np.float32]
    fresh: NDArray[np.uint32]
    used: NDArray[np.uint64]  # [3]


@njit(**_EXACT)
def place_fresh(nodes, buckets, records, free):
    """Hand out blocks to decisions met for the first time, from entry `free` on, and return the next free entry."""
    for k in range(records.used[FRESH]):
        node = np.uint64(records.fresh[k])
        if nodes[node, PLACE] == NOWHERE:
            kind = nodes[node, KIND]
            nodes[node, PLACE] = free
            count = np.uint64((kind >> ACTIONS) & MOST_ACTIONS)
            free += _2 * count * np.uint64(buckets[kind & BYTE, (kind >> ROUND) & BYTE])
    records.used[FRESH] = _0
    return free


@njit(**_EXACT)
def add_records(nodes, records, table, part, parts):
    """Add what was written down to the table, in order; with several parts, only to decisions of one of them."""
    at = _0
    for k in range(records.used[RECORDS]):
        row = records.row[k]
        node = row >> _32
        count = np.uint64((nodes[node, KIND] >> ACTIONS) & MOST_ACTIONS)
        if node % parts == part:
            place = np.uint64(nodes[node, PLACE]) + (row & _LOW)
            for a in range(count):
                table[place + a] += records.amount[at + a]
        at += count


@njit(**_EXACT)
def keep_frozen(frozen, table):
    """Write the values of frozen entries into a table, if there are any."""
    if frozen is not None:
        for k in range(len(frozen.place)):
            table[frozen.place[k]] = frozen.value[k]


@njit(**_EXACT)
def measure_walks(nodes, seat, room):
    """Write for every node how many decisions and actions a walk of a seat meets from there on, at most.

    ``room[node]`` also has the longest path of own decisions. At a leaf (an end with actions) they are the picks of
    continuations, one for each seat.
    """
    for k in range(len(nodes)):
        node = len(nodes) - 1 - k
        kind = nodes[node, KIND]
        room[node, 0] = room[node, 1] = room[node, 2] = 0
        if kind & BYTE == END_OF_HAND:
            for a in range((kind >> ACTIONS) & MOST_ACTIONS):
                room[node, 0] += 1
                room[node, 1] += (nodes[nodes[node, PLACE] + a, KIND] >> ACTIONS) & MOST_ACTIONS
            continue
        count = (kind >> ACTIONS) & MOST_ACTIONS
        own = kind & BYTE == seat
        for a in range(count):
            child = nodes[node, NEXT] + a
            for j in range(3):
                if own and j < 2:
                    room[node, j] += room[child, j]
                else:
                    room[node, j] = max(room[node, j], room[child, j])
        room[node, 0] += 1
        room[node, 1] += count
        room[node, 2] += own


@njit(**LEAN)
def scale_table(table, factor):
    """Multiply a table by a factor."""
    for k in range(len(table)):
        table[k] *= factor


@njit(**_EXACT)
def copy_blocks(nodes, buckets, start, table, average, ordered, put):
    """Copy the regrets or averages of all decisions that have a block to `ordered`, where a layout has them.

    With `put` they are copied from there to their blocks.
    """
    for node in range(len(nodes)):
        kind = nodes[node, KIND]
        if kind & BYTE == END_OF_HAND or nodes[node, PLACE] == NOWHERE:
            continue
        count = np.uint64((kind >> ACTIONS) & MOST_ACTIONS)
        place, at = np.uint64(nodes[node, PLACE]), start[node]
        # A row has the regrets of its actions, then their averages; the layout has one of the two.
        if average:
            place += count
        for _ in range(buckets[kind & BYTE, (kind >> ROUND) & BYTE]):
            for a in range(count):
                if put:
                    table[place + a] = ordered[at + a]
                else:
                    ordered[at + a] = table[place + a]
            place += _2 * count
            at += count
