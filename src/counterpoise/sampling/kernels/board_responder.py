"""Iterations of CFR-BR in buckets: a responder answers on drawn boards, then the other player learns.

See Johanson 2016, section 4.3.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.kernels.drawing import find_draw
from counterpoise.kernels.random import uniform
from counterpoise.sampling.kernels.board_layouts import NOBODY, WalkRule
from counterpoise.sampling.kernels.board_walks import KERNEL, PART, select_all_hands, walk

_0, _1 = np.uint64(0), np.uint64(1)


class AnswerPlan(NamedTuple):
    """How a responder answers: from street ``first_answer`` on, on boards that are drawn in groups.

    Group g is the full boards ``group_start[g]:group_start[g + 1]``, those after one drawn board. Before the last
    street a node of the responder is decided in round ``height[n]`` (-1: it learns there, or it is on the last street),
    the lowest first. ``widths`` are the entries of a bucket, [player, street].
    """

    responder: np.uint64
    first_answer: np.uint64
    height: NDArray[np.int64]
    rounds: np.int64
    group_start: NDArray[np.uint64]
    group_chance: NDArray[np.float64]
    group_cumulative: NDArray[np.float64]
    widths: NDArray[np.uint64]


@njit(**KERNEL)
def walks_against_responder(game, responder, floor, weights, random, tables):
    """Run an iteration for each weight, on one drawn board: the responder answers, then the other player learns."""
    boards, sides = game.boards, game.sides
    for t in range(weights.size):
        board = find_draw(boards.cumulative, _0, np.uint64(boards.chance.size), uniform(random))
        select_all_hands(boards, board, sides)
        rule = WalkRule(boards.density[board] / boards.chance[board], weights[t], floor, responder)
        for turn in range(2):
            walk(game, board, responder if turn == 0 else _1 - responder, rule, tables)


@njit(**PART)
def _choose(game, plan, height, first, last, gained, regrets):
    """Write, as ones and zeros in the place of regrets, the best action of every hand at the nodes of one round."""
    paths, boards, places = game.paths, game.boards, game.sides.places
    player = plan.responder
    start = paths.node_start[player]
    for node in range(start, paths.node_start[player + _1]):
        if plan.height[node - start] != height:
            continue
        street, actions, column = paths.street[node], paths.actions[node], paths.column[node]
        for hand in range(
            boards.begin[player, first], boards.begin[player, last - _1] + boards.held[player, last - _1]
        ):
            at = places[street, hand] + column
            best: Any = _0
            for a in range(_1, actions):
                if gained[at + a] > gained[at + best]:
                    best = a
            for a in range(actions):
                regrets[at + a] = 1.0 if a == best else 0.0


@njit(**PART)
def _settle(game, plan, player, first, last, streets, gained, regrets):
    """Add what a player has gained on the first `streets` streets to its regrets, and forget all it has gained."""
    boards, places = game.boards, game.sides.places
    end = boards.begin[player, last - _1] + boards.held[player, last - _1]
    for street in range(np.uint64(places.shape[0])):
        width = plan.widths[player, street]
        for hand in range(boards.begin[player, first], end):
            at = places[street, hand]
            for k in range(at, at + width):
                if street < streets:
                    regrets[k] += gained[k]
                gained[k] = 0.0


@njit(**KERNEL)
def walks_against_answers(game, plan, weights, random, tables):
    """Run an iteration of CFR-BR for each weight; return how many boards were walked.

    A group of boards is drawn (if there are several); the responder answers the player's current strategy on all of
    them, round by round, and learns in the trunk; then the player is walked on each board, and its regrets gain what it
    has found at the end. ``tables.updated`` must hold zeros, and does so again afterwards.
    """
    boards, sides, regrets, gained = game.boards, game.sides, tables.regrets, tables.updated
    responder, player = plan.responder, _1 - plan.responder
    streets, walked = np.uint64(sides.places.shape[0]), 0
    answering = responder if plan.first_answer < streets else NOBODY
    for t in range(weights.size):
        group: Any = _0
        if plan.group_chance.size > 1:
            group = find_draw(plan.group_cumulative, _0, np.uint64(plan.group_chance.size), uniform(random))
        first, last = plan.group_start[group], plan.group_start[group + _1]
        share = 1.0 / plan.group_chance[group]
        for height in range(plan.rounds):
            for board in range(first, last):
                select_all_hands(boards, board, sides)
                walk(game, board, responder, WalkRule(boards.density[board] * share, 0.0, False, answering), tables)
            _choose(game, plan, height, first, last, gained, regrets)
            _settle(game, plan, responder, first, last, _0, gained, regrets)
        if plan.first_answer > _0:  # the responder learns in the trunk
            for board in range(first, last):
                select_all_hands(boards, board, sides)
                walk(game, board, responder, WalkRule(boards.density[board] * share, 0.0, False, answering), tables)
            _settle(game, plan, responder, first, last, plan.first_answer, gained, regrets)
        for board in range(first, last):
            select_all_hands(boards, board, sides)
            rule = WalkRule(boards.density[board] * share, weights[t] * boards.chance[board] * share, False, answering)
            if answering == responder:  # its answers on the last street stay in the scratch rows
                walk(game, board, responder, WalkRule(0.0, 0.0, False, answering), tables)
            walk(game, board, player, rule, tables)
        _settle(game, plan, player, first, last, streets, gained, regrets)
        walks = plan.rounds + 1 + np.int64(plan.first_answer > _0) + np.int64(answering == responder)
        walked += np.int64(last - first) * walks
    return walked
