"""Purified blueprints packed into as few bits as tell the choices apart (Baby Tartanian8; Brown 2020, section 6.3).

From a round on only the most likely action of every decision and bucket is kept, in log2 of the number of its actions,
rounded up; the rounds before stay mixed, a byte for each probability.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.blueprint.blueprint import Blueprint, Table
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

    def block(self, node: int) -> NDArray[np.uint8]:
        """Return the weights of a decision, [bucket, action], as `unpack` would have them."""
        like = self.like
        count, first = int(like.tree.arrays.actions[node]), int(like.layout.start[node])
        rows = int(like.layout.buckets[like.tree.arrays.player[node], like.tree.arrays.round[node]])
        if like.tree.arrays.round[node] < self.first_round:
            return self.mixed[first : first + rows * count].reshape(rows, count)
        width, begin = int(_widths(np.array([count]))[0]), int(self._first_bit[node])
        bits = np.unpackbits(self.bits[begin // 8 : (begin + rows * width + 7) // 8])
        own = bits[begin % 8 : begin % 8 + rows * width].reshape(rows, width)
        chosen = (own.astype(np.int64) << np.arange(width)).sum(axis=1)
        return np.asarray(chosen[:, None] == np.arange(count), dtype=np.uint8)

    @cached_property
    def _first_bit(self) -> NDArray[np.int64]:
        """The place where the choices of each decision begin, [node]."""
        tree, layout = self.like.tree, self.like.layout
        chosen = np.flatnonzero(tree.decisions & (tree.arrays.round >= self.first_round))
        chosen = chosen[np.argsort(layout.start[chosen], kind="stable")]
        rows = layout.buckets[tree.arrays.player[chosen], tree.arrays.round[chosen]].astype(np.int64)
        sizes = rows * _widths(tree.arrays.actions[chosen].astype(np.int64))
        found = np.zeros(tree.nodes, dtype=np.int64)
        found[chosen] = np.cumsum(sizes) - sizes
        return found

    @property
    def choice_bits(self) -> int:
        """The number of bits of the choices."""
        return int(_widths(_rows(self.like, self.first_round)[1]).sum())

    @property
    def nbytes(self) -> int:
        """The number of bytes of the strategy."""
        return int(self.mixed.nbytes + self.bits.nbytes)


class PackedBlueprint(Blueprint):
    """A purified blueprint that is looked up in its packed form; a table is unpacked only when it is asked for."""

    def __init__(self, packed: PackedChoices) -> None:
        like = packed.like
        made = like.made | {"purified": packed.first_round}
        super().__init__(like.game, like.abstractions, like.table, tree=like.tree, made=made)
        self.packed_choices = packed

    def __reduce__(self) -> Any:
        return PackedBlueprint, (self.packed_choices,)

    @property
    def table(self) -> Table:
        """The weights of all decisions, unpacked."""
        return self.packed_choices.unpack().table

    def block(self, node: int) -> NDArray[Any]:
        """Return the weights of a decision, [bucket, action]."""
        return self.packed_choices.block(node)


def _rows(blueprint: Blueprint, first_round: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the rows from a round on begin, counted from that round, and the number of actions of each."""
    tree, layout = blueprint.tree, blueprint.layout
    chosen = np.flatnonzero(tree.decisions & (tree.arrays.round >= first_round))
    chosen = chosen[np.argsort(layout.start[chosen], kind="stable")]
    count = layout.buckets[tree.arrays.player[chosen], tree.arrays.round[chosen]].astype(np.int64)
    actions = np.repeat(tree.arrays.actions[chosen].astype(np.int64), count)
    return np.cumsum(actions) - actions, actions


def _widths(actions: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of bits that tell this many actions apart."""
    return np.ceil(np.log2(np.maximum(actions, 1))).astype(np.int64)
