"""One visit of a street tree on a board: the betting of one street, for all hands of both players at once.

Inside a street tree everything is a row: a vector over the private hands that a player may hold. The opponent's rows
are its realisation weights, one per own action on the path (its sequences); the updating player's rows are
counterfactual values, one per own action. So one visit is

1. top-down over the opponent's nodes: reach rows from the strategy in force;
2. leaves: folds and showdowns for eight reach rows at once, run-outs and other payoffs by a matrix, value leaves from
   the values that they were given or by a matrix, deals by visiting the street trees of the next street on each board;
3. bottom-up over the own nodes: values, regrets.

All numbers are float32 (in batches of games without showdowns also float64); index arithmetic is unsigned, which spares
a check per access.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from counterpoise.kernels.options import EXACT, ONCE, PART
from counterpoise.public.kernels.layouts import At
from counterpoise.public.kernels.rows import LEAST_F32, ONE_F32, ZERO_F32, load_row, positive_rows, save_row
from counterpoise.public.kernels.simd import (
    LANES,
    TOTAL,
    add_matrix,
    add_up,
    deinterleave,
    interleave,
    settle,
    sweep,
)
from counterpoise.public.kernels.warm_start import fit_regrets

UPDATE, RESPOND, EVALUATE, WARM_START, WEIGH = (np.uint64(mode) for mode in range(5))
FIXED, DEAL, RUNOUT, MATRIX, VALUE = (np.uint64(kind) for kind in range(5))
_0, _1, _2, _8 = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(LANES)
_4 = np.uint64(4)
_TABLE = np.uint64(TOTAL + LANES)
_UNITS = np.float32(2**30)


@njit(**PART)
def place_of(game, at):
    """Return where the entries and the rows of a player's street tree on a board begin in a store."""
    trees, boards = game.trees, game.boards
    rows = trees.rows[at.player, at.tree] - _1
    return (
        trees.store[at.player, at.tree] + rows * boards.stored[at.player, at.board],
        trees.number[at.player, at.tree] + rows * boards.ordinal[at.board],
    )


@njit(**ONCE)
def matched_reach(game, at, store, work):
    """Write a player's realisation weights, top-down, matched from regrets or, by the same rule, from the average."""
    trees = game.trees
    reach, scale, uniform = work.reach, work.scale, work.spare
    stride = game.boards.stride[at.player, at.board]
    stored, number = place_of(game, at)
    for node in range(trees.node_start[at.player, at.tree], trees.node_start[at.player, at.tree + _1]):
        actions = trees.actions[node]
        above = at.base + trees.parent_row[node] * stride
        first = trees.first_row[node]
        begin = at.base + first * stride
        # A forced move keeps the reach.
        if actions == _1:
            for k in range(stride):
                reach[begin + k] = reach[above + k]
            continue
        # Regret matching: positive regrets and their sum per hand.
        positive_rows(store, stored + (first - _1) * stride, number + first - _1, actions, stride, reach, begin, scale)
        share = scale.dtype.type(ONE_F32) / scale.dtype.type(actions)
        for k in range(stride):  # all cases computed, then chosen from: no branch, no masked store
            some, total, mass = scale[k] >= LEAST_F32, max(scale[k], LEAST_F32), reach[above + k]
            part, even = mass / total, mass * share
            scale[k] = part if some else ZERO_F32
            uniform[k] = ZERO_F32 if some else even
        # Reach after each action.
        for a in range(actions):
            out = begin + a * stride
            for k in range(stride):
                reach[out + k] = reach[out + k] * scale[k] + uniform[k]


@njit(**ONCE)
def own_strategy(game, at, store, work):
    """Write the updating player's strategy at all its nodes of the street tree."""
    trees = game.trees
    strategy, total = work.strategy, work.scale
    stride = game.boards.stride[at.player, at.board]
    stored, number = place_of(game, at)
    for node in range(trees.node_start[at.player, at.tree], trees.node_start[at.player, at.tree + _1]):
        first, actions = trees.first_row[node], trees.actions[node]
        begin = at.base + first * stride
        # Positive regrets and their sum per hand.
        positive_rows(
            store, stored + (first - _1) * stride, number + first - _1, actions, stride, strategy, begin, total
        )
        # Regret matching; all actions alike where no regret is positive, or none by as much as can be divided by.
        share = total.dtype.type(ONE_F32) / total.dtype.type(actions)
        for a in range(actions):
            out = begin + a * stride
            for k in range(stride):  # a true division: a pure strategy is exactly 1 and leaves no regret
                part = strategy[out + k] / max(total[k], LEAST_F32)
                strategy[out + k] = part if total[k] >= LEAST_F32 else share


