"""CFR-BR over betting nodes and buckets, a round of betting on a board at a time (Johanson 2016, section 4.3).

The player has buckets, so that its hands on a board are told apart only by the buckets that they have had so far: they
are a few *classes*. The responder is not abstracted and has every hand by itself. All that ends pay is then a matrix
product: of a row of reach by class with what a hand of the responder meets or beats of each class (`HandClasses`), or
of a row of reach by hand with the same matrix the other way round.

The betting of a round is a list of roots, the lines that lead to it, each with its nodes, parents first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.kernels.options import KERNEL, PART

FOLDED, SHOWN, DEAL = np.uint8(2), np.uint8(3), np.uint8(4)
"""Kinds of nodes beside the seats: a fold, a showdown, and the way to a root of the next round."""
_1 = np.float32(1.0)


class RoundBetting(NamedTuple):
    """The nodes of a round of betting, root by root."""

    start: NDArray[np.int64]  # [root], and one more
    kind: NDArray[np.uint8]  # [node] the seat to act, or one of the kinds above
    actions: NDArray[np.int64]  # [node]
    child: NDArray[np.int64]  # [node] the first one; the others follow it
    place: NDArray[np.int64]  # [node] where the player's table has a decision
    entry: NDArray[np.int64]  # [node] the decision's first action among all of its seat in the round
    number: NDArray[np.int64]  # [node] of the decision among those of its seat; of a deal, the root after it
    paid: NDArray[np.float32]  # [node, seat] what an end pays for every hand that is met
    won: NDArray[np.float32]  # [node, seat] what a showdown pays for each weaker hand, less that for each stronger one


class HandClasses(NamedTuple):
    """The hands on a board for the responder, and their classes for the player."""

    met: NDArray[np.float32]  # [class, hand] how many hands of the class share no card with the hand
    beaten: NDArray[np.float32]  # [class, hand] weaker ones minus stronger ones; empty unless the board is full
    size: NDArray[np.float32]  # [class] how many hands it has
    bucket: NDArray[np.int64]  # [class] its bucket in this round


class Scene(NamedTuple):
    """A round on a board for the player in a seat, as it is read."""

    betting: RoundBetting
    seat: np.int64
    classes: HandClasses
    table: NDArray[np.float32]
    """The player's regrets and averages."""
    reach: NDArray[np.float32]
    """The player's at the roots, by class."""
    later: NDArray[np.float32]
    """Values at the roots of the next round, by hand or by class."""


class ResponderPlay(NamedTuple):
    """What the responder does: the number of the action of each hand, [decision, hand], or, where it learns,
    probabilities, [entry, hand]; the other one is empty."""

    choice: NDArray[np.uint8]
    mixed: NDArray[np.float32]


class Rows(NamedTuple):
    """Rows of one root: the player's reach and values by class, the responder's by hand, and one strategy."""

    reach: NDArray[np.float32]  # [node, class]
    worth: NDArray[np.float32]  # [node, class]
    theirs: NDArray[np.float32]  # [node, hand]
    value: NDArray[np.float32]  # [node, hand]
    strategy: NDArray[np.float32]  # [action, class]


class LearningRound(NamedTuple):
    """The responder in a round in which it learns: its current strategy, the class of each hand among those that suits
    make alike, its actions, and how much an iteration counts."""

    mixed: NDArray[np.float32]  # [entry, hand]
    row_of: NDArray[np.int64]
    width: np.int64
    weight: np.float32


class Gains(NamedTuple):
    """Where the player's regrets and averages gain, in the order of its table, and by how much they are multiplied."""

    table: NDArray[np.float32]
    regret: np.float32
    average: np.float32


