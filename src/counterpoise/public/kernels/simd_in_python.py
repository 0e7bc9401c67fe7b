"""The functions of `simd` in plain Python: what they compute, and what runs where Numba's compiler is switched off."""

from __future__ import annotations

import numpy as np

LANES = 8
TOTAL = 64 * LANES
_UNITS = np.float32(2**30)


def interleave(block, rows, offsets, count, totals):
    """``block[8*k + j] = rows[offsets[j] + k]``; ``totals[j]`` becomes the sum of lane j."""
    lanes = np.stack([rows[int(begin) : int(begin) + int(count)] for begin in offsets], axis=1)
    block[: lanes.size] = lanes.ravel()
    totals[:] = lanes.sum(axis=0)


def deinterleave(rows, offsets, block, count):
    """``rows[offsets[j] + k] = block[8*k + j]``."""
    lanes = block[: int(count) * LANES].reshape(-1, LANES)
    for lane, begin in enumerate(offsets):
        rows[int(begin) : int(begin) + int(count)] = lanes[:, lane]


def sweep(ties, bounds, own, cards, met_cards, work):
    """Walk the tie groups from weakest to strongest; ``work.swept`` gets F(before) + F(after) the group of a hand."""
    table, swept, mass = work.table.reshape(-1, LANES), work.swept.reshape(-1, LANES), _whole(work)
    total = table[TOTAL // LANES]
    own, other = int(own), int(own) ^ 2

    def met(hand):
        return total - table[_card(cards[0], hand)] - table[_card(cards[1], hand)]

    for group in range(int(bounds[0]), int(bounds[1])):
        low, high = (int(ties[4 * group + own + k]) for k in range(2))
        for hand in range(low, high):
            swept[hand] = met(hand)
        for hand in range(*(int(ties[4 * group + other + k]) for k in range(2))):
            _meet(table, met_cards, mass, hand)
        for hand in range(low, high):
            swept[hand] += met(hand)


def add_up(met_cards, work, count):
    """Add the mass of ``count`` opponent hands to the total and to the sums of their cards."""
    table, mass = work.table.reshape(-1, LANES), _whole(work)
    for hand in range(int(count)):
        _meet(table, met_cards, mass, hand)


def settle(cards, same, work, count):
    """``work.block_wins`` becomes weaker minus stronger mass, ``work.block_mass`` all compatible mass."""
    table, swept, mass = work.table.reshape(-1, LANES), work.swept.reshape(-1, LANES), _whole(work)
    wins, left = work.block_wins.reshape(-1, LANES), work.block_mass.reshape(-1, LANES)
    unit = work.totals / _UNITS
    for hand in range(int(count)):
        everything = table[TOTAL // LANES] - table[_card(cards[0], hand)] - table[_card(cards[1], hand)]
        wins[hand] = (swept[hand] - everything).astype(np.float32) * unit
        left[hand] = (everything + mass[int(same[hand])]).astype(np.float32) * unit


def fetch_add(counter):
    """Return the number in ``counter[0]``, which grows by one."""
    found = counter[0]
    counter[0] += np.uint64(1)
    return found


def largest(row, count):
    """Return the largest absolute value among the first ``count`` numbers of a row."""
    return np.abs(row[: int(count)]).max(initial=np.float32(0.0))


def add_matrix(values, matrix, stride, reach, count):
    """Multiply a matrix, ``count`` rows of ``stride`` numbers, by a reach vector and add the product to the values."""
    stride, count = int(stride), int(count)
    out, entries, weights = (array[int(begin) :] for array, begin in (values, matrix, reach))
    out[:stride] += weights[:count] @ entries[: count * stride].reshape(count, stride)


def _whole(work):
    """The opponent's mass hand by hand in whole numbers, so that all mass of a lane is 2^30."""
    some = work.totals > np.float32(1e-30)
    scale = np.where(some, _UNITS / np.where(some, work.totals, np.float32(1.0)), np.float32(0.0))
    return (work.block.reshape(-1, LANES) * scale).astype(np.int32)


def _card(offsets, hand):
    return int(offsets[hand]) // LANES


def _meet(table, met_cards, mass, hand):
    table[TOTAL // LANES] += mass[hand]
    for offsets in met_cards:
        table[_card(offsets, hand)] += mass[hand]
