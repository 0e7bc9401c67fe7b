"""One traversal of a public tree of hand vectors, and many iterations of it in one compiled call.

On each street a *line* is a betting tree that starts with a given pot and given stacks; it is played on every
board of its street. Inside a line everything is a row: a vector over the private hands that a player may hold. The
opponent's rows are its realisation weights, one per own action on the path (its sequences); the updating player's
rows are counterfactual values, one per own action. So one visit of a line is

1. top-down over the opponent's nodes: reach rows from the strategy in force;
2. leaves: folds and showdowns for eight reach rows at once, run-outs by a matrix, deals by visiting the lines of
   the next street on each board;
3. bottom-up over the own nodes: values, regrets.

All numbers are float32; index arithmetic is unsigned, which spares a check per access.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.public.simd_kernels import LANES, TOTAL, add_up, interleave, settle, spread, sweep

PART: dict[str, Any] = {
    "cache": True, "nogil": True, "error_model": "numpy", "fastmath": {"reassoc", "contract", "nsz", "nnan", "ninf"},
    "no_cpython_wrapper": True, "no_cfunc_wrapper": True,
}  # fmt: skip
"""How the parts of a traversal are compiled: called from kernels only, so without wrappers for Python."""

UPDATE, RESPOND, EVALUATE = np.uint64(0), np.uint64(1), np.uint64(2)
FIXED, DEAL, RUNOUT = np.uint64(0), np.uint64(1), np.uint64(2)

_0, _1, _2, _8 = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(LANES)
_NONE, _ONE = np.float32(0.0), np.float32(1.0)
_TABLE = np.uint64(TOTAL + LANES)


class Lines(NamedTuple):
    """The betting trees of all streets. Player p's nodes of line l are ``node_start[p, l]:node_start[p, l + 1]``,
    parents first; row 0 of a line is its beginning and row ``first_row[n] + a`` follows action a at node n."""

    node_start: NDArray[np.uint64]
    parent_row: NDArray[np.uint64]
    first_row: NDArray[np.uint64]
    actions: NDArray[np.uint64]
    rows: NDArray[np.uint64]
    store: NDArray[np.uint64]
    leaf_start: NDArray[np.uint64]
    leaf_kind: NDArray[np.uint64]
    leaf_row: NDArray[np.uint64]
    leaf_wins: NDArray[np.float32]
    leaf_mass: NDArray[np.float32]
    leaf_line: NDArray[np.uint64]
    valued_start: NDArray[np.uint64]
    valued_row: NDArray[np.uint64]
    showdowns: NDArray[np.uint64]


class Boards(NamedTuple):
    """The boards of all streets. Player p's hands on board b begin at ``begin[p, b]`` in the hand arrays;
    ``parent_hand`` is where a hand stands in the vectors of the street before (a zero slot if it is blocked)."""

    held: NDArray[np.uint64]
    stride: NDArray[np.uint64]
    stored: NDArray[np.uint64]
    begin: NDArray[np.uint64]
    parent_hand: NDArray[np.uint16]
    card_a: NDArray[np.uint16]
    card_b: NDArray[np.uint16]
    same: NDArray[np.uint16]
    tie_start: NDArray[np.uint64]
    ties: NDArray[np.uint16]
    child_start: NDArray[np.uint64]
    child: NDArray[np.uint64]
    child_weight: NDArray[np.float32]
    image_start: NDArray[np.uint64]
    image_begin: NDArray[np.uint64]
    image_hand: NDArray[np.uint16]
    runout: NDArray[np.uint64]
    runout_weight: NDArray[np.float32]
    equities: NDArray[np.int16]


class Work(NamedTuple):
    """Scratch rows of one traversal, one part per street: reach, own reach, own strategy, values, leaf values."""

    size: NDArray[np.uint64]
    reach: NDArray[np.float32]
    own_reach: NDArray[np.float32]
    strategy: NDArray[np.float32]
    value: NDArray[np.float32]
    wins: NDArray[np.float32]
    mass: NDArray[np.float32]
    scale: NDArray[np.float32]
    spare: NDArray[np.float32]
    block: NDArray[np.float32]
    block_wins: NDArray[np.float32]
    block_mass: NDArray[np.float32]
    table: NDArray[np.float64]
    offsets: NDArray[np.uint64]


@njit(**PART)
def _positive_sums(source, begin, actions, stride, total):
    """Per hand the sum of the positive parts of the rows of a node."""
    for k in range(stride):
        total[k] = max(source[begin + k], _NONE)
    for a in range(_1, actions):
        row = begin + a * stride
        for k in range(stride):
            total[k] += max(source[row + k], _NONE)


@njit(**PART)
def _opponent_reach(lines, line, opponent, stride, source, stored, work, base):
    """Top-down: rows of the opponent's realisation weights, from regrets (or from the average: same rule)."""
    reach, scale, uniform = work.reach, work.scale, work.spare
    for node in range(lines.node_start[opponent, line], lines.node_start[opponent, line + _1]):
        actions = lines.actions[node]
        above = base + lines.parent_row[node] * stride
        first = lines.first_row[node]
        if actions == _1:
            for k in range(stride):
                reach[base + first * stride + k] = reach[above + k]
            continue
        begin = stored + (first - _1) * stride
        _positive_sums(source, begin, actions, stride, scale)
        share = _ONE / np.float32(actions)
        for k in range(stride):
            total = scale[k]
            uniform[k] = _NONE if total > _NONE else reach[above + k] * share
            scale[k] = reach[above + k] / total if total > _NONE else _NONE
        for a in range(actions):
            out, row = base + (first + a) * stride, begin + a * stride
            for k in range(stride):
                reach[out + k] = max(source[row + k], _NONE) * scale[k] + uniform[k]


