"""Traversals of a public tree of hand vectors: many iterations in one compiled call, or in parts for threads.

On each street a *line* is a betting tree that starts with a given pot and given stacks; it is played on every
board of its street. Inside a line everything is a row: a vector over the private hands that a player may hold. The
opponent's rows are its realisation weights, one per own action on the path (its sequences); the updating player's
rows are counterfactual values, one per own action. So one visit of a line is

1. top-down over the opponent's nodes: reach rows from the strategy in force;
2. leaves: folds and showdowns for eight reach rows at once, run-outs and other payoffs by a matrix, deals by
   visiting the lines of the next street on each board;
3. bottom-up over the own nodes: values, regrets.

The line at the root of a traversal is done in three phases: everything before its deals, the deals (independent
tasks, which threads may share), and everything after. The order of every sum is the same however tasks are shared.
All numbers are float32; index arithmetic is unsigned, which spares a check per access.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numba.extending import overload

from counterpoise.kernels.options import EXACT, KERNEL, ONCE, PART
from counterpoise.public.kernels.gadget import OPEN, enter, learn
from counterpoise.public.kernels.layouts import Substitute
from counterpoise.public.kernels.simd import (
    LANES,
    TOTAL,
    add_matrix,
    add_up,
    fetch_add,
    interleave,
    largest,
    settle,
    spread,
    sweep,
)  # fmt: skip

UPDATE, RESPOND, EVALUATE, SUBSTITUTE, WEIGH = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
FIXED, DEAL, RUNOUT, MATRIX = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
NOBODY = np.uint64(2)
EVERYTHING, BEGIN, TASKS, FINISH = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)

_0, _1, _2, _8 = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(LANES)
_NONE, _HALF, _ONE = np.float32(0.0), np.float32(0.5), np.float32(1.0)
_LEAST, _LARGEST = np.float32(1e-37), np.float32(32767.0)
_SMALLEST = np.float32(1e-28)
"""Rows of smaller numbers are stored as zeros in 16 bits: their scale would not be a number."""
_TABLE = np.uint64(TOTAL + LANES)
_CARDS = np.uint64(52)
_RARE = np.float32(1e-3)
DEPTH = 4
"""Streets of a tree at most."""
_DEPTH = np.uint64(DEPTH)


@njit(**PART)
def _load(store, at, number, count, out):
    """A stored row as float32."""
    if store.narrow.size > 0:
        scale = store.scale[number]
        for k in range(count):
            root = np.float32(store.narrow[at + k])
            out[k] = root * abs(root) * scale
    else:
        for k in range(count):
            out[k] = store.wide[at + k]


@njit(**PART)
def _save(store, row, at, number, count):
    """Store a row of float32; in 16 bits as signed square roots relative to the largest entry.

    Roots spread the whole numbers towards zero, where small probabilities and regrets are: at equal iterations 16
    bits are then as good as 32.
    """
    if store.narrow.size > 0:
        most: np.float32 = largest(row, count)
        some = most > _SMALLEST
        store.scale[number] = most / (_LARGEST * _LARGEST) if some else _NONE
        scale = _LARGEST * _LARGEST / most if some else _NONE
        for k in range(count):
            root = np.sqrt(abs(row[k]) * scale) + _HALF
            store.narrow[at + k] = np.int16(np.int32(root if row[k] > _NONE else -root))
    else:
        for k in range(count):
            store.wide[at + k] = row[k]


@njit(**PART)
def _positive_rows(store, at, number, actions, stride, out, begin, total):
    """The positive parts of the rows of a node, and per hand their sum."""
    for k in range(stride):
        total[k] = _NONE
    for a in range(actions):
        row = begin + a * stride
        source = at + a * stride
        if store.narrow.size > 0:
            scale = store.scale[number + a]
            for k in range(stride):
                root = max(np.float32(store.narrow[source + k]), _NONE)
                entry = root * root * scale
                out[row + k] = entry
                total[k] += entry
        else:
            for k in range(stride):
                entry = max(store.wide[source + k], _NONE)
                out[row + k] = entry
                total[k] += entry


@njit(**ONCE)
def _opponent_reach(lines, line, boards, board, opponent, store, work, base):
    """Top-down: rows of the opponent's realisation weights, from regrets (or from the average: same rule)."""
    reach, scale, uniform = work.reach, work.scale, work.spare
    stride = boards.stride[opponent, board]
    stored, number = _place(lines, line, boards, board, opponent)
    for node in range(lines.node_start[opponent, line], lines.node_start[opponent, line + _1]):
        actions = lines.actions[node]
        above = base + lines.parent_row[node] * stride
        first = lines.first_row[node]
        begin = base + first * stride
        if actions == _1:
            for k in range(stride):
                reach[begin + k] = reach[above + k]
            continue
        _positive_rows(
            store, stored + (first - _1) * stride, number + first - _1, actions, stride, reach, begin, scale
        )  # fmt: skip
        share = _ONE / np.float32(actions)
        for k in range(stride):  # all cases computed, then chosen from: no branch, no masked store
            some, total, mass = scale[k] > _NONE, max(scale[k], _LEAST), reach[above + k]
            part, even = mass / total, mass * share
            scale[k] = part if some else _NONE
            uniform[k] = _NONE if some else even
        for a in range(actions):
            out = begin + a * stride
            for k in range(stride):
                reach[out + k] = reach[out + k] * scale[k] + uniform[k]


