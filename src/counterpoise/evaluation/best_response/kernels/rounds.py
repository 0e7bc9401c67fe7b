"""A round of betting on a board, for all lines that lead to it, sixteen side by side (Johanson 2016, section 2.4).

The responder's best values of all its hands follow from the opponent's reach, line by line:

1. The opponent's reach after each of its actions is the reach before it times the probability of the action.
2. At a fold the responder gets a constant for each hand of the opponent that it can meet; at a showdown hands are swept
   in order of strength: what is weaker minus what is stronger, without the hands that share a card (2.4.2).
3. From the last own decision to the first the best action counts.

Folds cost no sweep. What the opponent folds is what it had less what it plays on with, and all own actions may be
judged by what they win more than a fold (`counterpoise.evaluation.best_response.steps`). What depends on sums by card
alone is added up card by card first, and for each hand only once, when its actions are compared.

Arrays of lines are [block of lines, hand of the deck, lane], flat. Rows of a block are [place, live hand, lane]: places
are reused as soon as what follows an action is done, so that they stay in fast memory.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.evaluation.best_response.kernels.lanes import (
    LANES,
    TABLE,
    TOTAL,
    cut,
    largest,
    load,
    nothing,
    some,
    store,
)
from counterpoise.kernels.options import LEAN

Floats = NDArray[np.floating[Any]]
OPEN, ACT, DECIDE, DEAL = (np.uint64(kind) for kind in range(4))
"""Steps: own actions become possible, the opponent has acted, the best own action is taken, cards are dealt."""
SWEPT, MET, BY_CARD = (np.uint64(kind) for kind in range(3))
"""What an own row gets from an opponent's row: a showdown, what is met hand by hand, or only its sums by card."""
_W, _0, _1 = np.uint64(LANES), np.uint64(0), np.uint64(1)
_TABLE, _TOTAL = np.uint64(TABLE), np.uint64(TOTAL)
SMALLEST = 1e-2
"""A smaller reach at the beginning of a round is none: products of float32 must not become denormal, which is slow.
Reach is counted from `counterpoise.evaluation.best_response.walk.SCALE`."""


class BettingShape(NamedTuple):
    """Betting trees of one shape for one responder: steps that are alike in all lines, and payoffs line by line.

    ``kind`` and ``number`` are the steps. Row ``number`` of the opponent comes from row ``parent`` by column ``column``
    of its probabilities and is kept at ``place``; if nothing is left of it, the walk goes on with step ``past``. What
    it pays stands at ``pays[row]:pays[row + 1]``: to the own row at ``pay_to``, ``wins`` for what is weaker less what
    is stronger and ``mass`` for what is met. An own decision compares the rows at ``one`` and ``two`` (the same if
    there is only one), and 0 if it has a ``fold``; ``met_one``, ``met_two`` and ``met_before`` are what each hand met
    of the opponent's row at ``facing`` is worth to them and to the row before, at ``before``. Deals go to the line
    ``later`` of the next round, with a probability of ``share`` each.
    """

    first_block: np.uint64
    blocks: np.uint64
    kind: NDArray[np.uint64]
    number: NDArray[np.uint64]
    parent: NDArray[np.uint64]
    column: NDArray[np.uint64]
    columns: np.uint64
    place: NDArray[np.uint64]
    past: NDArray[np.uint64]
    pays: NDArray[np.uint64]
    pay_kind: NDArray[np.uint64]
    pay_to: NDArray[np.uint64]
    wins: Floats
    mass: Floats
    one: NDArray[np.uint64]
    two: NDArray[np.uint64]
    before: NDArray[np.uint64]
    facing: NDArray[np.uint64]
    fold: NDArray[np.bool_]
    met_one: Floats
    met_two: Floats
    met_before: Floats
    met_root: Floats
    deal_to: NDArray[np.uint64]
    deal_from: NDArray[np.uint64]
    share: Floats
    later: NDArray[np.int64]


class GroupedStrategy(NamedTuple):
    """The opponent's strategy: the group of each hand and the probabilities, [block, column, group, lane], flat."""

    group: NDArray[np.uint64]
    groups: np.uint64
    table: Floats


class LiveHands(NamedTuple):
    """The hands that live on a board, on full boards in order of strength: numbers in the deck, the place of each
    hand of the deck among them (their number if it does not live), places of their cards in a card table, and where
    each group of equal strength begins."""

    order: NDArray[np.uint64]
    place: NDArray[np.uint64]
    card_a: NDArray[np.uint64]
    card_b: NDArray[np.uint64]
    ties: NDArray[np.uint64]


