"""Values of all pairs of hands below some nodes of a betting tree on one board, by fixed tables of two seats."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.kernels.options import LEAN


class Below(NamedTuple):
    """The nodes of some subtrees of a betting tree, parents before children; places count from 0."""

    parent: NDArray[np.int64]  # [place] the place of the parent; -1 where a subtree begins
    player: NDArray[np.int8]  # [place] who acts at the parent
    round: NDArray[np.uint8]  # [place] of the parent
    entry: NDArray[np.uint64]  # [place] where the table has the action that leads here, for bucket 0
    actions: NDArray[np.uint16]  # [place] of the parent


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
def weigh_pairs(own, other, weight, ahead):
    """Add how many pairs of hands that can meet each pair of classes has, and in how many more the first is stronger.

    Both are [class, class].
    """
    for a in range(len(own.group)):
        for b in range(len(other.group)):
            if _apart(own.cards, a, other.cards, b):
                share = own.share[a] * other.share[b]
                weight[own.group[a], other.group[b]] += share
                ahead[own.group[a], other.group[b]] += share * np.sign(own.strength[a] - other.strength[b])


@njit(**LEAN)
def add_values(middle, margin, own, other, total, stakes):
    """Add what seat 0 wins to the sums [class, class], for each pair of hands that can meet.

    It wins ``middle[hand, hand]``, and ``margin`` more if its hand is stronger, as much less if it is weaker. The sums
    of ``margin`` are in ``stakes``.
    """
    for a in range(len(own.group)):
        for b in range(len(other.group)):
            if _apart(own.cards, a, other.cards, b):
                share, sign = own.share[a] * other.share[b], np.sign(own.strength[a] - other.strength[b])
                won = np.float64(middle[a, b]) + sign * np.float64(margin[a, b])
                total[own.group[a], other.group[b]] += share * won
                stakes[own.group[a], other.group[b]] += share * np.float64(margin[a, b])


@njit(**LEAN)
def _apart(cards, a, others, b):
    """Return whether two hands have no card in common."""
    low, high = cards[0, a], cards[1, a]
    return low != others[0, b] and low != others[1, b] and high != others[0, b] and high != others[1, b]


@njit(**LEAN)
def add_pairs(middle, margin, hands, strength, total, stakes):
    """Add what seat 0 wins with each pair of hands on a board, and what the stronger of them wins at showdowns.

    ``hands`` are places in the sums [hand, hand]; pairs that share a card are added too, and mean nothing.
    """
    for a in range(len(hands)):
        for b in range(len(hands)):
            total[hands[a], hands[b]] += middle[a, b] + np.sign(strength[a] - strength[b]) * margin[a, b]
            stakes[hands[a], hands[b]] += margin[a, b]


@njit(**LEAN)
def add_signs(hands, strength, dealt, ahead):
    """Count a board for each pair of hands that it leaves, and whether the first is stronger (1) or weaker (-1)."""
    for a in range(len(hands)):
        for b in range(len(hands)):
            dealt[hands[a], hands[b]] += np.float32(1.0)
            ahead[hands[a], hands[b]] += np.float32(np.sign(strength[a] - strength[b]))
