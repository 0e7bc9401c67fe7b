"""The ends of a hand below some nodes of a betting tree, and the winnings of pairs of hands there.

See Brown et al. 2018, section 4.

Two seats play on from a node by tables of the game (continuations). On a dealt board the value of a pair of hands (a,
b) is exact: with x(a, z) and y(b, z) the probabilities of the seats' own actions on the path to end z, it is the sum of
x(a, z) y(b, z) u(z, a, b) over all ends. The payoff of a fold does not depend on the hands, and that of a showdown only
on which of them is stronger. So the sums over ends are products of two matrices, [hand, end] x [end, hand].
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.proportions import proportional
from counterpoise.sampling.betting_tree import BettingTree
from counterpoise.sampling.kernels.hand_pairs import Below, reach_below
from counterpoise.sampling.kernels.vectors import LOSE, TIE, WIN
from counterpoise.sampling.tables import TableLayout
from counterpoise.sampling.vectors import paid_by_result

FloatRow = NDArray[np.float32]
Table = NDArray[np.uint8] | NDArray[np.float32]


class _Paid(NamedTuple):
    """Some ends of a leaf, as places among all ends, and seat 0's winnings there, [end, 1]."""

    ends: NDArray[np.int64]
    won: FloatRow


class EndsBelow:
    """The ends below the nodes `leaves` of a betting tree; see the module docstring."""

    def __init__(self, tree: BettingTree, layout: TableLayout, leaves: Sequence[int]) -> None:
        if tree.players != 2 or tree.game.betting.rake.percent:
            raise InputError(f"values of pairs of hands are for two seats without rake, not for {tree.game.name}")
        self.leaves = sorted(leaves)
        self._below, places = _below(tree, layout, self.leaves)
        self._end_places = np.flatnonzero(~tree.decisions[places])
        nodes = places[self._end_places]
        middle, margin = _won(tree)
        rows = tree.arrays.end[nodes]
        first = np.append(np.searchsorted(nodes, self.leaves), len(nodes))
        self._middle, self._margin = (
            [_paid(won[rows], begin, end) for begin, end in pairwise(first.tolist())] for won in (middle, margin)
        )

    @property
    def ends(self) -> int:
        """The number of ends."""
        return len(self._end_places)

    def reach(self, seat: int, probabilities: FloatRow, buckets: NDArray[np.uint32]) -> FloatRow:
        """Return a seat's own reach of each end, [end, hand], by the buckets [round, hand]."""
        reach = np.empty((len(self._below.parent), buckets.shape[1]), dtype=np.float32)
        reach_below(self._below, probabilities, buckets, seat, reach)
        return np.asarray(reach[self._end_places])

    def won(self, first: FloatRow, second: FloatRow) -> Iterator[tuple[FloatRow, FloatRow]]:
        """Yield for each leaf seat 0's winnings with each pair of hands: by folds, and at showdowns if it is stronger.

        Both are [hand of seat 0, hand of seat 1]; a weaker hand loses as much at showdowns as a stronger one wins.
        """
        for middle, margin in zip(self._middle, self._margin, strict=True):
            by_fold, shown = (_products(part, first, second) for part in (middle, margin))
            yield by_fold, shown


def action_probabilities(tree: BettingTree, layout: TableLayout, table: Table) -> FloatRow:
    """Return the weights of a table as probabilities of actions, from the second betting round on."""
    found = np.empty(layout.size, dtype=np.float32)
    for node in np.flatnonzero(tree.decisions & (tree.arrays.round > 0)).tolist():
        block = layout.block(tree, node, table).astype(np.float64)
        even = 1 / block.shape[1]
        layout.block(tree, node, found)[:] = proportional(block, block.sum(axis=1, keepdims=True), even)
    return found


def ends_after(tree: BettingTree, node: int) -> int:
    """Return the number of ends of a hand below a node of a betting tree."""
    return int(_counted(tree)[0][node])


def next_rounds_after(tree: BettingTree, node: int) -> int:
    """Return the number of nodes below a node of a betting tree at which the next round begins."""
    return int(_counted(tree)[1][node])


@lru_cache(maxsize=4)
def _counted(tree: BettingTree) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the number of ends and of beginnings of the next round below each node; a node comes after its parent."""
    parent, round = tree.parent.astype(np.int64), tree.arrays.round
    ends, begins = (~tree.decisions).astype(np.int64), np.zeros(tree.nodes, dtype=np.int64)
    for node in range(tree.nodes - 1, 0, -1):
        above = parent[node]
        ends[above] += ends[node]
        if tree.decisions[node]:
            begins[above] += begins[node] if round[node] == round[above] else 1
    return ends, begins


@lru_cache(maxsize=4)
def _won(tree: BettingTree) -> tuple[FloatRow, FloatRow]:
    """Return seat 0's winnings at each row of ends whatever the hands are, and the addition for the stronger hand."""
    paid, shown = paid_by_result(tree)
    lose, tie, win = paid[:, 0].T
    assert LOSE < TIE < WIN
    middle, margin = np.where(shown, (win + lose) / 2, tie), np.where(shown, (win - lose) / 2, 0.0)
    return middle.astype(np.float32), margin.astype(np.float32)


def _products(part: _Paid, first: FloatRow, second: FloatRow) -> FloatRow:
    return np.asarray((first[part.ends] * part.won).T @ second[part.ends], dtype=np.float32)


def _paid(won: FloatRow, begin: int, end: int) -> _Paid:
    ends = begin + np.flatnonzero(won[begin:end])
    return _Paid(ends, won[ends][:, None])


def _below(tree: BettingTree, layout: TableLayout, leaves: Sequence[int]) -> tuple[Below, NDArray[np.int64]]:
    """Return the nodes of the subtrees, subtree by subtree, and which nodes of the tree they are."""
    parent, arrays = tree.parent.astype(np.int64), tree.arrays
    inside = np.zeros(tree.nodes, dtype=np.bool_)
    inside[list(leaves)] = True
    for node in range(1, tree.nodes):
        inside[node] |= inside[parent[node]]
    places = np.flatnonzero(inside)
    above = parent[places]
    numbers = np.full(tree.nodes, -1)
    numbers[places] = np.arange(len(places))
    begins = np.isin(places, list(leaves))
    action = places - arrays.first_child[above]
    below = Below(
        parent=np.where(begins, -1, numbers[above]),
        player=arrays.player[above],
        round=arrays.round[above],
        entry=layout.start[above] + action.astype(np.uint64),
        actions=arrays.actions[above],
    )
    return below, places
