"""External sampling over betting nodes and buckets, for two to ten seats (Lanctot et al. 2009).

One hand is dealt to its end. The walk of a seat looks at all its own actions (or skips some), draws those of the others
from their current strategies, and stops where the seat folds, because nothing that follows changes what it wins.

A walk changes no table. It writes down what is to be added, the regrets v(a) - v of the seat and the current strategies
of the others, whose sum is the average strategy; `add_records` adds it. So several hands can be walked against the same
regrets on several threads, and are added in the order of hands: the result does not depend on the threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from counterpoise.kernels.options import LEAN
from counterpoise.kernels.prefetch import prefetch
from counterpoise.kernels.random import uniform
from counterpoise.kernels.regret_matching import regret_based_probability
from counterpoise.sampling.kernels.blocks import (
    ACTIONS,
    AMOUNTS,
    BYTE,
    END_OF_HAND,
    FOLDED,
    KIND,
    MOST_ACTIONS,
    NEXT,
    NOWHERE,
    PLACE,
    RECORDS,
    ROUND,
    add_records,
    keep_frozen,
    place_fresh,
)
from counterpoise.sampling.kernels.dealing import deal_hand, seed_hand
from counterpoise.sampling.kernels.ends import end_value, tilted
from counterpoise.sampling.kernels.leaves import leaf_value
from counterpoise.sampling.kernels.records import row_strategy, write_regrets, write_strategy

ALL, BY_REGRET, BY_HAND = 0, 1, 2
"""Which of its own actions a walk explores: all; each by its regret (RBS); in most hands none of very bad ones."""

INLINE = LEAN | {"error_model": "numpy", "inline": "always"}

_0, _1, _2, _32, _LOW = (np.uint64(k) for k in (0, 1, 2, 32, 0xFFFFFFFF))
_EXACT = LEAN | {"error_model": "numpy"}


class Exploration(NamedTuple):
    """Which own actions a walk explores; regrets are compared as they stand in the table, so discounted.

    With `BY_REGRET` (Brown 2020, section 6.3) an action of regret R below `threshold` is explored with probability
    scale / (scale + threshold - R), and with `weighted` its regret then counts as much more. With `BY_HAND` (Brown
    2020, section 6.6) such actions are left out in a share of the hands, except in the last round and those that end
    the hand.
    """

    kind: int
    threshold: float
    scale: float
    weighted: bool
    share: float


@njit(**_EXACT)
def walk_hands(cards, tree, table, exploration, walker, seed, first, count):
    """Deal hands `first` to `first + count - 1` and walk each for every seat; return the number of nodes touched."""
    touched = 0
    for hand in range(first, first + count):
        seed_hand(seed, np.uint64(hand), walker.dealt.random)
        deal_hand(cards, walker.dealt)
        touched += walk_dealt(tree, table, exploration, walker)
    return touched


@njit(**INLINE)
def walk_dealt(tree, table, exploration, walker):
    """Walk the dealt hand for every seat and return the number of nodes touched."""
    skipping = exploration.kind == BY_REGRET
    if exploration.kind == BY_HAND:
        skipping = uniform(walker.dealt.random) < exploration.share
    touched = 0
    for k in range(len(tree.seats)):
        touched += walk(tree, table, exploration, walker, tree.seats[k], skipping)
    return touched


@njit(**_EXACT)
def walk(tree, table, exploration, walker, seat, skipping):
    """Walk the betting for one seat with the dealt hand and return the number of nodes touched."""
    nodes, dealt, stack, records = tree.nodes, walker.dealt, walker.stack, walker.records
    strategy, width, random = stack.strategy, stack.width, dealt.random
    touched, depth, node = 0, _0, _0
    while True:
        touched += 1
        kind = nodes[node, KIND]
        owner = kind & BYTE
        if owner != END_OF_HAND and not (kind >> FOLDED and depth > _0 and leads_to(nodes, stack, depth - _1, node)):
            # The current strategy of the bucket, by regret matching.
            count = np.uint64((kind >> ACTIONS) & MOST_ACTIONS)
            base = depth * width
            offset = _2 * count * np.uint64(dealt.buckets[(kind >> ROUND) & BYTE, owner])
            row_strategy(nodes, table, records, node, offset, count, strategy, base)
            row = (node << _32) | offset
            if owner == seat:  # choose the actions to explore, follow the first
                fetch_children(nodes, table, dealt.buckets, node, count)
                stack.node[depth], stack.row[depth] = node, row
                weigh(tree, table, exploration, stack, depth, skipping, random)
                action = next_explored(stack, base, _0, count)
                stack.action[depth] = action
                depth += _1
            else:  # write the strategy down for the average, draw an action
                action = write_strategy(records, row + count, count, strategy, base, uniform(random))
            node = np.uint64(nodes[node, NEXT]) + action
            continue
        # An end, a leaf or the seat's own fold: what it wins.
        value, below = end_or_leaf(tree, tree.leaves, table, walker, node, seat, depth)
        touched += below
        # Go back to the last own decision that has an action left to explore.
        while depth > _0:
            top = depth - _1
            parent, base = np.uint64(stack.node[top]), top * width
            count = np.uint64((nodes[parent, KIND] >> ACTIONS) & MOST_ACTIONS)
            stack.value[base + stack.action[top]] = value
            action = next_explored(stack, base, stack.action[top] + _1, count)
            if action < count:
                stack.action[top] = action
                node = np.uint64(nodes[parent, NEXT]) + action
                break
            # All explored actions are valued: write down v(a) - v, and continue with v one level up.
            value = write_regrets(records, stack, top, count)
            depth = top
        if depth == _0:
            return touched


@njit(**INLINE)
def fetch_children(nodes, table, buckets, node, count):
    """Ask for the rows of all decisions that follow a decision: they are the next to be read."""
    first = np.uint64(nodes[node, NEXT])
    for a in range(count):
        kind, place = nodes[first + a, KIND], nodes[first + a, PLACE]
        owner = kind & BYTE
        if owner != END_OF_HAND and place != NOWHERE:
            bucket = np.uint64(buckets[(kind >> ROUND) & BYTE, owner])
            prefetch(table, np.uint64(place) + _2 * np.uint64((kind >> ACTIONS) & MOST_ACTIONS) * bucket)


@njit(**INLINE)
def leads_to(nodes, stack, top, node):
    """Return whether the walking seat's own last action leads to a node."""
    return np.uint64(nodes[stack.node[top], NEXT]) + stack.action[top] == node