@njit(**ONCE)
def _add_to_average(game, at, average, decay, weighted, work):
    """Add the strategy in force to the average, weighted by own reach or plainly."""
    trees = game.trees
    strategy, own_reach, entries = work.strategy, work.own_reach, work.row
    gained = own_reach if weighted else strategy
    stride = game.boards.stride[at.player, at.board]
    stored, number = place_of(game, at)
    for node in range(trees.node_start[at.player, at.tree], trees.node_start[at.player, at.tree + _1]):
        first = trees.first_row[node]
        above = at.base + trees.parent_row[node] * stride
        for a in range(trees.actions[node]):
            out, entry = at.base + (first + a) * stride, stored + (first + a - _1) * stride
            # Own reach, row by row down the tree.
            if weighted:
                for k in range(stride):
                    own_reach[out + k] = own_reach[above + k] * strategy[out + k]
            # Fade the sum and add what the strategy weighs.
            if average.narrow.size > 0:
                row = number + first + a - _1
                load_row(average, entry, row, stride, entries)
                for k in range(stride):
                    entries[k] = entries[k] * decay + gained[out + k]
                save_row(average, entries, entry, row, stride)
            else:
                for k in range(stride):
                    average.wide[entry + k] = average.wide[entry + k] * decay + gained[out + k]


@njit(**ONCE)
def _showdowns(game, at, work):
    """Write weaker minus stronger mass and compatible mass for every opponent row that ends in a fold or showdown."""
    trees, boards, player, board = game.trees, game.boards, at.player, at.board
    opponent = _1 - player
    own_stride, stride = boards.stride[player, board], boards.stride[opponent, board]
    own, met = boards.begin[player, board], boards.begin[opponent, board]
    own_count, met_count = boards.held[player, board], boards.held[opponent, board]
    card_a, card_b = boards.card_a[own : own + own_stride], boards.card_b[own : own + own_stride]
    same = boards.same[own : own + own_stride]
    met_a, met_b = boards.card_a[met : met + stride], boards.card_b[met : met + stride]
    first, last = trees.valued_start[opponent, at.tree], trees.valued_start[opponent, at.tree + _1]
    showdowns = trees.showdowns[opponent, at.tree]
    offsets, table = work.offsets, work.table
    for begin in range(first, last, _8):
        # Eight rows of the opponent's reach side by side.
        for lane in range(_8):
            offsets[lane] = at.base + trees.valued_row[min(begin + lane, last - _1)] * stride
        interleave(work.block, work.reach, offsets, stride, work.totals)
        for k in range(_TABLE):
            table[k] = np.int32(0)
        # Showdown: sweep hands in order of strength, weaker minus stronger; fold: all mass.
        if begin - first < showdowns:
            bounds = boards.tie_start[board], boards.tie_start[board + _1]
            sweep(boards.ties, bounds, player * _2, (card_a, card_b), (met_a, met_b), work)
        else:
            add_up((met_a, met_b), work, met_count)
        # Take off the hands that share a card.
        settle((card_a, card_b), same, work, own_count)
        for k in range(own_count * _8, own_stride * _8):  # slots without a hand stay zero
            work.block_wins[k] = ZERO_F32
            work.block_mass[k] = ZERO_F32
        # Back into rows.
        for lane in range(_8):
            offsets[lane] = at.base + trees.valued_row[min(begin + lane, last - _1)] * own_stride
        if begin - first < showdowns:
            deinterleave(work.wins, offsets, work.block_wins, own_stride)
        deinterleave(work.mass, offsets, work.block_mass, own_stride)


