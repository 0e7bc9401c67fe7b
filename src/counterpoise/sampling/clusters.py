"""Equilibrium finding by public clusters of flops, on one process or several (Tartanian7; Brown 2020, section 6.1).

The tables of all rounds after the first fall into as many parts as the abstraction has public clusters of flops, and no
part needs another one. An iteration, of one seat, seats in turn:

1. the *head* walks the first round with all hands of the deck and writes down the reach of both seats where it ends;
2. every cluster deals one of its flops and the rest of a board, takes the reaches of the hands that the board leaves,
   times the probability of the cluster, walks to the ends of the hand and adds to its own part of the tables;
3. the head sums the values that the clusters found, and updates the first round.

The walks are those with vectors of hands (`counterpoise.sampling.vectors`; two seats), so an iteration is CFR with one
drawn board for each cluster: on average it adds what public chance sampling adds, with less noise. Boards follow from
the seed, the number of the iteration and that of the cluster; the order in which clusters are walked changes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.abstraction.table import CardAbstraction
from counterpoise.betting.tilt import NO_TILT, PayoffTilt
from counterpoise.errors import InputError
from counterpoise.parameters import require
from counterpoise.sampling.betting_tree import BettingTree
from counterpoise.sampling.kernels import vectors as kernels
from counterpoise.sampling.kernels.blocks import PLACE
from counterpoise.sampling.kernels.dealing import CardArrays
from counterpoise.sampling.kernels.vectors import COLLECT, FINISH
from counterpoise.sampling.lookup import dealt_hand
from counterpoise.sampling.tables import TableLayout
from counterpoise.sampling.tabular import TabularWalks, place_all
from counterpoise.sampling.vectors import (
    board_hands,
    frames_of,
    frontier_of,
    require_two_seats,
    slots_of,
    vector_tree,
)
from counterpoise.sampling.workers import Workers, shared_zeros

FLOP = 3


class ClusterSampling(TabularWalks):
    """Tables that walks by public clusters improve; an iteration is a board of every cluster, walked for one seat.

    `workers` processes own the clusters, or `threads` of this process share them; the tables do not depend on either.
    """

    kernels = (kernels.deal_after_flop, kernels.walk_vectors, kernels.walk_all_below)

    def __init__(
        self,
        tree: BettingTree,
        layout: TableLayout,
        cards: CardArrays,
        abstractions: Sequence[CardAbstraction],
        *,
        seed: int = 0,
        threads: int = 1,
        workers: int = 1,
        tilt: PayoffTilt = NO_TILT,
    ) -> None:
        require_two_seats(tree)
        flops = cluster_flops(tree, abstractions)
        super().__init__(tree, layout, cards, seed, threads if workers == 1 else 1)
        self.table = shared_zeros(2 * layout.size)
        place_all(self.walks, layout)
        self.free = 2 * layout.size
        self.exits = tree.round_exits(0)
        slots, hands = max(len(self.exits), 1), tree.game.deck.hand_count
        self.reach = shared_zeros((slots, 2, hands))
        self.values = shared_zeros((len(flops), slots, hands))
        self._vectors = vector_tree(tree, self.walks.nodes, layout.buckets, slots_of(tree, self.exits), tilt)
        self._hands = _all_hands(tree, cards)
        self._frontier = frontier_of(tree, self.exits)._replace(reach=self.reach)
        self._frames = frames_of(tree, layout.buckets[:, :1])
        self.clusters = [ClusterWalk(self, number, own, tilt) for number, own in enumerate(flops)]
        self._workers = Workers(self._walk_cluster, len(flops), workers) if workers > 1 else None
        self._warm = False

    def run(self, iterations: int) -> None:
        """Walk so many iterations, each for one seat."""
        for _ in range(iterations):
            seat = self.iteration % 2
            self.collect(seat)
            if self._workers is not None and self._warm:
                touched, seconds = self._workers.run(seat, self.iteration)
                self.cpu_elsewhere += seconds
            else:  # the first iteration is walked here, so that workers begin with everything compiled
                do = partial(ClusterWalk.walk, seat=seat, iteration=self.iteration)
                touched = sum(map(do, self.clusters) if self._pool is None else self._pool.map(do, self.clusters))
                self._warm = True
            self.nodes_touched += touched
            self.finish(seat)
            self.iteration += 1

    def collect(self, seat: int) -> None:
        """Write down the reach of both seats where the first round ends."""
        self.reach[:] = 0.0
        self._first_round(seat, COLLECT)

    def finish(self, seat: int) -> None:
        """Take the values that the clusters found, and add to the regrets and averages of the first round."""
        np.sum(self.values, axis=0, out=self._frontier.value)
        self.nodes_touched += self._first_round(seat, FINISH)

    def close(self) -> None:
        """End the workers."""
        super().close()
        if self._workers is not None:
            self._workers.close()

    def _walk_cluster(self, number: int, seat: int, iteration: int) -> int:
        return self.clusters[number].walk(seat, iteration)

    def _first_round(self, seat: int, mode: int) -> int:
        arguments = (self._vectors, self.table, self._hands, self._frames, self._frontier)
        return int(kernels.walk_vectors(*arguments, seat, mode, 0))


class ClusterWalk:
    """The walks of one cluster below the first round, in its part of the tables."""

    def __init__(self, head: ClusterSampling, number: int, flops: NDArray[np.uint8], tilt: PayoffTilt) -> None:
        tree, layout = head.tree, head.layout
        self.number, self.flops, self._head = number, flops, head
        self.probability = np.float32(len(flops) / math.comb(tree.game.deck.size, FLOP))
        count = len(head.values)
        inside = layout.buckets.copy()
        inside[:, 1:] //= count
        # Buckets of a cluster follow each other: in its own tree every block begins at the first of them.
        self.first_bucket = inside * np.uint32(number)
        self.first_bucket[:, 0] = 0
        nodes = head.walks.nodes.copy()
        later = tree.decisions & (tree.arrays.round > 0)
        skipped = self.first_bucket[tree.arrays.player[later], tree.arrays.round[later]]
        nodes[later, PLACE] += 2 * skipped * tree.arrays.actions[later].astype(np.uint32)
        self._tree = vector_tree(tree, nodes, inside, head._vectors.slot, tilt)
        self._dealt, self._hands = dealt_hand(tree), board_hands(tree)
        self._frontier = frontier_of(tree, head.exits)
        self._frames = frames_of(tree, inside)

    def walk(self, seat: int, iteration: int) -> int:
        """Deal a board of an iteration and walk it for one seat; return the number of nodes touched."""
        head = self._head
        number = iteration * len(head.values) + self.number
        kernels.deal_after_flop(head.cards, self.flops, head._seed, number, self._dealt, self._hands)
        return self.walk_dealt(seat)

    def walk_dealt(self, seat: int) -> int:
        """Walk the arranged hands of the dealt board, and leave values of all hands in those of the head."""
        head, hands, frontier = self._head, self._hands, self._frontier
        live = int(hands.live[0])
        hands.buckets[:, :, :live] -= self.first_bucket[:, :, None]
        own = head.cards.hand_of[hands.card[0, :live], hands.card[1, :live]]
        np.multiply(head.reach[:, :, own], self.probability, out=frontier.reach[:, :, :live])
        touched = kernels.walk_all_below(self._tree, head.table, hands, self._frames, frontier, seat)
        # A deal of the first round is one of more pairs of hands than a deal of this board.
        everything = head.tree.game.deck.hand_count
        ratio = _pairs(everything) / _pairs(live)
        out = head.values[self.number]
        out[:] = 0.0
        out[:, own] = frontier.value[:, :live] * np.float32(ratio)
        return int(touched)


def cluster_flops(tree: BettingTree, abstractions: Sequence[CardAbstraction]) -> list[NDArray[np.uint8]]:
    """Return all flops of every public cluster, [flop, card]; refuse games and abstractions without clusters."""
    first = abstractions[0]
    if tree.rounds < 2 or tree.board_cards[:2] != (0, FLOP):
        raise InputError(f"method clusters is for games with a flop after the first round, not {tree.game.name}")
    public = [one.public for one in abstractions if one.public is not None]
    require(
        len(public) == len(abstractions),
        "method clusters needs an abstraction with public buckets of flops (counterpoise abstraction --public N)",
    )
    require(
        all(np.array_equal(public[0], one) for one in public),
        "method clusters needs the same public buckets of flops for both seats",
    )
    flops = np.array(list(combinations(tree.game.deck.cards.tolist(), FLOP)), dtype=np.uint8)
    own = public[0][first.cards.boards(1).locate(flops)[0]]
    return [np.ascontiguousarray(flops[own == number]) for number in range(int(first.config.public or 1))]


def _all_hands(tree: BettingTree, cards: CardArrays) -> Any:
    """Return all hands of the deck, in its order, as the hands of a board without cards."""
    found, deck = board_hands(tree), tree.game.deck
    found.live[0] = deck.hand_count
    found.card[:] = deck.hands.T
    found.end[:] = deck.hand_count
    for seat in range(2):
        first = int(cards.first_row[seat, 0])
        found.buckets[seat, 0] = cards.rows[first : first + deck.hand_count]
    return found


def _pairs(hands: int) -> float:
    """Return the number of ways in which two seats may hold hands of this number."""
    cards = (1 + math.isqrt(1 + 8 * hands)) // 2
    return float(hands * math.comb(cards - 2, 2))
