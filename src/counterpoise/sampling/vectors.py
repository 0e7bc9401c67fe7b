"""Public chance sampling with vectors of hands for two seats (our own choice, not one of the sources).

An iteration is one dealt board, walked for both seats with all hands at once. All regrets of a decision change
together, so this is CFR with sampled boards: no action is left out, and every decision has its block from the start.
Threads share the subtrees below a frontier of betting nodes; the result does not depend on their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.tilt import NO_TILT, PayoffTilt
from counterpoise.parameters import require
from counterpoise.sampling.betting_tree import BettingTree
from counterpoise.sampling.kernels import vectors as kernels
from counterpoise.sampling.kernels.dealing import CardArrays
from counterpoise.sampling.kernels.layouts import settle
from counterpoise.sampling.kernels.vectors import (
    BELOW,
    COLLECT,
    FINISH,
    NO_SLOT,
    BoardHands,
    Frames,
    FrontierNodes,
    VectorTree,
)
from counterpoise.sampling.lookup import dealt_hand
from counterpoise.sampling.tables import TableLayout
from counterpoise.sampling.tabular import TabularWalks, place_all

SUBTREES = 24
"""The number of nodes of the frontier that is aimed at."""


class VectorSampling(TabularWalks):
    """Tables that walks with vectors of hands improve; an iteration is one dealt board, walked for both seats."""

    kernels = (kernels.deal_board, kernels.walk_vectors)

    def __init__(
        self,
        tree: BettingTree,
        layout: TableLayout,
        cards: CardArrays,
        *,
        seed: int = 0,
        threads: int = 1,
        tilt: PayoffTilt = NO_TILT,
    ) -> None:
        require_two_seats(tree)
        super().__init__(tree, layout, cards, seed, threads)
        place_all(self.walks, layout)
        self.free = 2 * layout.size
        frontier = _frontier(tree)
        self._vectors = vector_tree(tree, self.walks.nodes, layout.buckets, slots_of(tree, frontier), tilt)
        self._dealt, self._hands = dealt_hand(tree), board_hands(tree)
        self._frontier = frontier_of(tree, frontier)
        self._frames = [frames_of(tree, layout.buckets) for _ in range(threads)]

    def run(self, iterations: int, seats: Sequence[int] = (0, 1)) -> None:
        """Deal a number of boards and walk each for both seats, or for one, which then learns to answer the other."""
        for _ in range(iterations):
            kernels.deal_board(self.cards, self._seed, self.iteration, self._dealt, self._hands)
            for seat in seats:
                self.walk(seat)
            self.iteration += 1

    def walk(self, seat: int) -> None:
        """Walk the arranged hands of the dealt board for one seat."""
        self._frontier.reach[:] = 0.0
        self._step(0, seat, COLLECT, 0)
        slots = len(self._frontier.node) - 1
        if self._pool is None:
            touched = sum([self._step(0, seat, BELOW, slot) for slot in range(slots)])
        else:
            free = list(range(self.threads))

            def below(slot: int) -> int:
                own = free.pop()
                try:
                    return self._step(own, seat, BELOW, slot)
                finally:
                    free.append(own)

            touched = sum(self._pool.map(below, range(slots)))
        self.nodes_touched += touched + self._step(0, seat, FINISH, 0)

    def _step(self, thread: int, seat: int, mode: int, slot: int) -> int:
        arguments = (self._vectors, self.table, self._hands, self._frames[thread], self._frontier)
        return int(kernels.walk_vectors(*arguments, seat, mode, slot, None))


def require_two_seats(tree: BettingTree) -> None:
    """Refuse a game of more seats than vectors of hands are for."""
    require(
        tree.players == 2,
        f"vectors of hands are for two seats, and {tree.game.name} has {tree.players}: use method external",
    )


def vector_tree(
    tree: BettingTree,
    nodes: NDArray[np.uint32],
    buckets: NDArray[np.uint32],
    slot: Any,
    tilt: PayoffTilt = NO_TILT,
) -> VectorTree:
    """Return a betting tree of two seats, with its blocks as `nodes` has them, for walks with vectors."""
    return VectorTree(nodes, buckets, *paid_by_result(tree, tilt), slot)


def slots_of(tree: BettingTree, frontier: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the place of every node in a frontier, or `NO_SLOT`."""
    slot = np.full(tree.nodes, NO_SLOT, dtype=np.int32)
    slot[frontier] = np.arange(len(frontier))
    return slot


