"""The chance-sampling family (`pcs`) at work on public trees: with buckets of hands, or on those of small games."""

from __future__ import annotations

import numpy as np

from counterpoise.kernels.random import seeded
from counterpoise.public import Profile, PublicGame, build_dense
from counterpoise.public.buckets import Buckets
from counterpoise.public.kernels.sampling import WalkTables, full_walks, sample_walks
from counterpoise.public.sampling import BucketTraversal
from counterpoise.solvers.base import Arrays
from counterpoise.solvers.public.base import PublicGameSolver
from counterpoise.solvers.sampling.pcs import PublicWalks
from counterpoise.solvers.tree_solver import TreeSolver
from counterpoise.tree import Tree
from counterpoise.tree.kernels.layouts import FloatArray


class BucketSolver(PublicGameSolver):
    """Walks at work on a public game: float64 tables of regrets and average, one entry per bucket, node and action.

    `nodes_touched` counts public nodes (decisions and ends on one board), whatever the number of hands there.
    """

    settings: PublicWalks
    kernels = (sample_walks,)
    keeps_locks = False

    def __init__(self, settings: PublicWalks, game: PublicGame, buckets: Buckets | None = None, seed: int = 0) -> None:
        super().__init__(settings, game, seed)
        self.walks = BucketTraversal(game, buckets)
        self.regrets, self.cumulative = np.zeros(self.walks.entries), np.zeros(self.walks.entries)
        self.random = seeded(seed)
        self._walk = self.walks.board_walk()
        updated = self.regrets if settings.boards_sampled else np.zeros_like(self.regrets)
        self._tables = WalkTables(self.regrets, updated, self.cumulative)

    def step(self, iterations: int = 1) -> None:
        settings, walks = self.settings, self.walks
        weights = settings.iteration_weights(self.iteration, iterations)
        if settings.boards_sampled:
            sampled = settings.own_sampled, settings.opponent_sampled
            sample_walks(self._walk, *sampled, settings.floor, weights, self.random, self._tables)
        else:
            full_walks(self._walk, settings.floor, weights, self._tables)
        self.iteration += iterations
        boards = 1 if settings.boards_sampled else walks.boards.chance.size
        self.nodes_touched += 2 * iterations * boards * walks.nodes

    @property
    def average(self) -> Profile:
        """The average strategies in the unabstracted game, as a profile made when it is asked for."""
        return self.walks.profile(self.cumulative)

    @property
    def current(self) -> Profile:
        """The current strategies in the unabstracted game, as a profile made when it is asked for."""
        return self.walks.profile(self.regrets)

    def arrays(self) -> Arrays:
        return {"regrets": self.regrets, "cumulative": self.cumulative, "random": self.random}


class PublicWalkSolver(TreeSolver):
    """A `BucketSolver` on the public game of any game that has one, its strategies in the game's own order."""

    settings: PublicWalks
    kernels = (sample_walks,)
    compile_seconds = 7.0

    def __init__(self, settings: PublicWalks, tree: Tree, seed: int = 0) -> None:
        super().__init__(settings, tree, seed)
        self.public = build_dense(tree.game)
        self._walker = BucketSolver(settings, self.public, seed=seed)
        self.regrets, self.cumulative = self._walker.regrets, self._walker.cumulative

    def step(self, iterations: int = 1) -> None:
        self._walker.iteration, self._walker.nodes_touched = self.iteration, self.nodes_touched
        self._walker.step(iterations)
        self.iteration, self.nodes_touched = self._walker.iteration, self._walker.nodes_touched

    def average_profile(self) -> FloatArray:
        return self._profile(self.cumulative)

    def current_profile(self) -> FloatArray:
        return self._profile(self.regrets)

    def arrays(self) -> Arrays:
        return self._walker.arrays()

    def _profile(self, table: FloatArray) -> FloatArray:
        return self.public.strategy_of(self._walker.walks.spread(table)).probabilities