@njit(**PART)
def _add_decided(boards, at, by_decided, work, reach_at, value_at):
    """Add what the opponent's mass that does not tie is worth at a tilted showdown: F(before) + F(all) - F(after).

    F is the mass met so far without a common card, in whole numbers as in `simd.sweep`.
    """
    own, met = boards.begin[at.player, at.board], boards.begin[_1 - at.player, at.board]
    table, swept, reach, ties = work.table, work.swept, work.reach, boards.ties
    side, other = at.player * _2, _2 - at.player * _2
    mass = ZERO_F32
    for k in range(boards.held[_1 - at.player, at.board]):
        mass += reach[reach_at + k]
    if mass <= ZERO_F32:
        return
    scale, total = _UNITS / mass, np.int32(0)
    for k in range(_TABLE):
        table[k] = np.int32(0)
    # Before a group of equal hands, then the group itself, then after it.
    for group in range(boards.tie_start[at.board], boards.tie_start[at.board + _1]):
        first, last = np.uint64(ties[group * _4 + side]), np.uint64(ties[group * _4 + side + _1])
        for k in range(first, last):
            swept[k] = total - table[boards.card_a[own + k]] - table[boards.card_b[own + k]]
        for j in range(np.uint64(ties[group * _4 + other]), np.uint64(ties[group * _4 + other + _1])):
            units = np.int32(reach[reach_at + j] * scale)
            total += units
            table[boards.card_a[met + j]] += units
            table[boards.card_b[met + j]] += units
        for k in range(first, last):
            swept[k] -= total - table[boards.card_a[own + k]] - table[boards.card_b[own + k]]
    # What does not tie is worth `by_decided`.
    for k in range(boards.held[at.player, at.board]):
        decided = swept[k] + total - table[boards.card_a[own + k]] - table[boards.card_b[own + k]]
        work.value[value_at + k] += by_decided * (np.float32(decided) / scale)


@njit(**PART)
def _run_out(boards, at, wins, work, reach_at, value_at):
    """Add the value of an all-in before the last street: exact over all run-outs, by a matrix of equities.

    A function of its own, so that the order of its sums does not depend on what surrounds it.
    """
    rows, columns = boards.held[_0, at.board], boards.held[_1, at.board]
    begin, scale = boards.runout[at.board], wins * boards.runout_weight[at.board]
    equities, reach, value = boards.equities, work.reach, work.value
    if at.player == _0:
        for i in range(rows):
            total = ZERO_F32
            for j in range(columns):
                total += np.float32(equities[begin + i * columns + j]) * reach[reach_at + j]
            value[value_at + i] += scale * total
    else:
        for i in range(rows):
            weight = -scale * reach[reach_at + i]
            for j in range(columns):
                value[value_at + j] += np.float32(equities[begin + i * columns + j]) * weight


@njit(**ONCE)
def _leaf_value(boards, at, rule, slot, work, reach_at, value_at):
    """Add the value of a value leaf: the one it was given, or by the matrix of its slot over groups of hands."""
    tables, stride, opponent = rule.leaf_tables, boards.stride[at.player, at.board], _1 - at.player
    # Values that were given, hand by hand.
    if tables.values.size == 0:
        for k in range(stride):
            work.value[value_at + k] += rule.leaf_values[slot * rule.leaf_stride + k]
        return
    own, met = boards.begin[at.player, at.board], boards.begin[opponent, at.board]
    count, length = tables.groups[opponent, at.board], tables.length[at.player, at.board]
    # Or a matrix over groups of hands: gather, multiply, spread to the hands.
    for g in range(count):
        work.row[g] = work.reach[reach_at + np.uint64(tables.member[met + g])]
    for g in range(length):
        work.scale[g] = ZERO_F32
    add_matrix((work.scale, _0), (tables.values, tables.begin[at.player, slot]), length, (work.row, _0), count)
    for k in range(boards.held[at.player, at.board]):
        work.value[value_at + k] += work.scale[np.uint64(tables.group[own + k])]


