"""A blueprint's strategy in many lines of one round at once, board by board, for exact best responses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import psutil
from numpy.typing import NDArray

from counterpoise.games.known import BoardPlay, Line

if TYPE_CHECKING:
    from counterpoise.blueprint.blueprint import Blueprint

FloatArray = NDArray[np.float64]
MOST_BYTES, SHARE = 2**31, 1 / 8
"""The largest table of all buckets that is made, and the most of the free memory that it takes; beyond it the hands of
each board are gathered, which takes a hundred times as long."""


class PlayOnBoards:
    """The strategy of a seat of a blueprint in lines of one round; call it with the public cards as dealt.

    Buckets are the groups of hands, with one table for all boards, unless they are far more than a board has hands.
    """

    def __init__(self, blueprint: Blueprint, seat: int, lines: tuple[Line, ...]) -> None:
        tree = blueprint.tree
        self._blueprint, self._seat = blueprint, seat
        self._nodes = [tree.node_after(tuple(action for actions in line for action in actions)) for line in lines]
        self._most = max((int(tree.arrays.actions[node]) for node in self._nodes), default=0)
        buckets = int(blueprint.layout.buckets[seat, tree.arrays.round[self._nodes[0]]]) if lines else 0
        self._shared: FloatArray | None = None
        if 8 * len(lines) * buckets * self._most <= min(MOST_BYTES, SHARE * psutil.virtual_memory().available):
            self._shared = self._table(np.arange(buckets))

    def __call__(self, board: tuple[int, ...]) -> BoardPlay:
        """Return what the seat does on a board."""
        buckets = self._blueprint.abstraction_of(self._seat).row(board)
        if self._shared is not None:
            return BoardPlay(buckets.astype(np.int64), self._shared)
        return BoardPlay(np.arange(len(buckets)), self._table(np.maximum(buckets, 0)))

    def _table(self, buckets: NDArray[np.signedinteger]) -> FloatArray:
        """Return the probabilities of some buckets, [line, bucket, action]."""
        from counterpoise.blueprint.blueprint import normalised

        blueprint = self._blueprint
        table = np.zeros((len(self._nodes), len(buckets), self._most))
        for place, node in enumerate(self._nodes):
            weights = blueprint.block(node)[buckets]
            table[place, :, : weights.shape[1]] = normalised(weights)
        return table