@njit(**PART)
def _place(lines, line, boards, board, player):
    """Where the entries and the rows of a line on a board begin in a store."""
    rows = lines.rows[player, line] - _1
    return (
        lines.store[player, line] + rows * boards.stored[player, board],
        lines.number[player, line] + rows * boards.ordinal[board],
    )


@njit(**ONCE)
def _own_strategy(lines, line, boards, board, player, store, work, base):
    """The updating player's strategy at all its nodes of the line."""
    strategy, total = work.strategy, work.scale
    stride = boards.stride[player, board]
    stored, number = _place(lines, line, boards, board, player)
    for node in range(lines.node_start[player, line], lines.node_start[player, line + _1]):
        first, actions = lines.first_row[node], lines.actions[node]
        begin = base + first * stride
        _positive_rows(
            store, stored + (first - _1) * stride, number + first - _1, actions, stride, strategy, begin, total
        )  # fmt: skip
        share = _ONE / np.float32(actions)
        for a in range(actions):
            out = begin + a * stride
            for k in range(stride):  # a true division: a pure strategy is exactly 1 and leaves no regret
                part = strategy[out + k] / max(total[k], _LEAST)
                strategy[out + k] = part if total[k] > _NONE else share


@njit(**ONCE)
def _add_to_average(lines, line, boards, board, player, average, keep, weighted, work, base):
    """The average gains the strategy in force, weighted by own reach or plainly."""
    strategy, own_reach, entries = work.strategy, work.own_reach, work.row
    stride = boards.stride[player, board]
    stored, number = _place(lines, line, boards, board, player)
    for node in range(lines.node_start[player, line], lines.node_start[player, line + _1]):
        first = lines.first_row[node]
        above = base + lines.parent_row[node] * stride
        for a in range(lines.actions[node]):
            out, at = base + (first + a) * stride, stored + (first + a - _1) * stride
            if weighted:
                for k in range(stride):
                    own_reach[out + k] = own_reach[above + k] * strategy[out + k]
            if average.narrow.size > 0:
                row = number + first + a - _1
                _load(average, at, row, stride, entries)
                if weighted:
                    for k in range(stride):
                        entries[k] = entries[k] * keep + own_reach[out + k]
                else:
                    for k in range(stride):
                        entries[k] = entries[k] * keep + strategy[out + k]
                _save(average, entries, at, row, stride)
            elif weighted:
                for k in range(stride):
                    average.wide[at + k] = average.wide[at + k] * keep + own_reach[out + k]
            else:
                for k in range(stride):
                    average.wide[at + k] = average.wide[at + k] * keep + strategy[out + k]


