"""The rest of a hand as a tree that is walked: it begins in the middle of the betting and may stop at leaves.

In the round in which it begins every hand is a bucket of its own; in later rounds hands are in the buckets of an
abstraction. Hands of all live seats are drawn from their ranges, redrawn if they share a card, and the rest of the
board comes from the remaining cards: the hands of folded seats are not modelled. Some decisions may be frozen: a given
strategy is played there, and the walk learns nothing about them (Brown 2020, section 6.6).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.rules import BetAction, BettingState
from counterpoise.games.holdem import Holdem
from counterpoise.parameters import require
from counterpoise.sampling.betting_tree import BettingTree, NodeCollector, seat_set
from counterpoise.sampling.external import ExternalSampler
from counterpoise.sampling.kernels import blocks
from counterpoise.sampling.kernels.blocks import Frozen, WalkTree
from counterpoise.sampling.kernels.dealing import CardArrays, Ranges
from counterpoise.sampling.kernels.leaves import Leaves
from counterpoise.sampling.tables import NodeStrategy, TableLayout
from counterpoise.sampling.tabular import place_all, walk_tree

MOST_NODES = 500_000
"""The most nodes of a subtree."""
FloatArray = NDArray[np.float64]


class Subtree(BettingTree):
    """The betting tree of the rest of a hand; make one with `build_subtree`. Lines begin at its root."""

    def __init__(self, root: BettingState, leaves: list[tuple[int, BettingState]], *parts: Any) -> None:
        super().__init__(*parts)
        self.root, self.leaves = root, leaves

    def __reduce__(self) -> Any:
        parts = self.game, self.arrays, self.ends, self.action, self.parent, self.paid
        return Subtree, (self.root, self.leaves, *parts)

    def state(self, node: int) -> BettingState:
        """Return the betting at a decision or an end."""
        if not node:
            return self.root
        return self.game.betting_next(self.state(int(self.parent[node])), self.line(node)[-1])


def build_subtree(
    game: Holdem,
    root: BettingState,
    *,
    menu: Callable[[BettingState], Sequence[BetAction]] | None = None,
    extra: Mapping[BettingState, Sequence[BetAction]] | None = None,
    stop: Callable[[BettingState], bool] | None = None,
    picks: Sequence[int] = (),
    most_nodes: int = MOST_NODES,
) -> Subtree:
    """Return the betting that follows a decision.

    The actions of a decision are those of `menu` (by default the game's) and `extra` ones at some states, such as bets
    that were really made. `stop` returns whether the tree stops after an action, at a leaf where seat s picks one of
    ``picks[s]`` continuations.
    """
    require(root.to_act >= 0, "a subtree begins with a decision, and nobody is to act there")
    listed, more = menu or game.menu, extra or {}

    def actions(state: BettingState) -> Sequence[BetAction]:
        return sorted({*listed(state), *more[state]}) if state in more else listed(state)

    collector = NodeCollector(game, most_nodes, None, actions, stop, picks or (1,) * game.players)
    parts = collector.collect(root)
    return Subtree(root, collector.leaves, game, *parts)


def subtree_layout(tree: Subtree, buckets: Any) -> TableLayout:
    """Return the order of tables for a subtree: a row for every hand in its first round, then for every bucket.

    `buckets` are numbers for all rounds of the game, for all seats or for each.
    """
    counts = np.array(buckets, dtype=np.uint32)
    if counts.ndim == 1:
        counts = np.tile(counts, (tree.players, 1))
    counts[:, tree.root.round] = tree.game.deck.hand_count
    return TableLayout.of(tree, counts.tolist())


def range_cards(cards: CardArrays, tree: Subtree, ranges: FloatArray, board: Sequence[int]) -> CardArrays:
    """Return cards that are drawn from ranges, [seat, hand], of the live seats on a board."""
    live = list(tree.root.live)
    edges = np.zeros((tree.players, tree.game.deck.hand_count))
    edges[live] = np.cumsum(ranges[live], axis=1)
    known = Ranges(np.array(board, dtype=np.uint8), np.array(live, dtype=np.uint8), edges, tree.root.round)
    return cards._replace(ranges=known)


@dataclass(frozen=True)
class Continuations:
    """The continuations behind leaves: a blueprint, its biased forms, and the node of it that stands for each leaf."""

    tree: BettingTree
    strategy: NodeStrategy
    nodes: Sequence[int]
    """For each leaf a node of the blueprint's tree."""
    factors: FloatArray
    """[continuation, kind]: by how much the probabilities of folds, calls and raises are multiplied."""
    rollouts: int = 3
    """The number of roll-outs in a visit of a leaf, for each pick."""
    penalty: float = 0.0
    """The share of the pot that any continuation but the first costs the seat that picks it."""

    def arrays(self, subtree: Subtree) -> Leaves:
        """Return the leaves of a subtree as walks read them; payoffs are the same share of the pot."""
        pot = subtree.game.betting.pot
        paid = np.array([state.paid for _, state in subtree.leaves], dtype=np.float64).reshape(-1, subtree.players)
        at_nodes = self.tree.paid[list(self.nodes)].astype(np.float64).reshape(-1, subtree.players)
        scale = (pot + paid.sum(axis=1)) / (pot + at_nodes.sum(axis=1))
        behind = np.array(subtree.game.betting.stacks, dtype=np.float64) - paid
        needed = scale[:, None] * (np.array(self.tree.game.betting.stacks, dtype=np.float64) - at_nodes)
        return Leaves(
            node=np.array(self.nodes, dtype=np.uint32),
            live=np.array([seat_set(state.live) for _, state in subtree.leaves], dtype=np.uint16),
            scale=scale,
            base=scale[:, None] * at_nodes - paid,
            behind=np.where(needed > behind, behind, np.inf),
            paid=self.tree.paid,
            rollouts=self.rollouts,
            factors=with_costs(self.factors, self.penalty),
            tree=played_tree(self.tree),
            start=self.strategy.layout.start,
            table=self.strategy.table,
        )


def with_costs(factors: FloatArray, penalty: float = 0.0) -> FloatArray:
    """Return the factors of continuations as walks read them, with the share of the pot that each costs its seat."""
    costs = np.where(np.arange(len(factors)) > 0, penalty, 0.0)
    return np.ascontiguousarray(np.column_stack([factors, costs]))


@lru_cache(maxsize=4)
def played_tree(tree: BettingTree) -> WalkTree:
    """Return a betting tree as roll-outs read it."""
    return walk_tree(tree, TableLayout.of(tree, [1] * tree.rounds))


class SubtreeSampling(ExternalSampler):
    """Tables of a subtree that walks of external sampling improve.

    `frozen` has strategies [hand, action] of decisions that are not learned, by node, in which rows of 0 are learned.
    """

    def __init__(
        self,
        tree: Subtree,
        layout: TableLayout,
        cards: CardArrays,
        leaves: Leaves,
        frozen: Mapping[int, FloatArray] | None = None,
        *,
        batch: int | None = None,
        seed: int = 0,
        threads: int = 1,
    ) -> None:
        walks = walk_tree(tree, layout)
        place_all(walks, layout)
        owners = np.unique(tree.arrays.player[tree.decisions]).astype(np.uint32)
        walks = walks._replace(seats=owners, leaves=leaves, frozen=_frozen(walks, frozen or {}))
        super().__init__(tree, layout, cards, batch=batch, seed=seed, threads=threads, walks=walks)
        self.free = 2 * layout.size
        blocks.keep_frozen(walks.frozen, self.table)

    def discount(self, factor: float) -> None:
        """Multiply regrets and averages by a factor; frozen ones stay."""
        super().discount(factor)
        blocks.keep_frozen(self.walks.frozen, self.table)


def _frozen(walks: WalkTree, given: Mapping[int, FloatArray]) -> Frozen:
    """Return the entries of given strategies, which take the place of the regrets of their decisions."""
    places, values = [np.zeros(0, dtype=np.uint64)], [np.zeros(0, dtype=np.float32)]
    for node, table in given.items():
        count = table.shape[1]
        kept = np.flatnonzero(table.sum(axis=1) > 0)
        first = int(walks.nodes[node, blocks.PLACE]) + 2 * count * kept
        places.append((first[:, None] + np.arange(count)).ravel().astype(np.uint64))
        values.append(table[kept].ravel().astype(np.float32))
    return Frozen(np.concatenate(places), np.concatenate(values))
