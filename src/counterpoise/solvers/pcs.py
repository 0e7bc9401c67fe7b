"""The chance-sampling family on public trees: CS, OPCS, SPCS and PCS (JOHANSON 3.2).

One iteration is one walk per player, each with chance events of its own, drawn with their true probabilities:

1. public cards are always drawn; the own hand and the opponent's are drawn too or stay vectors of all hands:

   ====  =============================  ===============  =====================
   CS    chance sampling                own, opponent's  one infoset per node
   OPCS  opponent-public                opponent's       all n own hands
   SPCS  self-public                    own              one infoset per node
   PCS   public chance sampling         none             all n own hands
   ====  =============================  ===============  =====================

2. strategies are matched from regrets, and the values of the walk are divided by the probability of the sample, so
   that their expectation is the counterfactual value (JOHANSON, theorem 1: all four converge like CFR);
3. regrets gain v(a) - v, and the average gains the strategy weighted by own reach.

Without public chance events (Kuhn poker, Bluff) PCS is CFR itself. Hands may share buckets: the updates of all hands
of a bucket are added.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from counterpoise.public import DenseTree, PublicTree
from counterpoise.public.buckets import Buckets
from counterpoise.public.sampling import Walks
from counterpoise.public.sampling_kernels import full_walks, sample_walks
from counterpoise.random_kernels import seeded
from counterpoise.solvers.base import Algorithm, Output, Solver, algorithm, put_back
from counterpoise.tree import Tree
from counterpoise.tree.tree_kernels import FloatArray


@dataclass(frozen=True, kw_only=True)
class PublicWalks(Algorithm):
    """Settings of regret matching by walks on full boards."""

    floor: bool = False
    """Whether negative regrets are cut to zero after every update, as in CFR+."""
    averaging: Literal["uniform", "linear"] = "uniform"
    """Weight of iteration t in the average: 1, or t."""
    output: Output = "average"
    """Which strategy is the result; only the average has a guarantee."""

    own_sampled: ClassVar[bool] = False
    opponent_sampled: ClassVar[bool] = False
    boards_sampled: ClassVar[bool] = True

    @property
    def guarantee(self) -> str:
        """Linear weights need the floor, and the current strategy has no guarantee."""
        covered = self.output == "average" and (self.averaging == "uniform" or self.floor)
        return super().guarantee if covered else ""

    def solver(self, tree: Tree, seed: int = 0) -> Solver:
        """A solver at iteration 0, playing uniformly; the game must have a public tree."""
        return PublicWalkSolver(self, tree, seed)


@algorithm("pcs")
@dataclass(frozen=True, kw_only=True)
class PCS(PublicWalks):
    """CFR with public chance sampling: public cards are drawn, all hands of both players are walked as vectors."""

    source: ClassVar[str] = "JOHANSON 3.2"


@algorithm("ops")
@dataclass(frozen=True, kw_only=True)
class OPCS(PublicWalks):
    """CFR with opponent-public chance sampling: public cards and the opponent's hand are drawn."""

    source: ClassVar[str] = "JOHANSON 3.2"
    opponent_sampled: ClassVar[bool] = True


@algorithm("sps")
@dataclass(frozen=True, kw_only=True)
class SPCS(PublicWalks):
    """CFR with self-public chance sampling: public cards and the own hand are drawn."""

    source: ClassVar[str] = "JOHANSON 3.2"
    own_sampled: ClassVar[bool] = True


@dataclass(frozen=True, kw_only=True)
class CS(PublicWalks):
    """CFR with chance sampling on a public tree: public cards and both hands are drawn (``cs-mccfr`` on any game)."""

    source: ClassVar[str] = "JOHANSON 3.2"
    own_sampled: ClassVar[bool] = True
    opponent_sampled: ClassVar[bool] = True


@dataclass(frozen=True, kw_only=True)
class Unsampled(PublicWalks):
    """CFR on a public tree with buckets: every iteration goes through all boards."""

    source: ClassVar[str] = "JOHANSON 3.1"
    boards_sampled: ClassVar[bool] = False