@njit(**PART)
def _own_strategy(lines, line, player, stride, source, stored, work, base):
    """The updating player's strategy at all its nodes of the line."""
    strategy, total = work.strategy, work.scale
    for node in range(lines.node_start[player, line], lines.node_start[player, line + _1]):
        first, actions = lines.first_row[node], lines.actions[node]
        begin = stored + (first - _1) * stride
        _positive_sums(source, begin, actions, stride, total)
        share = _ONE / np.float32(actions)
        for a in range(actions):
            out, row = base + (first + a) * stride, begin + a * stride
            for k in range(stride):  # a true division: a pure strategy is exactly 1 and leaves no regret
                strategy[out + k] = max(source[row + k], _NONE) / total[k] if total[k] > _NONE else share


@njit(**PART)
def _add_to_average(lines, line, player, stride, average, stored, keep, weighted, work, base):
    """The average gains the strategy in force, weighted by own reach or plainly."""
    strategy, own_reach = work.strategy, work.own_reach
    for node in range(lines.node_start[player, line], lines.node_start[player, line + _1]):
        first = lines.first_row[node]
        above = base + lines.parent_row[node] * stride
        for a in range(lines.actions[node]):
            out, row = base + (first + a) * stride, stored + (first + a - _1) * stride
            if weighted:
                for k in range(stride):
                    own_reach[out + k] = own_reach[above + k] * strategy[out + k]
                for k in range(stride):
                    average[row + k] = average[row + k] * keep + own_reach[out + k]
            else:
                for k in range(stride):
                    average[row + k] = average[row + k] * keep + strategy[out + k]


@njit(**PART)
def _leaf_values(lines, line, boards, board, player, work, base, own_base):
    """Folds and showdowns: weaker minus stronger mass and compatible mass for every opponent row that ends there."""
    opponent = _1 - player
    own_stride, stride = boards.stride[player, board], boards.stride[opponent, board]
    own, met = boards.begin[player, board], boards.begin[opponent, board]
    own_count, met_count = boards.held[player, board], boards.held[opponent, board]
    card_a, card_b = boards.card_a[own : own + own_stride], boards.card_b[own : own + own_stride]
    same = boards.same[own : own + own_stride]
    met_a, met_b = boards.card_a[met : met + stride], boards.card_b[met : met + stride]
    first, last = lines.valued_start[opponent, line], lines.valued_start[opponent, line + _1]
    showdowns = lines.showdowns[opponent, line]
    offsets, table = work.offsets, work.table
    for begin in range(first, last, _8):
        for lane in range(_8):
            offsets[lane] = base + lines.valued_row[min(begin + lane, last - _1)] * stride
        interleave(work.block, work.reach, offsets, stride)
        for k in range(_TABLE):
            table[k] = 0.0
        if begin - first < showdowns:
            sweep(
                boards.ties, boards.tie_start[board], boards.tie_start[board + _1], player * _2, opponent * _2,
                card_a, card_b, met_a, met_b, work.block, work.block_wins, table,
            )  # fmt: skip
        else:
            add_up(met_a, met_b, work.block, table, met_count)
        settle(card_a, card_b, same, work.block, table, work.block_wins, work.block_mass, own_count)
        for lane in range(_8):
            offsets[lane] = own_base + lines.valued_row[min(begin + lane, last - _1)] * own_stride
        if begin - first < showdowns:
            spread(work.wins, offsets, work.block_wins, own_stride)
        spread(work.mass, offsets, work.block_mass, own_stride)


