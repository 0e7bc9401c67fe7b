"""A round of betting on a board, for all lines that lead to it, eight side by side (Johanson 2016, section 2.4).

The responder's best values of all its hands follow from the opponent's reach, line by line:

1. The opponent's reach after each of its actions is the reach before it times the probability of the action.
2. At a fold the responder gets a constant for each hand of the opponent that it can meet; at a showdown hands are swept
   in order of strength: what is weaker minus what is stronger, without the hands that share a card (2.4.2).
3. From the last own decision to the first the best action counts.

Arrays of lines are [block of lines, hand of the deck, lane], flat. A row of a round is what follows one action of the
responder or of the opponent; row 0 is the beginning.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.evaluation.best_response.kernels.lanes import (
    LANES,
    TABLE,
    absorb,
    add,
    add_fold,
    add_rest,
    add_showdown,
    keep_best,
    multiply,
    rest,
)
from counterpoise.kernels.options import LEAN

FOLD, SHOWDOWN, DEAL = (np.uint64(kind) for kind in range(3))
_W, _0, _1 = np.uint64(LANES), np.uint64(0), np.uint64(1)


class BettingShape(NamedTuple):
    """Betting trees of one shape for one responder: what is alike in all lines, and payoffs line by line.

    ``parent[row]`` is the opponent's row before one of its rows. Leaves are sorted by the opponent's row: those of one
    are ``leaf_start[row]:leaf_start[row + 1]``, with the responder's row, their kind, and per lane what a win and each
    hand met is worth (after a deal: the probability of one deal). ``later`` is the line of the next round that follows.
    Own decisions are parents first.
    """

    first_block: np.uint64
    blocks: np.uint64
    parent: NDArray[np.uint64]
    leaf_start: NDArray[np.uint64]
    leaf_own: NDArray[np.uint64]
    leaf_kind: NDArray[np.uint64]
    wins: NDArray[np.float64]
    mass: NDArray[np.float64]
    later: NDArray[np.int64]
    own_rows: np.uint64
    own_parent: NDArray[np.uint64]
    own_first: NDArray[np.uint64]
    own_actions: NDArray[np.uint64]


class GroupedStrategy(NamedTuple):
    """The opponent's strategy: the group of each hand and the probabilities, [block, group, row - 1, lane], flat."""

    group: NDArray[np.uint64]
    groups: np.uint64
    table: NDArray[np.float64]


class LiveHands(NamedTuple):
    """The hands that live on a board, on full boards in order of strength: numbers in the deck, places of their cards
    in a card table, and where each group of equal strength begins."""

    order: NDArray[np.uint64]
    card_a: NDArray[np.uint64]
    card_b: NDArray[np.uint64]
    ties: NDArray[np.uint64]


class Scratch(NamedTuple):
    """Rows of one block: the opponent's reach, own values, one row of figures, and a card table."""

    reach: NDArray[np.float64]
    value: NDArray[np.float64]
    row: NDArray[np.float64]
    cards: NDArray[np.float64]


@njit(**LEAN)
def _load_reach(shape, hands, reach, deck_hands, block, scratch):
    """Write the opponent's reach at the beginning of the lines of one block; return whether there is any."""
    begin, some = (shape.first_block + block) * deck_hands, False
    for pos in range(np.uint64(hands.order.size)):
        to, source = pos * _W, (begin + hands.order[pos]) * _W
        for lane in range(_W):
            scratch.reach[to + lane] = reach[source + lane]
            some = some or reach[source + lane] != 0.0
    return some


@njit(**LEAN)
def _opponent_rows(shape, strategy, hands, block, scratch):
    """Write the opponent's reach after each of its actions, for the lines of one block."""
    count, rows = np.uint64(hands.order.size), np.uint64(shape.parent.size)
    for row in range(_1, rows):
        to, before = row * count, shape.parent[row] * count
        for pos in range(count):
            entry = (block * strategy.groups + strategy.group[hands.order[pos]]) * (rows - _1) + row - _1
            multiply(scratch.reach, (to + pos) * _W, scratch.reach, (before + pos) * _W, strategy.table, entry * _W)