class BucketSolver:
    """Walks at work on a public tree: float64 tables of regrets and average, one entry per bucket, node and action.

    `nodes_touched` counts public nodes (decisions and ends on one board), whatever the number of hands there.
    """

    def __init__(
        self, settings: PublicWalks, tree: PublicTree, buckets: Buckets | None = None, seed: int = 0
    ) -> None:  # fmt: skip
        self.settings, self.walks = settings, Walks(tree, buckets)
        self.iteration = self.nodes_touched = 0
        self.regrets, self.cumulative = np.zeros(self.walks.entries), np.zeros(self.walks.entries)
        self.random = seeded(seed)
        self._sides, self._scratch = self.walks.sides(), self.walks.scratch()
        self._updated = np.zeros(0 if settings.boards_sampled else self.walks.entries)

    def step(self, iterations: int = 1) -> None:
        """Advance by so many iterations in one compiled call."""
        settings, walks = self.settings, self.walks
        weights = iteration_weights(settings, self.iteration, iterations)
        if settings.boards_sampled:
            sample_walks(
                walks.paths, walks.boards, self._sides, settings.own_sampled, settings.opponent_sampled,
                settings.floor, weights, self.random, self.regrets, self.cumulative, self._scratch,
            )  # fmt: skip
        else:
            full_walks(
                walks.paths, walks.boards, self._sides, settings.floor, weights, self.regrets, self._updated,
                self.cumulative, self._scratch,
            )  # fmt: skip
        self.iteration += iterations
        boards = 1 if settings.boards_sampled else walks.boards.chance.size
        self.nodes_touched += 2 * iterations * boards * walks.nodes

    def exploitability(self) -> float:
        """NashConv / 2 of the result by exact best responses in the unabstracted game, in the tree's unit.

        The strategies take the place of the tree's average, so that its other measures are theirs.
        """
        self.walks.judge(self.regrets if self.settings.output == "current" else self.cumulative)
        return self.walks.tree.exploitability()

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Regrets, the unnormalised average and the random numbers' state."""
        return {"regrets": self.regrets, "cumulative": self.cumulative, "random": self.random}

    def state(self) -> dict[str, NDArray[Any]]:
        """A copy of everything that changes."""
        counters = np.array([self.iteration, self.nodes_touched], dtype=np.int64)
        return {"counters": counters} | {name: array.copy() for name, array in self.arrays().items()}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Go on from a `state` of the same settings on the same tree and buckets."""
        self.iteration, self.nodes_touched = put_back(state, self.arrays(), self.settings.name)


class PublicWalkSolver(Solver):
    """A `BucketSolver` on the public tree of any game that has one, its strategies in the game's own order."""

    settings: PublicWalks
    kernels = (sample_walks,)

    def __init__(self, settings: PublicWalks, tree: Tree, seed: int = 0) -> None:
        super().__init__(settings, tree, seed)
        self.public = DenseTree(tree.game)
        self._walker = BucketSolver(settings, self.public, seed=seed)
        self.regrets, self.cumulative = self._walker.regrets, self._walker.cumulative

    def step(self, iterations: int = 1) -> None:
        """Advance by so many iterations in one compiled call."""
        self._walker.iteration, self._walker.nodes_touched = self.iteration, self.nodes_touched
        self._walker.step(iterations)
        self.iteration, self.nodes_touched = self._walker.iteration, self._walker.nodes_touched

    def average_profile(self) -> FloatArray:
        """The average of the iterates, each weighted by its own reach; uniform at infosets never visited."""
        return self._profile(self.cumulative)

    def current_profile(self) -> FloatArray:
        """What regret matching would play next."""
        return self._profile(self.regrets)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Regrets, the unnormalised average and the random numbers' state."""
        return self._walker.arrays()

    def _profile(self, table: FloatArray) -> FloatArray:
        return self.public.strategy_of(self._walker.walks.spread(table)).probabilities


def iteration_weights(settings: PublicWalks, iteration: int, count: int) -> FloatArray:
    """The weights in the average of iterations ``iteration + 1`` to ``iteration + count``."""
    t = np.arange(iteration + 1, iteration + count + 1, dtype=np.float64)
    return t if settings.averaging == "linear" else np.ones(count)
