"""Purified blueprints in as few bits as there are choices to tell apart (agents K5, Baby Tartanian8).

From a round on only the most likely action of every decision and bucket is kept, in log2 of the number of its actions,
rounded up; the rounds before stay mixed, a byte for each probability.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterpoise.blueprint.blueprint import Blueprint
from counterpoise.parameters import require_whole


@dataclass(frozen=True, eq=False)
class PackedChoices:
    """A purified blueprint without its table: `mixed` has the rounds before `first_round`, `bits` the choices after.

    `like` is a blueprint of the same game and abstraction, whose table is not looked at.
    """

    like: Blueprint
    first_round: int
    mixed: NDArray[np.uint8]
    bits: NDArray[np.uint8]

    @classmethod
    def of(cls, blueprint: Blueprint, first_round: int = 1) -> PackedChoices:
        """Return a blueprint purified and packed from a round on; by default the first round stays mixed."""
        require_whole("first_round", first_round, 0, blueprint.tree.rounds)
        pure = np.asarray(blueprint.purified(first_round).table, dtype=np.uint8)
        begin = blueprint.layout.round_start[first_round]
        starts, actions = _rows(blueprint, first_round)
        chosen = np.flatnonzero(pure[begin:]) - starts
        width = _widths(actions)
        at = np.cumsum(width) - width
        stream = np.zeros(int(width.sum()), dtype=np.uint8)
        for place in range(int(width.max(initial=0))):
            wide = width > place
            stream[at[wide] + place] = (chosen[wide] >> place) & 1
        nothing = np.zeros(blueprint.layout.size, dtype=np.uint8)
        like = Blueprint(blueprint.game, blueprint.abstractions, nothing, tree=blueprint.tree, made=blueprint.made)
        return cls(like, first_round, pure[:begin].copy(), np.packbits(stream))

    def unpack(self) -> Blueprint:
        """Return the blueprint as `Blueprint.purified` makes it."""
        starts, actions = _rows(self.like, self.first_round)
        width = _widths(actions)
        at = np.cumsum(width) - width
        stream = np.unpackbits(self.bits, count=int(width.sum()))
        chosen = np.zeros(len(starts), dtype=np.int64)
        for place in range(int(width.max(initial=0))):
            wide = width > place
            chosen[wide] |= stream[at[wide] + place].astype(np.int64) << place
        begin = self.like.layout.round_start[self.first_round]
        table = np.zeros(self.like.layout.size, dtype=np.uint8)
        table[:begin] = self.mixed
        table[begin + starts + chosen] = 1
        made = self.like.made | {"purified": self.first_round}
        return Blueprint(self.like.game, self.like.abstractions, table, tree=self.like.tree, made=made)

    @property
    def choice_bits(self) -> int:
        """How many bits the choices take."""
        return int(_widths(_rows(self.like, self.first_round)[1]).sum())

    @property
    def nbytes(self) -> int:
        """How many bytes the strategy takes."""
        return int(self.mixed.nbytes + self.bits.nbytes)


def _rows(blueprint: Blueprint, first_round: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the rows from a round on begin, counted from that round, and how many actions each has."""
    tree, layout = blueprint.tree, blueprint.layout
    chosen = np.flatnonzero(tree.decisions & (tree.arrays.round >= first_round))
    chosen = chosen[np.argsort(layout.start[chosen], kind="stable")]
    count = layout.buckets[tree.arrays.player[chosen], tree.arrays.round[chosen]].astype(np.int64)
    actions = np.repeat(tree.arrays.actions[chosen].astype(np.int64), count)
    return np.cumsum(actions) - actions, actions


def _widths(actions: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the bits that tell so many actions apart."""
    return np.ceil(np.log2(np.maximum(actions, 1))).astype(np.int64)
