"""CFR+ on an enumerated game in which groups of information sets are played alike.

A card abstraction may forget what a player held before (imperfect recall), which an enumerated game cannot. So the
information sets of the game itself stay, and those of one group share regrets and average.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.proportions import proportional
from counterpoise.solvers.base import Arrays
from counterpoise.solvers.matching.cfr_plus import CFRPlus
from counterpoise.solvers.tree_solver import TreeSolver
from counterpoise.tree import Tree
from counterpoise.tree.kernels.layouts import FloatArray
from counterpoise.tree.kernels.sequence_form import counterfactual_values, gradient, realisation_weights


@dataclass(frozen=True, kw_only=True)
class SharedSettings(CFRPlus):
    """CFR+ for groups of information sets, which the solver is told."""

    @property
    def name(self) -> str:
        """The name of these settings in messages; no string builds them, since the groups belong to them."""
        return f"{super().name} with shared information sets"

    def on_tree(self, tree: Tree, seed: int) -> NoReturn:
        raise InputError(f"{self.name} is made by SharedCFRPlus, which is told the groups")


class SharedCFRPlus(TreeSolver):
    """CFR+ with alternating updates and linear averaging; ``groups[infoset]`` is the group of an information set.

    Members weigh in the group's average by chance times the player's own reach. Iteration t adds t times the strategy
    that was played in it, so that the even strategy of the first one leaves no information set without an average.
    """

    def __init__(self, tree: Tree, groups: NDArray[np.int64]) -> None:
        super().__init__(SharedSettings(), tree)
        table = tree.table
        sizes = np.array([len(actions) for actions in table.actions])
        _, first, group = np.unique(groups, return_index=True, return_inverse=True)
        self._sizes, self._shared_sizes = sizes, sizes[first]
        self._slots = np.cumsum(self._shared_sizes) - self._shared_sizes  # where the shared actions of a group begin
        within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        self._places = np.repeat(table.start, sizes) + within
        self._shared = np.repeat(self._slots[group], sizes) + within
        self._owner = np.repeat(table.owner.astype(np.int64), sizes)
        self._chance = np.repeat(tree.infoset_reach(np.ones(table.size)), sizes)
        self._regrets, self._average = np.zeros(self._shared_sizes.sum()), np.zeros(self._shared_sizes.sum())
        self._strategy, self._reach = self.uniform_profile()
        self._values, self._infoset_values = np.zeros(table.size), np.zeros(tree.infosets)

    def step(self, iterations: int = 1) -> None:
        form = self.tree.form
        for _ in range(iterations):
            self.iteration += 1
            for seat in range(2):
                gradient(form, seat, self._reach, self._values)
                counterfactual_values(form, seat, self._strategy, self._values, self._infoset_values)
                own = self._owner == seat
                places, shared = self._places[own], self._shared[own]
                weights = self._chance[own] * self._reach[places]
                self._average += self.iteration * np.bincount(shared, weights, len(self._average))
                gains = self._values[places] - np.repeat(self._infoset_values, self._sizes)[own]
                self._regrets += np.bincount(shared, gains, len(self._regrets))
                np.maximum(self._regrets, 0.0, out=self._regrets)
                self._strategy[places] = self._matched(self._regrets)[shared]
                realisation_weights(form, seat, self._strategy, self._reach)
        self.nodes_touched += 2 * iterations * self.tree.nodes

    def average_profile(self) -> FloatArray:
        """Return the average of the iterates, the same in all information sets of a group."""
        profile = self._strategy.copy()
        profile[self._places] = self._matched(self._average)[self._shared]
        return profile

    def current_profile(self) -> FloatArray:
        return self._strategy.copy()

    def arrays(self) -> Arrays:
        names = ("regrets", "average", "strategy", "reach")
        return {name: getattr(self, f"_{name}") for name in names}

    def _matched(self, weights: FloatArray) -> FloatArray:
        """Return weights as probabilities of the shared actions; even where all of a group are zero."""
        totals = np.repeat(np.add.reduceat(weights, self._slots), self._shared_sizes)
        return proportional(weights, totals, 1 / np.repeat(self._shared_sizes, self._shared_sizes))
