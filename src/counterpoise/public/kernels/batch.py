"""Traversals of many belief states in one call: each is a street tree on a board with ranges and tables of its own.

What happens in a belief state is one visit of its street tree, as in `traverse`; play stops at the end of the street,
where deals are value leaves. States follow one another, so that the scratch rows of one stay in the cache.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.kernels.options import KERNEL, PART
from counterpoise.public.kernels.layouts import At, Locks, Rule, Store, Tables
from counterpoise.public.kernels.street import begin_visit, finish_visit, matched_reach, own_strategy

_0, _1 = np.uint64(0), np.uint64(1)


class States(NamedTuple):
    """Belief states: the street tree and the board of each, and ``reach[state, player, row]`` at its beginning."""

    tree: NDArray[np.uint64]
    board: NDArray[np.uint64]
    reach: NDArray[Any]


class StateTables(NamedTuple):
    """Regrets, what strategies are matched from and the average, [state, entry]; and what `Tables` has besides."""

    regrets: NDArray[Any]
    matched_regrets: NDArray[Any]
    average: NDArray[Any]
    narrow: NDArray[np.int16]
    scale: NDArray[np.float32]
    locks: Locks


class LeafPlaces(NamedTuple):
    """The value leaves of belief states: those of a state are ``start[state]`` to ``start[state + 1]``.

    ``row[player, leaf]`` is a player's row of the street tree before a leaf, ``slot`` the number of a leaf in its tree
    and ``place[player, board, hand]`` the row of a hand on a board; blocked hands have one beyond all others.
    """

    start: NDArray[np.uint64]
    row: NDArray[np.uint64]
    slot: NDArray[np.uint64]
    place: NDArray[np.uint64]


@njit(**PART)
def _tables_of(tables, state):
    """Return the tables of one belief state."""
    return Tables(
        Store(tables.regrets[state], tables.narrow, tables.scale),
        Store(tables.matched_regrets[state], tables.narrow, tables.scale),
        Store(tables.average[state], tables.narrow, tables.scale),
        tables.locks,
    )


@njit(**KERNEL)
def visit_states(game, states, rule, tables, leaf_values, share, work, out):
    """Visit all belief states for ``rule.player``; ``out[state, row]`` moves to the player's values at the roots.

    It moves by a `share` of the way, so that means over iterations can be kept in it; 1 writes the values themselves.
    ``leaf_values[state, slot * rule.leaf_stride + row]`` are those of value leaves. The factors of the rule are those
    of one iteration. Own reach in averages begins with 1 for every hand.
    """
    player, opponent = rule.player, _1 - rule.player
    for state in range(np.uint64(states.tree.size)):
        at = At(states.tree[state], states.board[state], player, _0)
        stride = game.boards.stride[player, at.board]
        # What arrives at the root: the opponent's range, and every own hand.
        for k in range(game.boards.stride[opponent, at.board]):
            work.reach[k] = states.reach[state, opponent, k]
        for k in range(stride):
            work.own_reach[k] = 1.0
        here = Rule(
            rule.mode,
            player,
            rule.responder,
            rule.trunk,
            rule.weighted,
            rule.predictive,
            rule.positive,
            rule.negative,
            rule.average_decay,
            rule.warm_start,
            leaf_values[state],
            rule.leaf_stride,
            rule.leaf_tables,
        )
        # Reach down and values at leaves, then values up and regrets.
        own = _tables_of(tables, state)
        begin_visit(game, at, here, _0, own, work.no_window, work)
        finish_visit(game, at, here, _0, own, work)
        for k in range(stride):
            out[state, k] += share * (work.value[k] - out[state, k])


@njit(**KERNEL)
def reach_states(game, states, player, tables, work, out):
    """Write a player's reach after each of its actions, ``out[state, row of the tree, row of the board]``.

    Strategies are matched from ``tables.matched_regrets``; row 0 of a tree is what arrives at its beginning.
    """
    for state in range(np.uint64(states.tree.size)):
        at = At(states.tree[state], states.board[state], player, _0)
        stride = game.boards.stride[player, at.board]
        for k in range(stride):
            work.reach[k] = states.reach[state, player, k]
        matched_reach(game, at, _tables_of(tables, state).matched_regrets, work)
        for row in range(game.trees.rows[player, at.tree]):
            for k in range(stride):
                out[state, row, k] = work.reach[row * stride + k]


@njit(**KERNEL)
def reach_leaves(game, states, leaves, tables, work, out):
    """Write both players' reach at all value leaves, ``out[player, leaf, hand]``.

    Strategies are matched from ``tables.matched_regrets``.
    """
    for state in range(np.uint64(states.tree.size)):
        for seat in range(2):
            player = np.uint64(seat)
            at = At(states.tree[state], states.board[state], player, _0)
            stride = game.boards.stride[player, at.board]
            for k in range(stride):
                work.reach[k] = states.reach[state, player, k]
            matched_reach(game, at, _tables_of(tables, state).matched_regrets, work)
            for leaf in range(leaves.start[state], leaves.start[state + _1]):
                begin = leaves.row[player, leaf] * stride
                for hand in range(leaves.place.shape[2]):
                    k = leaves.place[player, at.board, hand]
                    out[player, leaf, hand] = work.reach[begin + k] if k < stride else 0.0


@njit(**KERNEL)
def place_leaf_values(states, leaves, player, values, width, out):
    """Write a player's values of value leaves, ``values[leaf, hand]``, into ``out[state, slot * width + row]``."""
    for state in range(np.uint64(states.tree.size)):
        board = states.board[state]
        for leaf in range(leaves.start[state], leaves.start[state + _1]):
            begin = leaves.slot[leaf] * width
            for hand in range(values.shape[1]):
                k = leaves.place[player, board, hand]
                if k < width:
                    out[state, begin + k] = values[leaf, hand]


@njit(**KERNEL)
def match_states(game, states, player, tables, work, out):
    """Write a player's strategies that are matched from ``tables.matched_regrets``, ``out[state, row - 1, ...]``."""
    for state in range(np.uint64(states.tree.size)):
        at = At(states.tree[state], states.board[state], player, _0)
        stride = game.boards.stride[player, at.board]
        own_strategy(game, at, _tables_of(tables, state).matched_regrets, work)
        for row in range(_1, game.trees.rows[player, at.tree]):
            for k in range(stride):
                out[state, row - _1, k] = work.strategy[row * stride + k]
