"""Walks of a public tree for one sampled set of public cards, with or without sampled hands.

See Johanson 2016, section 3.2.

All public cards are drawn first, so one walk knows one full board: every row is a vector over the hands that live on
it, on early streets too, and the betting of all streets is one tree of each player's own actions (its *sequences*).
A walk for player i is

1. top-down over both players' nodes: strategies from regrets, looked up per bucket, and reach rows;
2. ends: counterfactual values of player i's hands, summed over the opponent's;
3. bottom-up over player i's nodes: values, and regrets and average added to the hand's bucket.

The hands of either player may be cut down to a sampled one: rows then have length one and a walk does no vector work.
What a sample is drawn with is made up for by `scale`, the chance of the pairs of hands on this board over the chance
of the sample. A subtree that the opponent never reaches is walked nevertheless: the average needs it.

A best responder (Johanson 2016, section 4.3) takes, on the last street, the best action of each hand instead of regret
matching; the other player's walk on the same board then meets these pure strategies, which stay in the scratch rows.
See `board_responder` for the iterations of CFR-BR.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from counterpoise.kernels.drawing import find_draw
from counterpoise.kernels.options import LEAN
from counterpoise.kernels.random import uniform
from counterpoise.sampling.kernels.board_layouts import CARDS, NOBODY, WalkRule

KERNEL: dict[str, Any] = LEAN | {"error_model": "numpy"}
PART: dict[str, Any] = KERNEL | {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}

_0, _1, _2 = np.uint64(0), np.uint64(1), np.uint64(2)


@njit(**PART)
def _match(game, board, player, regrets, kept_street):
    """Write strategies and reach of one player, top-down; `kept_street` keeps the strategies of the last walk."""
    paths, boards, sides, scratch = game.paths, game.boards, game.sides, game.scratch
    count, begin = sides.counts[player], boards.begin[player, board]
    strategy, reach, slots, total = scratch.strategy[player], scratch.reach[player], sides.slots[player], scratch.sums
    # Every hand reaches the beginning; nodes follow, parents first.
    for j in range(count):
        reach[j] = 1.0
    for node in range(paths.node_start[player], paths.node_start[player + _1]):
        street, actions, column = paths.street[node], paths.actions[node], paths.column[node]
        above, below = paths.parent[node] * count, paths.first[node] * count
        if street != kept_street:
            # Regret matching: the positive regrets of a hand's bucket, divided by their sum, or all actions alike.
            for j in range(count):
                at = sides.places[street, begin + slots[j]] + column
                sum_ = 0.0
                for a in range(actions):
                    regret = max(regrets[at + a], 0.0)
                    strategy[below + a * count + j] = regret
                    sum_ += regret
                total[j] = sum_
            even = 1.0 / np.float64(actions)
            for a in range(actions):
                for j in range(count):
                    part = strategy[below + a * count + j] / total[j]
                    strategy[below + a * count + j] = part if total[j] > 0.0 else even
        # Reach of a sequence: that of the sequence before times the probability of the action.
        for a in range(actions):
            for j in range(count):
                reach[below + a * count + j] = reach[above + j] * strategy[below + a * count + j]


@njit(**PART)
def _share_a_card(boards, hand, other):
    """Return whether two hands cannot be dealt together."""
    cards = boards.card_a[other], boards.card_b[other]
    return boards.card_a[hand] in cards or boards.card_b[hand] in cards


@njit(**PART)
def _compatible(boards, own, met, own_count, count, reach, row, scratch):
    """Write, per own hand, the mass of the opponent's hands that share no card with it, in O(n)."""
    by_card, total = scratch.by_card, 0.0
    # Inclusion and exclusion: all hands, without those that have the first card or the second.
    for card in range(CARDS):
        by_card[card] = 0.0
    for j in range(count):
        mass = reach[row + j]
        total += mass
        by_card[boards.card_a[met + j]] += mass
        by_card[boards.card_b[met + j]] += mass
    for k in range(own_count):
        same = np.uint64(boards.same[own + k])
        twice = reach[row + same] if same < count else 0.0  # taken away with both cards
        scratch.mass[k] = total - by_card[boards.card_a[own + k]] - by_card[boards.card_b[own + k]] + twice


