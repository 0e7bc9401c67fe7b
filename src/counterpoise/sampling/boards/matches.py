"""Matches of profiles on drawn full boards: all hands of both players are counted on each board, none is drawn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from counterpoise.public.buckets import Buckets
from counterpoise.public.game import PublicGame
from counterpoise.public.profile import Profile
from counterpoise.sampling.boards.walks import BoardWalks
from counterpoise.sampling.kernels.board_layouts import WalkTables
from counterpoise.sampling.kernels.board_walks import board_values

FloatArray = NDArray[np.float64]


class BoardMatches:
    """Profiles of one game and the full boards, drawn with their true probabilities, on which they meet."""

    def __init__(self, game: PublicGame, profiles: Sequence[Profile], boards: int, seed: int = 0) -> None:
        self._walks = BoardWalks(game, hands_by_themselves(game))
        self._walk = self._walks.board_walk()
        entries = self._walks.entries
        source = self._walks.expand_to_hands(np.arange(entries, dtype=np.float64)).astype(np.int64)
        self._tables = [np.zeros(entries) for _ in profiles]
        for table, profile in zip(self._tables, profiles, strict=True):
            profile.require_fit(game)
            table[source] = profile.in_bits(32).numbers
        self._zero_sum = game.zero_sum
        chance = self._walks.boards.chance
        self.boards = np.random.default_rng(seed).choice(len(chance), boards, p=chance / chance.sum()).astype(np.uint64)
        self._unused = np.zeros(entries)

    def values(self, first: int, second: int) -> FloatArray:
        """Return the mean winnings of both seats on each board, [seat, board], by the profiles of these numbers."""
        table = self._walks.joined(self._tables[first], self._tables[second])
        out = np.zeros((2, len(self.boards)))
        for player in (0,) if self._zero_sum else (0, 1):
            tables = WalkTables(table, self._unused, self._unused)
            board_values(self._walk, np.uint64(player), self.boards, tables, out[player])
        if self._zero_sum:
            out[1] = -out[0]
        return out


def hands_by_themselves(game: PublicGame) -> Buckets:
    """Return a bucket for every hand on every board, also where suits make hands alike."""
    boards, of = game.boards, np.zeros(int(game.boards.stride.sum()), dtype=np.uint32)
    count = np.zeros((2, game.streets), dtype=np.int64)
    for player in range(2):
        for board, street in enumerate(game.street_of.tolist()):
            begin, stride = int(boards.begin[player, board]), int(boards.stride[player, board])
            of[begin : begin + stride] = count[player, street] + np.arange(stride)
            count[player, street] += stride
    return Buckets(of, count)
