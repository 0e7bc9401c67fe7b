"""Traversals of a public tree of hand vectors: many iterations in one compiled call, or in parts for threads.

A street tree is played on every board of its street; `street` says what one visit of it does. The street tree at the
root of a traversal is done in three phases: everything before its deals, the deals (independent tasks, which threads
may share), and everything after. The order of every sum is the same however tasks are shared.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from counterpoise.kernels.options import KERNEL, LEAN, ONCE, PART
from counterpoise.public.kernels.gadget import OPEN, apply_entry, update_entry
from counterpoise.public.kernels.layouts import At
from counterpoise.public.kernels.simd import fetch_add
from counterpoise.public.kernels.street import DEAL, UPDATE, WARM_START, WEIGH, begin_visit, finish_visit

NOBODY = np.uint64(2)
EVERYTHING, BEGIN, TASKS, FINISH = (np.uint64(phase) for phase in range(4))
DEPTH = 4
"""Streets of a tree at most."""
_0, _1, _2, _DEPTH = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(DEPTH)


@njit(**PART)
def _deal(game, at, leaf, child, weighted, source, work):
    """Write the reach of the next street's hands into row 0 of `child`, in the order of its board."""
    trees, boards, player, opponent = game.trees, game.boards, at.player, _1 - at.player
    reach_at = at.base + trees.leaf_row[opponent, leaf] * boards.stride[opponent, at.board]
    begin = boards.begin[opponent, child.board]
    for k in range(boards.stride[opponent, child.board]):
        work.reach[child.base + k] = source.reach[reach_at + np.uint64(boards.parent_hand[begin + k])]
    if weighted:
        reach_at = at.base + trees.leaf_row[player, leaf] * boards.stride[player, at.board]
        begin = boards.begin[player, child.board]
        for k in range(boards.stride[player, child.board]):
            work.own_reach[child.base + k] = source.own_reach[reach_at + np.uint64(boards.parent_hand[begin + k])]


@njit(**PART)
def _collect(game, at, leaf, edge, values_at, work):
    """Add the child board's values to the parent's, once for every suit-isomorphic image of the dealt card."""
    boards, player = game.boards, at.player
    weight, child = boards.child_weight[edge], boards.child[edge]
    out = at.base + game.trees.leaf_row[player, leaf] * boards.stride[player, at.board]
    for image in range(boards.image_start[edge], boards.image_start[edge + _1]):
        begin = boards.image_begin[player, image]
        for k in range(boards.held[player, child]):
            work.value[out + np.uint64(boards.image_hand[begin + k])] += weight * work.value[values_at + k]


@njit(**ONCE)
def _visit(game, below, rule, t, tables, work):
    """Traverse a street tree after the root's and all below it; its row 0 holds the player's values on return.

    The opponent's reach (and, when the average is weighted, the player's own) stands in row 0 of the second part of
    the work rows. An explicit stack of (deal leaf, child board) per street takes the place of recursion.
    """
    trees, boards, player = game.trees, game.boards, below.player
    at_tree, at_board = work.stack[:_DEPTH], work.stack[_DEPTH : _DEPTH * _2]
    at_leaf, at_edge = work.stack[_DEPTH * _2 : _DEPTH * _2 + _DEPTH], work.stack[_DEPTH * _2 + _DEPTH :]
    level = _1
    at_tree[level], at_board[level] = below.tree, below.board
    entering = True
    while True:
        tree, board = at_tree[level], at_board[level]
        at = At(tree, board, player, work.size[level])
        # Steps 1 and 2 of the visit, then its deals from the first on.
        if entering:
            begin_visit(game, at, rule, t, tables, work.no_window, work)
            at_leaf[level] = trees.leaf_start[tree]
            at_edge[level] = boards.child_start[board]
            entering = False
        else:  # back from a child: take its values along
            edge = at_edge[level]
            _collect(game, at, at_leaf[level], edge, work.size[level + _1], work)
            at_edge[level] = edge + _1
        # The next deal: another board of this leaf, or the next leaf with deals.
        leaf, last = at_leaf[level], trees.leaf_start[tree + _1]
        while leaf < last:
            if trees.leaf_kind[leaf] == DEAL and at_edge[level] < boards.child_start[board + _1]:
                break
            leaf += _1
            at_edge[level] = boards.child_start[board]
        at_leaf[level] = leaf
        if leaf < last:
            # Down: the reach of the next street, one level deeper.
            child = At(trees.leaf_tree[leaf], boards.child[at_edge[level]], player, work.size[level + _1])
            _deal(game, at, leaf, child, rule.weighted, work, work)
            level += _1
            at_tree[level], at_board[level] = child.tree, child.board
            entering = True
        else:
            # All deals are done: step 3, and back up.
            finish_visit(game, at, rule, t, tables, work)
            if level == _1:
                return
            level -= _1


@njit(**ONCE)
def _begin(game, root, at, rule, t, tables, tasks, work):
    """Do everything in the root's street tree before its deals."""
    boards, player, opponent = game.boards, at.player, _1 - at.player
    # The opponent's range arrives, through the gadget if it chooses there.
    for k in range(boards.stride[opponent, root.board]):
        work.reach[at.base + k] = root.reach[opponent, k]
    if root.gadget.kind != OPEN and root.gadget.chooser == opponent:
        apply_entry(root.gadget, work.reach, at.base)
    # Own reach for the average.
    for k in range(boards.stride[player, root.board]):
        work.own_reach[at.base + k] = root.weight[player, k]
    begin_visit(game, at, rule, t, tables, root.window, work)
    tasks.next[0] = _0