@njit(cache=True, nogil=True)
def meet(cards, klass, strength, met, beaten):
    """Write what each hand [hand, 2] meets of each class, and on a full board what it beats less what beats it.

    `strength` ranks the hands on a full board, and is empty on others.
    """
    classes, hands = met.shape
    by_card, total = np.zeros((52, classes), dtype=np.float32), np.zeros(classes, dtype=np.float32)
    _count(cards, klass, np.arange(hands), by_card, total)
    for h in range(hands):
        for k in range(classes):
            met[k, h] = total[k] - by_card[cards[h, 0], k] - by_card[cards[h, 1], k]
        met[klass[h], h] += _1  # the hand itself was taken away with both cards
    if len(strength) == 0:
        return
    by_card[:], total[:] = 0.0, 0.0
    order = np.argsort(strength)
    begin = 0
    while begin < hands:
        end = begin + 1
        while end < hands and strength[order[end]] == strength[order[begin]]:
            end += 1
        # Weaker hands, then those that are not stronger: less all that are met, they are weaker minus stronger ones.
        for j in range(begin, end):
            h = order[j]
            for k in range(classes):
                beaten[k, h] = total[k] - by_card[cards[h, 0], k] - by_card[cards[h, 1], k] - met[k, h]
        _count(cards, klass, order[begin:end], by_card, total)
        for j in range(begin, end):
            h = order[j]
            for k in range(classes):
                beaten[k, h] += total[k] - by_card[cards[h, 0], k] - by_card[cards[h, 1], k]
            beaten[klass[h], h] += _1
        begin = end


@njit(cache=True, nogil=True)
def _count(cards, klass, hands, by_card, total):
    """Add some hands to the number of hands of each class, with each card and in all."""
    for h in hands:
        by_card[cards[h, 0], klass[h]] += _1
        by_card[cards[h, 1], klass[h]] += _1
        total[klass[h]] += _1


@njit(**PART)
def _match(scene, node, strategy):
    """Write the player's current strategy at a decision, [action, class]."""
    betting, classes, table = scene.betting, scene.classes, scene.table
    actions, place = betting.actions[node], betting.place[node]
    for k in range(len(classes.bucket)):
        at = place + classes.bucket[k] * 2 * actions
        total = np.float32(0.0)
        for a in range(actions):
            strategy[a, k] = max(table[at + a], np.float32(0.0))
            total += strategy[a, k]
        for a in range(actions):
            strategy[a, k] = strategy[a, k] / total if total > 0.0 else _1 / np.float32(actions)


@njit(**PART)
def _reach(scene, root, rows):
    """Write the player's reach by class at all nodes after a root; return whether there is any."""
    betting, seat, classes, reach = scene.betting, scene.seat, scene.classes, scene.reach
    begin, end, count = betting.start[root], betting.start[root + 1], len(classes.bucket)
    some = False
    for k in range(count):
        rows.reach[0, k] = reach[root, k]
        some |= reach[root, k] > 0.0
    for node in range(begin, end):
        kind, at = betting.kind[node], node - begin
        if kind == seat:
            _match(scene, node, rows.strategy)
        if kind <= 1:
            for a in range(betting.actions[node]):
                to = betting.child[node] - begin + a
                for k in range(count):
                    rows.reach[to, k] = rows.reach[at, k] * (rows.strategy[a, k] if kind == seat else _1)
    return some


@njit(**PART)
def _reach_of_hands(betting, root, seat, answers, theirs, rows):
    """Write the reach of the responder, who is not in `seat`, by hand at all nodes after a root."""
    begin, end, hands = betting.start[root], betting.start[root + 1], theirs.shape[1]
    some = False
    for h in range(hands):
        rows.theirs[0, h] = theirs[root, h]
        some |= theirs[root, h] > 0.0
    for node in range(begin, end):
        kind, at = betting.kind[node], node - begin
        for a in range(betting.actions[node]):
            to = betting.child[node] - begin + a
            if kind == seat:
                for h in range(hands):
                    rows.theirs[to, h] = rows.theirs[at, h]
            elif len(answers.mixed) > 0:
                entry = betting.entry[node] + a
                for h in range(hands):
                    rows.theirs[to, h] = rows.theirs[at, h] * answers.mixed[entry, h]
            else:
                number = betting.number[node]
                for h in range(hands):
                    chosen = answers.choice[number, h] == a
                    rows.theirs[to, h] = rows.theirs[at, h] if chosen else np.float32(0.0)
    return some


@njit(**KERNEL)
def descend(scene, rows, out):
    """Write the player's reach by class at the roots of the next round."""
    betting, classes = scene.betting, scene.classes
    for root in range(len(betting.start) - 1):
        begin = betting.start[root]
        _reach(scene, root, rows)
        for node in range(begin, betting.start[root + 1]):
            if betting.kind[node] == DEAL:
                for k in range(len(classes.bucket)):
                    out[betting.number[node], k] = rows.reach[node - begin, k]


