"""What the rest of the game is worth to pairs of hands before the flop, by dealt boards (search S11f, DLS 4).

Two seats play on from some nodes of a betting tree by tables of the game (continuations). On a dealt board the value of
a pair of hands (a, b) is exact: with x(a, z) and y(b, z) the probabilities of the seats' own actions on the way to end
z, it is the sum of x(a, z) y(b, z) u(z, a, b) over all ends. So only boards are drawn, not actions. The mean over
boards and over the hands of each pair of *classes* (hands that differ by their suits alone: 169 with 52 cards) is what
`PairValues` returns, in chips that seat 0 wins.

A few hands of each class are drawn on each board, for each seat by itself; a pair counts by how many it stands for, so
that the means are over all pairs of hands and all boards that can be dealt together. All continuations see the same
boards and hands, which makes their differences less noisy.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from counterpoise.abstraction.boards import renamings
from counterpoise.cards import Deck
from counterpoise.errors import InputError
from counterpoise.kernels.random import seeded
from counterpoise.parameters import require_whole
from counterpoise.progress import CancelToken, Progress, SilentProgress
from counterpoise.sampling.betting_tree import BettingTree
from counterpoise.sampling.kernels.dealing import CardArrays
from counterpoise.sampling.kernels.pairs import Below, DrawnHands, LeafEnds, add_values, reach_below, weigh_pairs
from counterpoise.sampling.kernels.vectors import LOSE, TIE, WIN, BoardHands, deal_board
from counterpoise.sampling.lookup import dealt_hand
from counterpoise.sampling.tables import TableLayout
from counterpoise.sampling.vectors import board_hands, paid_by_result
from counterpoise.tree.strategy import proportional

FloatRow = NDArray[np.float32]
Table = NDArray[np.uint8] | NDArray[np.float32]
SHOW_EVERY = 20


def hand_classes(deck: Deck) -> NDArray[np.int64]:
    """Return the class of every hand of a deck: hands that differ by their suits alone have the same one."""
    found: NDArray[np.int64] = np.unique(renamings(deck).hand_maps.min(axis=0), return_inverse=True)[1]
    return found


def ends_of_first_round(tree: BettingTree) -> list[int]:
    """Return the nodes at which the first betting round is over and more than one seat is left."""
    rounds, parent = tree.arrays.round, tree.parent
    found = []
    for node in range(1, tree.nodes):
        if rounds[parent[node]] == 0:
            shown = not tree.decisions[node] and int(tree.ends.live[tree.arrays.end[node]]).bit_count() > 1
            if rounds[node] > 0 or shown:
                found.append(node)
    return found


def pairs_work(tree: BettingTree) -> int:
    """Return how many products of reach a board takes for a pair of tables, with one hand of each class."""
    classes = int(hand_classes(tree.game.deck).max()) + 1
    return 2 * int((~tree.decisions & (tree.arrays.round > 0)).sum()) * classes**2


class PairValues:
    """Mean values at the ends of the first betting round; see the module docstring."""

    def __init__(self, tree: BettingTree, layout: TableLayout, cards: CardArrays, *, seed: int = 0) -> None:
        if tree.players != 2 or tree.game.betting.rake.percent:
            raise InputError(f"values of pairs of hands are for two seats without rake, not for {tree.game.name}")
        require_whole("seed", seed, 0)
        self.tree, self.layout, self.cards, self.seed = tree, layout, cards, seed
        self.leaves = ends_of_first_round(tree)
        self.classes = hand_classes(tree.game.deck)
        self._below, self._places = _below(tree, layout, self.leaves)
        self._end_places = np.flatnonzero(~tree.decisions[self._places])
        nodes = self._places[self._end_places]
        paid, shown = paid_by_result(tree)
        rows = tree.arrays.end[nodes]
        lose, tie, win = paid[rows, 0].T
        assert LOSE < TIE < WIN
        self._ends = LeafEnds(
            np.append(np.searchsorted(nodes, self.leaves), len(nodes)),
            np.where(shown[rows], (win + lose) / 2, tie).astype(np.float32),
            np.where(shown[rows], (win - lose) / 2, 0.0).astype(np.float32),
        )

    def run(
        self,
        picks: Sequence[tuple[Table, Table]],
        boards: int,
        per_class: int = 1,
        progress: Progress | None = None,
        cancel: CancelToken | None = None,
    ) -> FloatRow:
        """Return the mean values of pairs of tables, [pair, leaf, class of seat 0, class of seat 1].

        `picks` are weights of seat 0 and of seat 1 in the order of the layout. If it is cancelled, the means are those
        of the boards so far, at least one.
        """
        require_whole("boards", boards)
        require_whole("per_class", per_class)
        display = progress or SilentProgress()
        tables = {
            id(one): self._probabilities(one) for one in {id(one): one for pair in picks for one in pair}.values()
        }
        dealt, hands, seed = dealt_hand(self.tree), board_hands(self.tree), seeded(self.seed)[0]
        count = int(self.classes.max()) + 1
        total, weight = np.zeros((len(picks), len(self.leaves), count, count)), np.zeros((count, count))
        for number in range(boards):
            deal_board(self.cards, seed, number, dealt, hands)
            (own, first_places), (other, second_places) = (self._draw(hands, number, per_class, k) for k in range(2))
            weigh_pairs(own, other, weight)
            places = first_places, second_places
            reach = {
                (seat, key): self._reach(seat, tables[key], hands.buckets[seat][:, places[seat]])
                for seat, key in dict.fromkeys((seat, id(own)) for pair in picks for seat, own in enumerate(pair))
            }
            room = np.empty((2, len(first_places), len(second_places)), dtype=np.float32)
            for pair, (first, second) in enumerate(picks):
                add_values(self._ends, own, other, reach[0, id(first)], reach[1, id(second)], room, total[pair])
            if number % SHOW_EVERY == 0:
                display.show(number / boards, f"{number:,} of {boards:,} boards")
            if cancel is not None and cancel.cancelled:
                break
        return np.divide(total, weight, out=np.zeros_like(total), where=weight > 0).astype(np.float32)

    def _probabilities(self, table: Table) -> FloatRow:
        found = np.empty(self.layout.size, dtype=np.float32)
        for node in np.flatnonzero(self.tree.decisions & (self.tree.arrays.round > 0)).tolist():
            block = self.layout.block(self.tree, node, table).astype(np.float64)
            even = 1 / block.shape[1]
            self.layout.block(self.tree, node, found)[:] = proportional(block, block.sum(axis=1, keepdims=True), even)
        return found

    def _draw(self, hands: BoardHands, number: int, per_class: int, seat: int) -> tuple[DrawnHands, NDArray[np.int64]]:
        """Return some hands of each class that a board leaves, for one seat, and their places among them."""
        live = int(hands.live[0])
        known = self.classes[self.cards.hand_of[hands.card[0, :live], hands.card[1, :live]]]
        order = np.random.default_rng([self.seed, number, seat]).permutation(live)
        order = order[np.argsort(known[order], kind="stable")]
        sizes = np.bincount(known, minlength=int(self.classes.max()) + 1)
        rank = np.arange(live) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        places = order[rank < per_class]
        group = known[places]
        share = sizes[group] / np.minimum(sizes[group], per_class)
        return DrawnHands(np.ascontiguousarray(hands.card[:, places]), hands.end[places], group, share), places

    def _reach(self, seat: int, table: FloatRow, buckets: NDArray[np.uint32]) -> FloatRow:
        """Return how likely a seat's own actions lead to each end with each hand."""
        reach = np.empty((len(self._places), buckets.shape[1]), dtype=np.float32)
        reach_below(self._below, table, buckets, seat, reach)
        return np.asarray(reach[self._end_places])


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
