"""Hands of strategies by betting node and bucket: how much one wins against another, and where play goes.

In a duel every deal is played once with the first strategy at each seat and the second at all others, so that both get
the same cards.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from counterpoise.kernels.drawing import action_at
from counterpoise.kernels.options import LEAN
from counterpoise.kernels.random import uniform
from counterpoise.sampling.kernels.blocks import ACTIONS, BYTE, END_OF_HAND, KIND, MOST_ACTIONS, NEXT, ROUND
from counterpoise.sampling.kernels.dealing import deal_hand, seed_hand
from counterpoise.sampling.kernels.ends import end_value

_OPTIONS = LEAN | {"error_model": "numpy"}


@njit(**_OPTIONS)
def duel(cards, tree, start, first, second, dealt, seed, deals):
    """Return the sum and the sum of squares of what the first strategy wins per hand in each deal."""
    seats = tree.buckets.shape[0]
    total = squares = 0.0
    for number in range(deals):
        seed_hand(seed, np.uint64(number), dealt.random)
        deal_hand(cards, dealt)
        won = 0.0
        for seat in range(seats):
            won += play_hand(tree, start, first, second, dealt, seat)
        won /= seats
        total += won
        squares += won * won
    return total, squares


@njit(**_OPTIONS)
def play_hand(tree, start, first, second, dealt, seat):
    """Play the dealt hand with the first strategy at one seat and return what it wins."""
    nodes, node = tree.nodes, np.uint64(0)
    while nodes[node, KIND] & BYTE != END_OF_HAND:
        table = first if nodes[node, KIND] & BYTE == seat else second
        node = play_action(nodes, start, table, dealt, node)
    return end_value(tree, dealt.strengths, node, seat)


@njit(**_OPTIONS)
def count_visits(cards, tree, start, table, dealt, seed, deals, visits):
    """Play deals with one strategy at all seats and add to each node how often play came there."""
    nodes = tree.nodes
    for number in range(deals):
        seed_hand(seed, np.uint64(number), dealt.random)
        deal_hand(cards, dealt)
        node = np.uint64(0)
        visits[node] += 1
        while nodes[node, KIND] & BYTE != END_OF_HAND:
            node = play_action(nodes, start, table, dealt, node)
            visits[node] += 1


@njit(**_OPTIONS)
def play_action(nodes, start, table, dealt, node):
    """Draw an action of the seat to act from a table of weights and return the node that follows."""
    kind = nodes[node, KIND]
    owner, count = kind & BYTE, np.uint64((kind >> ACTIONS) & MOST_ACTIONS)
    at = start[node] + count * np.uint64(dealt.buckets[(kind >> ROUND) & BYTE, owner])
    whole = 0.0
    for a in range(count):
        whole += np.float64(table[at + a])
    first, draw = np.uint64(nodes[node, NEXT]), uniform(dealt.random)
    if whole <= 0.0:  # a row that nothing was learned for plays all actions alike
        return first + np.uint64(draw * np.float64(count))
    return first + action_at(draw * whole, table, at, count)
