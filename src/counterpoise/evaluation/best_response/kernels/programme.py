"""Values of hands on boards against a player who ignores its cards (Johanson 2016, section 2.3, table 2.1).

`after[b, j]` is the class of the j-th board that may follow board b, `renaming[b, j]` the renaming of suits that takes
it to the board of its class and `weight[j]` how many boards it stands for (`counterpoise.abstraction.boards`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.abstraction.kernels.strength import DEAD
from counterpoise.kernels.options import LEAN

BEST, MEAN, INPUT = range(3)


class ProgrammeArrays(NamedTuple):
    """Entries in the order in which they are computed. Entry e has the terms ``start[e]:start[e + 1]``.

    Each term is an earlier entry with a weight. `constant` is added to a sum, and is the number of the input row of an
    entry that is an input.
    """

    kind: NDArray[np.uint8]
    start: NDArray[np.uint32]
    term: NDArray[np.uint32]
    weight: NDArray[np.float64]
    constant: NDArray[np.float64]
    root: NDArray[np.uint32]


@njit(**LEAN)
def run_programme(programme, inputs, rows):
    """Write every entry of a programme into its row, for all columns of the inputs."""
    width = inputs.shape[1]
    for entry in range(programme.kind.size):
        begin, end = programme.start[entry], programme.start[entry + 1]
        if programme.kind[entry] == INPUT:
            row = np.int64(programme.constant[entry])
            for k in range(width):
                rows[entry, k] = inputs[row, k]
        elif programme.kind[entry] == BEST:
            first = programme.term[begin]
            for k in range(width):
                rows[entry, k] = rows[first, k]
            for term in range(begin + 1, end):
                other = programme.term[term]
                for k in range(width):
                    rows[entry, k] = max(rows[entry, k], rows[other, k])
        else:
            for k in range(width):
                rows[entry, k] = programme.constant[entry]
            for term in range(begin, end):
                other, weight = programme.term[term], programme.weight[term]
                for k in range(width):
                    rows[entry, k] += weight * rows[other, k]


@njit(**LEAN)
def look_up_later(board, followers, wins, lookup, scale, sums, inputs, alive):
    """Write what each hand on a board is worth on average after the last deal, input by input, and which are alive.

    ``lookup[wins]`` is the row of worths of a hand on a full board, a win counting two and a tie one.
    """
    width = lookup.shape[1]
    for h in range(inputs.shape[1]):
        alive[h] = False
        sums[:] = 0.0
        for j in range(followers.after.shape[1]):
            won = wins[followers.after[board, j], followers.hand_maps[followers.renaming[board, j], h]]
            if won != DEAD:
                alive[h] = True
                weight = followers.weight[j]
                for k in range(width):
                    sums[k] += weight * lookup[won, k]
        for k in range(width):
            inputs[k, h] = scale * sums[k]


@njit(**LEAN)
def values_before_last(boards, followers, wins, lookup, scale, programme, work, out):
    """Write out[i, root, hand] for each board: the last deal is looked up, then the programme is run."""
    sums, inputs, rows, alive = work
    for i in range(boards.size):
        look_up_later(boards[i], followers, wins, lookup, scale, sums, inputs, alive)
        run_programme(programme, inputs, rows)
        for root in range(programme.root.size):
            for h in range(inputs.shape[1]):
                out[i, root, h] = rows[programme.root[root], h] if alive[h] else 0.0


@njit(**LEAN)
def values_on_boards(gathered, alive, programme, rows, out):
    """Write out[i, root, hand] from the inputs gathered[i, input, hand]."""
    for i in range(len(gathered)):
        run_programme(programme, gathered[i], rows)
        for root in range(programme.root.size):
            for h in range(alive.shape[1]):
                out[i, root, h] = rows[programme.root[root], h] if alive[i, h] else 0.0


@njit(**LEAN)
def add_to_earlier(values, earlier, renaming, weight, hand_maps, out):
    """Add values[i, root, hand] to the earlier boards that board i may follow, under the names suits have there."""
    for i in range(len(values)):
        for j in range(earlier.shape[1]):
            to, renamed = out[earlier[i, j]], hand_maps[renaming[i, j]]
            for root in range(values.shape[1]):
                for h in range(values.shape[2]):
                    to[root, renamed[h]] += weight[i, j] * values[i, root, h]