@njit(**ONCE)
def _leaf_values(lines, line, boards, board, player, work, base):
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
        interleave(work.block, work.reach, offsets, stride, work.totals)
        for k in range(_TABLE):
            table[k] = np.int32(0)
        if begin - first < showdowns:
            sweep(
                boards.ties, boards.tie_start[board], boards.tie_start[board + _1], player * _2, opponent * _2,
                card_a, card_b, met_a, met_b, work.block, work.totals, work.swept, table,
            )  # fmt: skip
        else:
            add_up(met_a, met_b, work.block, work.totals, table, met_count)
        settle(
            card_a, card_b, same, work.block, work.totals, table, work.swept, work.block_wins, work.block_mass,
            own_count,
        )  # fmt: skip
        for k in range(own_count * _8, own_stride * _8):  # slots without a hand stay zero
            work.block_wins[k] = _NONE
            work.block_mass[k] = _NONE
        for lane in range(_8):
            offsets[lane] = base + lines.valued_row[min(begin + lane, last - _1)] * own_stride
        if begin - first < showdowns:
            spread(work.wins, offsets, work.block_wins, own_stride)
        spread(work.mass, offsets, work.block_mass, own_stride)


@njit(**ONCE)
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


@njit(**ONCE)
def _payoffs(boards, board, player, matrix, work, reach_at, value_at):
    """Add the value of an end whose payoffs are a matrix: one row of own hands for each of the opponent's hands."""
    stride, met = boards.stride[player, board], boards.held[_1 - player, board]
    begin = boards.matrix[player, board] + matrix * met * stride
    add_matrix(work.value, value_at, boards.payoffs, begin, stride, work.reach, reach_at, met)


@njit(**ONCE)
def _answers(lines, line, player, rule):
    """Whether a player answers on this line by a best response instead of learning."""
    return rule.mode == UPDATE and player == rule.responder and lines.street[line] >= rule.trunk


@njit(**PART)
def _begin_line(lines, line, boards, board, player, rule, t, tables, window, work, base):
    """Steps 1 and 2 of a visit, deals left out."""
    opponent = _1 - player
    stride, own_stride = boards.stride[opponent, board], boards.stride[player, board]
    store = tables.basis if rule.mode == UPDATE else tables.average
    _opponent_reach(lines, line, boards, board, opponent, store, work, base)
    if rule.mode != RESPOND and not _answers(lines, line, player, rule):
        _own_strategy(lines, line, boards, board, player, store, work, base)
    if (rule.mode == UPDATE and player != rule.responder) or rule.mode == WEIGH:
        _add_to_average(
            lines, line, boards, board, player, tables.average, rule.keep[t], rule.weighted, work, base
        )  # fmt: skip
    if window[1] > _0:
        for row in range(lines.rows[opponent, line]):
            if row < window[0] or row >= window[1]:
                for k in range(stride):
                    work.reach[base + row * stride + k] = _NONE
    _leaf_values(lines, line, boards, board, player, work, base)
    value, wins, mass = work.value, work.wins, work.mass
    for k in range(lines.rows[player, line] * own_stride):
        value[base + k] = _NONE
    for leaf in range(lines.leaf_start[line], lines.leaf_start[line + _1]):
        own_row = base + lines.leaf_row[player, leaf] * own_stride
        row = base + lines.leaf_row[opponent, leaf] * own_stride
        kind, by_mass, by_wins = lines.leaf_kind[leaf], lines.leaf_mass[player, leaf], lines.leaf_wins[leaf]
        reach_at = base + lines.leaf_row[opponent, leaf] * stride
        if kind == FIXED and by_wins != _NONE:
            for k in range(own_stride):
                value[own_row + k] += by_wins * wins[row + k]
        if kind != DEAL and by_mass != _NONE:
            for k in range(own_stride):
                value[own_row + k] += by_mass * mass[row + k]
        if kind == RUNOUT:
            _run_out(boards, board, player, by_wins, work, reach_at, own_row)
        if kind == MATRIX:
            _payoffs(boards, board, player, lines.leaf_matrix[leaf], work, reach_at, own_row)


