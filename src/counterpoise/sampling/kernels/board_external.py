"""External sampling on a public tree: one pair of hands and one path of the opponent per traversal.

See Brown 2020, section 2.3.6.

A traversal for a player draws both hands from the ranges, later board cards where a deal is reached and the
opponent's actions from its current strategy; all own actions are explored. The player's regrets gain
v(I,a) - v(I), without importance weights: what is left out is drawn as often as it would happen. The opponent's
average gains its strategy at the nodes passed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.kernels.drawing import action_at
from counterpoise.kernels.options import KERNEL, ONCE
from counterpoise.kernels.random import uniform
from counterpoise.kernels.regret_matching import match
from counterpoise.public.kernels.layouts import Boards
from counterpoise.public.kernels.street import DEAL, RUNOUT

DECISION = np.uint64(5)
"""Kind of a node, beside those of leaves."""
BLOCKED = np.uint16(65535)
"""Slot of a hand that shares a card with the board."""

_0, _1 = np.uint64(0), np.uint64(1)


class WalkArrays(NamedTuple):
    """A public tree for walkers: the nodes of all street trees, the children of a node next to each other.

    A deal's one child begins the next street tree. A decision's actions stand at ``column`` among the entries of a
    bucket. Leaves pay a player ``mass`` plus, at a showdown, ``wins`` to the stronger hand and as much from the weaker,
    and ``decided`` to both if they do not tie.
    """

    kind: NDArray[np.uint64]
    player: NDArray[np.uint64]
    actions: NDArray[np.uint64]
    child: NDArray[np.uint64]
    column: NDArray[np.uint64]
    wins: NDArray[np.float64]
    mass: NDArray[np.float64]
    decided: NDArray[np.float64]


class Hands(NamedTuple):
    """Hands on boards: the ranges' weights, strengths, places in tables, and where hands stand on the board dealt next.

    ``weight[p, k]`` is the weight of a player's first k + 1 hands; ``guide`` is where to begin to look for a draw
    there, for even parts of the whole weight. ``strength`` and ``place``, where the entries of a hand's bucket begin,
    follow the hand arrays of the boards. The deals after board b are ``deal_start[b]:deal_start[b + 1]``, those that
    suits make alike included: deal d leads to board ``deal_board[d]``, and the slots there begin at
    ``slot_begin[p, d]``.
    """

    weight: NDArray[np.float64]
    guide: NDArray[np.uint64]
    strength: NDArray[np.uint16]
    place: NDArray[np.uint64]
    deal_start: NDArray[np.uint64]
    deal_board: NDArray[np.uint64]
    slot_begin: NDArray[np.uint64]
    slot: NDArray[np.uint16]


class Stack(NamedTuple):
    """Where a traversal stands: own decisions on the path and, ``width`` numbers for each, strategies and values.

    ``pair`` are the hands that were drawn for it.
    """

    pair: NDArray[np.uint64]
    node: NDArray[np.uint64]
    entry: NDArray[np.uint64]
    action: NDArray[np.uint64]
    board: NDArray[np.uint64]
    first: NDArray[np.uint64]
    second: NDArray[np.uint64]
    strategy: NDArray[np.float64]
    value: NDArray[np.float64]
    width: np.uint64


class Sampler(NamedTuple):
    """Everything that traversals of one game read, and their stack."""

    walk: WalkArrays
    hands: Hands
    boards: Boards
    stack: Stack


@njit(**KERNEL)
def draw_pair(sampler, random):
    """Draw both players' hands by the product of their weights, again if they share a card."""
    hands, boards, pair = sampler.hands, sampler.boards, sampler.stack.pair
    while True:
        # Each hand by the running sums of its range; the guide says where to begin to look.
        for player in range(np.uint64(2)):
            draw = uniform(random)
            k = hands.guide[player, np.uint64(draw * hands.guide.shape[1])]
            draw *= hands.weight[player, hands.weight.shape[1] - 1]
            while hands.weight[player, k] <= draw:
                k += _1
            pair[player] = k
        one, other = boards.begin[0, 0] + pair[0], boards.begin[1, 0] + pair[1]
        a, b, c, d = boards.card_a[one], boards.card_b[one], boards.card_a[other], boards.card_b[other]
        if a != c and a != d and b != c and b != d:
            return


