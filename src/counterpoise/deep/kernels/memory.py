"""Which slot of a memory of limited size each offered record goes to."""

from __future__ import annotations

import numpy as np
from numba import njit

from counterpoise.kernels.options import LEAN
from counterpoise.kernels.random import uniform


@njit(**LEAN)
def reservoir_slots(seen, capacity, random, slots):
    """Write the slot of each new record, -1 for those that are not kept (Vitter's algorithm R).

    `seen` counts all records that were ever offered, so that each of them is in the memory with the same probability.
    """
    for k in range(len(slots)):
        number = seen + k
        if number < capacity:
            slots[k] = number
        else:
            place = np.int64(uniform(random) * np.float64(number + 1))
            slots[k] = place if place < capacity else -1


@njit(**LEAN)
def window_slots(seen, capacity, slots):
    """Write the slot of each new record in a ring in which the oldest is overwritten."""
    for k in range(len(slots)):
        slots[k] = (seen + k) % capacity


@njit(**LEAN)
def keep_records(slots, weight, keys, targets, memory_keys, memory_targets, memory_weights):
    """Copy the records that are kept into their slots, in the order in which they were offered."""
    for k in range(len(slots)):
        slot = slots[k]
        if slot >= 0:
            memory_weights[slot] = weight
            for j in range(keys.shape[1]):
                memory_keys[slot, j] = keys[k, j]
            for j in range(targets.shape[1]):
                memory_targets[slot, j] = targets[k, j]


@njit(**LEAN)
def sum_by_key(keys, targets, weights, sums, totals, squares):
    """Add the weighted targets of each key, which is the number of an infoset, and the weights.

    Return `squares` and, added to it one by one, the weighted squares of all targets.
    """
    for k in range(len(weights)):
        key = keys[k, 0]
        totals[key] += weights[k]
        for j in range(targets.shape[1]):
            sums[key, j] += weights[k] * targets[k, j]
            squares += weights[k] * targets[k, j] ** 2
    return squares


@njit(**LEAN)
def sum_batches(rows, keys, targets, weights, place, sums, totals):
    """Add the weighted targets of each infoset, and the weights, of every minibatch.

    `rows` [batch, record] are records of a memory; `place` [infoset] is the row of an infoset in `sums` [batch, row,
    column] and `totals` [batch, row].
    """
    for batch in range(rows.shape[0]):
        for k in range(rows.shape[1]):
            record = rows[batch, k]
            at = place[keys[record, 0]]
            totals[batch, at] += weights[record]
            for j in range(targets.shape[1]):
                sums[batch, at, j] += weights[record] * targets[record, j]