@njit(**ONCE)
def _leaves(game, at, rule, work):
    """Add the values of all leaves but deals to the own row before each: step 2 of a visit."""
    trees, boards, player, opponent = game.trees, game.boards, at.player, _1 - at.player
    stride, own_stride = boards.stride[opponent, at.board], boards.stride[player, at.board]
    value, wins, mass = work.value, work.wins, work.mass
    for k in range(trees.rows[player, at.tree] * own_stride):
        value[at.base + k] = ZERO_F32
    for leaf in range(trees.leaf_start[at.tree], trees.leaf_start[at.tree + _1]):
        own_row = at.base + trees.leaf_row[player, leaf] * own_stride
        row = at.base + trees.leaf_row[opponent, leaf] * own_stride
        kind, by_mass, by_wins = trees.leaf_kind[leaf], trees.leaf_mass[player, leaf], trees.leaf_wins[leaf]
        reach_at = at.base + trees.leaf_row[opponent, leaf] * stride
        # Showdowns: what is won times the difference of masses.
        if kind == FIXED and by_wins != ZERO_F32:
            for k in range(own_stride):
                value[own_row + k] += by_wins * wins[row + k]
        # Folds, and what is paid in any case: times the mass that is met.
        if kind != DEAL and by_mass != ZERO_F32:
            for k in range(own_stride):
                value[own_row + k] += by_mass * mass[row + k]
        if kind == FIXED and trees.leaf_decided[leaf] != ZERO_F32:
            _add_decided(boards, at, trees.leaf_decided[leaf], work, reach_at, own_row)
        # All-in before the last street.
        if kind == RUNOUT:
            _run_out(boards, at, by_wins, work, reach_at, own_row)
        if kind == MATRIX:  # a row of own hands for each of the opponent's hands
            met = boards.held[opponent, at.board]
            begin = boards.matrix[player, at.board] + trees.leaf_number[leaf] * met * own_stride
            add_matrix((value, own_row), (boards.payoffs, begin), own_stride, (work.reach, reach_at), met)
        if kind == VALUE:
            _leaf_value(boards, at, rule, trees.leaf_number[leaf] + boards.ordinal[at.board], work, reach_at, own_row)


@njit(**ONCE)
def _answers(trees, at, rule):
    """Return whether a player answers on this street by a best response instead of learning."""
    return rule.mode == UPDATE and at.player == rule.responder and trees.street[at.tree] >= rule.trunk


@njit(**PART)
def begin_visit(game, at, rule, t, tables, window, work):
    """Do steps 1 and 2 of a visit, deals left out."""
    trees, boards = game.trees, game.boards
    against = At(at.tree, at.board, _1 - at.player, at.base)
    matched = rule.mode == UPDATE or rule.mode == WEIGH
    store = tables.matched_regrets if rule.mode == UPDATE else tables.average
    own_store = tables.matched_regrets if matched else tables.average
    # Step 1: the opponent's reach, from regrets or from its average.
    matched_reach(game, against, store, work)
    # The player's own strategy, and its part in the average.
    if rule.mode != RESPOND and not _answers(trees, at, rule):
        own_strategy(game, at, own_store, work)
    kept = tables.average.wide.size + tables.average.narrow.size > 0
    if kept and ((rule.mode == UPDATE and at.player != rule.responder) or rule.mode == WEIGH):
        _add_to_average(game, at, tables.average, rule.average_decay[t], rule.weighted, work)
    # Outside the window nothing arrives.
    if window[1] > _0:
        stride = boards.stride[against.player, at.board]
        for row in range(trees.rows[against.player, at.tree]):
            if row < window[0] or row >= window[1]:
                for k in range(stride):
                    work.reach[at.base + row * stride + k] = ZERO_F32
    # Step 2: leaves.
    _showdowns(game, at, work)
    _leaves(game, at, rule, work)


@njit(**ONCE)
def _tidy(game, at, work):
    """Tidy the values after deals.

    Slots without a hand, where values of blocked hands were dropped, become zero; hands that a symmetry of the board
    makes equal get the same value to the last bit.
    """
    trees, boards, player, board = game.trees, game.boards, at.player, at.board
    begin, stride = boards.mirror[player, board], boards.stride[player, board]
    if boards.child_start[board] < boards.child_start[board + _1]:
        for row in range(trees.rows[player, at.tree]):
            for k in range(boards.held[player, board], stride):
                work.value[at.base + row * stride + k] = ZERO_F32
    if begin > _0:
        for row in range(trees.rows[player, at.tree]):
            first = at.base + row * stride
            for k in range(boards.held[player, board]):
                work.value[first + k] = work.value[first + np.uint64(boards.twin[begin - _1 + k])]


