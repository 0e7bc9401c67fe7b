"""The order of tables with one entry per betting node, bucket and action."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.abstraction.table import CardAbstraction
from counterpoise.errors import InputError
from counterpoise.games.base import Action
from counterpoise.sampling.betting_tree import BettingTree


@dataclass(frozen=True, eq=False)
class TableLayout:
    """Where a table has the entries of each decision: at ``start[node] + bucket * actions[node] + action``.

    The block of a decision has `buckets[seat, round]` rows of its actions. Blocks are in the order of rounds, and
    inside a round in that of nodes, so the table of a round is ``table[round_start[round] : round_start[round + 1]]``.
    """

    start: NDArray[np.uint64]  # [node]; 0 at ends
    round_start: tuple[int, ...]  # one more than rounds
    buckets: NDArray[np.uint32]  # [seat, round]

    @property
    def size(self) -> int:
        """Entries of a table."""
        return self.round_start[-1]

    @classmethod
    def of(cls, tree: BettingTree, buckets: Sequence[Any]) -> TableLayout:
        """Return the layout with a number of buckets for each round, the same for all seats or one list per seat.

        >>> from counterpoise.games import load
        >>> from counterpoise.sampling import build_betting_tree
        >>> TableLayout.of(build_betting_tree(load("limit_holdem")), [169, 200, 200, 200]).size
        3315949
        """
        counts = np.array(buckets, dtype=np.uint32)
        if counts.ndim == 1:
            counts = np.tile(counts, (tree.players, 1))
        if counts.shape != (tree.players, tree.rounds) or counts.min() < 1:
            raise InputError(
                f"buckets must be {tree.rounds} positive numbers, one per round, for all seats or for each of "
                f"{tree.players}, not {buckets!r}"
            )
        player, rounds, actions = tree.arrays.player, tree.arrays.round, tree.arrays.actions
        chosen = np.flatnonzero(tree.decisions)
        chosen = chosen[np.argsort(rounds[chosen], kind="stable")]
        sizes = counts[player[chosen], rounds[chosen]].astype(np.uint64) * actions[chosen].astype(np.uint64)
        limits = np.concatenate([[0], np.cumsum(sizes, dtype=np.uint64)]).astype(np.uint64)
        start = np.zeros(tree.nodes, dtype=np.uint64)
        start[chosen] = limits[:-1]
        round_start = limits[np.searchsorted(rounds[chosen], np.arange(tree.rounds + 1))]
        return cls(start, tuple(round_start.tolist()), counts)

    def block(self, tree: BettingTree, node: int, table: NDArray[Any]) -> NDArray[Any]:
        """Return the entries of a decision in a table, [bucket, action], without copying them."""
        actions = int(tree.arrays.actions[node])
        rows = int(self.buckets[tree.arrays.player[node], tree.arrays.round[node]])
        first = int(self.start[node])
        return table[first : first + rows * actions].reshape(rows, actions)


class NodeStrategy(NamedTuple):
    """A strategy of all seats by betting node and bucket: in proportion to weights, uniform where all are 0."""

    layout: TableLayout
    table: NDArray[Any]
    """Weights in the order of the layout, uint8 or float32."""
    abstractions: tuple[CardAbstraction, ...]
    """The card abstraction of all seats, one for each, or none if cards do not matter."""

    @classmethod
    def without_cards(
        cls, tree: BettingTree, weigh: Callable[[tuple[Action, ...]], Mapping[Action, float]]
    ) -> NodeStrategy:
        """Return the strategy of a player who decides by the actions of a decision alone."""
        layout = TableLayout.of(tree, [1] * tree.rounds)
        table = np.zeros(layout.size, dtype=np.float32)
        for node in np.flatnonzero(tree.decisions).tolist():
            labels = tree.labels(node)
            chosen = weigh(labels)
            layout.block(tree, node, table)[0] = [chosen.get(action, 0.0) for action in labels]
        return cls(layout, table, ())


def biased_table(
    tree: BettingTree, layout: TableLayout, table: NDArray[Any], kind: int, factor: float
) -> NDArray[np.float32]:
    """Return weights in which one kind of action is played more often by a factor, normalised (the bias approach; Brown
    2020, section 5.2).

    `kind` is `FOLD`, `CALL` or `RAISE` of `counterpoise.games.moves`. Nothing changes where the kind is missing, has no
    weight or is the only one played.
    """
    found = np.array(table, dtype=np.float32)
    for node in np.flatnonzero(tree.decisions).tolist():
        kinds = np.sign([tree.action[child] for child in tree.children(node)]) + 1
        block = layout.block(tree, node, found)
        block[~block.any(axis=1)] = 1.0
        only = ~block[:, kinds != kind].any(axis=1)  # nothing else is ever played there
        block[:, kinds == kind] *= np.where(only, 1.0, factor)[:, None]
    return found