class Scratch(NamedTuple):
    """Rows of one block: the opponent's reach, own values, sums by card of own rows, which of these are still empty,
    one group of equal hands, the sums by card of one row, and the group of each live hand. ``met`` are the live hands
    with which the opponent may begin the round, ``met_ties`` where each group of equal strength begins among them."""

    reach: Floats
    value: Floats
    tables: Floats
    empty: NDArray[np.bool_]
    equal: Floats
    cards: Floats
    group: NDArray[np.uint64]
    met: NDArray[np.uint64]
    met_ties: NDArray[np.uint64]


@njit(**LEAN)
def _clear(row, begin, count):
    """Write lanes of 0."""
    for pos in range(count):
        store(row, (begin + pos) * _W, nothing(row))


@njit(**LEAN)
def _load_reach(shape, hands, reach, deck_hands, block, scratch):
    """Write the opponent's reach at the beginning of the lines of one block; return how many hands have any."""
    begin, count = (shape.first_block + block) * deck_hands, np.uint64(hands.order.size)
    for hand in range(deck_hands):  # in the order of memory
        pos = hands.place[hand]
        if pos < count:
            store(scratch.reach, pos * _W, cut(load(reach, (begin + hand) * _W), SMALLEST))
    met = group = _0
    for pos in range(count):
        while group < np.uint64(hands.ties.size) and hands.ties[group] == pos:
            scratch.met_ties[group] = met
            group += _1
        if some(load(scratch.reach, pos * _W)):
            scratch.met[met] = pos
            met += _1
    scratch.met_ties[group] = met
    if met > _0:
        _clear(scratch.reach, count, np.uint64(scratch.reach.size) // _W - count)  # hands that are not met stay at 0
    return met


@njit(**LEAN)
def _group_hands(strategy, hands, scratch):
    """Write the place of each live hand's group in a column of probabilities."""
    for pos in range(np.uint64(hands.order.size)):
        scratch.group[pos] = strategy.group[hands.order[pos]] * _W


@njit(**LEAN)
def _act(shape, strategy, count, met, block, row, scratch):
    """Write the opponent's reach after an action; return whether there is any."""
    to, before = shape.place[row] * count, shape.place[shape.parent[row]] * count
    begin = (block * shape.columns + shape.column[row]) * strategy.groups * _W
    total = nothing(scratch.reach)
    for k in range(met):
        pos = scratch.met[k]
        left = load(scratch.reach, (before + pos) * _W) * load(strategy.table, begin + scratch.group[pos])
        store(scratch.reach, (to + pos) * _W, left)
        total = total + left
    return some(total)


@njit(**LEAN)
def _absorb(hands, met_hands, reach, at, cards, begin, end, total):
    """Add hands of a row of reach to a card table; return the sum over all hands."""
    for k in range(begin, end):
        pos = met_hands[k]
        met = load(reach, (at + pos) * _W)
        a, b = hands.card_a[pos], hands.card_b[pos]
        store(cards, a, load(cards, a) + met)
        store(cards, b, load(cards, b) + met)
        total = total + met
    return total


@njit(**LEAN)
def _sweep(hands, met, reach, at, cards, equal, worth, value, to, empty):
    """Add to a row of values what each hand beats plus what it does not lose to, and what it meets of its own kind.

    Less all that the hand can meet the first two are what it beats minus what it loses to. The hand itself is taken
    away once too often from what it does not lose to, and from all: these cancel. `worth` is what they and the hand
    itself count; the card table, which was empty, has all hands in the end. `met` are the opponent's hands and their
    ties.
    """
    (wins, mass), (met_hands, met_ties) = worth, met
    total = nothing(reach)
    for group in range(np.uint64(hands.ties.size) - _1):
        begin, end = hands.ties[group], hands.ties[group + _1]
        for pos in range(begin, end):  # weaker hands, without those that share a card
            weaker = total - load(cards, hands.card_a[pos]) - load(cards, hands.card_b[pos])
            store(equal, (pos - begin) * _W, weaker)
        total = _absorb(hands, met_hands, reach, at, cards, met_ties[group], met_ties[group + _1], total)
        for pos in range(begin, end):  # and those that are not stronger
            still = total - load(cards, hands.card_a[pos]) - load(cards, hands.card_b[pos])
            own = (load(equal, (pos - begin) * _W) + still) * wins + load(reach, (at + pos) * _W) * mass
            place = (to + pos) * _W
            store(value, place, own if empty else load(value, place) + own)
    store(cards, _TOTAL, total)


@njit(**LEAN)
def _pay(shape, hands, met, block, row, scratch):
    """Add what the opponent's row pays to own rows: hand by hand where needed, else to their sums by card."""
    first, last = shape.pays[row], shape.pays[row + _1]
    if first == last:
        return
    count, width = np.uint64(hands.order.size), shape.blocks * _W
    at, swept = shape.place[row] * count, False
    _clear(scratch.cards, _0, _TABLE // _W)
    for pay in range(first, last):
        place, lanes = shape.pay_to[pay], pay * width + block * _W
        mass, to = load(shape.mass, lanes), place * count
        if shape.pay_kind[pay] == SWEPT:
            worth, empty = (load(shape.wins, lanes), mass), scratch.empty[place]
            them = scratch.met, scratch.met_ties
            _sweep(hands, them, scratch.reach, at, scratch.cards, scratch.equal, worth, scratch.value, to, empty)
            scratch.empty[place], swept = False, True
        elif shape.pay_kind[pay] == MET:
            for pos in range(count):
                own = load(scratch.reach, (at + pos) * _W) * mass
                where = (to + pos) * _W
                store(scratch.value, where, own if scratch.empty[place] else load(scratch.value, where) + own)
            scratch.empty[place] = False
    if not swept:
        total = _absorb(hands, scratch.met, scratch.reach, at, scratch.cards, _0, met, nothing(scratch.reach))
        store(scratch.cards, _TOTAL, total)
    for pay in range(first, last):
        lanes, to = pay * width + block * _W, shape.pay_to[pay] * _TABLE
        each = load(shape.mass, lanes) - load(shape.wins, lanes)
        for card in range(_TABLE // _W):
            place = to + card * _W
            store(scratch.tables, place, load(scratch.tables, place) + load(scratch.cards, card * _W) * each)


@njit(**LEAN)
def _open(place, scratch):
    """Make an own row and its sums by card empty."""
    scratch.empty[place] = True
    _clear(scratch.tables, place * (_TABLE // _W), _TABLE // _W)


@njit(**LEAN)
def _fill(place, count, scratch):
    """Write zeros to an own row that got nothing hand by hand."""
    if scratch.empty[place]:
        _clear(scratch.value, place * count, count)
        scratch.empty[place] = False


@njit(**LEAN)
def _decide(shape, hands, block, decision, scratch):
    """Add the best action of an own decision to the row before it."""
    count, lanes = np.uint64(hands.order.size), (decision * shape.blocks + block) * _W
    one, two, before = shape.one[decision], shape.two[decision], shape.before[decision]
    _fill(one, count, scratch)
    _fill(two, count, scratch)
    met_one, met_two = load(shape.met_one, lanes), load(shape.met_two, lanes)
    met_before, at = load(shape.met_before, lanes), shape.facing[decision] * count
    sums_one, sums_two = one * _TABLE, two * _TABLE
    all_one, all_two = load(scratch.tables, sums_one + _TOTAL), load(scratch.tables, sums_two + _TOTAL)
    fold, empty, alone = shape.fold[decision], scratch.empty[before], one == two
    for pos in range(count):
        a, b, met = hands.card_a[pos], hands.card_b[pos], load(scratch.reach, (at + pos) * _W)
        best = load(scratch.value, (one * count + pos) * _W) + met * met_one
        best = best + all_one - load(scratch.tables, sums_one + a) - load(scratch.tables, sums_one + b)
        if not alone:
            other = load(scratch.value, (two * count + pos) * _W) + met * met_two
            other = other + all_two - load(scratch.tables, sums_two + a) - load(scratch.tables, sums_two + b)
            best = largest(best, other)
        if fold:
            best = largest(best, nothing(scratch.reach))
        best = best + met * met_before
        place = (before * count + pos) * _W
        store(scratch.value, place, best if empty else load(scratch.value, place) + best)
    scratch.empty[before] = False


@njit(**LEAN)
def _take_later(shape, hands, later, deck_hands, block, deal, scratch):
    """Add what follows a deal to the responder's row."""
    count, lanes = np.uint64(hands.order.size), (deal * shape.blocks + block) * _W
    place = shape.deal_to[deal]
    _fill(place, count, scratch)
    for lane in range(_W):
        line = shape.later[lanes + lane]
        if line >= 0:
            begin = np.uint64(line) // _W * deck_hands
            source, share = np.uint64(line) % _W, shape.share[lanes + lane]
            for pos in range(count):
                value = later[(begin + hands.order[pos]) * _W + source]
                scratch.value[(place * count + pos) * _W + lane] += share * value


@njit(**LEAN)
def respond(shape, strategy, hands, reach, later, sources, scratch, out):
    """Add the best values at the beginning of a round to `out`, once for each row of sources.

    ``sources[image, hand]`` is the live hand whose value a hand of the deck gets, or their number; `later` are the
    sums of the next round's values, by the same hands as `reach`.
    """
    count, deck_hands = np.uint64(hands.order.size), np.uint64(strategy.group.size)
    _group_hands(strategy, hands, scratch)
    for block in range(shape.blocks):
        met = _load_reach(shape, hands, reach, deck_hands, block, scratch)
        if met == _0:
            continue  # the opponent never plays these lines: all that follows is worth 0
        _open(_0, scratch)
        step = _0
        while step < np.uint64(shape.kind.size):
            kind, number = shape.kind[step], shape.number[step]
            step += _1
            if kind == OPEN:
                _open(shape.one[number], scratch)
                _open(shape.two[number], scratch)
            elif kind == ACT:
                if number > _0 and not _act(shape, strategy, count, met, block, number, scratch):
                    step = shape.past[number]
                else:
                    _pay(shape, hands, met, block, number, scratch)
            elif kind == DECIDE:
                _decide(shape, hands, block, number, scratch)
            else:
                _take_later(shape, hands, later, deck_hands, block, number, scratch)
        _fill(_0, count, scratch)
        begin, met_root = (shape.first_block + block) * deck_hands, load(shape.met_root, block * _W)
        total = load(scratch.tables, _TOTAL)
        for pos in range(count):
            own = load(scratch.value, pos * _W) + load(scratch.reach, pos * _W) * met_root
            own = own + total - load(scratch.tables, hands.card_a[pos]) - load(scratch.tables, hands.card_b[pos])
            store(scratch.value, pos * _W, own)
        for image in range(np.uint64(sources.shape[0])):
            for hand in range(deck_hands):  # in the order of memory
                pos = sources[image, hand]
                if pos < count:
                    place = (begin + hand) * _W
                    store(out, place, load(out, place) + load(scratch.value, pos * _W))


@njit(**LEAN)
def descend(shape, strategy, hands, reach, scratch, out):
    """Write the opponent's reach at the beginning of the next round, line by line."""
    count, deck_hands = np.uint64(hands.order.size), np.uint64(strategy.group.size)
    _group_hands(strategy, hands, scratch)
    for block in range(shape.blocks):
        met = _load_reach(shape, hands, reach, deck_hands, block, scratch)
        for step in range(np.uint64(shape.kind.size)):
            kind, number = shape.kind[step], shape.number[step]
            if kind == ACT and number > _0:
                _act(shape, strategy, count, met, block, number, scratch)
            elif kind == DEAL:
                at, lanes = shape.deal_from[number] * count, (number * shape.blocks + block) * _W
                for lane in range(_W):
                    line = shape.later[lanes + lane]
                    if line >= 0:
                        begin, place = np.uint64(line) // _W * deck_hands, np.uint64(line) % _W
                        for pos in range(count):
                            out[(begin + hands.order[pos]) * _W + place] = scratch.reach[(at + pos) * _W + lane]


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
def sweep_showdown(hands, met, reach, worth, scratch, out):
    """Write what each live hand beats of a reach, [hand in order of strength, lane], minus what it loses to.

    `met` are all live hands, `worth` has lanes of 1 and of 0.
    """
    cards, equal = scratch
    _clear(cards, _0, _TABLE // _W)
    _sweep(hands, (met, hands.ties), reach, _0, cards, equal, (load(worth, _0), load(worth, _W)), out, _0, True)
    total = load(cards, _TOTAL)
    for pos in range(np.uint64(hands.order.size)):
        everything = total - load(cards, hands.card_a[pos]) - load(cards, hands.card_b[pos])
        store(out, pos * _W, load(out, pos * _W) - everything)


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
