"""The chance-sampling family on public trees: CS, OPCS, SPCS and PCS (Johanson 2016, section 3.2).

One iteration is one walk per player, each with chance events of its own, drawn with their true probabilities:

1. public cards are always drawn; the own hand and the opponent's are drawn too or stay vectors of all hands:

   ====  =============================  ===============  =====================
   CS    chance sampling                own, opponent's  one infoset per node
   OPCS  opponent-public                opponent's       all n own hands
   SPCS  self-public                    own              one infoset per node
   PCS   public chance sampling         none             all n own hands
   ====  =============================  ===============  =====================

2. strategies are matched from regrets, and the values of the walk are divided by the probability of the sample, so
   that their expectation is the counterfactual value (Johanson 2016, theorem 1: all four converge like CFR);
3. regrets gain v(a) - v, and the average gains the strategy weighted by own reach.

Without public chance events (Kuhn poker, Bluff) PCS is CFR itself. Hands may share buckets: the updates of all hands
of a bucket are added.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from counterpoise.solvers.base import Algorithm, Output, algorithm
from counterpoise.solvers.tree_solver import TreeSolver
from counterpoise.tree import Tree
from counterpoise.tree.kernels.layouts import FloatArray


@dataclass(frozen=True, kw_only=True)
class PublicWalks(Algorithm):
    """Settings of regret matching by walks on full boards."""

    floor: bool = False
    """Whether negative regrets are cut to zero after every update, as in CFR+."""
    average: Literal["uniform", "linear"] = "uniform"
    """Weight of iteration t in the average: 1, or t."""
    output: Output = "average"
    """Which strategy is the result; only the average has a guarantee."""

    own_sampled: ClassVar[bool] = False
    opponent_sampled: ClassVar[bool] = False
    public_bits: ClassVar[tuple[int, ...]] = (32,)

    @property
    def public_tables(self) -> int:
        """Two tables of 64 bits, and a profile of 32 bits while strategies are read off them."""
        return 5

    @property
    def guarantee(self) -> str:
        """Linear weights need the floor, and the current strategy has no guarantee."""
        covered = self.output == "average" and (self.average == "uniform" or self.floor)
        return super().guarantee if covered else ""

    def on_tree(self, tree: Tree, seed: int) -> TreeSolver:
        from counterpoise.solvers.monte_carlo.public_walks import (
            PublicWalkSolver,  # public trees are imported when needed
        )

        return PublicWalkSolver(self, tree, seed)

    def on_public(self, game: Any, seed: int, threads: int, bits: int) -> Any:
        self.require_usual_bits(bits)
        return self.on_buckets(game, None, seed)

    def on_buckets(self, game: Any, buckets: Any, seed: int) -> Any:
        from counterpoise.solvers.monte_carlo.public_walks import BucketSolver  # public trees are imported when needed

        return BucketSolver(self, game, buckets, seed=seed)

    def iteration_weights(self, iteration: int, count: int) -> FloatArray:
        """Return the weights in the average of iterations ``iteration + 1`` to ``iteration + count``."""
        t = np.arange(iteration + 1, iteration + count + 1, dtype=np.float64)
        return t if self.average == "linear" else np.ones(count)


@algorithm("pcs")
@dataclass(frozen=True, kw_only=True)
class PCS(PublicWalks):
    """CFR with public chance sampling: public cards are drawn, all hands of both players are walked as vectors."""

    source: ClassVar[str] = "Johanson 2016, section 3.2"


@algorithm("ops")
@dataclass(frozen=True, kw_only=True)
class OPCS(PublicWalks):
    """CFR with opponent-public chance sampling: public cards and the opponent's hand are drawn."""

    source: ClassVar[str] = "Johanson 2016, section 3.2"
    opponent_sampled: ClassVar[bool] = True


@algorithm("sps")
@dataclass(frozen=True, kw_only=True)
class SPCS(PublicWalks):
    """CFR with self-public chance sampling: public cards and the own hand are drawn."""

    source: ClassVar[str] = "Johanson 2016, section 3.2"
    own_sampled: ClassVar[bool] = True


@dataclass(frozen=True, kw_only=True)
class CS(PublicWalks):
    """CFR with chance sampling on a public tree: public cards and both hands are drawn (``cs-mccfr`` on any game)."""

    source: ClassVar[str] = "Johanson 2016, section 3.2"
    own_sampled: ClassVar[bool] = True
    opponent_sampled: ClassVar[bool] = True