@njit(**PART)
def _run_out(boards, board, player, wins, work, reach_at, value_at):
    """Add the value of an all-in before the last street: exact over all run-outs, by a matrix of equities."""
    rows, columns = boards.held[_0, board], boards.held[_1, board]
    begin, scale = boards.runout[board], wins * boards.runout_weight[board]
    equities, reach, value = boards.equities, work.reach, work.value
    if player == _0:
        for i in range(rows):
            total = _NONE
            for j in range(columns):
                total += np.float32(equities[begin + i * columns + j]) * reach[reach_at + j]
            value[value_at + i] += scale * total
    else:
        for i in range(rows):
            weight = -scale * reach[reach_at + i]
            for j in range(columns):
                value[value_at + j] += np.float32(equities[begin + i * columns + j]) * weight


@njit(**PART)
def _begin_line(lines, line, boards, board, player, mode, weighted, keep, regrets, average, work, base, own_base):
    """Steps 1 and 2 of a visit, deals left out."""
    opponent = _1 - player
    stride, own_stride = boards.stride[opponent, board], boards.stride[player, board]
    stored = lines.store[opponent, line] + (lines.rows[opponent, line] - _1) * boards.stored[opponent, board]
    own_stored = lines.store[player, line] + (lines.rows[player, line] - _1) * boards.stored[player, board]
    if mode == UPDATE:
        _opponent_reach(lines, line, opponent, stride, regrets, stored, work, base)
        _own_strategy(lines, line, player, own_stride, regrets, own_stored, work, own_base)
        _add_to_average(lines, line, player, own_stride, average, own_stored, keep, weighted, work, own_base)
    else:
        _opponent_reach(lines, line, opponent, stride, average, stored, work, base)
        if mode == EVALUATE:
            _own_strategy(lines, line, player, own_stride, average, own_stored, work, own_base)
    _leaf_values(lines, line, boards, board, player, work, base, own_base)
    value, wins, mass = work.value, work.wins, work.mass
    for k in range(lines.rows[player, line] * own_stride):
        value[own_base + k] = _NONE
    for leaf in range(lines.leaf_start[line], lines.leaf_start[line + _1]):
        own_row = own_base + lines.leaf_row[player, leaf] * own_stride
        row = own_base + lines.leaf_row[opponent, leaf] * own_stride
        kind, by_mass, by_wins = lines.leaf_kind[leaf], lines.leaf_mass[player, leaf], lines.leaf_wins[leaf]
        if kind == FIXED and by_wins != _NONE:
            for k in range(own_stride):
                value[own_row + k] += by_wins * wins[row + k]
        if kind != DEAL and by_mass != _NONE:
            for k in range(own_stride):
                value[own_row + k] += by_mass * mass[row + k]
        if kind == RUNOUT:
            _run_out(boards, board, player, by_wins, work, base + lines.leaf_row[opponent, leaf] * stride, own_row)


@njit(**PART)
def _finish_line(lines, line, boards, board, player, mode, positive, negative, regrets, work, base):
    """Step 3: values of the own nodes, last first; in an update also their regrets."""
    stride = boards.stride[player, board]
    stored = lines.store[player, line] + (lines.rows[player, line] - _1) * boards.stored[player, board]
    value, strategy, out = work.value, work.strategy, work.scale
    node = lines.node_start[player, line + _1]
    while node > lines.node_start[player, line]:
        node -= _1
        first, actions = lines.first_row[node], lines.actions[node]
        above = base + lines.parent_row[node] * stride
        rows = base + first * stride
        if mode == RESPOND:
            for k in range(stride):
                out[k] = value[rows + k]
            for a in range(_1, actions):
                for k in range(stride):
                    out[k] = max(out[k], value[rows + a * stride + k])
        else:
            for k in range(stride):
                out[k] = _NONE
            for a in range(actions):
                for k in range(stride):
                    out[k] += strategy[rows + a * stride + k] * value[rows + a * stride + k]
        if mode == UPDATE:
            for a in range(actions):
                row = stored + (first + a - _1) * stride
                for k in range(stride):
                    old = regrets[row + k]
                    faded = old * (positive if old > _NONE else negative)
                    regrets[row + k] = faded + value[rows + a * stride + k] - out[k]
        for k in range(stride):
            value[above + k] += out[k]


