"""Solvers of enumerated games: what they add to `Solver`, and those whose result is an average of iterates."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from counterpoise.solvers.base import Algorithm, Arrays, Solver
from counterpoise.solvers.kernels.layouts import PruningWork, Tables, Walked
from counterpoise.tree import Strategy, Tree, Values, evaluate
from counterpoise.tree.kernels.layouts import FloatArray, PruningTree
from counterpoise.tree.kernels.sequence_form import realisation_weights

if TYPE_CHECKING:
    from counterpoise.solvers.snapshot import Snapshot


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

    def regret_profile(self) -> FloatArray | None:
        """Return the regret sums, as the method keeps them, as a flat array; None if it keeps none by infoset."""
        found = self.state().get("regrets")
        return found if found is not None and found.shape == (self.tree.table.size,) else None

    def snapshot(self, *columns: str) -> Snapshot:
        """Return regrets, current and average strategy by information set and action as they are now.

        `columns` are those to take, of "regrets", "current" and "average"; by default all that the method has.
        """
        from counterpoise.solvers.snapshot import take_snapshot

        return take_snapshot(self, columns)

    def profile(self) -> FloatArray:
        """Return the flat array of `strategy`."""
        current = getattr(self.settings.unmodified, "output", "average") == "current"
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
        return self.measure().exploitability

    def values(self) -> FloatArray:
        return self.measure().expected

    @cached_property
    def pruning_tree(self) -> PruningTree:
        """The histories in preorder, and what lies below each sequence, for walks that skip branches."""
        from counterpoise.tree.flatten import pruning_tree

        return pruning_tree(self.tree)

    def uniform_profile(self) -> tuple[FloatArray, FloatArray]:
        """Return the uniform behaviour strategy and its realisation weights, where most methods start."""
        strategy = Strategy.uniform(self.tree).probabilities
        reach = np.empty_like(strategy)
        for player in range(self.tree.players):
            realisation_weights(self.tree.form, player, strategy, reach)
        return strategy, reach


class AveragingSolver(TreeSolver):
    """A solver whose result is the average of its iterates.

    `cumulative` is the weighted sum of the iterates' realisation plans. The settings have `updates`, which says how
    often an iteration goes through the tree.
    """

    def __init__(self, settings: Algorithm, tree: Tree, seed: int = 0) -> None:
        super().__init__(settings, tree, seed)
        self._strategy, self._reach = self.uniform_profile()
        self.regrets, self.cumulative = np.zeros((2, len(self._strategy)))
        self._walked = walked(tree)
        self._values = self._walked.values
        self._tables = Tables(self._strategy, self._reach, self.regrets, self.cumulative)
        self._simultaneous: bool = getattr(settings.unmodified, "updates", "alternating") == "simultaneous"

    def next_iterations(self, iterations: int) -> FloatArray:
        """Return the numbers t of the next iterations, counted from 1."""
        return np.arange(self.iteration + 1, self.iteration + iterations + 1, dtype=np.float64)

    def count(self, iterations: int, touched: int | None = None) -> None:
        """Count iterations as done, and the nodes touched: by default a traversal, or one per player in turn."""
        if touched is None:
            touched = iterations * self.tree.nodes * (1 if self._simultaneous else self.tree.players)
        self.iteration += iterations
        self.nodes_touched += int(touched)

    def average_profile(self) -> FloatArray:
        """Return the average of the iterates, each weighted by its own reach; uniform at infosets never reached."""
        return self.tree.behaviour(self.cumulative)

    def current_profile(self) -> FloatArray:
        """Return the latest iterate; uniform before the first iteration."""
        return self._strategy.copy()

    def arrays(self) -> Arrays:
        """Return the iterate, its reach, regrets and the unnormalised average."""
        return dict(zip(("strategy", "reach", "regrets", "cumulative"), self._tables, strict=True))


def walked(tree: Tree) -> Walked:
    """Return room for the sums of a walk over histories."""
    return Walked(np.zeros(tree.table.size), np.zeros(tree.infosets), np.zeros(tree.players, dtype=np.uint64))


def pruning_work(tree: Tree) -> PruningWork:
    """Return working memory for walks over the whole tree and over a branch."""
    most = max((len(actions) for actions in tree.table.actions), default=0)
    return PruningWork(walked(tree), walked(tree), np.zeros(most))
