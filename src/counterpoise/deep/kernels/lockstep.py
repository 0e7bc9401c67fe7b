"""Hands of hold'em that are dealt, and walked through the betting in lock-step.

All walks are at the same depth at a time: a frontier of rows, each a hand at a betting node. So a network is asked for
all decisions of a depth at once. A row of the traverser is followed by a row for each of its actions, a row of the
opponent by one for a drawn action; afterwards values go back from the deepest frontier to the first one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.kernels.drawing import action_at, draw_cards_first
from counterpoise.kernels.options import LEAN
from counterpoise.kernels.random import uniform
from counterpoise.sampling.kernels.ends import paid_at_end
from counterpoise.sampling.kernels.layouts import BettingArrays, Ends

NO_CARD = -1
NOWHERE = -1


class DealtTree(NamedTuple):
    """The betting tree of a game with its actions by the columns of networks."""

    betting: BettingArrays
    ends: Ends
    child: NDArray[np.int32]  # [node, column] the node after an action, or `NOWHERE`
    board_cards: NDArray[np.int64]  # [round] public cards on the board
    scale: float  # what payoffs are multiplied by


class Deals(NamedTuple):
    """Dealt hands: the cards of both seats, each with the full board behind, and how strong they are."""

    cards: NDArray[np.uint8]  # [hand, seat, 2 + board]
    strengths: NDArray[np.uint16]  # [hand, seat]


class OpenWalks(NamedTuple):
    """Walks at one depth."""

    hand: NDArray[np.int32]
    node: NDArray[np.int32]


@njit(**LEAN)
def deal_cards(deck, random, scratch, cards):
    """Draw the board and two cards for both seats of every hand."""
    total, board = len(deck), cards.shape[2] - 2
    for hand in range(len(cards)):
        for k in range(total):
            scratch[k] = deck[k]
        draw_cards_first(scratch, total, 4 + board, random)
        for seat in range(2):
            for k in range(2):
                cards[hand, seat, k] = scratch[board + 2 * seat + k]
            for k in range(board):
                cards[hand, seat, 2 + k] = scratch[k]


@njit(**LEAN)
def write_keys(tree, deals, frontier, rows, keys):
    """Write the keys of decisions: own cards, the public cards of the round, `NO_CARD` for the others, the node."""
    width = keys.shape[1]
    for k in range(len(rows)):
        hand, node = frontier.hand[rows[k]], frontier.node[rows[k]]
        seat = tree.betting.player[node]
        known = 2 + tree.board_cards[tree.betting.round[node]]
        for j in range(width - 1):
            keys[k, j] = deals.cards[hand, seat, j] if j < known else NO_CARD
        keys[k, width - 1] = node


@njit(**LEAN)
def write_end_values(tree, deals, frontier, seat, values):
    """Write what a seat wins at the rows of a frontier whose betting is over."""
    for row in range(len(values)):
        node = frontier.node[row]
        if tree.betting.actions[node] == 0:
            strengths = deals.strengths[frontier.hand[row]]
            values[row] = paid_at_end(tree.ends, np.uint64(tree.betting.end[node]), strengths, seat) * tree.scale


@njit(**LEAN)
def draw_columns(strategies, random, columns):
    """Draw an action of each row by its probabilities, which may add up to 1 with a small error."""
    for row in range(len(strategies)):
        total = 0.0
        for k in range(strategies.shape[1]):
            total += strategies[row, k]
        columns[row] = action_at(uniform(random) * total, strategies[row], 0, strategies.shape[1])


@njit(**LEAN)
def expand(tree, frontier, own, drawn, following, child_rows):
    """Write the next frontier; returns its number of rows.

    `drawn` [row] is the action of an opponent's row. `child_rows` [row, column] gets where in the next frontier each
    explored action leads, `NOWHERE` for the others.
    """
    count = 0
    for row in range(len(frontier.node)):
        node = frontier.node[row]
        for k in range(child_rows.shape[1]):
            child_rows[row, k] = NOWHERE
            child = tree.child[node, k]
            if child != NOWHERE and (own[row] or k == drawn[row]):
                following.hand[count], following.node[count] = frontier.hand[row], child
                child_rows[row, k] = count
                count += 1
    return count


@njit(**LEAN, error_model="numpy")
def back_up(child_rows, strategies, place, below, values, advantages):
    """Write the values of the decisions of a frontier from those of the next one.

    `place` [row] is the row of `strategies` and `advantages` of a decision of the traverser, `NOWHERE` otherwise. The
    mean is summed as differences from the first action, so that a tie of all leaves no advantage.
    """
    for row in range(len(child_rows)):
        at, first, mean, decision = place[row], 0.0, 0.0, False
        for k in range(child_rows.shape[1]):
            child = child_rows[row, k]
            if child != NOWHERE:
                if not decision:
                    first, decision = below[child], True
                if at != NOWHERE:
                    mean += strategies[at, k] * (below[child] - first)
        if decision:
            mean += first
            values[row] = mean
            if at != NOWHERE:
                for k in range(child_rows.shape[1]):
                    child = child_rows[row, k]
                    advantages[at, k] = below[child] - mean if child != NOWHERE else 0.0


@njit(**LEAN)
def encode_cards(keys, group, ranks, suits, lowest, bets, inputs):
    """Write encodings: for every group of cards its ranks, suits and cards, counted, then the betting of the node.

    `group` [place in the key] is the group of a card; `bets` [node, number] what is known of the betting.
    """
    size = ranks + suits + ranks * suits
    first = inputs.shape[1] - bets.shape[1]
    for row in range(len(keys)):
        for k in range(first):
            inputs[row, k] = np.float32(0.0)
        for k in range(keys.shape[1] - 1):
            card = keys[row, k]
            if card != NO_CARD:
                rank, suit = card // 4 - lowest, card % 4
                at = group[k] * size
                inputs[row, at + rank] += np.float32(1.0)
                inputs[row, at + ranks + suit] += np.float32(1.0)
                inputs[row, at + ranks + suits + rank * suits + suit] = np.float32(1.0)
        node = keys[row, keys.shape[1] - 1]
        for k in range(bets.shape[1]):
            inputs[row, first + k] = bets[node, k]


def rows_like(frontier: OpenWalks, columns: int) -> tuple[OpenWalks, NDArray[np.int32]]:
    """Return arrays for the frontier after the next action, and for where actions lead."""
    most = len(frontier.node) * columns
    following = OpenWalks(np.empty(most, dtype=np.int32), np.empty(most, dtype=np.int32))
    return following, np.empty((len(frontier.node), columns), dtype=np.int32)


def cut(frontier: OpenWalks, rows: Any) -> OpenWalks:
    """Return some rows of a frontier."""
    return OpenWalks(frontier.hand[rows], frontier.node[rows])
