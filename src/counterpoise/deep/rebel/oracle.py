"""Search with exact values at the leaves: what follows each leaf is solved for the beliefs that arrive there.

This is how CFR-D, the sound and the modified form of CFR-AVG and fictitious play are compared without the error of a
network (Brown 2020, figure 5.12; Brown et al. 2020, figure 6), and the device of the proofs: policies below the leaves
are known, so that the policy of the whole game is the average over all iterations (Brown 2020, theorem 26).

It is for games of two levels: one subgame at the start, called the *trunk*, after whose leaves the game is solved to
its end, perhaps after a public card.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from counterpoise.deep.rebel.beliefs import met, normalised
from counterpoise.deep.rebel.games import START, BeliefGame
from counterpoise.deep.rebel.kernels import subgame as kernels
from counterpoise.deep.rebel.kernels.layouts import Floats, IntArray
from counterpoise.deep.rebel.liars_dice import liars_dice_beliefs
from counterpoise.deep.rebel.solver import BeliefSolver, SearchSettings
from counterpoise.deep.rebel.whole import WholeGame
from counterpoise.errors import InputError
from counterpoise.games.liars_dice import LiarsDice

Trunk = Literal["cfr-d", "sound-cfr-avg", "cfr-avg", "linear-fp", "flop"]


def two_level_dice(rules: LiarsDice) -> BeliefGame:
    """Return Liar's Dice with a trunk of two actions, after which subgames reach the end of the game."""
    cut, uncut = liars_dice_beliefs(rules, 2, np.float64), liars_dice_beliefs(rules, None, np.float64)
    return replace(cut, trees=(cut.trees[0], *uncut.trees[1:]))


class Continuations:
    """Everything that follows the leaves of the trunk, solved by DCFR for the ranges that arrive."""

    def __init__(self, whole: WholeGame, iterations: int) -> None:
        game = self.game = whole.game
        self.whole = whole
        self.nodes: IntArray = np.flatnonzero(game.final[whole.states])
        """The histories at which the games after the trunk begin."""
        if game.tree_of[START] != 0 or any(
            not game.final[s] for s in range(1, len(game.tree_of)) if game.tree_of[s] >= 0
        ):
            raise InputError(f"{game.name} must have two levels: a trunk, and subgames that reach the end of the game")
        above = np.full(len(whole.states), -1)
        chance, live = np.ones(len(whole.states)), np.ones((len(whole.states), game.hands), dtype=np.bool_)
        leaves = int(game.forest.leaf_start[1])
        above[1 : 1 + leaves] = np.arange(leaves)
        for node in np.flatnonzero(game.tree_of[whole.states] < 0):
            deals, first = game.deals[int(whole.states[node])], int(whole.first_child[node])
            after = slice(first, first + len(deals.states))
            above[after], chance[after], live[after] = above[node], deals.chance, deals.live
        self.leaf: IntArray = above[self.nodes]
        """Per history the leaf of the trunk before it."""
        self.chance, self.live = chance[self.nodes][:, None], live[self.nodes]
        self.states: IntArray = whole.states[self.nodes]
        self.solver = DiscountedSolver(game, iterations, len(self.nodes))

    def solve(self, ranges: Floats) -> Floats:
        """Return the average policies [history, row, hand] for ranges at the leaves [leaf, player, hand]."""
        arriving = normalised(ranges[self.leaf], self.game.payoffs.prior, self.live[:, None, :])
        self.solver.solve(self.states, arriving)
        return self.solver.average()

    def values(self, policies: Floats, ranges: Floats) -> Floats:
        """Return the counterfactual values of leaves [leaf, player, hand] under policies below, for any ranges."""
        solver = self.solver
        solver.batch.beliefs[...] = ranges[self.leaf] * self.live[:, None, :]
        kernels.spread(solver.forest, solver.batch, policies)
        found = np.zeros((int(self.leaf.max()) + 1, 2, self.game.hands))
        for player in range(2):
            kernels.gather(solver.forest, solver.payoffs, solver.batch, policies, player, False)
            won = solver.batch.value[:, 0] * self.live * self.chance
            np.add.at(found[:, player], self.leaf, won)
        return found

    def add(self, total: Floats, policies: Floats, arrived: Floats) -> None:
        """Add policies below the leaves to those of the whole game, for own reach at leaves [leaf, player, hand]."""
        solver = self.solver
        solver.batch.beliefs[...] = 1
        kernels.spread(solver.forest, solver.batch, policies)
        reach = np.ascontiguousarray(arrived[self.leaf])
        first = self.whole.first_row[self.nodes]
        kernels.add_played(solver.forest, solver.batch, policies, reach, first, total)