@njit(**EXACT)
def finish_visit(game, at, rule, t, tables, work):
    """Do step 3 of a visit: values of the own nodes, last first; in an update also their regrets."""
    _tidy(game, at, work)
    trees = game.trees
    stride = game.boards.stride[at.player, at.board]
    stored, number = place_of(game, at)
    value, strategy, out, entries, last = work.value, work.strategy, work.scale, work.row, work.spare
    answers = _answers(trees, at, rule)
    node = trees.node_start[at.player, at.tree + _1]
    while node > trees.node_start[at.player, at.tree]:
        node -= _1
        first, actions = trees.first_row[node], trees.actions[node]
        above = at.base + trees.parent_row[node] * stride
        rows, entries_at = at.base + first * stride, stored + (first - _1) * stride
        # Best value of the actions, except where the user has fixed what is done.
        if rule.mode == RESPOND or rule.mode == WARM_START or answers:
            for k in range(stride):
                out[k] = value[rows + k]
            for a in range(_1, actions):
                for k in range(stride):
                    out[k] = max(out[k], value[rows + a * stride + k])
            if rule.mode == WARM_START:
                for k in range(stride):
                    last[k] = ZERO_F32
            if tables.locks.locked[node]:
                _respond_as_locked(tables.locks, entries_at, actions, stride, rows, work)
        else:
            # Value under the strategy in force.
            for k in range(stride):
                out[k] = strategy[rows + k] * value[rows + k]
            for a in range(_1, actions):
                for k in range(stride):
                    out[k] += strategy[rows + a * stride + k] * value[rows + a * stride + k]
        # Store the answer, the regrets of a warm start, or this iteration's regrets.
        if answers:
            _write_answer(tables.matched_regrets, entries_at, number + first - _1, actions, stride, rows, work)
        elif rule.mode == WARM_START:
            place = entries_at, number + first - _1
            fit_regrets(game, at, node, rule.warm_start, tables.regrets, place, work)
        elif rule.mode == UPDATE:
            # R = discounted R + v(I,a) - v(I).
            positive, negative = rule.positive[t], rule.negative[t]
            for a in range(actions):
                row, entry = number + first + a - _1, entries_at + a * stride
                if tables.regrets.narrow.size > 0 or rule.predictive:
                    load_row(tables.regrets, entry, row, stride, entries)
                    for k in range(stride):
                        old = entries[k]
                        faded = old * (positive if old > ZERO_F32 else negative)
                        entries[k] = faded + (value[rows + a * stride + k] - out[k])
                    save_row(tables.regrets, entries, entry, row, stride)
                else:
                    for k in range(stride):
                        old = tables.regrets.wide[entry + k]
                        faded = old * (positive if old > ZERO_F32 else negative)
                        tables.regrets.wide[entry + k] = faded + (value[rows + a * stride + k] - out[k])
                # Predictive CFR: match as though this iteration's regret came once more.
                if rule.predictive:
                    ahead, behind = rule.positive[t + _1], rule.negative[t + _1]
                    for k in range(stride):
                        sum_ = entries[k]
                        gain = value[rows + a * stride + k] - out[k]
                        last[k] = sum_ * (ahead if sum_ > ZERO_F32 else behind) + gain
                    save_row(tables.matched_regrets, last, entry, row, stride)
        # Pass the value to the row before the node.
        for k in range(stride):
            value[above + k] += out[k]


@njit(**ONCE)
def _respond_as_locked(locks, entries_at, actions, stride, rows, work):
    """Keep a best response to the strategies that the user has fixed, and mark the hands that have one."""
    value, out, told = work.value, work.scale, work.spare
    for i in range(locks.entry.size):
        if entries_at <= locks.entry[i] < entries_at + stride:
            k = locks.entry[i] - entries_at
            out[k], told[k] = ZERO_F32, ONE_F32
            for a in range(actions):  # the entries of a hand follow each other
                out[k] += locks.value[i + a] * value[rows + a * stride + k]


@njit(**ONCE)
def _write_answer(store, entries_at, number, actions, stride, rows, work):
    """Store a best response where strategies are matched from: 1 for the first action of the largest value, else 0."""
    value, best, left, chosen = work.value, work.scale, work.spare, work.row
    for k in range(stride):
        left[k] = ONE_F32
    for a in range(actions):
        for k in range(stride):
            chosen[k] = left[k] if value[rows + a * stride + k] >= best[k] else ZERO_F32
            left[k] -= chosen[k]
        save_row(store, chosen, entries_at + a * stride, number + a, stride)