def board_hands(tree: BettingTree) -> BoardHands:
    """Return scratch arrays for the hands of a board."""
    most = tree.game.deck.hand_count
    return BoardHands(
        live=np.zeros(1, dtype=np.int64),
        card=np.zeros((2, most), dtype=np.uint8),
        end=np.zeros(most, dtype=np.int32),
        buckets=np.zeros((2, tree.rounds, most), dtype=np.uint32),
    )


def frontier_of(tree: BettingTree, nodes: NDArray[np.int64]) -> FrontierNodes:
    """Return arrays for reach and values at the nodes of a frontier."""
    slots, most = max(len(nodes), 1), tree.game.deck.hand_count
    return FrontierNodes(
        node=np.append(nodes, 0).astype(np.uint32),
        reach=np.zeros((slots, 2, most), dtype=np.float32),
        value=np.zeros((slots, most), dtype=np.float32),
    )


def frames_of(tree: BettingTree, buckets: NDArray[np.uint32]) -> Frames:
    """Return arrays for the path of a walk through decisions with a number of buckets, [seat, round]."""
    depth, actions = _depth(tree) + 2, int(tree.arrays.actions.max())
    hands, most = tree.game.deck.hand_count, int(buckets.max())
    require(depth * actions * most <= 2**28, f"{most:,} buckets are too many for vectors of hands: use method external")
    return Frames(
        node=np.zeros(depth, dtype=np.uint64),
        action=np.zeros(depth, dtype=np.int64),
        reach=np.zeros((depth, 2, hands), dtype=np.float32),
        value=np.zeros((depth, hands), dtype=np.float32),
        child=np.zeros((depth, actions, hands), dtype=np.float32),
        strategy=np.zeros((depth, actions, most), dtype=np.float32),
        gain=np.zeros(most),
        by_card=np.zeros((2, 52)),
    )


def paid_by_result(tree: BettingTree, tilt: PayoffTilt = NO_TILT) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return each seat's winnings at each row of ends if it loses, ties and wins, and whether hands are compared."""
    rows = len(tree.ends.base)
    paid, wins, shown = np.zeros((rows, 2, 3)), np.zeros(2), tree.ends.live == 3
    for row in range(rows):
        for outcome, strengths in enumerate(([0, 1], [1, 1], [1, 0])):
            settle(tree.ends, row, np.array(strengths, dtype=np.uint16), wins)
            told = [tilt.apply(won, folded=not shown[row]) for won in wins.tolist()]
            paid[row, 0, outcome], paid[row, 1, 2 - outcome] = told
    return paid, shown


def _frontier(tree: BettingTree) -> NDArray[np.int64]:
    """Return decisions below which walks are independent, by cutting up the largest subtrees until there are enough."""
    sizes = np.ones(tree.nodes, dtype=np.int64)
    parent = tree.parent.astype(np.int64)
    for node in range(tree.nodes - 1, 0, -1):
        sizes[parent[node]] += sizes[node]
    chosen = [0]
    while 0 < len(chosen) < SUBTREES:
        node = max(chosen, key=lambda one: (sizes[one], -one))
        below = [child for child in tree.children(node) if tree.decisions[child]]
        if len(below) == 0 or sizes[node] < 200:
            break
        chosen.remove(node)
        chosen += below
    return np.array([] if chosen == [0] else sorted(chosen, key=lambda one: -sizes[one]), dtype=np.int64)


def _depth(tree: BettingTree) -> int:
    """Return the most actions of a hand."""
    depth = np.zeros(tree.nodes, dtype=np.int64)
    for node, parent in enumerate(tree.parent.tolist()):
        if node:
            depth[node] = depth[parent] + 1
    return int(depth.max())
