"""A betting tree in flat arrays, as kernels walk it, and what its ends pay.

The children of a node are side by side, in the order of the game's menu, and come after their parent. Cards have no
nodes of their own: they are dealt on the way to a child that is in a later round than its parent, and after an end of
two or more live seats up to the full board.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.kernels.options import LEAN

END = np.int8(-2)
"""What `BettingArrays.player` holds where the betting is over."""
SLACK = 1e-9
"""By how much rounding down to whole chips forgives float64, as `counterpoise.betting.rules` does."""


class BettingArrays(NamedTuple):
    """The nodes of a betting tree; the root is node 0."""

    player: NDArray[np.int8]  # [node] the seat to act, or `END`
    round: NDArray[np.uint8]  # [node] of a decision; of an end, the round in which the betting ended
    actions: NDArray[np.uint16]  # [node] how many children it has, 0 at ends
    first_child: NDArray[np.uint32]  # [node]
    end: NDArray[np.uint32]  # [node] the row of `Ends` of an end


class Ends(NamedTuple):
    """How hands end: ends that differ in nothing that is paid share a row.

    A seat wins ``base`` plus its share of the pots ``pot[first_pot[row] : first_pot[row + 1]]`` (main pot first, rake
    taken off) that it has paid for and in which nobody has more strength. With `whole` shares are whole chips, and
    the rest goes to the first winner in `order`.
    """

    base: NDArray[np.float64]  # [row, seat] chips that nobody called minus chips put in
    live: NDArray[np.uint16]  # [row] the set of seats that have not folded; with one of them nothing is shown
    first_pot: NDArray[np.uint32]  # [row], and one more
    pot: NDArray[np.float64]  # [pot] chips
    pot_seats: NDArray[np.uint16]  # [pot] the set of seats that can win it
    order: NDArray[np.uint8]  # [place] seats in the order in which odd chips are given
    whole: bool


@njit(**LEAN)
def settle(ends, row, strengths, wins):
    """Write what each seat wins at an end; `strengths` [seat] are looked at where several seats contest a pot."""
    seats = ends.base.shape[1]
    for seat in range(seats):
        wins[seat] = ends.base[row, seat]
    for pot in range(ends.first_pot[row], ends.first_pot[row + 1]):
        members = ends.pot_seats[pot]
        # The strongest of those who paid for the pot, and how many they are.
        best, winners = np.int64(-1), 0
        for seat in range(seats):
            if (members >> seat) & 1:
                if np.int64(strengths[seat]) > best:
                    best, winners = np.int64(strengths[seat]), 1
                elif np.int64(strengths[seat]) == best:
                    winners += 1
        # Equal shares; at a table the odd chips go to the first winner.
        share = ends.pot[pot] / winners
        left = 0.0
        if ends.whole:
            share = np.floor(share + SLACK)
            left = ends.pot[pot] - share * winners
        for place in range(seats):
            seat = ends.order[place]
            if (members >> seat) & 1 and np.int64(strengths[seat]) == best:
                wins[seat] += share
                wins[seat] += left
                left = 0.0