@njit(**ONCE)
def _tidy(lines, line, boards, board, player, work, base):
    """After deals: nothing in the slots without a hand, where values of blocked hands were dropped, and values of
    hands that a symmetry of the board makes equal the same to the last bit."""
    begin, stride = boards.mirror[player, board], boards.stride[player, board]
    if boards.child_start[board] < boards.child_start[board + _1]:
        for row in range(lines.rows[player, line]):
            for k in range(boards.held[player, board], stride):
                work.value[base + row * stride + k] = _NONE
    if begin > _0:
        for row in range(lines.rows[player, line]):
            at = base + row * stride
            for k in range(boards.held[player, board]):
                work.value[at + k] = work.value[at + np.uint64(boards.twin[begin - _1 + k])]


@njit(**EXACT)
def _finish_line(lines, line, boards, board, player, rule, t, tables, locks, work, base):
    """Step 3: values of the own nodes, last first; in an update also their regrets."""
    _tidy(lines, line, boards, board, player, work, base)
    stride = boards.stride[player, board]
    stored, number = _place(lines, line, boards, board, player)
    value, strategy, out, entries, last = work.value, work.strategy, work.scale, work.row, work.spare
    answers = _answers(lines, line, player, rule)
    node = lines.node_start[player, line + _1]
    while node > lines.node_start[player, line]:
        node -= _1
        first, actions = lines.first_row[node], lines.actions[node]
        above = base + lines.parent_row[node] * stride
        rows, at = base + first * stride, stored + (first - _1) * stride
        if rule.mode == RESPOND or rule.mode == SUBSTITUTE or answers:
            for k in range(stride):
                out[k] = value[rows + k]
            for a in range(_1, actions):
                for k in range(stride):
                    out[k] = max(out[k], value[rows + a * stride + k])
            if rule.mode == SUBSTITUTE:
                for k in range(stride):
                    last[k] = _NONE
            if lines.locked[node]:
                _respond_as_locked(locks, at, actions, stride, value, rows, out, last)
        else:
            for k in range(stride):
                out[k] = strategy[rows + k] * value[rows + k]
            for a in range(_1, actions):
                for k in range(stride):
                    out[k] += strategy[rows + a * stride + k] * value[rows + a * stride + k]
        if answers:
            _write_answer(tables.basis, at, number + first - _1, actions, stride, value, rows, work)
        elif rule.mode == SUBSTITUTE:
            _substitute(
                boards, board, player, node, actions, rule.substitute, tables.regrets, at, number + first - _1, work,
                base, rows,
            )  # fmt: skip
        elif rule.mode == UPDATE:
            positive, negative = rule.positive[t], rule.negative[t]
            for a in range(actions):
                row, entry = number + first + a - _1, at + a * stride
                if tables.regrets.narrow.size > 0 or rule.predictive:
                    _load(tables.regrets, entry, row, stride, entries)
                    for k in range(stride):
                        old = entries[k]
                        faded = old * (positive if old > _NONE else negative)
                        entries[k] = faded + (value[rows + a * stride + k] - out[k])
                    _save(tables.regrets, entries, entry, row, stride)
                else:
                    for k in range(stride):
                        old = tables.regrets.wide[entry + k]
                        faded = old * (positive if old > _NONE else negative)
                        tables.regrets.wide[entry + k] = faded + (value[rows + a * stride + k] - out[k])
                if rule.predictive:
                    ahead, behind = rule.positive[t + _1], rule.negative[t + _1]
                    for k in range(stride):
                        sum_ = entries[k]
                        last[k] = sum_ * (ahead if sum_ > _NONE else behind) + (value[rows + a * stride + k] - out[k])
                    _save(tables.basis, last, entry, row, stride)
        for k in range(stride):
            value[above + k] += out[k]


@njit(**ONCE)
def _respond_as_locked(locks, at, actions, stride, value, rows, out, told):
    """A best response keeps to strategies that the user has fixed; the hands that have one are marked."""
    for i in range(locks.entry.size):
        if at <= locks.entry[i] < at + stride:
            k = locks.entry[i] - at
            out[k], told[k] = _NONE, _ONE
            for a in range(actions):  # the entries of a hand follow each other
                out[k] += locks.value[i + a] * value[rows + a * stride + k]


