"""Which hands share a strategy: lossless classes, and percentiles of hand strength (JOHANSON 5.2).

Buckets are made of *classes*: hands on a board that a renaming of suits makes alike. Their feature is hand strength
on the last street (the share of opponent hands beaten, ties half) and before it E[HS^2], its expected square over the
cards to come. Percentile buckets have about equal shares of all deals; equal features are never parted.

- perfect recall: a street's classes are cut inside each bucket of the street before, so buckets remember;
- imperfect recall: all classes of a street are cut at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.public.full_boards import full_boards, hands_before
from counterpoise.public.game import PublicGame
from counterpoise.public.holdem import HoldemGame
from counterpoise.public.kernels.sampling import scratch_rows, strength_shares

FloatArray = NDArray[np.float64]
_DIGITS = 9
"""Features that agree to this many decimals are equal: they are fractions with small denominators."""


@dataclass(frozen=True, eq=False)
class Buckets:
    """The bucket of every hand on every board; `count` is their number, [player, street].

    Hands stand as in the boards of the game: player p's hands on board b begin at ``boards.begin[p, b]``.
    """

    bucket_of_hand: NDArray[np.uint32]
    count: NDArray[np.int64]


def lossless(game: PublicGame) -> Buckets:
    """Return one bucket for each class of hands that suits make alike, on every board."""
    boards, streets = game.boards, game.street_of
    of = np.zeros(int(boards.stride.sum()), dtype=np.uint32)
    count = np.zeros((2, game.streets), dtype=np.int64)
    for player in range(2):
        for board, street in enumerate(streets):
            begin, held = int(boards.begin[player, board]), int(boards.held[player, board])
            alike = game.to_rows(player, board, game.hand_groups(board)[player])
            classes = np.unique(alike, return_inverse=True)[1]
            of[begin : begin + held] = count[player, street] + classes
            count[player, street] += int(classes.max()) + 1
    return Buckets(of, count)


def perfect_recall(game: HoldemGame, counts: Sequence[int]) -> Buckets:
    """Percentile buckets: on each street every bucket of the street before is cut into as many as `counts` says."""
    return _percentile_buckets(game, counts, recall=True)


def imperfect_recall(game: HoldemGame, counts: Sequence[int | None]) -> Buckets:
    """Percentile buckets of each street on its own; None keeps the street lossless."""
    return _percentile_buckets(game, counts, recall=False)


def combine_by_player(game: PublicGame, first: Buckets, second: Buckets) -> Buckets:
    """The buckets of the one for player 0 and those of the other for player 1."""
    if not first.bucket_of_hand.shape == second.bucket_of_hand.shape == (int(game.boards.stride.sum()),):
        raise InputError("these buckets are for different trees")
    begin = int(game.boards.begin[1, 0])  # player 1's hands stand after player 0's
    of = np.concatenate((first.bucket_of_hand[:begin], second.bucket_of_hand[begin:]))
    return Buckets(of, np.stack((first.count[0], second.count[1])))


def percentiles(
    feature: FloatArray, mass: FloatArray, count: int, within: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """Cut points of given mass into `count` parts of about equal mass by rising feature, equal features together.

    The middle of an atom's mass says where it goes. With `within`, every group of points is cut by itself, and parts
    are numbered ``group * count + part``.

    >>> percentiles(np.array([0.3, 0.1, 0.2, 0.2]), np.ones(4), 2).tolist()
    [1, 0, 1, 1]
    """
    groups = np.zeros(len(feature), dtype=np.int64) if within is None else within
    out = np.zeros(len(feature), dtype=np.int64)
    for group in np.unique(groups):
        here = np.flatnonzero(groups == group)
        _, atom = np.unique(np.round(feature[here], _DIGITS), return_inverse=True)
        masses = np.bincount(atom, mass[here])
        middle = (np.cumsum(masses) - masses / 2) / masses.sum()
        out[here] = group * count + np.minimum((middle * count).astype(np.int64), count - 1)[atom]
    return out


def features(game: HoldemGame, player: int) -> list[tuple[FloatArray, FloatArray]]:
    """Per street the feature of each lossless class of a player and its share of all deals."""
    boards, classes, seen = full_boards(game), lossless(game), hands_before(game)
    strength = np.zeros(seen.shape[1])
    strength_shares(boards, np.uint64(player), strength, scratch_rows(1, int(boards.held.max())))
    first, last = int(boards.begin[player, 0]), int(boards.begin[player, -1] + boards.held[player, -1])
    strength = strength[first:last]
    deals = np.repeat(boards.chance / boards.held[player], boards.held[player].astype(np.int64))
    found = []
    for street in range(game.streets):
        of = classes.bucket_of_hand[seen[street, first:last]]
        worth = strength if street == game.streets - 1 else strength**2
        mass: FloatArray = np.bincount(of, deals, int(classes.count[player, street])).astype(np.float64)
        found.append((np.bincount(of, deals * worth, len(mass)) / np.where(mass > 0, mass, 1), mass))
    return found


def _percentile_buckets(game: HoldemGame, counts: Sequence[int | None], recall: bool) -> Buckets:
    if len(counts) != game.streets or any(k is not None and k < 1 for k in counts):
        raise InputError(f"counts must be {game.streets} numbers of buckets, one per street, not {tuple(counts)!r}")
    classes, seen, streets = lossless(game), hands_before(game), game.street_of
    of, count = np.zeros_like(classes.bucket_of_hand), np.zeros_like(classes.count)
    size = full_boards(game).held.sum(axis=1).astype(np.int64)
    for player in range(2):
        hands = slice(0, int(size[0])) if player == 0 else slice(int(size[0]), None)
        before: NDArray[np.int64] | None = None
        for street, (feature, mass) in enumerate(features(game, player)):
            parts = counts[street]
            total = int(classes.count[player, street])
            chosen = np.arange(total)
            if parts is not None:
                within = None
                if recall and before is not None:
                    within = np.zeros(total, dtype=np.int64)
                    within[classes.bucket_of_hand[seen[street, hands]]] = before[
                        classes.bucket_of_hand[seen[street - 1, hands]]
                    ]
                chosen = percentiles(feature, mass, parts, within)
                total = parts * (int(count[player, street - 1]) if recall and street else 1)
            count[player, street], before = total, chosen
            for board in np.flatnonzero(streets == street):
                begin, held = int(game.boards.begin[player, board]), int(game.boards.held[player, board])
                of[begin : begin + held] = chosen[classes.bucket_of_hand[begin : begin + held]]
    return Buckets(of, count)
