"""Regrets that fit a given average strategy, node by node: the last step of a visit in mode `WARM_START`."""

from __future__ import annotations

import numpy as np
from numba.extending import overload

from counterpoise.public.kernels.layouts import WarmStartArrays
from counterpoise.public.kernels.rows import LEAST_F32, ZERO_F32, save_row
from counterpoise.public.kernels.simd import LANES, add_matrix

_0, _1, _8 = np.uint64(0), np.uint64(1), np.uint64(LANES)
_CARDS = np.uint64(52)
_RARE = np.float32(1e-3)


def fit_regrets(game, at, node, arrays, store, place, work):
    """Replace the best value of a node's actions, in ``work.scale``, by its substitute value, and fit the regrets.

    The substitute value (Brown 2020, section 3.2, equation 3.6) is the one above which the squares of what actions are
    worth sum to a given number: actions are taken in the order of how far they are behind the best one, until the next
    is too far. Regrets are written in the place of the actions' values and stored from `place`, an entry and a row
    number, on. Hands with a fixed strategy (marked in ``work.spare``) keep the value of that strategy. Hands are done
    one by one, because little time is spent here.
    """
    boards, player, board, actions = game.boards, at.player, at.board, game.trees.actions[node]
    opponent, stride = _1 - player, boards.stride[player, board]
    rows = at.base + game.trees.first_row[node] * stride
    own, met = boards.begin[player, board], boards.begin[opponent, board]
    reach_at = at.base + arrays.met_row[node] * boards.stride[opponent, board]
    meeting, by_card, mass = arrays.meeting[player, board], work.block, work.block_mass
    value, strategy, out, total = work.value, work.strategy, work.scale, ZERO_F32
    for k in range(stride):
        mass[k] = ZERO_F32
    # Mass of the hands that each hand can meet: by a matrix, or all less those with a common card.
    if meeting > _0:
        met_count = boards.held[opponent, board]
        add_matrix((mass, _0), (arrays.chances, meeting - _1), stride, (work.reach, reach_at), met_count)
    else:
        for card in range(_CARDS):
            by_card[card] = ZERO_F32
        for k in range(boards.held[opponent, board]):
            here = work.reach[reach_at + k]
            total += here
            by_card[np.uint64(boards.card_a[met + k]) // _8] += here
            by_card[np.uint64(boards.card_b[met + k]) // _8] += here
    for k in range(boards.held[player, board]):
        if meeting == _0:
            first, second = np.uint64(boards.card_a[own + k]) // _8, np.uint64(boards.card_b[own + k]) // _8
            twice = work.reach[reach_at + np.uint64(boards.same[own + k])]
            mass[k] = max(total - by_card[first] - by_card[second] + twice, ZERO_F32)
        # The right-hand side of equation 3.6.
        likely = arrays.unlikely[own + k] if arrays.unlikely.size > 0 else mass[k]
        squares = np.float64(arrays.factor * arrays.spread[node]) * np.float64(mass[k]) * np.float64(likely)
        best, norm = value[rows + k], LEAST_F32
        for a in range(actions):
            best = max(best, value[rows + a * stride + k])
            norm += strategy[rows + a * stride + k] * strategy[rows + a * stride + k]
        # The width below the best value at which squared regrets sum to it.
        gap = width = behind = squared = 0.0
        count, searching = 0, squares > 0.0 and work.spare[k] == ZERO_F32
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
        # The substitute value.
        out[k] -= np.float32(width)
        # Regrets: in the direction of the strategy, or as the substitute value has them.
        length = arrays.positive * arrays.keep_direction * np.float32(np.sqrt(squares / np.float64(norm)))
        for a in range(actions):
            regret, played = value[rows + a * stride + k] - out[k], strategy[rows + a * stride + k]
            if arrays.keep_direction > ZERO_F32:
                turned = length * played if played > _RARE else arrays.negative * min(regret, ZERO_F32)
            else:
                turned = regret * (arrays.positive if regret > ZERO_F32 else arrays.negative)
            value[rows + a * stride + k] = turned
    # Store them.
    for a in range(actions):
        save_row(store, value[rows + a * stride :], place[0] + a * stride, place[1] + a, stride)


@overload(fit_regrets, inline="always")
def _fit_regrets_if_asked(game, at, node, arrays, store, place, work):
    """Only traversals that are given `WarmStartArrays` contain the code for them: the others compile faster."""
    if arrays.instance_class is WarmStartArrays:
        return fit_regrets
    return lambda game, at, node, arrays, store, place, work: None
