"""Who wins if no more is bet: counted over all run-outs, hand by hand."""

from __future__ import annotations

import numpy as np
from numba import njit

from counterpoise.cards.kernels.evaluator import (
    FLUSH,
    HIGH_BITS,
    HIGH_SHIFT,
    LOW_BITS,
    NO_CARDS,
    ONE,
    ZERO,
    _flush_ranks,
)


@njit(cache=True, nogil=True)
def count_wins(first, second, matrix):
    """Add +1, -1 or 0 for every run-out and pair of hands by their strengths, [run-out, hand], int16; 0 is dead.

    Pairs that share a card are counted too; the caller drops them.
    """
    for row in range(len(first)):
        for i in range(first.shape[1]):
            own = first[row, i]
            if own > 0:
                for j in range(second.shape[1]):
                    other = second[row, j]
                    won = np.int16(own > other) - np.int16(own < other)
                    matrix[i, j] += won if other > 0 else np.int16(0)


@njit(cache=True, nogil=True)
def add_shares(boards, rows, hands, opponents, tables, shares, counts):
    """Add the share of the pot that every hand wins from the opponents on every board to `shares[row, hand]`.

    `rows` has the rows of each board; `counts` counts the boards that leave a hand possible. No board may hold a card
    of the opponents, whose hands may not overlap.
    """
    cards = boards.shape[1] + 2
    low, ranks = tables.low[cards - 5], tables.ranks[cards - 5]
    held = np.empty(cards, dtype=np.uint8)
    keys = np.empty(len(hands), dtype=np.uint64)
    sets = np.empty(len(hands), dtype=np.uint64)
    for h in range(len(hands)):
        keys[h] = tables.key[hands[h, 0]] + tables.key[hands[h, 1]]
        sets[h] = (ONE << np.uint64(hands[h, 0])) | (ONE << np.uint64(hands[h, 1]))
    for b in range(len(boards)):
        board_key, taken = NO_CARDS, ZERO
        for j in range(cards - 2):
            held[j] = boards[b, j]
            board_key += tables.key[boards[b, j]]
            taken |= ONE << np.uint64(boards[b, j])
        # the best opponent, and how many are as good
        best, tied = np.uint16(0), 0
        for k in range(len(opponents)):
            held[cards - 2], held[cards - 1] = opponents[k, 0], opponents[k, 1]
            key = board_key + tables.key[opponents[k, 0]] + tables.key[opponents[k, 1]]
            taken |= (ONE << np.uint64(opponents[k, 0])) | (ONE << np.uint64(opponents[k, 1]))
            if key & FLUSH:
                strength = tables.flush[_flush_ranks(held, key & FLUSH)]
            else:
                strength = ranks[low[key & LOW_BITS] + np.uint32(tables.high[(key >> HIGH_SHIFT) & HIGH_BITS])]
            if strength > best:
                best, tied = strength, 1
            elif strength == best:
                tied += 1
        part = 1.0 / (1 + tied)
        for h in range(len(hands)):
            if taken & sets[h]:
                continue
            key = board_key + keys[h]
            if key & FLUSH:
                held[cards - 2], held[cards - 1] = hands[h, 0], hands[h, 1]
                strength = tables.flush[_flush_ranks(held, key & FLUSH)]
            else:
                strength = ranks[low[key & LOW_BITS] + np.uint32(tables.high[(key >> HIGH_SHIFT) & HIGH_BITS])]
            share = 1.0 if strength > best else (part if strength == best else 0.0)
            for place in range(rows.shape[1]):
                shares[rows[b, place], h] += share
                counts[rows[b, place], h] += 1
