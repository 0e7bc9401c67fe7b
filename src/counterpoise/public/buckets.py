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
from counterpoise.public.engine import PublicTree
from counterpoise.public.full_boards import full_boards, hands_before, streets_of
from counterpoise.public.holdem import HoldemTree
from counterpoise.public.kernels.sampling import scratch_rows, strength_shares

FloatArray = NDArray[np.float64]
_DIGITS = 9
"""Features that agree to so many decimals are equal: they are fractions with small denominators."""


@dataclass(frozen=True, eq=False)
class Buckets:
    """The bucket of every hand on every board; `count` is their number, [player, street].

    Hands stand as in the boards of the tree: player p's hands on board b begin at ``boards.begin[p, b]``.
    """

    of: NDArray[np.uint32]
    count: NDArray[np.int64]


def lossless(tree: PublicTree) -> Buckets:
    """One bucket for each class of hands that suits make alike, on every board."""
    boards, streets = tree.boards, streets_of(tree)
    of = np.zeros(int(boards.stride.sum()), dtype=np.uint32)
    count = np.zeros((2, tree.streets), dtype=np.int64)
    for player in range(2):
        for board, street in enumerate(streets):
            begin, held = int(boards.begin[player, board]), int(boards.held[player, board])
            classes = np.arange(held)
            if isinstance(tree, HoldemTree):
                classes = _classes(tree, player, board)
            of[begin : begin + held] = count[player, street] + classes
            count[player, street] += int(classes.max()) + 1
    return Buckets(of, count)


def perfect_recall(tree: HoldemTree, counts: Sequence[int]) -> Buckets:
    """Percentile buckets: on each street every bucket of the street before is cut into so many."""
    return _percentile_buckets(tree, counts, recall=True)


def imperfect_recall(tree: HoldemTree, counts: Sequence[int | None]) -> Buckets:
    """Percentile buckets of each street on its own; None keeps the street lossless."""
    return _percentile_buckets(tree, counts, recall=False)


def one_each(tree: PublicTree, first: Buckets, second: Buckets) -> Buckets:
    """The buckets of the one for player 0 and those of the other for player 1."""
    if not first.of.shape == second.of.shape == (int(tree.boards.stride.sum()),):
        raise InputError("these buckets are for different trees")
    begin = int(tree.boards.begin[1, 0])  # player 1's hands stand after player 0's
    of = np.concatenate((first.of[:begin], second.of[begin:]))
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


def features(tree: HoldemTree, player: int) -> list[tuple[FloatArray, FloatArray]]:
    """Per street the feature of each lossless class of a player and its share of all deals."""
    boards, classes, seen = full_boards(tree), lossless(tree), hands_before(tree)
    strength = np.zeros(seen.shape[1])
    strength_shares(boards, np.uint64(player), strength, scratch_rows(1, int(boards.held.max())))
    first, last = int(boards.begin[player, 0]), int(boards.begin[player, -1] + boards.held[player, -1])
    strength = strength[first:last]
    deals = np.repeat(boards.chance / boards.held[player], boards.held[player].astype(np.int64))
    found = []
    for street in range(tree.streets):
        of = classes.of[seen[street, first:last]]
        worth = strength if street == tree.streets - 1 else strength**2
        mass: FloatArray = np.bincount(of, deals, int(classes.count[player, street])).astype(np.float64)
        found.append((np.bincount(of, deals * worth, len(mass)) / np.where(mass > 0, mass, 1), mass))
    return found


def _percentile_buckets(tree: HoldemTree, counts: Sequence[int | None], recall: bool) -> Buckets:
    if len(counts) != tree.streets or any(k is not None and k < 1 for k in counts):
        raise InputError(f"counts must be {tree.streets} numbers of buckets, one per street, not {tuple(counts)!r}")
    classes, seen, streets = lossless(tree), hands_before(tree), streets_of(tree)
    of, count = np.zeros_like(classes.of), np.zeros_like(classes.count)
    size = full_boards(tree).held.sum(axis=1).astype(np.int64)
    for player in range(2):
        hands = slice(0, int(size[0])) if player == 0 else slice(int(size[0]), None)
        before: NDArray[np.int64] | None = None
        for street, (feature, mass) in enumerate(features(tree, player)):
            parts = counts[street]
            total = int(classes.count[player, street])
            chosen = np.arange(total)
            if parts is not None:
                within = None
                if recall and before is not None:
                    within = np.zeros(total, dtype=np.int64)
                    within[classes.of[seen[street, hands]]] = before[classes.of[seen[street - 1, hands]]]
                chosen = percentiles(feature, mass, parts, within)
                total = parts * (int(count[player, street - 1]) if recall and street else 1)
            count[player, street], before = total, chosen
            for board in np.flatnonzero(streets == street):
                begin, held = int(tree.boards.begin[player, board]), int(tree.boards.held[player, board])
                of[begin : begin + held] = chosen[classes.of[begin : begin + held]]
    return Buckets(of, count)


def _classes(tree: HoldemTree, player: int, board: int) -> NDArray[np.int64]:
    """The hands of a board, numbered so that those that its symmetries make alike have one number."""
    table = tree.tables_of[board]
    hands = tree.deck.hand_table[tuple(tree.hands[player][table.hands[player]].T)]
    alike = table.symmetry.hand_maps[:, hands].min(axis=0)
    return np.unique(alike, return_inverse=True)[1].astype(np.int64)
