"""Leaves of a tree that is cut short: every seat picks a continuation, and the rest is played out a few times.

Multi-valued states (Brown 2020, section 5.2). At a leaf every live seat picks one of its continuations by its hand,
without seeing what the others pick. That is a decision, learned by the same regret matching: the seat that walks looks
at all its picks, those of the others are drawn. A continuation is the blueprint with the probabilities of folds, of
calls and of raises times three factors, normalised as they are read.

A roll-out plays the blueprint's tree from the node that stands for the leaf, with the dealt cards, to the end of the
hand. What it pays is a share of the pot where the blueprint's pot is another: a seat wins ``base[leaf, seat] +
scale[leaf] * payoff``. Where that could be more than a seat has left at the table, as its stack is smaller or its pot
larger than the blueprint's, all bets behind the leaf are cut by the same factor, so that nobody pays more than that.
All picks of a seat meet the same random numbers.

A continuation may cost the seat that picks it a share of the pot, the fourth number of its factors, which the other
live seats receive in equal parts (Brown et al. 2018, section 4).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.kernels.options import LEAN
from counterpoise.kernels.random import uniform
from counterpoise.sampling.kernels.blocks import (
    ACTIONS,
    BYTE,
    END_OF_HAND,
    FOLDED,
    KIND,
    MOST_ACTIONS,
    NEXT,
    PAID,
    PLACE,
    ROUND,
)
from counterpoise.sampling.kernels.ends import end_value
from counterpoise.sampling.kernels.records import row_strategy, write_regrets, write_strategy

_0, _1, _2, _32 = (np.uint64(k) for k in (0, 1, 2, 32))
_EXACT = LEAN | {"error_model": "numpy"}
_INLINE = _EXACT | {"inline": "always"}


class Leaves(NamedTuple):
    """The leaves of a tree and the strategy that is followed behind them."""

    node: NDArray[np.uint32]  # [leaf] node of the blueprint's tree
    live: NDArray[np.uint16]  # [leaf] the set of seats that have not folded
    scale: NDArray[np.float64]  # [leaf] pot of the leaf / pot of the blueprint's node
    base: NDArray[np.float64]  # [leaf, seat] chips
    behind: NDArray[np.float64]  # [leaf, seat] chips that a seat has left at most; infinite where it can pay all
    paid: NDArray[np.int64]  # [node, seat] of the blueprint's tree
    rollouts: int
    factors: NDArray[np.float64]  # [continuation, fold, call or raise]
    tree: object  # `WalkTree` of the blueprint
    start: NDArray[np.uint64]  # [node] of the blueprint's table
    table: NDArray[Any]  # weights, bytes or float32


@njit(**_EXACT)
def leaf_value(tree, leaves, table, walker, node, seat, depth):
    """Return what a seat wins at a leaf, and the nodes touched by picks and roll-outs."""
    nodes, dealt, stack, scratch = tree.nodes, walker.dealt, walker.stack, walker.scratch
    base, leaf = depth * stack.width, np.uint64(nodes[node, NEXT]) - np.uint64(len(tree.ends.live))
    live = np.int64(leaves.live[leaf])
    if not (live >> seat) & 1:
        return -np.float64(nodes[node, PAID]), 0
    for other in range(len(scratch.picked)):
        scratch.picked[other] = 0
        scratch.strengths[other] = dealt.strengths[other] if (live >> other) & 1 else 0
    # The picks of the others, then the seat's own.
    own, picks = _0, np.uint64((nodes[node, KIND] >> ACTIONS) & MOST_ACTIONS)
    first = np.uint64(nodes[node, PLACE])
    for k in range(picks):
        pick = first + k
        owner, count, offset = pick_row(nodes, dealt, pick)
        if owner == seat:
            own = pick
            continue
        row_strategy(nodes, table, walker.records, pick, offset, count, stack.strategy, base)
        row = (pick << _32) | offset
        scratch.picked[owner] = write_strategy(
            walker.records, row + count, count, stack.strategy, base, uniform(dealt.random)
        )
    if own == _0:
        value, touched = roll_out(leaves, leaf, dealt, scratch, seat)
        return value, touched + np.int64(picks)
    # All own picks are played out with the same random numbers, and their regrets written down.
    owner, count, offset = pick_row(nodes, dealt, own)
    row_strategy(nodes, table, walker.records, own, offset, count, stack.strategy, base)
    for k in range(4):
        scratch.random[k] = dealt.random[k]
    touched = np.int64(picks)
    for a in range(count):
        for k in range(4):
            dealt.random[k] = scratch.random[k]
        scratch.picked[seat] = np.int64(a)
        value, below = roll_out(leaves, leaf, dealt, scratch, seat)
        stack.value[base + a], stack.weight[base + a] = value, 1.0
        touched += below
    stack.row[depth] = (own << _32) | offset
    return write_regrets(walker.records, stack, depth, count), touched


@njit(**_INLINE)
def pick_row(nodes, dealt, pick):
    """Return the seat of a pick, the number of its continuations and where the row of its hand begins."""
    kind = nodes[pick, KIND]
    owner, count = kind & BYTE, np.uint64((kind >> ACTIONS) & MOST_ACTIONS)
    return owner, count, _2 * count * np.uint64(dealt.buckets[(kind >> ROUND) & BYTE, owner])


@njit(**_EXACT)
def roll_out(leaves, leaf, dealt, scratch, seat):
    """Return the mean of what a seat wins when the rest is played a few times, and the nodes touched."""
    total, touched = 0.0, 0
    for _ in range(leaves.rollouts):
        node, steps = play_on(leaves, leaf, dealt, scratch)
        total += paid_in_full(leaves, leaf, node, seat, end_value(leaves.tree, scratch.strengths, node, seat))
        touched += steps
    return total / leaves.rollouts + costs_won(leaves, leaf, scratch, seat), touched


@njit(**_INLINE)
def costs_won(leaves, leaf, scratch, seat):
    """Return what a live seat receives for the picks of the others, minus what it pays for its own."""
    live, won, pot, count = np.int64(leaves.live[leaf]), 0.0, 0.0, np.int64(0)
    for other in range(leaves.paid.shape[1]):
        pot += leaves.scale[leaf] * np.float64(leaves.paid[leaves.node[leaf], other])
        count += (live >> other) & 1
    for other in range(leaves.paid.shape[1]):
        if (live >> other) & 1:
            cost = pot * leaves.factors[scratch.picked[other], 3]
            won += cost / (count - 1) if other != np.int64(seat) else -cost
    return won


@njit(**_INLINE)
def paid_in_full(leaves, leaf, node, seat, payoff):
    """Return what a seat wins at the table if the blueprint pays `payoff` at an end, with bets that all can pay."""
    start, scale, kept = np.uint64(leaves.node[leaf]), leaves.scale[leaf], 1.0
    value = leaves.base[leaf, seat] + scale * payoff
    pot, bets = 0.0, 0.0
    for other in range(leaves.behind.shape[1]):
        behind = leaves.behind[leaf, other]
        if behind < np.inf:
            more = scale * np.float64(leaves.paid[node, other] - leaves.paid[start, other])
            if more * kept > behind:
                kept = behind / more
    if kept == 1.0:
        return value
    for other in range(leaves.behind.shape[1]):
        pot += np.float64(leaves.paid[node, other])
        bets += np.float64(leaves.paid[node, other] - leaves.paid[start, other])
    # The seat's share of all chips of the end stays; of the bets behind the leaf only a part is made.
    share = (payoff + np.float64(leaves.paid[node, seat])) / pot
    own = np.float64(leaves.paid[node, seat] - leaves.paid[start, seat])
    return value - (1.0 - kept) * scale * (share * bets - own)


@njit(**_EXACT)
def play_on(leaves, leaf, dealt, scratch):
    """Play from a leaf to the end of the hand, and return the end and the nodes touched.

    A seat that has folded before the leaf but not in the blueprint's line folds or checks.
    """
    nodes, node = leaves.tree.nodes, np.uint64(leaves.node[leaf])
    live, touched = np.int64(leaves.live[leaf]), 1
    while nodes[node, KIND] & BYTE != END_OF_HAND:
        kind, first = nodes[node, KIND], np.uint64(nodes[node, NEXT])
        owner, count = kind & BYTE, np.uint64((kind >> ACTIONS) & MOST_ACTIONS)
        action = _0
        if (live >> owner) & 1:
            at = leaves.start[node] + count * np.uint64(dealt.looked_up[(kind >> ROUND) & BYTE, owner])
            calls = np.uint64(nodes[first, KIND] >> FOLDED)  # the menu begins with a fold where it is legal
            factors = leaves.factors[scratch.picked[owner]]
            action = draw_biased(leaves.table, at, count, calls, factors, uniform(dealt.random))
        node = first + action
        touched += 1
    return node, touched


@njit(**_EXACT)
def draw_biased(table, at, count, calls, factors, draw):
    """Return the action at a share of the weights times the factor of its kind; action `calls` checks or calls."""
    whole = 0.0
    for a in range(count):
        whole += np.float64(table[at + a])
    even = 1.0 if whole <= 0.0 else 0.0
    total = 0.0
    for a in range(count):
        total += (np.float64(table[at + a]) + even) * factors[kind_of(a, calls)]
    draw *= total
    chosen = _0
    for a in range(count):
        share = (np.float64(table[at + a]) + even) * factors[kind_of(a, calls)]
        if share > 0.0 and draw >= 0.0:
            chosen = np.uint64(a)
            draw -= share
    return chosen


@njit(**LEAN | {"inline": "always"})
def kind_of(action, calls):
    """Return 0 for a fold, 1 for a check or call, 2 for a bet or raise."""
    return 0 if action < calls else 1 if action == calls else 2