@njit(**LEAN)
def _sweep(hands, reach, at, cards, out):
    """Write what each hand beats of a row of reach plus what it does not lose to, and fill the card table.

    Less all that the hand can meet this is what it beats minus what it loses to. The hand itself is taken away once too
    often from what it does not lose to, and from all: these cancel.
    """
    places = hands.card_a, hands.card_b
    for group in range(np.uint64(hands.ties.size) - _1):
        begin, end = hands.ties[group], hands.ties[group + _1]
        for pos in range(begin, end):
            rest(out, pos * _W, cards, hands.card_a[pos], hands.card_b[pos])
        absorb(cards, reach, at, places, begin, end)
        for pos in range(begin, end):
            add_rest(out, pos * _W, cards, hands.card_a[pos], hands.card_b[pos])


@njit(**LEAN)
def _settle_row(shape, hands, block, row, scratch):
    """Add what the folds and showdowns after one of the opponent's rows are worth to the responder's rows."""
    count, width = np.uint64(hands.order.size), shape.blocks * _W
    at, summed = row * count, False
    for leaf in range(shape.leaf_start[row], shape.leaf_start[row + _1]):  # showdowns first
        kind = shape.leaf_kind[leaf]
        if kind == DEAL:
            continue
        own, lanes = shape.leaf_own[leaf] * count, leaf * width + block * _W
        if not summed:
            for k in range(np.uint64(TABLE)):
                scratch.cards[k] = 0.0
            if kind == SHOWDOWN:
                _sweep(hands, scratch.reach, at, scratch.cards, scratch.row)
            else:
                absorb(scratch.cards, scratch.reach, at, (hands.card_a, hands.card_b), _0, count)
            summed = True
        if kind == SHOWDOWN:
            for pos in range(count):
                a, b, to = hands.card_a[pos], hands.card_b[pos], (own + pos) * _W
                add_showdown(scratch.value, to, scratch.cards, a, b, scratch.row, pos * _W, shape.wins, lanes)
        paid = False
        for lane in range(_W):
            paid = paid or shape.mass[lanes + lane] != 0.0
        if paid:
            for pos in range(count):
                a, b, to = hands.card_a[pos], hands.card_b[pos], (own + pos) * _W
                add_fold(scratch.value, to, scratch.cards, a, b, scratch.reach, (at + pos) * _W, shape.mass, lanes)


@njit(**LEAN)
def _take_later(shape, hands, later, deck_hands, block, scratch):
    """Add what follows deals to the responder's rows."""
    count, width = np.uint64(hands.order.size), shape.blocks * _W
    for leaf in range(np.uint64(shape.leaf_kind.size)):
        if shape.leaf_kind[leaf] != DEAL:
            continue
        own, lanes = shape.leaf_own[leaf] * count, leaf * width + block * _W
        for lane in range(_W):
            line = shape.later[lanes + lane]
            if line >= 0:
                begin = np.uint64(line) // _W * deck_hands
                place, share = np.uint64(line) % _W, shape.mass[lanes + lane]
                for pos in range(count):
                    value = later[(begin + hands.order[pos]) * _W + place]
                    scratch.value[(own + pos) * _W + lane] += share * value


@njit(**LEAN)
def _choose(shape, hands, scratch):
    """Add the best action of each own decision to the row before it, the last decision first."""
    count = np.uint64(hands.order.size)
    for back in range(shape.own_parent.size):
        decision = np.uint64(shape.own_parent.size - 1 - back)
        first = shape.own_first[decision] * count
        for action in range(_1, shape.own_actions[decision]):
            other = first + action * count
            for pos in range(count):
                keep_best(scratch.value, (first + pos) * _W, scratch.value, (other + pos) * _W)
        before = shape.own_parent[decision] * count
        for pos in range(count):
            add(scratch.value, (before + pos) * _W, scratch.value, (first + pos) * _W)


