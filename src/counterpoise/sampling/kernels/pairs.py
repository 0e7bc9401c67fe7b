"""Values of all pairs of hands below some nodes of a betting tree on one board, by fixed tables of two seats."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.kernels.options import KERNEL, LEAN


class Below(NamedTuple):
    """The nodes of some subtrees of a betting tree, parents before children; places count from 0."""

    parent: NDArray[np.int64]  # [place] the place of the parent; -1 where a subtree begins
    player: NDArray[np.int8]  # [place] who acts at the parent
    round: NDArray[np.uint8]  # [place] of the parent
    entry: NDArray[np.uint64]  # [place] where the table has the action that leads here, for bucket 0
    actions: NDArray[np.uint16]  # [place] of the parent


class LeafEnds(NamedTuple):
    """The ends of the subtrees and what seat 0 wins there: `middle`, plus or minus `margin` if hands are compared."""

    first: NDArray[np.int64]  # [leaf + 1] the first end of each subtree
    middle: NDArray[np.float32]  # [end]
    margin: NDArray[np.float32]  # [end]


class DrawnHands(NamedTuple):
    """Hands on a board."""

    cards: NDArray[np.uint8]  # [2, hand]
    strength: NDArray[np.int32]  # [hand]
    group: NDArray[np.int64]  # [hand] the class
    share: NDArray[np.float64]  # [hand] for how many hands of its class it stands


@njit(**LEAN)
def reach_below(below, table, buckets, seat, reach):
    """Write the reach of every node, [place, hand], by probabilities in the order of a `TableLayout`."""
    for n in range(len(below.parent)):
        above = below.parent[n]
        own = above >= 0 and below.player[n] == seat
        for k in range(reach.shape[1]):
            if above < 0:
                reach[n, k] = np.float32(1.0)
            elif own:
                at = below.entry[n] + np.uint64(buckets[below.round[n], k]) * np.uint64(below.actions[n])
                reach[n, k] = reach[above, k] * table[at]
            else:
                reach[n, k] = reach[above, k]


@njit(**LEAN)
def weigh_pairs(own, other, weight):
    """Add how many pairs of hands that can meet each pair of classes has, [class, class]."""
    for a in range(len(own.group)):
        for b in range(len(other.group)):
            if _apart(own.cards, a, other.cards, b):
                weight[own.group[a], other.group[b]] += own.share[a] * other.share[b]


@njit(**KERNEL)
def add_values(ends, own, other, first, second, room, total):
    """Add what seat 0 wins at each leaf with each pair of classes, for hands and reach [end, hand] of both seats.

    ``room[2, hand, hand]`` is scratch, ``total[leaf, class, class]`` the sums.
    """
    for leaf in range(len(ends.first) - 1):
        room[:] = np.float32(0.0)
        for z in range(ends.first[leaf], ends.first[leaf + 1]):
            for a in range(len(own.group)):
                middle, margin = first[z, a] * ends.middle[z], first[z, a] * ends.margin[z]
                for b in range(len(other.group)):
                    room[0, a, b] += middle * second[z, b]
                    room[1, a, b] += margin * second[z, b]
        for a in range(len(own.group)):
            for b in range(len(other.group)):
                if _apart(own.cards, a, other.cards, b):
                    sign = np.sign(own.strength[a] - other.strength[b])
                    value = np.float64(room[0, a, b]) + sign * np.float64(room[1, a, b])
                    total[leaf, own.group[a], other.group[b]] += own.share[a] * other.share[b] * value


@njit(**LEAN)
def _apart(cards, a, others, b):
    """Return whether two hands have no card in common."""
    low, high = cards[0, a], cards[1, a]
    return low != others[0, b] and low != others[1, b] and high != others[0, b] and high != others[1, b]