@njit(**PART)
def _showdown(boards, own, met, own_count, count, reach, row, scratch):
    """Write, per own hand, the mass of weaker minus and plus that of stronger hands of the opponent, in two sweeps."""
    by_card, wins, decided, level = scratch.by_card, scratch.wins, scratch.decided, boards.level
    # From weak to strong: the mass of the opponent's weaker hands, without those that share a card.
    for card in range(CARDS):
        by_card[card] = 0.0
    weaker, j = 0.0, _0
    for k in range(own_count):
        while j < count and level[met + j] < level[own + k]:
            mass = reach[row + j]
            weaker += mass
            by_card[boards.card_a[met + j]] += mass
            by_card[boards.card_b[met + j]] += mass
            j += _1
        decided[k] = weaker - by_card[boards.card_a[own + k]] - by_card[boards.card_b[own + k]]
    # From strong to weak: the same of stronger hands.
    for card in range(CARDS):
        by_card[card] = 0.0
    stronger, j = 0.0, count
    for back in range(own_count):
        k = own_count - _1 - back
        while j > _0 and level[met + j - _1] > level[own + k]:
            j -= _1
            mass = reach[row + j]
            stronger += mass
            by_card[boards.card_a[met + j]] += mass
            by_card[boards.card_b[met + j]] += mass
        losing = stronger - by_card[boards.card_a[own + k]] - by_card[boards.card_b[own + k]]
        wins[k] = decided[k] - losing
        decided[k] += losing


@njit(**PART)
def _ends_of_vectors(game, board, player):
    """Add folds and showdowns with all hands on both sides; sums for an opponent's row serve all ends after it."""
    paths, boards, sides, scratch = game.paths, game.boards, game.sides, game.scratch
    opponent = _1 - player
    own, met = boards.begin[player, board], boards.begin[opponent, board]
    own_count, count = sides.counts[player], sides.counts[opponent]
    reach, value = scratch.reach[opponent], scratch.value
    no_row = np.uint64(reach.size)
    summed, compared = no_row, no_row
    for order in range(paths.leaf_order.shape[1]):
        leaf = paths.leaf_order[player, order]
        row, out = paths.leaf_row[opponent, leaf] * count, paths.leaf_row[player, leaf] * own_count
        by_wins, by_mass, by_decided = paths.leaf_wins[leaf], paths.leaf_mass[player, leaf], paths.leaf_decided[leaf]
        if by_wins != 0.0:
            if compared != row:
                _showdown(boards, own, met, own_count, count, reach, row, scratch)
                compared = row
            for k in range(own_count):
                value[out + k] += by_wins * scratch.wins[k]
            if by_decided != 0.0:
                for k in range(own_count):
                    value[out + k] += by_decided * scratch.decided[k]
        if by_mass != 0.0:
            if summed != row:
                _compatible(boards, own, met, own_count, count, reach, row, scratch)
                summed = row
            for k in range(own_count):
                value[out + k] += by_mass * scratch.mass[k]


@njit(**PART)
def _ends_of_samples(game, board, player):
    """Add folds and showdowns with a sampled hand on at least one side, pair by pair."""
    paths, boards, sides, scratch = game.paths, game.boards, game.sides, game.scratch
    opponent = _1 - player
    own, met = boards.begin[player, board], boards.begin[opponent, board]
    own_count, count = sides.counts[player], sides.counts[opponent]
    reach, value = scratch.reach[opponent], scratch.value
    for k in range(own_count):
        hand = own + sides.slots[player, k]
        level = boards.level[hand]
        for j in range(count):
            other = met + sides.slots[opponent, j]
            if _share_a_card(boards, hand, other):
                continue
            sign = 0.0
            if level > boards.level[other]:
                sign = 1.0
            elif level < boards.level[other]:
                sign = -1.0
            for leaf in range(paths.leaf_wins.size):
                payoff = paths.leaf_wins[leaf] * sign + paths.leaf_mass[player, leaf]
                payoff += paths.leaf_decided[leaf] * sign * sign
                row = paths.leaf_row[opponent, leaf] * count + j
                value[paths.leaf_row[player, leaf] * own_count + k] += payoff * reach[row]