@njit(**LEAN)
def respond(shape, strategy, hands, reach, later, targets, scratch, out):
    """Add the best values at the beginning of a round to `out`, once for each row of targets.

    ``targets[image, position]`` is the hand of the deck that gets the value of a live hand; `later` are the sums of the
    next round's values, by the same hands as `reach`.
    """
    count, deck_hands = np.uint64(hands.order.size), np.uint64(strategy.group.size)
    for block in range(shape.blocks):
        if not _load_reach(shape, hands, reach, deck_hands, block, scratch):
            continue  # the opponent never plays these lines: all that follows is worth 0
        _opponent_rows(shape, strategy, hands, block, scratch)
        for k in range(shape.own_rows * count * _W):
            scratch.value[k] = 0.0
        for row in range(np.uint64(shape.parent.size)):
            _settle_row(shape, hands, block, row, scratch)
        _take_later(shape, hands, later, deck_hands, block, scratch)
        _choose(shape, hands, scratch)
        begin = (shape.first_block + block) * deck_hands
        for image in range(np.uint64(targets.shape[0])):
            for pos in range(count):
                add(out, (begin + targets[image, pos]) * _W, scratch.value, pos * _W)


@njit(**LEAN)
def descend(shape, strategy, hands, reach, scratch, out):
    """Write the opponent's reach at the beginning of the next round, line by line."""
    count, deck_hands = np.uint64(hands.order.size), np.uint64(strategy.group.size)
    width = shape.blocks * _W
    for block in range(shape.blocks):
        _load_reach(shape, hands, reach, deck_hands, block, scratch)
        _opponent_rows(shape, strategy, hands, block, scratch)
        for row in range(np.uint64(shape.parent.size)):
            for leaf in range(shape.leaf_start[row], shape.leaf_start[row + _1]):
                if shape.leaf_kind[leaf] != DEAL:
                    continue
                for lane in range(_W):
                    line = shape.later[leaf * width + block * _W + lane]
                    if line >= 0:
                        begin, place = np.uint64(line) // _W * deck_hands, np.uint64(line) % _W
                        for pos in range(count):
                            reached = scratch.reach[(row * count + pos) * _W + lane]
                            out[(begin + hands.order[pos]) * _W + place] = reached


@njit(**LEAN)
def order_hands(strengths, first, out):
    """Write live hands by rising strength and where equal ones begin; return how many hands and groups there are.

    `out` has the order and the ties; ``first`` is a scratch row longer than the highest strength by two.
    """
    order, ties = out
    for k in range(first.size):
        first[k] = _0
    for h in range(strengths.size):
        if strengths[h] > 0:
            first[np.uint64(strengths[h]) + _1] += _1
    groups, live = 0, _0
    for strength in range(1, first.size):
        if first[strength] > _0:
            ties[groups] = live
            groups += 1
        live += first[strength]
        first[strength] = live
    ties[groups] = live
    for h in range(strengths.size):
        if strengths[h] > 0:
            order[first[np.uint64(strengths[h])]] = np.uint64(h)
            first[np.uint64(strengths[h])] += _1
    return np.int64(live), groups


@njit(**LEAN)
def sweep_showdown(hands, reach, cards, row, out):
    """Write what each live hand beats of a reach, [hand in order of strength, lane], minus what it loses to."""
    for k in range(np.uint64(TABLE)):
        cards[k] = 0.0
    _sweep(hands, reach, _0, cards, row)
    for pos in range(np.uint64(hands.order.size)):
        place = pos * _W
        rest(out, place, cards, hands.card_a[pos], hands.card_b[pos])
        for lane in range(_W):
            out[place + lane] = row[place + lane] - out[place + lane]


@njit(**LEAN)
def pair_showdown(hands, reach, out):
    """Write what `sweep_showdown` writes by comparing all pairs of hands, which takes quadratic time."""
    groups = np.uint64(hands.ties.size) - _1
    for k in range(out.size):
        out[k] = 0.0
    for mine in range(groups):
        for pos in range(hands.ties[mine], hands.ties[mine + _1]):
            a, b, place = hands.card_a[pos], hands.card_b[pos], pos * _W
            for theirs in range(groups):
                if theirs == mine:
                    continue
                sign = 1.0 if theirs < mine else -1.0
                for met in range(hands.ties[theirs], hands.ties[theirs + _1]):
                    c, d = hands.card_a[met], hands.card_b[met]
                    if a != c and a != d and b != c and b != d:
                        for lane in range(_W):
                            out[place + lane] += sign * reach[met * _W + lane]