class DiscountedSolver(BeliefSolver):
    """DCFR (Brown 2020, section 3.1.2) on subgames without value leaves, in double precision."""

    def __init__(self, game: BeliefGame, iterations: int, capacity: int) -> None:
        super().__init__(game, _no_values, SearchSettings(iterations=iterations), capacity, np.float64)

    def step(self) -> None:
        """Run one iteration, with weights t^2 in the average and regrets that fade by DCFR(1.5, 0, 2)."""
        self.iteration += 1
        for player in range(2):
            kernels.spread(self.forest, self.batch, self.tables.policy)
            kernels.gather(self.forest, self.payoffs, self.batch, self.tables.policy, player, False)
            kernels.accumulate(self.forest, self.batch, self.tables, player, float(self.iteration) ** 2)
            kernels.improve(self.forest, self.batch, self.tables, player, 1.0, 1 / self.iteration)
        grown = float(self.iteration) ** 1.5
        self.tables.regret[...] *= np.where(self.tables.regret > 0, grown / (grown + 1), 0.5)


class OracleValues:
    """Exact values of public belief states after the trunk, as a value function."""

    def __init__(self, whole: WholeGame, iterations: int) -> None:
        self.below, self.game = Continuations(whole, iterations), whole.game

    def __call__(self, inputs: Floats, states: IntArray) -> Floats:
        """Return the values of both players' hands for each question."""
        beliefs = self.game.decode(inputs)
        forest = self.game.forest
        leaf_of = {int(state): k for k, state in enumerate(forest.leaf_state[: forest.leaf_start[1]])}
        found = np.zeros((len(states), 2, self.game.hands))
        places = np.array([leaf_of[int(state)] for state in states])
        if len(set(places.tolist())) < len(places):  # a public state twice: one question at a time
            for number in range(len(states)):
                found[number] = self(inputs[number : number + 1], states[number : number + 1]).reshape(2, -1)
            return found.reshape(len(states), -1)
        ranges = np.tile(np.asarray(self.game.payoffs.prior, dtype=np.float64), (int(forest.leaf_start[1]), 1, 1))
        ranges[places] = beliefs
        won = self.below.values(self.below.solve(ranges), ranges)[places]
        mass = met(beliefs, self.game.payoffs)
        unit = self.game.unit[states][:, None, None]
        return np.where(mass > 0, won / np.where(mass > 0, mass, 1), 0).reshape(len(states), -1) / unit.reshape(-1, 1)


