"""Equilibrium finding by public clusters of flops, on one process or several (Tartanian7; Brown 2020, section 6.1).

The tables of all rounds after the first consist of one part for each public cluster of flops, and no part needs another
one. An iteration, of one seat, seats in turn:

1. the *head* walks the first round with all hands of the deck and writes down the reach of both seats where it ends;
2. every cluster deals one of its flops and the rest of a board, takes the reaches of the hands that the board leaves,
   times the probability of the cluster, walks to the ends of the hand and adds to its own part of the tables;
3. the head sums the values that the clusters found, and updates the first round.

The walks are those with vectors of hands (`counterpoise.sampling.vectors`; two seats), so an iteration is CFR with one
drawn board for each cluster: on average it adds what public chance sampling adds, with less noise. Boards are
determined by the seed and the numbers of the iteration and the cluster; the order in which clusters are walked changes
nothing.

Below the first round actions of very negative regret may be left out (regret-based sampling; Brown 2020, section 6.3):
each bucket decides by itself, by random numbers that follow those of the board.

Clusters are walked here, on threads, or by workers that own them (`counterpoise.sampling.cluster_owners`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.abstraction.table import CardAbstraction
from counterpoise.betting.tilt import NO_TILT, PayoffTilt
from counterpoise.errors import InputError
from counterpoise.jobs.processes import OtherWorkers
from counterpoise.parameters import require
from counterpoise.sampling.betting_tree import BettingTree
from counterpoise.sampling.cluster_owners import ClusterOwners
from counterpoise.sampling.cluster_walks import FLOP, ClusterPlan, ClusterWalk, Walk
from counterpoise.sampling.external import SkippedActions, largest_payoff
from counterpoise.sampling.kernels import vectors as kernels
from counterpoise.sampling.kernels.blocks import PLACE, scale_table
from counterpoise.sampling.kernels.dealing import CardArrays
from counterpoise.sampling.kernels.vectors import COLLECT, FINISH
from counterpoise.sampling.tables import TableLayout
from counterpoise.sampling.tabular import Arrays, TabularWalks, place_all
from counterpoise.sampling.vectors import board_hands, frames_of, frontier_of, require_two_seats, vector_tree


class ClusterSampling(TabularWalks):
    """Tables that walks by public clusters improve; an iteration is a board of every cluster, walked for one seat.

    `workers` own the clusters, or `threads` of this process share them; the tables do not depend on either.
    """

    kernels = (kernels.deal_after_flop, kernels.walk_vectors, kernels.walk_all_below)

    def __init__(
        self,
        tree: BettingTree,
        layout: TableLayout,
        cards: CardArrays,
        abstractions: Sequence[CardAbstraction],
        *,
        skipping: SkippedActions | None = None,
        seed: int = 0,
        threads: int = 1,
        workers: OtherWorkers | None = None,
        tilt: PayoffTilt = NO_TILT,
    ) -> None:
        require_two_seats(tree)
        flops = cluster_flops(tree, abstractions)
        super().__init__(tree, layout, cards, seed, threads if workers is None else 1)
        place_all(self.walks, layout)
        self.free = 2 * layout.size
        self.skipping, self._largest = skipping or SkippedActions(), largest_payoff(tree)
        self.plan = plan = ClusterPlan(tree, layout, cards, flops, self._seed, tilt)
        self.reach = np.zeros((plan.slots, 2, plan.hands), dtype=np.float32)
        self.values = np.zeros((len(flops), plan.slots, plan.hands), dtype=np.float32)
        self._vectors = vector_tree(tree, self.walks.nodes, layout.buckets, plan.slot, tilt)
        self._hands = _all_hands(tree, cards)
        self._frontier = frontier_of(tree, plan.exits)._replace(reach=self.reach)
        self._frames = frames_of(tree, layout.buckets[:, :1])
        self.owners = None if workers is None else ClusterOwners(plan, workers, self.walks.nodes)
        self.clusters = [] if self.owners else [self._cluster(number) for number in range(len(flops))]

    def run(self, iterations: int) -> None:
        """Walk a number of iterations, each for one seat."""
        for _ in range(iterations):
            seat = self.iteration % 2
            walk = Walk(seat, self.iteration, self.skipping.by_regret(self._largest, self.iteration))
            self.collect(seat)
            if self.owners is not None:
                touched = self.owners.walk(self.table, walk, self.reach, self.values)
                self.cpu_elsewhere = self.owners.cpu_seconds
            else:
                do = partial(ClusterWalk.walk, walk=walk, reach=self.reach)
                found = map(do, self.clusters) if self._pool is None else self._pool.map(do, self.clusters)
                touched = 0
                for own, (nodes, values) in zip(self.clusters, found, strict=True):
                    self.values[own.number] = values
                    touched += nodes
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

    def discount(self, factor: float) -> None:
        """Multiply regrets and averages by a factor."""
        if self.owners is None:
            super().discount(factor)
        else:
            scale_table(self.table[: 2 * self.layout.round_start[1]], np.float32(factor))
            self.owners.discount(factor)

    def averages(self) -> NDArray[np.float32]:
        """Return the sums of the average strategy in the order of the layout."""
        self._gather()
        return super().averages()

    def regrets(self) -> NDArray[np.float32]:
        """Return the regrets in the order of the layout."""
        self._gather()
        return super().regrets()

    def put(self, regrets: NDArray[Any], averages: NDArray[Any] | None = None) -> None:
        """Take over regrets, and perhaps averages, in the order of the layout."""
        self._gather()
        super().put(regrets, averages)
        self._hand_over()

    def arrays(self) -> Arrays:
        """Return everything that the next step depends on."""
        self._gather()
        return super().arrays()

    def restore(self, arrays: Arrays) -> None:
        """Take over the arrays of a run of the same game and settings; refuse others."""
        super().restore(arrays)
        self._hand_over()

    def _gather(self) -> None:
        """Bring what workers own into the table."""
        if self.owners is not None:
            self.owners.gather(self.table)
            self.cpu_elsewhere = self.owners.cpu_seconds

    def _hand_over(self) -> None:
        """Let workers continue from the table."""
        if self.owners is not None:
            self.owners.forget()

    def _cluster(self, number: int) -> ClusterWalk:
        """Return the walks of a cluster in its part of the tables."""
        nodes = self.walks.nodes.copy()
        nodes[self.plan.later, PLACE] += 2 * self.plan.skipped(number)
        return ClusterWalk(self.plan, number, nodes, self.table)

    def _first_round(self, seat: int, mode: int) -> int:
        arguments = (self._vectors, self.table, self._hands, self._frames, self._frontier)
        return int(kernels.walk_vectors(*arguments, seat, mode, 0, None))


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