@njit(**KERNEL)
def descend_hands(betting, seat, answers, theirs, rows, out):
    """Write the responder's reach by hand at the roots of the next round."""
    for root in range(len(betting.start) - 1):
        begin = betting.start[root]
        _reach_of_hands(betting, root, seat, answers, theirs, rows)
        for node in range(begin, betting.start[root + 1]):
            if betting.kind[node] == DEAL:
                for h in range(theirs.shape[1]):
                    out[betting.number[node], h] = rows.theirs[node - begin, h]


@njit(**PART)
def _add_product(reach, factor, matrix, value):
    """Add a multiple of the product of a row of reach by class with a matrix [class, hand] to a row."""
    hands = matrix.shape[1]
    for k in range(matrix.shape[0]):
        share = reach[k] * factor
        if share != 0.0:
            for h in range(hands):
                value[h] += share * matrix[k, h]


@njit(**PART)
def _end(betting, node, seat, classes, reach, value):
    """Write what the responder's hands win at an end."""
    other = 1 - seat
    for h in range(classes.met.shape[1]):
        value[h] = np.float32(0.0)
    if betting.paid[node, other] != 0.0:
        _add_product(reach, betting.paid[node, other], classes.met, value)
    if betting.kind[node] == SHOWN:
        _add_product(reach, betting.won[node, other], classes.beaten, value)


@njit(**KERNEL)
def respond(scene, rows, first, last, choice, out):
    """Answer the player with the best action of every hand, after some of the roots.

    ``choice[decision, hand]`` gets the actions, and `out` the values at the roots.
    """
    betting, seat, classes, later = scene.betting, scene.seat, scene.classes, scene.later
    hands = classes.met.shape[1]
    for root in range(first, last):
        begin, end = betting.start[root], betting.start[root + 1]
        some = _reach(scene, root, rows)
        for node in range(end - 1, begin - 1, -1):
            kind, value = betting.kind[node], rows.value[node - begin]
            if not some:  # nothing is met, and every action is as good
                for h in range(hands):
                    value[h] = np.float32(0.0)
                    if kind == 1 - seat:
                        choice[betting.number[node], h] = 0
            elif kind == DEAL:
                for h in range(hands):
                    value[h] = later[betting.number[node], h]
            elif kind in (FOLDED, SHOWN):
                _end(betting, node, seat, classes, rows.reach[node - begin], value)
            else:
                child = betting.child[node] - begin
                for h in range(hands):
                    value[h] = rows.value[child, h]
                if kind == 1 - seat:
                    chosen = choice[betting.number[node]]
                    for h in range(hands):
                        chosen[h] = 0
                for a in range(1, betting.actions[node]):
                    other = rows.value[child + a]
                    if kind == seat:
                        for h in range(hands):
                            value[h] += other[h]
                    else:
                        for h in range(hands):
                            better = other[h] > value[h]
                            value[h] = other[h] if better else value[h]
                            chosen[h] = np.uint8(a) if better else chosen[h]
        for h in range(hands):
            out[root, h] = rows.value[0, h]


@njit(**KERNEL)
def mix(betting, seat, row_of, width, regrets, mixed):
    """Write the responder's current strategy in a round in which it learns, [entry, hand].

    Its regrets are [class of hands and boards that suits make alike, entry], `row_of` the class of each hand.
    """
    for node in range(len(betting.kind)):
        if betting.kind[node] != 1 - seat:
            continue
        entry, actions = betting.entry[node], betting.actions[node]
        for h in range(len(row_of)):
            at, total = row_of[h] * width + entry, np.float32(0.0)
            for a in range(actions):
                mixed[entry + a, h] = max(regrets[at + a], np.float32(0.0))
                total += mixed[entry + a, h]
            for a in range(actions):
                mixed[entry + a, h] = mixed[entry + a, h] / total if total > 0.0 else _1 / np.float32(actions)