@njit(**INLINE)
def next_explored(stack, base, action, count):
    """Return the next action to explore from `action` on, or `count`."""
    while action < count and stack.weight[base + action] == 0.0:
        action += _1
    return action


@njit(**INLINE)
def weigh(tree, table, exploration, stack, depth, skipping, random):
    """Write how much each action's regret counts: 1, 0 if the action is not explored, more if it seldom is."""
    nodes, node, base = tree.nodes, np.uint64(stack.node[depth]), depth * stack.width
    kind, place = nodes[node, KIND], nodes[node, PLACE]
    count = np.uint64((kind >> ACTIONS) & MOST_ACTIONS)
    for a in range(count):
        stack.weight[base + a] = 1.0
    last = ((kind >> ROUND) & BYTE) + 1 == tree.buckets.shape[1]
    if not skipping or place == NOWHERE or (last and exploration.kind == BY_HAND):
        return
    # Where no regret is positive all actions are played alike, and all are explored.
    at, best = np.uint64(place) + (stack.row[depth] & _LOW), np.float32(0.0)
    for a in range(count):
        best = max(best, table[at + a])
    if best <= 0.0:
        return
    for a in range(count):
        regret = np.float64(table[at + a])
        if regret >= exploration.threshold:
            continue
        if exploration.kind == BY_HAND:
            child = nodes[np.uint64(nodes[node, NEXT]) + a, KIND]
            if child & BYTE != END_OF_HAND and not child >> FOLDED:
                stack.weight[base + a] = 0.0
            continue
        share = regret_based_probability(regret, exploration.threshold, exploration.scale)
        if uniform(random) >= share:
            stack.weight[base + a] = 0.0
        elif exploration.weighted:
            stack.weight[base + a] = 1.0 / share


@njit(**_EXACT)
def end_or_leaf(tree, leaves, table, walker, node, seat, depth):
    """Return what a seat wins at an end, at a leaf or where it has folded, and the nodes touched below."""
    if leaves is None:
        return tilted(tree, node, seat, end_value(tree, walker.dealt.strengths, node, seat)), 0
    if tree.nodes[node, KIND] & BYTE != END_OF_HAND or tree.nodes[node, NEXT] < len(tree.ends.live):
        return tilted(tree, node, seat, end_value(tree, walker.dealt.strengths, node, seat)), 0
    return leaf_value(tree, leaves, table, walker, node, seat, depth)


@njit(**_EXACT)
def train_hands(cards, tree, table, exploration, walker, seed, first, batches):
    """Walk and add batches of hands, `batches` being their number, the hands of each and the free entry.

    Returns the number of nodes touched and the next free entry.
    """
    touched, free, records = 0, np.uint64(batches[2]), walker.records
    for batch in range(batches[0]):
        # Walk all hands of the batch against the same table, then hand out blocks and add what was written down.
        touched += walk_hands(cards, tree, table, exploration, walker, seed, first + batch * batches[1], batches[1])
        free = place_fresh(tree.nodes, tree.buckets, records, free)
        add_records(tree.nodes, records, table, _0, _1)
        keep_frozen(tree.frozen, table)
        records.used[RECORDS] = records.used[AMOUNTS] = _0
    return touched, free
