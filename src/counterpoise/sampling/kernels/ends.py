"""What one seat wins where a walk ends."""

from __future__ import annotations

import numpy as np
from numba import njit

from counterpoise.kernels.options import LEAN
from counterpoise.sampling.kernels.blocks import BYTE, END_OF_HAND, KIND, NEXT, PAID
from counterpoise.sampling.kernels.layouts import SLACK

_1 = np.uint64(1)
_EXACT = LEAN | {"error_model": "numpy"}


@njit(**_EXACT)
def end_value(tree, strengths, node, seat):
    """Return what a seat wins at the end of the hand, or where it has folded."""
    if tree.nodes[node, KIND] & BYTE != END_OF_HAND:
        return -np.float64(tree.nodes[node, PAID])
    return paid_at_end(tree.ends, np.uint64(tree.nodes[node, NEXT]), strengths, seat)


@njit(**_EXACT)
def paid_at_end(ends, row, strengths, seat):
    """Return what a seat wins at a row of ends: the chips nobody called minus its own, and its share of each pot."""
    value = ends.base[row, seat]
    for pot in range(ends.first_pot[row], ends.first_pot[row + _1]):
        members = np.int64(ends.pot_seats[pot])
        if (members >> seat) & 1:
            value += pot_share(ends, pot, members, strengths, seat)
    return value


@njit(**_EXACT)
def tilted(tree, node, seat, value):
    """Return what a seat wins times the tilt for the way the hand ended for it (Johanson 2016, section 2.6)."""
    folded = True
    if tree.nodes[node, KIND] & BYTE == END_OF_HAND:
        live = np.int64(tree.ends.live[tree.nodes[node, NEXT]])
        folded = live & (live - 1) == 0 or not (live >> seat) & 1
    return value * tree.tilt[np.uint64(folded), np.uint64(value > 0.0)]


@njit(**_EXACT)
def pot_share(ends, pot, members, strengths, seat):
    """Return what a member of a pot gets from it."""
    own, winners = strengths[seat], 0
    for other in range(len(strengths)):
        if (members >> other) & 1:
            if members & (members - 1) and strengths[other] > own:
                return 0.0
            winners += strengths[other] == own
    if not members & (members - 1):
        return ends.pot[pot]
    share = ends.pot[pot] / winners
    if not ends.whole:
        return share
    # Whole chips: what is left goes to the first winner.
    share = np.floor(share + SLACK)
    for place in range(len(strengths)):
        first = ends.order[place]
        if (members >> first) & 1 and strengths[first] == own:
            return share + (ends.pot[pot] - share * winners if first == seat else 0.0)
    return share