@njit(**KERNEL)
def learn(scene, rows, learning, regrets, out):
    """Add to the responder's regrets in a round in which it learns, and write its values at the roots."""
    betting, seat, classes, later = scene.betting, scene.seat, scene.classes, scene.later
    mixed, row_of, width, weight = learning
    hands = classes.met.shape[1]
    for root in range(len(betting.start) - 1):
        begin, end = betting.start[root], betting.start[root + 1]
        _reach(scene, root, rows)
        for node in range(end - 1, begin - 1, -1):
            kind, value = betting.kind[node], rows.value[node - begin]
            if kind == DEAL:
                for h in range(hands):
                    value[h] = later[betting.number[node], h]
            elif kind in (FOLDED, SHOWN):
                _end(betting, node, seat, classes, rows.reach[node - begin], value)
            else:
                child, entry = betting.child[node] - begin, betting.entry[node]
                for h in range(hands):
                    value[h] = np.float32(0.0)
                for a in range(betting.actions[node]):
                    for h in range(hands):
                        value[h] += rows.value[child + a, h] * (_1 if kind == seat else mixed[entry + a, h])
                if kind != seat:  # R(I, a) += v(I, a) - v(I)
                    for h in range(hands):
                        at = row_of[h] * width + entry
                        for a in range(betting.actions[node]):
                            regrets[at + a] += weight * (rows.value[child + a, h] - value[h])
        for h in range(hands):
            out[root, h] = rows.value[0, h]


@njit(**PART)
def _worth_of_end(betting, node, seat, classes, theirs, worth):
    """Write what the player's classes win at an end, added up over their hands."""
    paid, won = betting.paid[node, seat], betting.won[node, seat]
    shown = betting.kind[node] == SHOWN
    for k in range(len(classes.bucket)):
        total = np.float32(0.0)
        if paid != 0.0:
            for h in range(classes.met.shape[1]):
                total += theirs[h] * classes.met[k, h]
        worth[k] = paid * total
        if shown:  # what a hand beats of a class, the class loses to it
            total = np.float32(0.0)
            for h in range(classes.met.shape[1]):
                total += theirs[h] * classes.beaten[k, h]
            worth[k] -= won * total


@njit(**PART)
def _gain(betting, node, begin, classes, rows, gains):
    """Write the player's values at one of its decisions, and what its buckets gain."""
    actions, child, at_node = betting.actions[node], betting.child[node] - begin, node - begin
    worth = rows.worth[at_node]
    for k in range(len(classes.bucket)):
        value = np.float32(0.0)
        for a in range(actions):
            value += rows.strategy[a, k] * rows.worth[child + a, k]
        worth[k] = value
        # R(I, a) += v(I, a) - v(I), and the average gains the strategy weighted by the own reach, over all hands.
        at = betting.place[node] + classes.bucket[k] * 2 * actions
        share = gains.average * rows.reach[at_node, k] * classes.size[k]
        for a in range(actions):
            gains.table[at + a] += gains.regret * (rows.worth[child + a, k] - value)
            gains.table[at + actions + a] += share * rows.strategy[a, k]


@njit(**KERNEL)
def teach(scene, theirs, answers, rows, first, last, gains, out):
    """Write the player's values by class at some of the roots against the responder's answers, and what its buckets
    gain after them; `theirs` is the responder's reach at the roots.
    """
    betting, seat, classes, later = scene.betting, scene.seat, scene.classes, scene.later
    count = len(classes.bucket)
    for root in range(first, last):
        begin, end = betting.start[root], betting.start[root + 1]
        mine = _reach(scene, root, rows)
        others = _reach_of_hands(betting, root, seat, answers, theirs, rows)
        for k in range(count):
            rows.worth[0, k] = np.float32(0.0)
        for node in range(end - 1, begin - 1, -1):
            if not (mine or others):
                break
            kind, worth = betting.kind[node], rows.worth[node - begin]
            if kind == seat:
                _match(scene, node, rows.strategy)
                _gain(betting, node, begin, classes, rows, gains)
            elif kind == DEAL:
                for k in range(count):
                    worth[k] = later[betting.number[node], k]
            elif kind in (FOLDED, SHOWN):
                _worth_of_end(betting, node, seat, classes, rows.theirs[node - begin], worth)
            else:
                child = betting.child[node] - begin
                for k in range(count):
                    total: Any = np.float32(0.0)
                    for a in range(betting.actions[node]):
                        total += rows.worth[child + a, k]
                    worth[k] = total
        for k in range(count):
            out[root, k] = rows.worth[0, k]


@njit(**KERNEL)
def add_columns(values, column, share, out):
    """Add a share of each column of values to a column of `out`."""
    for row in range(values.shape[0]):
        for k in range(values.shape[1]):
            out[row, column[k]] += share * values[row, k]
