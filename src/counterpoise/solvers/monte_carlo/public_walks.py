"""The chance-sampling family (`pcs`) at work on public trees: with buckets of hands, or on those of small games."""

from __future__ import annotations

import numpy as np

from counterpoise.kernels.random import seeded
from counterpoise.public import PublicGame, build_dense
from counterpoise.public.buckets import BucketsLike
from counterpoise.sampling.boards.walks import BoardWalks
from counterpoise.sampling.kernels.board_layouts import WalkTables
from counterpoise.sampling.kernels.board_walks import sample_walks
from counterpoise.solvers.base import Algorithm, Arrays
from counterpoise.solvers.monte_carlo.pcs import PublicWalks
from counterpoise.solvers.public.bucket_solver import SolverWithBuckets
from counterpoise.solvers.tree_solver import TreeSolver
from counterpoise.tree import Tree
from counterpoise.tree.kernels.layouts import FloatArray


class BucketSolver(SolverWithBuckets):
    """Sampled walks at work on a public game.

    `nodes_touched` counts public nodes (decisions and ends on one board), whatever the number of hands there.
    """

    kernels = (sample_walks,)
    compile_seconds = 7.0

    def __init__(
        self,
        settings: Algorithm,
        game: PublicGame,
        buckets: BucketsLike | None = None,
        seed: int = 0,
        rule: PublicWalks | None = None,
    ) -> None:
        """`rule` is what to sample and how to average, if the settings are not such themselves."""
        super().__init__(settings, game, seed)
        chosen = rule or settings
        assert isinstance(chosen, PublicWalks)
        self.rule = chosen
        self.tables: BoardWalks = BoardWalks(game, buckets)
        self.regrets, self.cumulative = np.zeros(self.tables.entries), np.zeros(self.tables.entries)
        self.random = seeded(seed)
        self._walk = self.tables.board_walk()
        self._tables = WalkTables(self.regrets, self.regrets, self.cumulative)

    def step(self, iterations: int = 1) -> None:
        rule, weights = self.rule, self.rule.iteration_weights(self.iteration, iterations)
        sampled = rule.own_sampled, rule.opponent_sampled
        sample_walks(self._walk, *sampled, rule.floor, weights, self.random, self._tables)
        self.iteration += iterations
        self.nodes_touched += 2 * iterations * self.tables.nodes

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

    def regret_profile(self) -> FloatArray:
        return self.public.by_infoset(self._walker.tables.expand_to_hands(self.regrets))

    def arrays(self) -> Arrays:
        return self._walker.arrays()

    def _profile(self, table: FloatArray) -> FloatArray:
        return self.public.strategy_of(self._walker.tables.expand_to_hands(table)).probabilities