def _substitute(boards, board, player, node, actions, substitute, store, at, number, work, base, rows):
    """From the best value of a node's actions to its substitute value, in ``work.scale`` (BROWN 3.2, equation 3.6),
    and regrets, in the place of the actions' values.

    The value is where the squares of what actions are worth more sum up to a given number: actions are taken in the
    order of how far they are behind the best one, until the next is too far. Hands that are told what to do (marked in
    ``work.spare``) keep the value of that. One hand after the other: this is not where time is spent.
    """
    opponent, stride = _1 - player, boards.stride[player, board]
    own, met = boards.begin[player, board], boards.begin[opponent, board]
    reach_at = base + substitute.met_row[node] * boards.stride[opponent, board]
    meeting, by_card, mass = substitute.meeting[player, board], work.block, work.block_mass
    value, strategy, out, total = work.value, work.strategy, work.scale, _NONE
    for k in range(stride):
        mass[k] = _NONE
    if meeting > _0:
        met_count = boards.held[opponent, board]
        add_matrix(mass, _0, substitute.chances, meeting - _1, stride, work.reach, reach_at, met_count)
    else:
        for card in range(_CARDS):
            by_card[card] = _NONE
        for k in range(boards.held[opponent, board]):
            here = work.reach[reach_at + k]
            total += here
            by_card[np.uint64(boards.card_a[met + k]) // _8] += here
            by_card[np.uint64(boards.card_b[met + k]) // _8] += here
    for k in range(boards.held[player, board]):
        if meeting == _0:
            first, second = np.uint64(boards.card_a[own + k]) // _8, np.uint64(boards.card_b[own + k]) // _8
            twice = work.reach[reach_at + np.uint64(boards.same[own + k])]
            mass[k] = max(total - by_card[first] - by_card[second] + twice, _NONE)
        likely = substitute.unlikely[own + k] if substitute.unlikely.size > 0 else mass[k]
        squares = np.float64(substitute.factor * substitute.spread[node]) * np.float64(mass[k]) * np.float64(likely)
        best, norm = value[rows + k], _LEAST
        for a in range(actions):
            best = max(best, value[rows + a * stride + k])
            norm += strategy[rows + a * stride + k] * strategy[rows + a * stride + k]
        gap = width = behind = squared = 0.0
        count, searching = 0, squares > 0.0 and work.spare[k] == _NONE
        while searching:
            following = 1e300
            for a in range(actions):
                distance = np.float64(best) - np.float64(value[rows + a * stride + k])
                if distance == gap:
                    count += 1
                    behind += distance
                    squared += distance * distance
                elif distance > gap:
                    following = min(following, distance)
            width = (behind + np.sqrt(max(behind * behind - count * (squared - squares), 0.0))) / count
            searching = width > following
            gap = following
        out[k] -= np.float32(width)
        length = substitute.positive * substitute.steady * np.float32(np.sqrt(squares / np.float64(norm)))
        for a in range(actions):
            regret, played = value[rows + a * stride + k] - out[k], strategy[rows + a * stride + k]
            if substitute.steady > _NONE:
                turned = length * played if played > _RARE else substitute.negative * min(regret, _NONE)
            else:
                turned = regret * (substitute.positive if regret > _NONE else substitute.negative)
            value[rows + a * stride + k] = turned
    for a in range(actions):
        _save(store, value[rows + a * stride :], at + a * stride, number + a, stride)


@overload(_substitute, inline="always")
def _substitute_if_asked(boards, board, player, node, actions, substitute, store, at, number, work, base, rows):
    """Only traversals that are given a `Substitute` contain the code for it: the others compile faster."""
    if substitute.instance_class is Substitute:
        return _substitute
    return lambda boards, board, player, node, actions, substitute, store, at, number, work, base, rows: None


@njit(**ONCE)
def _write_answer(store, at, number, actions, stride, value, rows, work):
    """Store a best response where strategies are matched from: 1 for the first action of the largest value, else 0."""
    best, left, chosen = work.scale, work.spare, work.row
    for k in range(stride):
        left[k] = _ONE
    for a in range(actions):
        for k in range(stride):
            chosen[k] = left[k] if value[rows + a * stride + k] >= best[k] else _NONE
            left[k] -= chosen[k]
        _save(store, chosen, at + a * stride, number + a, stride)


@njit(**ONCE)
def _keep_locks(locks, tables):
    """Undo what an update did to the strategies that the user has fixed."""
    for i in range(locks.entry.size):
        tables.regrets.wide[locks.entry[i]] = locks.value[i]
        tables.basis.wide[locks.entry[i]] = locks.value[i]
        tables.average.wide[locks.entry[i]] = locks.value[i]


@njit(**PART)
def _deal(lines, leaf, boards, board, child, player, weighted, source, above, work, base):
    """Reach vectors of the next street: the hands of the child board, in its order."""
    opponent = _1 - player
    reach_at = above + lines.leaf_row[opponent, leaf] * boards.stride[opponent, board]
    begin = boards.begin[opponent, child]
    for k in range(boards.stride[opponent, child]):
        work.reach[base + k] = source.reach[reach_at + np.uint64(boards.parent_hand[begin + k])]
    if weighted:
        reach_at = above + lines.leaf_row[player, leaf] * boards.stride[player, board]
        begin = boards.begin[player, child]
        for k in range(boards.stride[player, child]):
            work.own_reach[base + k] = source.own_reach[reach_at + np.uint64(boards.parent_hand[begin + k])]


@njit(**PART)
def _collect(lines, leaf, boards, board, edge, player, values, values_at, work, base):
    """Add the child board's values to the parent's, once for every suit-isomorphic image of the dealt card."""
    weight, child = boards.child_weight[edge], boards.child[edge]
    out = base + lines.leaf_row[player, leaf] * boards.stride[player, board]
    for image in range(boards.image_start[edge], boards.image_start[edge + _1]):
        begin = boards.image_begin[player, image]
        for k in range(boards.held[player, child]):
            work.value[out + np.uint64(boards.image_hand[begin + k])] += weight * values[values_at + k]


@njit(**ONCE)
def _visit(lines, boards, line, board, player, rule, t, tables, locks, work):
    """Traverse a line after the root's and all lines below it; its row 0 holds the player's values on return.

    The opponent's reach (and, when the average is weighted, the player's own) stands in row 0 of the second part of
    the work rows. An explicit stack of (deal leaf, child board) per street takes the place of recursion.
    """
    at_line, at_board = work.stack[:_DEPTH], work.stack[_DEPTH : _DEPTH * _2]
    at_leaf, at_edge = work.stack[_DEPTH * _2 : _DEPTH * _2 + _DEPTH], work.stack[_DEPTH * _2 + _DEPTH :]
    level = _1
    at_line[level], at_board[level] = line, board
    entering = True
    while True:
        line, board = at_line[level], at_board[level]
        base = work.size[level]
        if entering:
            _begin_line(lines, line, boards, board, player, rule, t, tables, work.no_window, work, base)
            at_leaf[level] = lines.leaf_start[line]
            at_edge[level] = boards.child_start[board]
            entering = False
        else:  # back from a child: take its values along
            edge = at_edge[level]
            _collect(
                lines, at_leaf[level], boards, board, edge, player, work.value, work.size[level + _1], work, base
            )  # fmt: skip
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
            _deal(lines, leaf, boards, board, child, player, rule.weighted, work, base, work, below)
            level += _1
            at_line[level], at_board[level] = lines.leaf_line[leaf], child
            entering = True
        else:
            _finish_line(lines, line, boards, board, player, rule, t, tables, locks, work, base)
            if level == _1:
                return
            level -= _1


@njit(**ONCE)
def _begin(lines, boards, root, player, rule, t, tables, tasks, work):
    """The root line before its deals."""
    opponent, base = _1 - player, work.size[0]
    for k in range(boards.stride[opponent, root.board]):
        work.reach[base + k] = root.reach[opponent, k]
    if root.gate.kind != OPEN and root.gate.entrant == opponent:
        enter(root.gate, work.reach, base)
    for k in range(boards.stride[player, root.board]):
        work.own_reach[base + k] = root.weight[player, k]
    _begin_line(lines, root.line, boards, root.board, player, rule, t, tables, root.window, work, base)
    tasks.next[0] = _0


@njit(**ONCE)
def _do_tasks(lines, boards, root, player, rule, t, tables, locks, tasks, trunk, work):
    """Deals of the root line until none is left: the values of each go to their place among the tasks' values."""
    longest = tasks.value.size // max(tasks.leaf.size, 1)
    base = work.size[1]
    while True:
        place: np.uint64 = fetch_add(tasks.next)
        if place >= tasks.order.size:
            return
        task = tasks.order[place]
        leaf, child = tasks.leaf[task], boards.child[tasks.edge[task]]
        _deal(lines, leaf, boards, root.board, child, player, rule.weighted, trunk, trunk.size[0], work, base)
        _visit(lines, boards, lines.leaf_line[leaf], child, player, rule, t, tables, locks, work)
        for k in range(boards.stride[player, child]):
            tasks.value[task * longest + k] = work.value[base + k]


@njit(**ONCE)
def _gather(lines, boards, board, player, tasks, work, base):
    """Add the values of the root's deals, which may be thousands of boards: in float64, leaf by leaf."""
    longest, stride = tasks.value.size // max(tasks.leaf.size, 1), boards.stride[player, board]
    sums = tasks.sums  # all zero before and after
    for task in range(np.uint64(tasks.leaf.size)):
        leaf, edge = tasks.leaf[task], tasks.edge[task]
        weight, child = np.float64(boards.child_weight[edge]), boards.child[edge]
        for image in range(boards.image_start[edge], boards.image_start[edge + _1]):
            begin = boards.image_begin[player, image]
            for k in range(boards.held[player, child]):
                sums[boards.image_hand[begin + k]] += weight * np.float64(tasks.value[task * longest + k])
        if task + _1 == tasks.leaf.size or tasks.leaf[task + _1] != leaf:
            out = base + lines.leaf_row[player, leaf] * stride
            for k in range(stride):
                work.value[out + k] += np.float32(sums[k])
                sums[k] = 0.0


@njit(**ONCE)
def _finish(lines, boards, root, player, rule, t, tables, locks, tasks, work, out):
    """The root line after its deals."""
    base = work.size[0]
    _gather(lines, boards, root.board, player, tasks, work, base)
    _finish_line(lines, root.line, boards, root.board, player, rule, t, tables, locks, work, base)
    if rule.mode == UPDATE or rule.mode == SUBSTITUTE or rule.mode == WEIGH:
        _keep_locks(locks, tables)
    if rule.mode == UPDATE and root.gate.kind != OPEN and root.gate.entrant == player:
        learn(root.gate, rule.keep[t], work.value, base)
    for k in range(boards.stride[player, root.board]):
        out[player, k] = work.value[base + k]


@njit(**KERNEL)
def traverse(phase, lines, boards, root, rule, tables, locks, tasks, trunk, work, out):
    """Traverse the tree below the root; ``out`` receives the root values of each player.

    `EVERYTHING` goes through it for each player in turn, ``rule.player`` first, ``len(rule.keep)`` times. The other
    phases are the parts of one traversal for one player, of which threads may share `TASKS`, each with its own work
    rows. Mode `UPDATE` runs iterations with alternating updates; `RESPOND` gives best responses to the average
    strategies and `EVALUATE` the average strategies against each other; both only read. `SUBSTITUTE` writes regrets
    that fit the average strategies; `WEIGH` evaluates these, and writes them as one iteration would leave them.
    """
    whole = phase == EVERYTHING
    for t in range(np.uint64(rule.keep.size) if whole else _1):
        for turn in range(_2 if whole else _1):
            player = turn ^ rule.player if whole else rule.player
            if whole or phase == BEGIN:
                _begin(lines, boards, root, player, rule, t, tables, tasks, trunk)
            if whole or phase == TASKS:
                _do_tasks(lines, boards, root, player, rule, t, tables, locks, tasks, trunk, work)
            if whole or phase == FINISH:
                _finish(lines, boards, root, player, rule, t, tables, locks, tasks, trunk, out)
