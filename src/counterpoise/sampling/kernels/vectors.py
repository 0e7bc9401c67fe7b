"""Public chance sampling over betting nodes and buckets, for two seats: one board, all hands at once (our own choice,
not one of the sources).

A board is dealt to its end, and the hands that it leaves are put in order of strength. A walk of a seat takes both
seats' reach of all hands through the whole betting tree and adds to the regrets of its buckets what their hands would
gain, weighted by the other seat's reach, and to its average strategy the current one, weighted by its own reach. With
the weight 1 / (hands x opponent's hands) this is what external sampling adds on average.

The tree is cut at a frontier of nodes, below which walks are independent and may run on several threads: `walk_vectors`
goes down to the frontier and writes down the reach there (`COLLECT`), then walks below each frontier node (`BELOW`),
and at last the top again, with the values found (`FINISH`). No thread changes what another one reads.

Regret-based sampling (Brown 2020, section 6.3): an own action of very negative regret is explored by each bucket with a
probability of its own. A bucket that does not explore it learns nothing about it, and what no bucket explores is not
walked. In the strategies of a walk such an entry is `UNEXPLORED`, below 0; the current strategy does not play it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.cards.kernels.evaluator import board_strengths
from counterpoise.kernels.options import LEAN
from counterpoise.kernels.random import uniform
from counterpoise.kernels.regret_matching import regret_based_probability
from counterpoise.sampling.kernels.blocks import ACTIONS, BYTE, END_OF_HAND, KIND, MOST_ACTIONS, NEXT, PLACE, ROUND
from counterpoise.sampling.kernels.dealing import draw_after_flop, draw_cards, locate, seed_hand

COLLECT, BELOW, FINISH = 0, 1, 2
NO_SLOT = -1
UNEXPLORED = np.float32(-1.0)
LOSE, TIE, WIN = 0, 1, 2

_FAST: dict[str, Any] = LEAN | {"error_model": "numpy", "fastmath": {"contract", "nsz", "nnan", "ninf"}}
_PLAIN: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}
_U0, _U2 = np.uint64(0), np.uint64(2)


class BoardHands(NamedTuple):
    """The hands that a board leaves, from weak to strong; written by `deal_board`."""

    live: NDArray[np.int64]  # [1] how many there are
    card: NDArray[np.uint8]  # [2, place]
    end: NDArray[np.int32]  # [place] where the hands begin that are stronger
    buckets: NDArray[np.uint32]  # [seat, round, place]


class VectorTree(NamedTuple):
    """A betting tree of two seats for walks with vectors."""

    nodes: NDArray[np.uint32]  # [node, 4], as in `WalkTree`
    buckets: NDArray[np.uint32]  # [seat, round]
    paid: NDArray[np.float64]  # [row of ends, seat, LOSE TIE WIN]
    shown: NDArray[np.bool_]  # [row of ends] whether the hands are compared
    slot: NDArray[np.int32]  # [node] of the frontier, or `NO_SLOT`


class FrontierNodes(NamedTuple):
    """Reach of both seats and values at the nodes of the frontier."""

    node: NDArray[np.uint32]  # [slot]
    reach: NDArray[np.float32]  # [slot, seat, place]
    value: NDArray[np.float32]  # [slot, place]


class Frames(NamedTuple):
    """The path of a walk, [depth, ...]: reach of both seats, values of actions and strategies of buckets."""

    node: NDArray[np.uint64]
    action: NDArray[np.int64]
    reach: NDArray[np.float32]  # [depth, seat, place]
    value: NDArray[np.float32]  # [depth, place]
    child: NDArray[np.float32]  # [depth, action, place]
    strategy: NDArray[np.float32]  # [depth, action, bucket]
    gain: NDArray[np.float64]  # [bucket]
    by_card: NDArray[np.float64]  # [2, card]


@njit(**_PLAIN)
def deal_board(cards, seed, number, dealt, hands):
    """Deal a full board and put the hands it leaves in order of strength, with their buckets in every round."""
    seed_hand(seed, np.uint64(number), dealt.random)
    draw_cards(cards, dealt)
    arrange_hands(cards, dealt, hands)


@njit(**_PLAIN)
def deal_after_flop(cards, flops, seed, number, dealt, hands):
    """Deal one of `flops` and the rest of the board; put the hands it leaves in order as `deal_board` does."""
    seed_hand(seed, np.uint64(number), dealt.random)
    draw_after_flop(cards, flops, dealt)
    arrange_hands(cards, dealt, hands)


@njit(**_PLAIN)
def arrange_hands(cards, dealt, hands):
    """Put the hands that the dealt board leaves in order of strength, with their buckets in every round."""
    last = np.int64(cards.board_cards[-1])
    strengths = np.empty((1, len(cards.hands)), dtype=np.uint16)
    board_strengths(dealt.board[:, :last], cards.hands, cards.strength, strengths)
    order = np.argsort(strengths[0], kind="mergesort")
    # Hands that share a card with the board have strength 0 and come first.
    dead = 0
    while strengths[0, order[dead]] == 0:
        dead += 1
    count = len(order) - dead
    hands.live[0] = count
    # From strong to weak: where the hands begin that are stronger.
    end = count
    for k in range(count - 1, -1, -1):
        hand = order[dead + k]
        if k + 1 < count and strengths[0, hand] < strengths[0, order[dead + k + 1]]:
            end = k + 1
        hands.end[k] = end
        hands.card[0, k], hands.card[1, k] = cards.hands[hand, 0], cards.hands[hand, 1]
    # The buckets of both seats in every round.
    for number in range(len(cards.board_cards)):
        at, renaming = locate(cards, number, dealt)
        for seat in range(2):
            first = np.int64(cards.first_row[seat, number]) + at * len(cards.hands)
            for k in range(count):
                hands.buckets[seat, number, k] = cards.rows[first + cards.hand_maps[renaming, order[dead + k]]]


@njit(**_FAST)
def walk_vectors(tree, table, hands, frames, frontier, seat, mode, slot, sampled):
    """Walk for one seat from the root, or below a frontier node, and return the number of nodes touched.

    The values are left in ``frontier.value[slot]`` by a walk below the frontier. `sampled` are C, K and the random
    state of regret-based sampling; None: all actions are explored.
    """
    count = hands.live[0]
    touched, depth = 0, np.int64(0)
    node = np.uint64(frontier.node[slot]) if mode == BELOW else _U0
    for player in range(2):
        for k in range(count):
            frames.reach[0, player, k] = frontier.reach[slot, player, k] if mode == BELOW else np.float32(1.0)
    arriving = True
    while True:
        if arriving:
            touched += 1
            frames.node[depth], frames.action[depth] = node, 0
            kind = tree.nodes[node, KIND]
            at_frontier = mode != BELOW and tree.slot[node] != NO_SLOT
            # Ends and nodes of the frontier have values; a decision continues with its first action.
            if at_frontier:
                visit_frontier(tree, frames, frontier, depth, mode, count)
            elif kind & BYTE == END_OF_HAND:
                if mode == COLLECT:
                    pass
                elif tree.shown[tree.nodes[node, NEXT]]:
                    showdown(tree, hands, frames, depth, seat)
                else:
                    uncontested(tree, hands, frames, depth, seat)
            elif no_reach(frames, depth, count):
                for k in range(count):
                    frames.value[depth, k] = np.float32(0.0)
            else:
                match_buckets(tree, table, frames, depth)
                if kind & BYTE != seat:
                    for k in range(count):
                        frames.value[depth, k] = np.float32(0.0)
                else:
                    sample_actions(tree, table, frames, depth, sampled)
                    frames.action[depth] = next_explored(tree, frames, depth, 0)
                reach_child(tree, hands, frames, depth)
                node = np.uint64(tree.nodes[node, NEXT]) + np.uint64(frames.action[depth])
                depth += 1
                continue
        # The values of the node are known: hand them to its parent.
        if depth == 0:
            break
        top = depth - 1
        parent = frames.node[top]
        kind = tree.nodes[parent, KIND]
        action = frames.action[top]
        if kind & BYTE == seat:
            for k in range(count):
                frames.child[top, action, k] = frames.value[depth, k]
        else:
            for k in range(count):
                frames.value[top, k] += frames.value[depth, k]
        action = next_explored(tree, frames, top, action + 1) if kind & BYTE == seat else action + 1
        frames.action[top] = action
        if action < np.int64((kind >> ACTIONS) & MOST_ACTIONS):
            reach_child(tree, hands, frames, top)
            node = np.uint64(tree.nodes[parent, NEXT]) + np.uint64(action)
            arriving = True
            continue
        if kind & BYTE == seat and mode != COLLECT:
            update(tree, table, hands, frames, top, seat)
        depth, arriving = top, False
    if mode == BELOW:
        for k in range(count):
            frontier.value[slot, k] = frames.value[0, k]
    return touched


@njit(**_FAST)
def walk_all_below(tree, table, hands, frames, frontier, seat, sampled):
    """Walk for one seat below every node of the frontier, and return the number of nodes touched."""
    touched = 0
    for slot in range(len(frontier.node) - 1):
        touched += walk_vectors(tree, table, hands, frames, frontier, seat, np.int64(BELOW), slot, sampled)
    return touched


@njit(**_FAST)
def visit_frontier(tree, frames, frontier, depth, mode, count):
    """Write down the reach at a node of the frontier, or take its values."""
    slot = tree.slot[frames.node[depth]]
    for k in range(count):
        if mode == COLLECT:
            frontier.reach[slot, 0, k] = frames.reach[depth, 0, k]
            frontier.reach[slot, 1, k] = frames.reach[depth, 1, k]
        else:
            frames.value[depth, k] = frontier.value[slot, k]


@njit(**_FAST)
def no_reach(frames, depth, count):
    """Return whether neither seat reaches a node with any hand."""
    for player in range(2):
        for k in range(count):
            if frames.reach[depth, player, k] != 0.0:
                return False
    return True


@njit(**_FAST)
def match_buckets(tree, table, frames, depth):
    """Write the current strategy of every bucket of a decision."""
    node = frames.node[depth]
    kind = tree.nodes[node, KIND]
    count = np.int64((kind >> ACTIONS) & MOST_ACTIONS)
    at = np.int64(tree.nodes[node, PLACE])
    strategy = frames.strategy
    for bucket in range(tree.buckets[kind & BYTE, (kind >> ROUND) & BYTE]):
        total = np.float32(0.0)
        for a in range(count):
            part = max(table[at + a], np.float32(0.0))
            strategy[depth, a, bucket] = part
            total += part
        if total > 0.0:
            factor = np.float32(1.0) / total
            for a in range(count):
                strategy[depth, a, bucket] *= factor
        else:
            for a in range(count):
                strategy[depth, a, bucket] = np.float32(1.0) / np.float32(count)
        at += 2 * count


@njit(**_FAST)
def sample_actions(tree, table, frames, depth, sampled):
    """Mark the actions of an own decision that buckets do not explore, by regret-based sampling."""
    if sampled is None:
        return
    threshold, scale, random = sampled
    node = frames.node[depth]
    kind = tree.nodes[node, KIND]
    count, at = np.int64((kind >> ACTIONS) & MOST_ACTIONS), np.int64(tree.nodes[node, PLACE])
    for bucket in range(tree.buckets[kind & BYTE, (kind >> ROUND) & BYTE]):
        best = np.float32(0.0)
        for a in range(count):
            best = max(best, table[at + a])
        # Where no regret is positive all actions are played, and so all are explored.
        if best > 0.0:
            for a in range(count):
                if table[at + a] < threshold:
                    chance = regret_based_probability(np.float64(table[at + a]), threshold, scale)
                    if uniform(random) >= chance:
                        frames.strategy[depth, a, bucket] = UNEXPLORED
        at += 2 * count


@njit(**_FAST)
def next_explored(tree, frames, depth, action):
    """Return the first action from one on that some bucket of an own decision explores, or their number."""
    kind = tree.nodes[frames.node[depth], KIND]
    count = np.int64((kind >> ACTIONS) & MOST_ACTIONS)
    buckets = tree.buckets[kind & BYTE, (kind >> ROUND) & BYTE]
    while action < count:
        for bucket in range(buckets):
            if frames.strategy[depth, action, bucket] >= 0.0:
                return action
        action += 1
    return action


@njit(**_FAST)
def reach_child(tree, hands, frames, depth):
    """Write the reach after the next action of a decision, one level deeper."""
    kind = tree.nodes[frames.node[depth], KIND]
    owner, action = np.int64(kind & BYTE), frames.action[depth]
    number = np.int64((kind >> ROUND) & BYTE)
    for k in range(hands.live[0]):
        share = max(frames.strategy[depth, action, hands.buckets[owner, number, k]], np.float32(0.0))
        frames.reach[depth + 1, owner, k] = frames.reach[depth, owner, k] * share
        frames.reach[depth + 1, 1 - owner, k] = frames.reach[depth, 1 - owner, k]


@njit(**_FAST)
def uncontested(tree, hands, frames, depth, seat):
    """Write the values where the other seat or the own one has folded."""
    amount = tree.paid[tree.nodes[frames.node[depth], NEXT], seat, TIE]
    theirs, by_card = frames.reach[depth, 1 - seat], frames.by_card[0]
    total = sum_by_card(hands, theirs, by_card)
    for k in range(hands.live[0]):
        met = total - by_card[hands.card[0, k]] - by_card[hands.card[1, k]] + theirs[k]
        frames.value[depth, k] = amount * met


@njit(**_FAST)
def sum_by_card(hands, reach, by_card):
    """Write how much reach has each card, and return the reach of all hands."""
    for card in range(len(by_card)):
        by_card[card] = 0.0
    total = 0.0
    for k in range(hands.live[0]):
        by_card[hands.card[0, k]] += reach[k]
        by_card[hands.card[1, k]] += reach[k]
        total += reach[k]
    return total


@njit(**_FAST)
def showdown(tree, hands, frames, depth, seat):
    """Write the values where both hands are shown."""
    row = tree.nodes[frames.node[depth], NEXT]
    lose, tie, win = tree.paid[row, seat, LOSE], tree.paid[row, seat, TIE], tree.paid[row, seat, WIN]
    theirs, by_card, below = frames.reach[depth, 1 - seat], frames.by_card[0], frames.by_card[1]
    total = sum_by_card(hands, theirs, by_card)
    for card in range(len(below)):
        below[card] = 0.0
    less, begin, count = 0.0, 0, hands.live[0]
    while begin < count:
        end = hands.end[begin]
        # Hands of equal strength: what is weaker is beaten, ...
        for k in range(begin, end):
            beaten = less - below[hands.card[0, k]] - below[hands.card[1, k]]
            met = total - by_card[hands.card[0, k]] - by_card[hands.card[1, k]] + theirs[k]
            frames.value[depth, k] = (win - tie) * beaten + lose * met
        # ... then they count as not stronger, ...
        for k in range(begin, end):
            below[hands.card[0, k]] += theirs[k]
            below[hands.card[1, k]] += theirs[k]
            less += theirs[k]
        # ... and tie with each other.
        for k in range(begin, end):
            not_stronger = less - below[hands.card[0, k]] - below[hands.card[1, k]] + theirs[k]
            frames.value[depth, k] += (tie - lose) * not_stronger
        begin = end


@njit(**_FAST)
def update(tree, table, hands, frames, depth, seat):
    """Write the values of an own decision; add to the regrets and to the average strategy of its buckets."""
    node = frames.node[depth]
    kind = tree.nodes[node, KIND]
    actions, number = np.int64((kind >> ACTIONS) & MOST_ACTIONS), np.int64((kind >> ROUND) & BYTE)
    place, count = np.int64(tree.nodes[node, PLACE]), hands.live[0]
    strategy, bucket, gain = frames.strategy[depth], hands.buckets[seat, number], frames.gain
    # v(I) of every hand: the mean of its actions' values by the strategy of its bucket.
    for k in range(count):
        value = np.float32(0.0)
        for a in range(actions):
            value += max(strategy[a, bucket[k]], np.float32(0.0)) * frames.child[depth, a, k]
        frames.value[depth, k] = value
    # R(I, a) += v(I, a) - v(I), summed over the hands of a bucket, as a mean over pairs of hands.
    held = np.float64(count)
    scale = 1.0 / (held * others(hands, count))
    rows = np.int64(tree.buckets[seat, number])
    for a in range(actions):
        for b in range(rows):
            gain[b] = 0.0
        for k in range(count):
            gain[bucket[k]] += frames.child[depth, a, k] - frames.value[depth, k]
        for b in range(rows):
            if strategy[a, b] >= 0.0:
                table[place + b * 2 * actions + a] += np.float32(gain[b] * scale)
    # The average gains the strategy weighted by the own reach of the bucket's hands.
    for b in range(rows):
        gain[b] = 0.0
    for k in range(count):
        gain[bucket[k]] += frames.reach[depth, seat, k]
    for b in range(rows):
        for a in range(actions):
            share = max(strategy[a, b], np.float32(0.0))
            table[place + b * 2 * actions + actions + a] += np.float32(gain[b] / held * share)


@njit(**_FAST)
def others(hands, count):
    """Return how many hands the other seat may hold beside a hand."""
    # Of n cards there are count = n (n - 1) / 2 hands, and (n - 2)(n - 3) / 2 without two of them.
    cards = (1.0 + np.sqrt(1.0 + 8.0 * count)) / 2.0
    return np.floor((cards - 2.0) * (cards - 3.0) / 2.0 + 0.5)