@njit(**ONCE)
def _do_tasks(game, at, rule, t, tables, tasks, trunk, work):
    """Visit deals of the root's street tree until none is left, and keep the values of each among the tasks."""
    longest = tasks.value.size // max(tasks.leaf.size, 1)
    base = work.size[1]
    while True:
        # Take the next task; threads share the counter.
        place: np.uint64 = fetch_add(tasks.next)
        if place >= tasks.order.size:
            return
        task = tasks.order[place]
        leaf, board = tasks.leaf[task], game.boards.child[tasks.edge[task]]
        child = At(game.trees.leaf_tree[leaf], board, at.player, base)
        # Deal, visit everything below, keep the values of the task.
        _deal(game, at, leaf, child, rule.weighted, trunk, work)
        _visit(game, child, rule, t, tables, work)
        for k in range(game.boards.stride[at.player, board]):
            tasks.value[task * longest + k] = work.value[base + k]


@njit(**ONCE)
def _gather(game, at, tasks, work):
    """Add the values of the root's deals, which may be thousands of boards: in float64, leaf by leaf."""
    boards, player = game.boards, at.player
    longest, stride = tasks.value.size // max(tasks.leaf.size, 1), boards.stride[player, at.board]
    sums = tasks.sums  # all zero before and after
    for task in range(np.uint64(tasks.leaf.size)):
        leaf, edge = tasks.leaf[task], tasks.edge[task]
        weight, child = np.float64(boards.child_weight[edge]), boards.child[edge]
        # Every suit-isomorphic image of the deal adds to its own hands.
        for image in range(boards.image_start[edge], boards.image_start[edge + _1]):
            begin = boards.image_begin[player, image]
            for k in range(boards.held[player, child]):
                sums[boards.image_hand[begin + k]] += weight * np.float64(tasks.value[task * longest + k])
        # The last board of a leaf: one sum per hand.
        if task + _1 == tasks.leaf.size or tasks.leaf[task + _1] != leaf:
            out = at.base + game.trees.leaf_row[player, leaf] * stride
            for k in range(stride):
                work.value[out + k] += np.float32(sums[k])
                sums[k] = 0.0


@njit(**LEAN)
def gather_deals(boards, tasks, player, out):
    """Add the values of the root's deals to ``out[leaf, hand]``, leaves in the order of the tasks, in float64."""
    longest = np.uint64(tasks.value.size // max(tasks.leaf.size, 1))
    row = _0
    for task in range(np.uint64(tasks.leaf.size)):
        edge = tasks.edge[task]
        if task > _0 and tasks.leaf[task] != tasks.leaf[task - _1]:
            row += _1
        weight, child = np.float64(boards.child_weight[edge]), boards.child[edge]
        # Every suit-isomorphic image of the deal adds to its own hands; those that are blocked stand behind the last.
        for image in range(boards.image_start[edge], boards.image_start[edge + _1]):
            begin = boards.image_begin[player, image]
            for k in range(boards.held[player, child]):
                hand = np.uint64(boards.image_hand[begin + k])
                if hand < np.uint64(out.shape[1]):
                    out[row, hand] += weight * np.float64(tasks.value[task * longest + k])


@njit(**ONCE)
def _keep_locks(tables):
    """Undo what an update did to the strategies that the user has fixed."""
    locks = tables.locks
    for i in range(locks.entry.size):
        tables.regrets.wide[locks.entry[i]] = locks.value[i]
        tables.matched_regrets.wide[locks.entry[i]] = locks.value[i]
        tables.average.wide[locks.entry[i]] = locks.value[i]


@njit(**ONCE)
def _finish(game, root, at, rule, t, tables, tasks, work):
    """Do everything in the root's street tree after its deals."""
    # Values of the deals, then step 3 of the root's street tree.
    _gather(game, at, tasks, work)
    finish_visit(game, at, rule, t, tables, work)
    # Fixed strategies stay fixed; the gadget learns what entering was worth.
    if rule.mode == UPDATE or rule.mode == WARM_START or rule.mode == WEIGH:
        _keep_locks(tables)
    if rule.mode == UPDATE and root.gadget.kind != OPEN and root.gadget.chooser == at.player:
        update_entry(root.gadget, rule.average_decay[t], work.value, at.base)


@njit(**KERNEL)
def traverse(phase, game, root, rule, tables, tasks, works, out):
    """Traverse the tree below the root; ``out`` receives the root values of each player.

    `EVERYTHING` goes through it for each player in turn, ``rule.player`` first, ``len(rule.average_decay)`` times. The
    other phases are the parts of one traversal for one player, of which threads may share `TASKS`; ``works`` are the
    scratch rows of the root's street tree and those of the thread. Mode `UPDATE` runs iterations with alternating
    updates; `RESPOND` computes best responses to the average strategies and `EVALUATE` the average strategies against
    each other; both only read. `WARM_START` writes regrets that fit the average strategies; `WEIGH` adds the strategies
    that matched regrets stand for to the average, as one iteration would.
    """
    trunk, work = works
    whole = phase == EVERYTHING
    for t in range(np.uint64(rule.average_decay.size) if whole else _1):
        for turn in range(_2 if whole else _1):
            player = turn ^ rule.player if whole else rule.player
            at = At(root.tree, root.board, player, trunk.size[0])
            if whole or phase == BEGIN:
                _begin(game, root, at, rule, t, tables, tasks, trunk)
            if whole or phase == TASKS:
                _do_tasks(game, at, rule, t, tables, tasks, trunk, work)
            if whole or phase == FINISH:
                _finish(game, root, at, rule, t, tables, tasks, trunk)
                for k in range(game.boards.stride[player, root.board]):
                    out[player, k] = trunk.value[at.base + k]
