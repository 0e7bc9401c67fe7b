"""What a seat wins in the rest of a hand if it follows a sampled solution and all others follow the blueprint.

Hands are drawn from the ranges and played to their end, so the answer is free of bias, and with the same seed two
strategies meet the same cards. The betting of the subtree is that of the blueprint.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.betting.sizes import label
from counterpoise.blueprint import Blueprint
from counterpoise.games.known import public_cards
from counterpoise.kernels.random import uniform
from counterpoise.sampling import NodeStrategy
from counterpoise.sampling.kernels.blocks import ACTIONS, BYTE, END_OF_HAND, KIND, MOST_ACTIONS, NEXT, ROUND
from counterpoise.sampling.kernels.dealing import deal_hand, seed_hand
from counterpoise.sampling.kernels.ends import end_value
from counterpoise.sampling.kernels.leaves import roll_out
from counterpoise.sampling.lookup import board_lookup
from counterpoise.sampling.subtree import Continuations, SubtreeSampling, range_cards
from counterpoise.search.blueprint_nodes import blueprint_node_after, leaf_blueprint_nodes
from counterpoise.search.sampled import biases
from counterpoise.search.sampled_solution import SampledSolution


class PlayOuts:
    """Plays the rest of hands from the root of a solution on."""

    def __init__(self, blueprint: Blueprint, found: SampledSolution) -> None:
        self.tree, self.layout, board = found.tree, found.layout, public_cards(found.public)
        home = blueprint_node_after(blueprint.tree, blueprint.game, found.public)
        strategy = NodeStrategy(blueprint.layout, blueprint.table, blueprint.abstractions)
        nodes = leaf_blueprint_nodes(blueprint.tree, home, self.tree)
        self.leaves = Continuations(blueprint.tree, strategy, nodes, biases(5.0), 1).arrays(self.tree)
        cards = board_lookup(blueprint.tree, blueprint.abstractions, tuple(board))
        self.cards = range_cards(cards, self.tree, found.root_ranges, board)
        self.sampling = SubtreeSampling(self.tree, self.layout, self.cards, self.leaves)
        self.blueprint = np.zeros(self.layout.size)
        at = {0: home.node}
        for node in self._decisions():
            if node:
                at[node] = blueprint.tree.child(at[int(self.tree.parent[node])], label(int(self.tree.action[node])))
            rows = blueprint.layout.block(blueprint.tree, at[node], blueprint.table).astype(np.float64)
            rows = np.where(rows.any(axis=1, keepdims=True), rows, 1.0)
            if self.tree.arrays.round[node] == self.tree.root.round:
                rows = rows[np.maximum(blueprint.abstraction_of(int(self.tree.arrays.player[node])).row(board), 0)]
            self.layout.block(self.tree, node, self.blueprint)[:] = rows

    def gain(self, seat: int, weights: NDArray[Any], hands: int) -> float:
        """Return how many chips a seat wins more per hand by a table of weights than by the blueprint.

        With hands whose weights are all 0 it follows the blueprint.
        """
        own = self.blueprint.copy()
        for node in self._decisions():
            rows, given = (self.layout.block(self.tree, node, table) for table in (own, weights))
            rows[given.any(axis=1)] = given[given.any(axis=1)]
        return self._value(seat, own, hands) - self._value(seat, self.blueprint, hands)

    def _value(self, seat: int, own: NDArray[np.float64], hands: int) -> float:
        tables = np.stack([self.blueprint, own])
        walker = self.sampling._walkers[0]
        start, paid = self.layout.start.astype(np.int64), self.tree.paid
        return float(_play(self.cards, self.sampling.walks, self.leaves, (start, paid, tables), walker, seat, hands))

    def _decisions(self) -> list[int]:
        """Return the decisions without picks of continuations."""
        betting = self.tree.decisions & (self.tree.arrays.first_child > 0)
        return np.flatnonzero(betting).tolist()


@njit
def _play(cards, tree, leaves, known, walker, seat, hands):
    """Return the mean of what a seat wins by the second of two tables while the others play by the first."""
    start, paid, tables = known
    dealt, scratch, nodes, total = walker.dealt, walker.scratch, tree.nodes, 0.0
    for hand in range(hands):
        seed_hand(np.uint64(7), np.uint64(hand), dealt.random)
        deal_hand(cards, dealt)
        node = np.int64(0)
        while nodes[node, KIND] & BYTE != END_OF_HAND:
            kind = np.int64(nodes[node, KIND])
            owner, count = kind & BYTE, (kind >> ACTIONS) & MOST_ACTIONS
            row = start[node] + count * np.int64(dealt.buckets[(kind >> ROUND) & BYTE, owner])
            weights = tables[np.int64(owner == seat), row : row + count]
            left, action = uniform(dealt.random) * weights.sum(), 0
            while action < count - 1 and left >= weights[action]:
                left -= weights[action]
                action += 1
            node = np.int64(nodes[node, NEXT]) + action
        leaf = np.int64(nodes[node, NEXT]) - len(tree.ends.live)
        if leaf < 0:
            total += end_value(tree, dealt.strengths, np.uint64(node), seat)
        elif not (np.int64(leaves.live[leaf]) >> seat) & 1:
            total -= paid[node, seat]
        else:
            for other in range(len(scratch.picked)):
                scratch.picked[other] = 0
                live = (np.int64(leaves.live[leaf]) >> other) & 1
                scratch.strengths[other] = dealt.strengths[other] if live else 0
            total += roll_out(leaves, np.uint64(leaf), dealt, scratch, seat)[0]
    return total / hands