@njit(**PART)
def _deal(boards, child, player, weighted, work, reach_at, own_reach_at, base, own_base):
    """Reach vectors of the next street: the hands of the child board, in its order."""
    opponent = _1 - player
    begin = boards.begin[opponent, child]
    for k in range(boards.stride[opponent, child]):
        work.reach[base + k] = work.reach[reach_at + np.uint64(boards.parent_hand[begin + k])]
    if weighted:
        begin = boards.begin[player, child]
        for k in range(boards.stride[player, child]):
            work.own_reach[own_base + k] = work.own_reach[own_reach_at + np.uint64(boards.parent_hand[begin + k])]


@njit(**PART)
def _collect(boards, edge, child, player, work, value_at, own_base):
    """Add the child board's values to the parent's, once for every suit-isomorphic image of the dealt card."""
    weight = boards.child_weight[edge]
    for image in range(boards.image_start[edge], boards.image_start[edge + _1]):
        begin = boards.image_begin[player, image]
        for k in range(boards.held[player, child]):
            work.value[value_at + np.uint64(boards.image_hand[begin + k])] += weight * work.value[own_base + k]


@njit(**PART)
def visit(
    lines,
    boards,
    line,
    board,
    street,
    player,
    mode,
    weighted,
    keep,
    positive,
    negative,
    regrets,
    average,
    work,
):
    """Traverse a line on a board and all lines below it; its row 0 holds the player's values on return.

    The opponent's reach (and, when the average is weighted, the player's own) stands in row 0 of the street's part
    of the work rows. An explicit stack of (deal leaf, child board) per street takes the place of recursion.
    """
    at_line = np.zeros(4, dtype=np.uint64)
    at_board = np.zeros(4, dtype=np.uint64)
    at_leaf = np.zeros(4, dtype=np.uint64)
    at_edge = np.zeros(4, dtype=np.uint64)
    level = street
    at_line[level], at_board[level] = line, board
    entering = True
    opponent = _1 - player
    while True:
        line, board = at_line[level], at_board[level]
        base = work.size[level]
        if entering:
            _begin_line(
                lines, line, boards, board, player, mode, weighted, keep, regrets, average, work, base, base
            )  # fmt: skip
            at_leaf[level] = lines.leaf_start[line]
            at_edge[level] = boards.child_start[board]
            entering = False
        else:  # back from a child: take its values along
            edge = at_edge[level]
            leaf = at_leaf[level]
            value_at = base + lines.leaf_row[player, leaf] * boards.stride[player, board]
            _collect(boards, edge, boards.child[edge], player, work, value_at, work.size[level + _1])
            at_edge[level] = edge + _1
        leaf, last = at_leaf[level], lines.leaf_start[line + _1]
        while leaf < last:
            if lines.leaf_kind[leaf] == DEAL and at_edge[level] < boards.child_start[board + _1]:
                break
            leaf += _1
            at_edge[level] = boards.child_start[board]
        at_leaf[level] = leaf
        if leaf < last:
            child = boards.child[at_edge[level]]
            below = work.size[level + _1]
            reach_at = base + lines.leaf_row[opponent, leaf] * boards.stride[opponent, board]
            own_at = base + lines.leaf_row[player, leaf] * boards.stride[player, board]
            _deal(boards, child, player, weighted, work, reach_at, own_at, below, below)
            level += _1
            at_line[level], at_board[level] = lines.leaf_line[leaf], child
            entering = True
        else:
            _finish_line(lines, line, boards, board, player, mode, positive, negative, regrets, work, base)
            if level == street:
                return
            level -= _1


@njit(cache=True, nogil=True, error_model="numpy")
def traverse(lines, boards, ranges, mode, positive, negative, keep, weighted, regrets, average, work, out):
    """Traverse the whole tree for each player in turn, ``len(keep)`` times; ``out`` receives the root values.

    `UPDATE` runs iterations with alternating updates. `RESPOND` gives best responses to the average strategies and
    `EVALUATE` the average strategies against each other; both only read.
    """
    base = work.size[0]
    for t in range(len(keep)):
        for player in range(_2):
            opponent = _1 - player
            for k in range(boards.stride[opponent, _0]):
                work.reach[base + k] = ranges[opponent, k]
            for k in range(boards.stride[player, _0]):
                work.own_reach[base + k] = ranges[player, k]
            visit(
                lines, boards, _0, _0, _0, player, mode, weighted, keep[t], positive[t], negative[t],
                regrets, average, work,
            )  # fmt: skip
            for k in range(boards.stride[player, _0]):
                out[player, k] = work.value[base + k]
