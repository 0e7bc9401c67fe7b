"""Solvers of enumerated games: what they add to `Solver`, and those whose result is an average of iterates."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from counterpoise.solvers.base import Algorithm, Solver
from counterpoise.tree import Strategy, Tree, Values, evaluate
from counterpoise.tree.kernels.layouts import FloatArray
from counterpoise.tree.kernels.sequence_form import realisation_weights


class TreeSolver(Solver):
    """A solver of an enumerated game: `average` and `current` are strategies, their flat arrays are profiles."""

    def __init__(self, settings: Algorithm, tree: Tree, seed: int = 0) -> None:
        super().__init__(settings, seed)
        self.tree = tree

    @abstractmethod
    def average_profile(self) -> FloatArray:
        """Return the strategy with the convergence guarantee as a flat array (see `InfosetTable`)."""

    def current_profile(self) -> FloatArray:
        """Return the latest iterate as a flat array; methods without one return their average."""
        return self.average_profile()

    def profile(self) -> FloatArray:
        """Return the flat array of `strategy`."""
        current = getattr(self.settings, "output", "average") == "current"
        return self.current_profile() if current else self.average_profile()

    @property
    def average(self) -> Strategy:
        """The strategy with the convergence guarantee."""
        return Strategy(self.tree.name, self.tree.table, self.average_profile())

    @property
    def current(self) -> Strategy:
        """The strategy of the latest iteration."""
        return Strategy(self.tree.name, self.tree.table, self.current_profile())

    @property
    def strategy(self) -> Strategy:
        """What the settings ask for: the average, or the current strategy."""
        return Strategy(self.tree.name, self.tree.table, self.profile())

    def measure(self) -> Values:
        """Return value, best responses and exploitability of `strategy`, in the game's own unit."""
        return evaluate(self.tree, self.profile())

    def exploitability(self) -> float:
        """Return NashConv / players of `strategy`, in the game's own unit."""
        return self.measure().exploitability

    def values(self) -> FloatArray:
        """Return what `strategy` is worth to each player, in the game's own unit."""
        return self.measure().expected

    def uniform_profile(self) -> tuple[FloatArray, FloatArray]:
        """Return the uniform behaviour strategy and its realisation weights, where most methods start."""
        strategy = Strategy.uniform(self.tree).probabilities
        reach = np.empty_like(strategy)
        for player in range(self.tree.players):
            realisation_weights(self.tree.form, player, strategy, reach)
        return strategy, reach


class AveragingSolver(TreeSolver):
    """A solver whose result is the average of its iterates.

    `_strategy` is the iterate and `cumulative` the weighted sum of the iterates' realisation plans. The settings
    have `updates`, which says how often an iteration goes through the tree.
    """

    def __init__(self, settings: Algorithm, tree: Tree, seed: int = 0) -> None:
        super().__init__(settings, tree, seed)
        self._strategy, self._reach = self.uniform_profile()
        self.cumulative = np.zeros_like(self._strategy)
        self._values = np.zeros_like(self._strategy)
        self._simultaneous: bool = getattr(settings, "updates", "alternating") == "simultaneous"

    def next_iterations(self, iterations: int) -> FloatArray:
        """Return the numbers t of the next iterations, counted from 1."""
        return np.arange(self.iteration + 1, self.iteration + iterations + 1, dtype=np.float64)

    def count(self, iterations: int) -> None:
        """Count these iterations as done: one traversal each, or one per player when they alternate."""
        self.iteration += iterations
        self.nodes_touched += iterations * self.tree.nodes * (1 if self._simultaneous else self.tree.players)

    def average_profile(self) -> FloatArray:
        """Return the average of the iterates, each weighted by its own reach; uniform at infosets never reached."""
        return self.tree.behaviour(self.cumulative)

    def current_profile(self) -> FloatArray:
        """Return the latest iterate; uniform before the first iteration."""
        return self._strategy.copy()