@njit(**PART)
def _ends_by_matrix(game, board, player):
    """Add the ends of games whose payoffs are matrices."""
    paths, boards, sides, scratch = game.paths, game.boards, game.sides, game.scratch
    opponent = _1 - player
    own_count, count = sides.counts[player], sides.counts[opponent]
    width = boards.held[player, board]
    size = width * boards.held[opponent, board]
    reach, value = scratch.reach[opponent], scratch.value
    for leaf in range(paths.leaf_matrix.size):
        begin = boards.matrix[player, board] + paths.leaf_matrix[leaf] * size
        row, out = paths.leaf_row[opponent, leaf] * count, paths.leaf_row[player, leaf] * own_count
        for j in range(count):
            mass, at = reach[row + j], begin + sides.slots[opponent, j] * width
            for k in range(own_count):
                value[out + k] += mass * boards.payoffs[at + sides.slots[player, k]]


@njit(**PART)
def _update(game, board, player, rule, updated, average):
    """Write the values of one player's nodes, last first, and add to regrets and average of its buckets.

    On the last street a responder plays its best response instead."""
    paths, boards, sides, scratch = game.paths, game.boards, game.sides, game.scratch
    responds = rule.responder == player
    count, begin = sides.counts[player], boards.begin[player, board]
    last_street = np.uint64(sides.places.shape[0]) - _1
    strategy, reach, value, slots = scratch.strategy[player], scratch.reach[player], scratch.value, sides.slots[player]
    mixed, share = scratch.sums, scratch.shares
    node = paths.node_start[player + _1]
    while node > paths.node_start[player]:
        node -= _1
        street, actions, column = paths.street[node], paths.actions[node], paths.column[node]
        above, below = paths.parent[node] * count, paths.first[node] * count
        if responds and street == last_street:
            # A best response: each hand takes the action of the highest value.
            for j in range(count):
                best: Any = _0
                for a in range(_1, actions):
                    if value[below + a * count + j] > value[below + best * count + j]:
                        best = a
                for a in range(actions):
                    strategy[below + a * count + j] = 1.0 if a == best else 0.0
                value[above + j] += value[below + best * count + j]
            continue
        # v(I): the mean of the actions' values by the current strategy.
        for j in range(count):
            mixed[j] = 0.0
            share[j] = rule.weight * reach[above + j]
        for a in range(actions):
            for j in range(count):
                mixed[j] += strategy[below + a * count + j] * value[below + a * count + j]
        # R(I, a) += v(I, a) - v(I), and the average gains the strategy weighted by the own reach, bucket by bucket.
        for j in range(count):
            at = sides.places[street, begin + slots[j]] + column
            for a in range(actions):
                updated[at + a] += rule.scale * (value[below + a * count + j] - mixed[j])
                average[at + a] += share[j] * strategy[below + a * count + j]
        for j in range(count):
            value[above + j] += mixed[j]
        if rule.floor:  # once all hands of a bucket have been added
            for j in range(count):
                at = sides.places[street, begin + slots[j]] + column
                for a in range(actions):
                    updated[at + a] = max(updated[at + a], 0.0)


@njit(**KERNEL)
def walk(game, board, player, rule, tables):
    """Walk once for one player: strategies are matched from ``tables.regrets``, ``tables.updated`` gains regrets."""
    sides = game.sides
    last_street = np.uint64(sides.places.shape[0]) - _1
    opponent = _1 - player
    none = last_street + _1
    # Top-down: strategies and reach of both players; a responder keeps its answers.
    _match(game, board, opponent, tables.regrets, last_street if rule.responder == opponent else none)
    _match(game, board, player, tables.regrets, none)
    # Ends: counterfactual values of the own hands.
    for k in range(game.paths.rows[player] * sides.counts[player]):
        game.scratch.value[k] = 0.0
    if game.boards.payoffs.size > 0:
        _ends_by_matrix(game, board, player)
    elif sides.counts[player] == _1 or sides.counts[opponent] == _1:
        _ends_of_samples(game, board, player)
    else:
        _ends_of_vectors(game, board, player)
    # Bottom-up: values, regrets and the average.
    _update(game, board, player, rule, tables.updated, tables.average)


@njit(**PART)
def select_all_hands(boards, board, sides):
    """Select all hands of both players on a board."""
    for player in range(_2):
        sides.counts[player] = boards.held[player, board]
        for k in range(boards.held[player, board]):
            sides.slots[player, k] = k


@njit(**PART)
def _draw_hand(random, boards, board, player, sides):
    """Draw a hand of a player on a board and return its probability."""
    begin, held = boards.begin[player, board], boards.held[player, board]
    hand = find_draw(boards.drawn, begin, held, uniform(random))
    sides.slots[player, 0], sides.counts[player] = hand, _1
    return boards.drawn[begin + hand] - (boards.drawn[begin + hand - _1] if hand > _0 else 0.0)


