"""Walks of one public cluster of flops below the first round, in its own part of the tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.tilt import PayoffTilt
from counterpoise.sampling.betting_tree import BettingTree
from counterpoise.sampling.kernels import vectors as kernels
from counterpoise.sampling.kernels.dealing import CardArrays
from counterpoise.sampling.lookup import dealt_hand
from counterpoise.sampling.tables import TableLayout
from counterpoise.sampling.vectors import board_hands, frames_of, frontier_of, slots_of, vector_tree

FLOP = 3


class Walk(NamedTuple):
    """A walk of all clusters in an iteration."""

    seat: int
    iteration: int
    sampled: tuple[float, float] | None
    """C and K of regret-based sampling; None: all actions are explored."""


class ClusterPlan:
    """The plan of walks by clusters of a game: flops of every cluster, ends of rounds, and parts of the tables."""

    def __init__(
        self,
        tree: BettingTree,
        layout: TableLayout,
        cards: CardArrays,
        flops: Sequence[NDArray[np.uint8]],
        seed: np.uint64,
        tilt: PayoffTilt,
    ) -> None:
        self.tree, self.layout, self.cards, self.flops, self.seed, self.tilt = tree, layout, cards, flops, seed, tilt
        self.exits = tree.round_exits(0)
        self.slot = slots_of(tree, self.exits)
        self.slots, self.hands = max(len(self.exits), 1), tree.game.deck.hand_count
        inside = layout.buckets.copy()
        inside[:, 1:] //= len(flops)
        self.inside: NDArray[np.uint32] = inside
        """Buckets of one cluster, [seat, round]."""
        self.later = tree.decisions & (tree.arrays.round > 0)

    def __reduce__(self) -> Any:
        return ClusterPlan, (self.tree, self.layout, self.cards, self.flops, self.seed, self.tilt)

    def first_bucket(self, number: int) -> NDArray[np.uint32]:
        """Return the first bucket of a cluster, [seat, round]: buckets of a cluster follow each other."""
        found = self.inside * np.uint32(number)
        found[:, 0] = 0
        return found

    def skipped(self, number: int) -> NDArray[np.uint32]:
        """Return the number of entries of each later decision that belong to earlier clusters."""
        arrays = self.tree.arrays
        rows = self.first_bucket(number)[arrays.player[self.later], arrays.round[self.later]]
        return rows * arrays.actions[self.later].astype(np.uint32)


class ClusterWalk:
    """The walks of one cluster below the first round, in a table with the places of its nodes."""

    def __init__(self, plan: ClusterPlan, number: int, nodes: NDArray[np.uint32], table: NDArray[np.float32]) -> None:
        tree = plan.tree
        self.plan, self.number, self.flops, self.table = plan, number, plan.flops[number], table
        self.probability = np.float32(len(self.flops) / math.comb(tree.game.deck.size, FLOP))
        # In its own tree every block begins at the first bucket of the cluster.
        self.first_bucket = plan.first_bucket(number)
        self._tree = vector_tree(tree, nodes, plan.inside, plan.slot, plan.tilt)
        self._dealt, self._hands = dealt_hand(tree), board_hands(tree)
        self._frontier = frontier_of(tree, plan.exits)
        self._frames = frames_of(tree, plan.inside)

    def walk(self, walk: Walk, reach: NDArray[np.float32]) -> tuple[int, NDArray[np.float32]]:
        """Deal the board of an iteration and walk it; return the nodes touched and the values of hands."""
        plan = self.plan
        number = walk.iteration * len(plan.flops) + self.number
        kernels.deal_after_flop(plan.cards, self.flops, plan.seed, number, self._dealt, self._hands)
        return self.walk_dealt(walk.seat, reach, walk.sampled)

    def walk_dealt(
        self, seat: int, reach: NDArray[np.float32], sampled: tuple[float, float] | None = None
    ) -> tuple[int, NDArray[np.float32]]:
        """Walk the arranged hands of the dealt board; return the nodes touched and hands' values, [exit, hand]."""
        plan, hands, frontier = self.plan, self._hands, self._frontier
        live = int(hands.live[0])
        hands.buckets[:, :, :live] -= self.first_bucket[:, :, None]
        own = plan.cards.hand_of[hands.card[0, :live], hands.card[1, :live]]
        np.multiply(reach[:, :, own], self.probability, out=frontier.reach[:, :, :live])
        drawn = None if sampled is None else (*sampled, self._dealt.random)
        touched = kernels.walk_all_below(self._tree, self.table, hands, self._frames, frontier, seat, drawn)
        # A deal of the first round is one of more pairs of hands than a deal of this board.
        ratio = _pairs(plan.hands) / _pairs(live)
        values = np.zeros((plan.slots, plan.hands), dtype=np.float32)
        values[:, own] = frontier.value[:, :live] * np.float32(ratio)
        return int(touched), values


def _pairs(hands: int) -> float:
    """Return the number of ways in which two seats may hold hands of this number."""
    cards = (1 + math.isqrt(1 + 8 * hands)) // 2
    return float(hands * math.comb(cards - 2, 2))
