"""CFR on an abstraction that may grow: its sums, and what turns them into strategies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from counterpoise.solvers.saef.game import ContinuousLeduc
from counterpoise.solvers.saef.kernels.cfr import iterate, sums_of_regrets
from counterpoise.solvers.saef.kernels.layouts import DEAL, GrowthTables
from counterpoise.solvers.saef.tree import GrowingTree
from counterpoise.tree.kernels.layouts import FloatArray

SUMS = ("regrets", "average", "folded", "value", "faced")
"""What grows with iterations: a discount applies to all of them."""


class GrowingCFR:
    """Vanilla CFR with alternating updates on an abstraction of continuous Leduc, which may grow while it runs.

    `iterations` have been done, which are `worth` that many after all discounts; `nodes_touched` counts public nodes.
    With `archive`, what neither player reaches is left out of the walks, without any change of the strategies.
    """

    def __init__(
        self, game: ContinuousLeduc | None = None, sizes: Sequence[float] | None = None, archive: bool = True
    ) -> None:
        self.tree = GrowingTree(game or ContinuousLeduc(), sizes)
        self.archive = archive
        self.iterations, self.nodes_touched, self.worth = 0, 0, 0.0
        self.tables = _tables(0, self.tree.game.ranks)
        self._totals = np.zeros((2, 2))
        self.make_room()
        self.start_uniform(0)

    def step(self, iterations: int = 1) -> None:
        """Run iterations."""
        self.nodes_touched += iterate(self.tree.arrays, self.tree.game.deals, self.tables, iterations, self.archive)
        self.iterations += iterations
        self.worth += iterations

    def discount(self, weight: float) -> None:
        """Let all past iterations count `weight` times: in every sum and in their number."""
        for name in SUMS:
            rows = getattr(self.tables, name)[: self.tree.count]
            rows *= weight
        self.worth *= weight

    def totals(self) -> FloatArray:
        """Return [seat, 2]: the sum of R(I) over a seat's infosets, and that of all squared positive regrets."""
        sums_of_regrets(self.tree.arrays, self.tables, self.tree.count, self._totals)
        return self._totals

    def average_strategy(self) -> FloatArray:
        """Return the average strategy, [node, rank] with the probability of the action that leads to the node.

        Where a player has never been, it is the fallback; rows that no decision leads to are 1.
        """
        tree = self.tree.arrays
        count = self.tree.count
        sums, parent = self.tables.average[:count], tree.parent[:count]
        acts = tree.kind[parent] < DEAL
        acts[0] = False
        totals = np.zeros_like(sums)
        np.add.at(totals, parent[acts], sums[acts])
        shares = np.where(
            totals[parent] > 0.0, sums / np.where(totals > 0.0, totals, 1.0)[parent], self.tables.fallback[:count]
        )
        return np.where(acts[:, None], shares, 1.0)

    def make_room(self) -> None:
        """Make the tables as long as the tree."""
        old, room = self.tables, len(self.tree.arrays.kind)
        if len(old.order) < room:
            self.tables = _tables(room, self.tree.game.ranks)
            for name in GrowthTables._fields:
                getattr(self.tables, name)[: len(old.order)] = getattr(old, name)

    def start_uniform(self, root: int) -> None:
        """Let all decisions from node `root` on begin with all actions alike."""
        arrays, tables = self.tree.arrays, self.tables
        for node in range(root, self.tree.count):
            if arrays.kind[node] < DEAL:
                children = self.tree.children(node)
                tables.strategy[children] = tables.fallback[children] = 1 / len(children)


def value_parts(cfr: GrowingCFR) -> FloatArray:
    """Return [2, node, rank] for bets: F, what immediate folds were worth, and C, all else divided by 1 + 2 size.

    Both are summed over iterations; F + (1 + 2 size) C is the bet's value, and with another size what the same play
    would have been worth after that (Brown 2020, section 4.3.2).
    """
    tables, tree, count = cfr.tables, cfr.tree.arrays, cfr.tree.count
    folds = tables.folded[:count]
    rest = tables.regrets[:count] + tables.value[tree.parent[:count]] - folds
    return np.array([folds, rest / (1.0 + 2.0 * tree.size[:count, None])])


def _tables(room: int, ranks: int) -> GrowthTables:
    """Return empty tables for a number of nodes."""
    shapes = {"reach": (room, 2, ranks), "order": (room,)}
    made: dict[str, Any] = {name: np.zeros(shapes.get(name, (room, ranks))) for name in GrowthTables._fields}
    return GrowthTables(**made | {"order": np.zeros(room, np.uint32)})
