"""Belief subgames side by side: public states, beliefs and policies in the form of a public game's traverser.

Policies are arrays [subgame, row, hand], as `BeliefGame` numbers rows; *numbers* are profiles of a batch, from which
policies follow in proportion to what is positive.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from counterpoise.deep.rebel.beliefs import Floats, IntArray
from counterpoise.deep.rebel.games import BeliefGame
from counterpoise.errors import InputError
from counterpoise.public import BatchTraverser, BeliefBatch, LeafEvaluator


class Subgames:
    """Subgames of one game that are processed together."""

    batch: BeliefBatch
    states: IntArray
    """The public state of each."""
    beliefs: Floats
    """[subgame, player, hand]: what arrives at the roots."""

    def __init__(
        self,
        game: BeliefGame,
        leaves: LeafEvaluator | None = None,
        dtype: type[np.floating[Any]] = np.float32,
        traverser: BatchTraverser | None = None,
    ) -> None:
        self.game, self.traverser = game, traverser or BatchTraverser(game.public, leaves, dtype)

    def enter(self, states: IntArray, beliefs: Floats) -> None:
        """Take the subgames that begin at public states, with the beliefs or ranges there."""
        self.states, self.beliefs = np.asarray(states), np.asarray(beliefs, dtype=np.float64)
        trees = self.game.tree_of[self.states]
        if (trees < 0).any():
            raise InputError("a public card is dealt in one of these public states: there is nothing to solve")
        self.batch = self._batch(self.beliefs / self.game.worth)

    def _batch(self, reach: Floats) -> BeliefBatch:
        game = self.game
        return self.traverser.batch(game.tree_of[self.states], game.board_of[self.states], (reach[:, 0], reach[:, 1]))

    def policies(self, numbers: Floats) -> Floats:
        """Return the policies that numbers stand for."""
        return np.concatenate([self.traverser.strategies(self.batch, numbers, p) for p in range(2)], axis=1)

    def numbers(self, policies: Floats) -> Floats:
        """Return numbers that stand for policies, or for sums in proportion to them."""
        found = self.traverser.profile(self.batch)
        for player, rows in enumerate(self.game.rows_of_player):
            self.traverser.set_strategies(self.batch, found, player, policies[:, rows])
        return found

    def reach(self, numbers: Floats) -> tuple[Floats, Floats]:
        """Return each player's ranges at the root and after each own row, [subgame, 1 + row of the player, hand]."""
        first, second = (self.traverser.reach(self.batch, numbers, p) * self.game.worth for p in range(2))
        return first, second

    def own_reach(self, numbers: Floats) -> tuple[Floats, Floats]:
        """Return the reach by actions alone, every hand beginning with 1."""
        batch = self._batch(np.ones_like(self.beliefs))
        first, second = (self.traverser.reach(batch, numbers, p) for p in range(2))
        return first, second

    def at_leaves(self, reach: tuple[Floats, Floats]) -> Floats:
        """Return the reach at value leaves, [subgame, player, leaf, hand]."""
        rows = self.game.rows_before_leaves[self.game.tree_of[self.states]]
        each = np.arange(len(self.states))[:, None]
        return np.stack([reach[player][each, rows[:, player]] for player in range(2)], axis=1)

    def judged(self, numbers: Floats, player: int, best: bool = False, leaf_values: Floats | None = None) -> Floats:
        """Return a player's counterfactual values at the roots, [subgame, hand], under the policies of numbers.

        With `best` the player responds to the other's. `leaf_values` [subgame, leaf, hand] are those of leaves at which
        play continues.
        """
        rows = self.traverser.leaf_rows(self.batch, player, self.padded(leaf_values))
        return self.traverser.values(self.batch, numbers, player, best, rows)

    def padded(self, leaf_values: Floats | None) -> Floats:
        """Return values of leaves for as many leaves as any tree has."""
        found = np.zeros((len(self.states), self.traverser.layout.slots, self.game.hands))
        if leaf_values is not None:
            found[:, : leaf_values.shape[1]] = leaf_values
        return found
