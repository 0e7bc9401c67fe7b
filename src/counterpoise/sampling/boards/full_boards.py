"""The boards of the last street with the hands that live on them, for walks that know all public cards."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.public.boards import strength_levels
from counterpoise.public.buckets import hands_before, last_boards
from counterpoise.public.dense import DenseGame
from counterpoise.public.game import PublicGame
from counterpoise.public.holdem import HoldemGame
from counterpoise.public.kernels.simd import LANES
from counterpoise.sampling.kernels.board_layouts import FullBoards

FloatArray = NDArray[np.float64]


def full_boards(game: PublicGame) -> FullBoards:
    """The boards of the last street of a hold'em game in which every hand has the same weight, or of a `DenseGame`."""
    if isinstance(game, DenseGame):
        return _dense(game)
    if isinstance(game, HoldemGame):
        return _holdem(game)
    raise InputError("sampled walks need a hold'em game or the public game of a rule book")


def _begin(held: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return (np.cumsum(held.ravel()) - held.ravel()).reshape(2, -1).astype(np.uint64)


def can_be_walked(game: PublicGame) -> bool:
    """Return whether walks on full boards support the game: in hold'em every hand of the ranges must have weight 1."""
    return not isinstance(game, HoldemGame) or all((weights == 1).all() for weights in game.weights)


def _holdem(game: HoldemGame) -> FullBoards:
    if not can_be_walked(game):
        raise InputError("sampled walks need ranges in which every hand has weight 1")
    boards, parents, last = game.boards, game.board_above, last_boards(game)
    images = np.diff(boards.image_start.astype(np.int64))
    alike, weight = np.ones(len(parents)), np.ones(len(parents))
    for board in range(1, len(parents)):  # deal k leads to board k + 1
        alike[board] = alike[parents[board]] * images[board - 1]
        weight[board] = weight[parents[board]] / round(1 / float(boards.child_weight[board - 1]))  # a number of deals
    held, hands = np.ascontiguousarray(boards.held[:, last]), hands_before(game)[-1]
    begin = _begin(held)
    card_a, card_b = boards.card_a[hands] // LANES, boards.card_b[hands] // LANES
    same, level, drawn = boards.same[hands], strength_levels(boards)[hands], np.zeros(len(hands))
    for number in range(len(last)):
        at = [_slice(begin[p, number], held[p, number]) for p in range(2)]
        for own, met in (at, at[::-1]):
            by_card = np.bincount(np.concatenate((card_a[met], card_b[met])), minlength=52)
            count = met.stop - met.start
            compatible = count - by_card[card_a[own]] - by_card[card_b[own]] + (same[own] < count)
            drawn[own] = np.cumsum(compatible) / compatible.sum()
    chance = alike[last] / alike[last].sum()
    return FullBoards(
        chance=chance,
        cumulative=np.cumsum(chance),
        density=alike[last] * weight[last] / game.pair_mass,
        begin=begin,
        held=held,
        drawn=drawn,
        card_a=card_a,
        card_b=card_b,
        same=same,
        level=level,
        matrix=np.zeros((2, len(last)), dtype=np.uint64),
        payoffs=np.zeros(0),
        pair_start=np.zeros(len(last), dtype=np.uint64),
        pairs=np.zeros(0),
    )


def _dense(game: DenseGame) -> FullBoards:
    boards, parents, last, deals = game.boards, game.board_above, last_boards(game), game.deals
    if not deals.chances:
        raise InputError(f"{game.name} cannot be sampled: what chance deals depends on the actions before it")
    held = np.ascontiguousarray(boards.held[:, last])
    begin = _begin(held)
    joint = deals.chances[-1]
    chance = joint.sum(axis=1)
    drawn = np.zeros(int(held.sum()))
    matrix = np.zeros((2, len(last)), dtype=np.uint64)
    parts, pairs, size = [], [], 0
    for number, board in enumerate(last.tolist()):
        both = deals.by_hands(1, joint[number])
        pairs.append(both.ravel())
        path = [board]
        while len(path) < game.streets:
            path.insert(0, int(parents[path[0]]))
        for player in range(2):
            marginal = both.sum(axis=1 - player)
            drawn[_slice(begin[player, number], held[player, number])] = np.cumsum(marginal) / marginal.sum()
            matrix[player, number] = size
            for street, on_street in enumerate(boards.ordinal[path].tolist()):
                before = deals.chances[street][on_street]
                share = joint[number] / np.where(before > 0, before, 1)
                for payoffs in deals.ends[street]:
                    parts.append(deals.by_hands(player, payoffs[player, on_street] * share).ravel())
                    size += parts[-1].size
    none = np.zeros(len(drawn), dtype=np.uint16)
    return FullBoards(
        chance=chance,
        cumulative=np.cumsum(chance),
        density=np.ones(len(last)),
        begin=begin,
        held=held,
        drawn=drawn,
        card_a=none,
        card_b=none,
        same=none,
        level=none,
        matrix=matrix,
        payoffs=np.concatenate(parts),
        pair_start=np.arange(len(last), dtype=np.uint64) * np.uint64(pairs[0].size),
        pairs=np.concatenate(pairs),
    )


def _slice(begin: np.uint64, count: np.uint64) -> slice:
    return slice(int(begin), int(begin) + int(count))
