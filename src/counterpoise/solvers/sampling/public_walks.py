"""The chance-sampling family (`pcs`) at work on public trees: with buckets of hands, or on those of small games."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.kernels.random import seeded
from counterpoise.public import DenseTree, PublicTree
from counterpoise.public.buckets import Buckets
from counterpoise.public.kernels.sampling import full_walks, sample_walks
from counterpoise.public.sampling import Walks
from counterpoise.solvers.base import restore_arrays
from counterpoise.solvers.sampling.pcs import PublicWalks
from counterpoise.solvers.tree_solver import TreeSolver
from counterpoise.tree import Tree
from counterpoise.tree.kernels.sequence_form import FloatArray


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
        weights = settings.iteration_weights(self.iteration, iterations)
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
        self.iteration, self.nodes_touched = restore_arrays(state, self.arrays(), self.settings.name)


class PublicWalkSolver(TreeSolver):
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