@njit(**PART)
def _draw_other(random, boards, board, player, sides):
    """Draw a hand of a player on a board, given the hand that was drawn for the opponent."""
    begin, held = boards.begin[player, board], boards.held[player, board]
    sides.counts[player] = _1
    given = sides.slots[_1 - player, 0]
    if boards.payoffs.size > 0:
        first = boards.pair_start[board]
        width = boards.held[1, board]
        step = width if player == _0 else _1
        at = first + (given if player == _0 else given * width)
        total = 0.0
        for k in range(held):
            total += boards.pairs[at + k * step]
        draw = uniform(random) * total
        hand: Any = _0
        for k in range(held):
            if boards.pairs[at + k * step] > 0.0:
                hand = k
                draw -= boards.pairs[at + k * step]
                if draw < 0.0:
                    break
        sides.slots[player, 0] = hand
        return
    other = boards.begin[_1 - player, board] + given
    while True:  # every hand that shares no card is as likely
        hand = min(np.uint64(uniform(random) * np.float64(held)), held - _1)
        if not _share_a_card(boards, begin + hand, other):
            sides.slots[player, 0] = hand
            return


@njit(**PART)
def _pair_chance(boards, board, first, second):
    """Return the probability of a board together with one pair of hands."""
    if boards.payoffs.size > 0:
        return boards.pairs[boards.pair_start[board] + first * boards.held[1, board] + second]
    return boards.density[board]


@njit(**KERNEL)
def sample_walks(game, own_sampled, opponent_sampled, floor, weights, random, tables):
    """Run an iteration for each weight: one walk per player, each on a board (and with hands) of its own."""
    boards, sides = game.boards, game.sides
    for t in range(weights.size):
        for turn in range(2):
            player = np.uint64(turn)
            # The board, then the hands that are drawn, and how likely the sample is.
            board = find_draw(boards.cumulative, _0, np.uint64(boards.chance.size), uniform(random))
            probability = boards.chance[board]
            select_all_hands(boards, board, sides)
            if own_sampled:
                probability *= _draw_hand(random, boards, board, player, sides)
                if opponent_sampled:
                    _draw_other(random, boards, board, _1 - player, sides)
                    probability = _pair_chance(boards, board, sides.slots[0, 0], sides.slots[1, 0])
            elif opponent_sampled:
                probability *= _draw_hand(random, boards, board, _1 - player, sides)
            # Importance weight: what the sample stands for over how often it is drawn.
            rule = WalkRule(boards.density[board] / probability, weights[t], floor, NOBODY)
            walk(game, board, player, rule, tables)


@njit(**KERNEL)
def walk_all_boards(game, player, weight, tables):
    """Walk every board for one player: regrets gain what they would in one iteration of CFR, the average `weight`."""
    boards = game.boards
    for b in range(boards.chance.size):
        board = np.uint64(b)
        select_all_hands(boards, board, game.sides)
        rule = WalkRule(boards.density[board], weight * boards.chance[board], False, NOBODY)
        walk(game, board, player, rule, tables)


@njit(**KERNEL)
def full_walks(game, positive, negative, weights, tables):
    """Run an iteration for each weight, over all boards, players in turn: nothing is sampled.

    Buckets may be shared by boards, so strategies are those before the iteration until all boards are done. Then
    positive and negative regret sums are multiplied by the factors of the iteration.
    """
    regrets, updated = tables.regrets, tables.updated
    for t in range(weights.size):
        for turn in range(2):
            for k in range(regrets.size):
                updated[k] = regrets[k]
            walk_all_boards(game, np.uint64(turn), weights[t], tables)
            for k in range(regrets.size):
                regrets[k] = updated[k]
        for k in range(regrets.size):
            regrets[k] *= positive[t] if regrets[k] > 0.0 else negative[t]


@njit(**KERNEL)
def board_values(game, player, chosen, tables, out):
    """Write what a player wins on average on each of the `chosen` boards; ``tables.regrets`` are both strategies."""
    boards, sides = game.boards, game.sides
    for n in range(chosen.size):
        board = chosen[n]
        select_all_hands(boards, board, sides)
        walk(game, board, player, WalkRule(0.0, 0.0, False, NOBODY), tables)
        won = 0.0
        for k in range(sides.counts[player]):
            won += game.scratch.value[k]
        out[n] = won * boards.density[board] / boards.chance[board]