class OracleSearch:
    """Iterations on the trunk with solved leaves; both players are updated at once, iteration t with weight t."""

    def __init__(self, game: BeliefGame, algorithm: Trunk = "cfr-d", inner: int = 200) -> None:
        self.algorithm, self.whole = algorithm, WholeGame(game)
        self.below = Continuations(self.whole, inner)
        self.responds = algorithm in ("linear-fp", "flop")
        settings = SearchSettings(algorithm="flop" if algorithm == "flop" else "cfr-d", alternating=False)
        self.trunk = BeliefSolver(game, _no_values, settings, 1, np.float64)
        self.trunk.begin(np.array([START]), np.asarray(game.payoffs.prior, dtype=np.float64)[None])
        self.total = self.whole.new_table()
        """The policies of the whole game so far, weighted by iteration and own reach."""
        self.last: Floats = np.zeros_like(self.trunk.tables.total)
        self._before: Floats | None = None

    def step(self) -> None:
        """Run one iteration."""
        trunk = self.trunk
        trunk.iteration += 1
        weight, share = trunk.settings.weight(trunk.iteration), trunk.settings.share(trunk.iteration)
        tables, forest, policy = trunk.tables, trunk.forest, trunk.tables.policy.copy()
        if self.responds:
            faced = self._mixture(tables.total + self.last)
            reach = self._leaf_reach(faced)
            policies = self.below.solve(reach)
            leaf_values = self.below.values(policies, reach)
            before = tables.total.copy()
            for player in range(2):
                self._leaf_reach(faced)
                trunk.batch.leaf_value[0] = leaf_values[:, player]
                kernels.gather(forest, trunk.payoffs, trunk.batch, faced, player, True)
                kernels.respond(forest, trunk.batch, tables, player, weight, share)
            self.last = tables.total - before if self.algorithm == "flop" else self.last
            policy = tables.policy
        else:
            current = self._leaf_reach(policy)
            for player in range(2):
                kernels.accumulate(forest, trunk.batch, tables, player, weight)
            average = self._leaf_reach(self._mixture(tables.total))
            policies = self.below.solve(current if self.algorithm == "cfr-d" else average)
            if self.algorithm == "cfr-avg":  # modified CFR-AVG: differences of what the averages are worth
                now, through = self.below.values(policies, average), weight / share
                before = np.zeros_like(now) if self._before is None else self._before
                leaf_values, self._before = (through * now - (through - weight) * before) / weight, now
            else:
                leaf_values = self.below.values(policies, current)
            self._leaf_reach(policy)
            for player in range(2):
                trunk.batch.leaf_value[0] = leaf_values[:, player]
                kernels.gather(forest, trunk.payoffs, trunk.batch, policy, player, False)
                kernels.improve(forest, trunk.batch, tables, player, weight, share)
        self._remember(policy, policies, weight)

    def exploitability(self) -> float:
        """Return the exploitability of the average over iterations, policies below the leaves included."""
        return self.whole.exploitability(self.total)

    def unsafe_exploitability(self) -> float:
        """Return the exploitability of the trunk's average with leaves solved once more for its beliefs."""
        average = self._mixture(self.trunk.tables.total)
        policies = self.below.solve(self._leaf_reach(average))
        table = self.whole.new_table()
        self._add(table, average, policies, 1.0)
        return self.whole.exploitability(table)

    def _leaf_reach(self, policy: Floats) -> Floats:
        kernels.spread(self.trunk.forest, self.trunk.batch, policy)
        return np.ascontiguousarray(self.trunk.batch.leaf_reach[0].transpose(1, 0, 2)).copy()

    def _mixture(self, total: Floats) -> Floats:
        found = np.zeros_like(total)
        kernels.average(self.trunk.forest, self.trunk.batch.tree, total, found)
        return found

    def _remember(self, policy: Floats, policies: Floats, weight: float) -> None:
        self._add(self.total, policy, policies, weight)

    def _add(self, table: Floats, policy: Floats, policies: Floats, weight: float) -> None:
        """Add one profile of the whole game to a table, with a weight and own reach."""
        trunk, beliefs = self.trunk, self.trunk.batch.beliefs.copy()
        trunk.batch.beliefs[...] = 1
        own = self._leaf_reach(policy) * weight
        arrived = np.full((1, 2, trunk.game.hands), weight)
        kernels.add_played(trunk.forest, trunk.batch, policy, arrived, self.whole.first_row[:1], table)
        trunk.batch.beliefs[...] = beliefs
        self.below.add(table, policies, own)


def _no_values(inputs: Floats, states: IntArray) -> Floats:
    raise AssertionError("these subgames reach the end of the game, or their leaves are solved")