@njit(**KERNEL)
def traverse(sampler, player, floor, weight, random, regrets, average):
    """Walk the tree for one player with the hands of ``stack.pair`` and return the number of nodes touched."""
    walk, hands, boards, stack = sampler.walk, sampler.hands, sampler.boards, sampler.stack
    first, second = stack.pair[0], stack.pair[1]
    node, board = _0, _0
    lead = _lead(hands, boards, board, first, second)
    touched = depth = base = _0
    strategy = stack.strategy
    while True:
        touched += _1
        kind = walk.kind[node]
        if kind == DECISION:
            # The current strategy of the hand's bucket, by regret matching.
            owner, count = walk.player[node], walk.actions[node]
            slot = first if owner == _0 else second
            entry = hands.place[boards.begin[owner, board] + slot] + walk.column[node]
            match(regrets, entry, count, strategy, base)
            if owner == player:  # explore all actions, the first now
                stack.node[depth], stack.entry[depth], stack.action[depth] = node, entry, _0
                stack.board[depth], stack.first[depth], stack.second[depth] = board, first, second
                depth += _1
                base += stack.width
                node = walk.child[node]
            else:  # add the strategy to the opponent's average, draw an action
                for a in range(count):
                    average[entry + a] += weight * strategy[base + a]
                node = walk.child[node] + action_at(uniform(random), strategy, base, count)
            continue
        # A deal: draw cards that neither hand holds.
        if kind == DEAL:
            board, first, second = _deal(hands, board, random, first, second)
            lead = _lead(hands, boards, board, first, second)
            node = walk.child[node]
            continue
        # An end: what the player wins; after an all-in the exact mean over all cards to come.
        shown = lead
        if kind == RUNOUT:
            at = boards.runout[board] + first * boards.held[1, board] + second
            shown = np.float64(boards.equities[at]) * np.float64(boards.runout_weight[board])
        value = walk.mass[player, node] + walk.wins[node] * (shown if player == _0 else -shown)
        value += walk.decided[node] * shown * shown
        # Go back to the last own decision that has an action left to explore.
        while depth > _0:
            top, below = depth - _1, base - stack.width
            a, count = stack.action[top], walk.actions[stack.node[top]]
            stack.value[below + a] = value
            a += _1
            if a < count:
                stack.action[top] = a
                if board != stack.board[top]:
                    board, first, second = stack.board[top], stack.first[top], stack.second[top]
                    lead = _lead(hands, boards, board, first, second)
                node = walk.child[stack.node[top]] + a
                break
            value = _update(regrets, stack.entry[top], count, strategy, stack.value, below, floor)
            depth, base = top, below
        if depth == _0:
            return np.int64(touched)


@njit(**ONCE)
def _update(regrets, entry, count, strategy, values, base, floor):
    """Add v(I,a) - v(I) to the regrets and return v(I)."""
    value = 0.0
    for a in range(count):
        value += strategy[base + a] * values[base + a]
    for a in range(count):
        regret = regrets[entry + a] + (values[base + a] - value)
        regrets[entry + a] = max(regret, 0.0) if floor else regret
    return value


@njit(**ONCE)
def _lead(hands, boards, board, first, second):
    """Return 1 if the first player's hand is the stronger one, -1 if the weaker, 0 if they tie."""
    one = np.int64(hands.strength[boards.begin[0, board] + first])
    other = np.int64(hands.strength[boards.begin[1, board] + second])
    return np.float64(np.int64(one > other) - np.int64(one < other))


@njit(**KERNEL)
def _deal(hands, board, random, first, second):
    """Draw a deal evenly among those that share no card with either hand; return its board and both slots there."""
    low, high = hands.deal_start[board], hands.deal_start[board + _1]
    while True:
        deal = low + np.uint64(uniform(random) * np.float64(high - low))
        one = hands.slot[hands.slot_begin[0, deal] + first]
        other = hands.slot[hands.slot_begin[1, deal] + second]
        if one != BLOCKED and other != BLOCKED:
            return hands.deal_board[deal], np.uint64(one), np.uint64(other)
