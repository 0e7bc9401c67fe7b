"""Tables of weights, row by row: a row has a weight for each action of a node with a bucket.

The strategy of a row is in proportion to its weights. Rows of a node follow each other: the k-th node has ``rows[k]``
rows of ``actions[k]`` entries from ``first[k]`` on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.kernels.options import LEAN


class TableRows(NamedTuple):
    """Where the rows of each decision are."""

    first: NDArray[np.uint64]
    rows: NDArray[np.uint32]
    actions: NDArray[np.uint16]
    passive: NDArray[np.uint16]
    """Which of the actions checks or calls."""


@njit(**LEAN)
def pack_rows(weights, blocks, levels, out):
    """Write the strategy of every row in bytes, each probability times `levels`, rounded; rows of 0 stay 0."""
    for k in range(len(blocks.first)):
        count = np.uint64(blocks.actions[k])
        for row in range(blocks.rows[k]):
            at = blocks.first[k] + np.uint64(row) * count
            total = 0.0
            for j in range(count):
                total += np.float64(weights[at + np.uint64(j)])
            for j in range(count):
                share = np.float64(weights[at + np.uint64(j)]) / total if total > 0.0 else 0.0
                out[at + np.uint64(j)] = np.uint8(np.floor(share * levels + 0.5))


@njit(**LEAN)
def purify_rows(weights, blocks, out):
    """Write 1 for the action with most weight and 0 for the others of every row.

    Among equals a check or call comes first: a row that training has never met must not fold aces.
    """
    for k in range(len(blocks.first)):
        count = np.uint64(blocks.actions[k])
        for row in range(blocks.rows[k]):
            at = blocks.first[k] + np.uint64(row) * count
            best = np.uint64(blocks.passive[k])
            for j in range(count):
                if weights[at + np.uint64(j)] > weights[at + best]:
                    best = np.uint64(j)
            for j in range(count):
                out[at + np.uint64(j)] = np.uint8(np.uint64(j) == best)
