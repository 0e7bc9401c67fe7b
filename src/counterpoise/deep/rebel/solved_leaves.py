"""Search with exact values at the leaves: the game after each leaf is solved for the beliefs that arrive there.

This is how CFR-D, the sound and the modified form of CFR-AVG and fictitious play are compared without the error of a
network (Brown 2020, figure 5.12; Brown et al. 2020, figure 6), and the device of the proofs: policies below the leaves
are known, so that the policy of the whole game is the average over all iterations (Brown 2020, theorem 26).

It is for games of two levels: one subgame at the start, called the *trunk*, after whose leaves the game is solved to
its end, perhaps after a public card.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal

import numpy as np

from counterpoise.deep.rebel.beliefs import Floats, IntArray, conditional, normalised
from counterpoise.deep.rebel.games import START, BeliefGame
from counterpoise.deep.rebel.search import BeliefSolver, SearchSettings
from counterpoise.deep.rebel.whole import WholeGame
from counterpoise.errors import InputError
from counterpoise.public import UpdateSchedule
from counterpoise.solvers.matching.dcfr import DCFR
from counterpoise.solvers.public.solver import public_schedule

Trunk = Literal["cfr-d", "sound-cfr-avg", "cfr-avg", "linear-fp", "flop"]


def precision(game: BeliefGame) -> type[np.floating[Any]]:
    """Return double precision where a game has no showdowns."""
    return np.float32 if game.public.arrays.trees.valued_row.size else np.float64


class SolvedContinuations:
    """The games after the leaves of the trunk, solved by DCFR for the ranges that arrive."""

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
        leaves = int(game.leaves_of[START])
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
        arriving = normalised(ranges[self.leaf], self.game.prior, self.live[:, None, :])
        self.solver.solve(self.states, arriving)
        return self.solver.average()

    def values(self, policies: Floats, ranges: Floats) -> Floats:
        """Return the counterfactual values of leaves [leaf, player, hand] under policies below, for any ranges."""
        solver = self.solver
        solver.enter(self.states, ranges[self.leaf] * self.live[:, None, :])
        numbers = solver.numbers(policies)
        found = np.zeros((int(self.leaf.max()) + 1, 2, self.game.hands))
        for player in range(2):
            won = solver.judged(numbers, player) * self.live * self.chance
            np.add.at(found[:, player], self.leaf, won)
        return found

    def add(self, total: Floats, policies: Floats, arrived: Floats) -> None:
        """Add policies below the leaves to those of the whole game, for own reach at leaves [leaf, player, hand]."""
        solver = self.solver
        solver.enter(self.states, np.ones((len(self.states), 2, self.game.hands)))
        reach = solver.own_reach(solver.numbers(policies))
        self.whole.add_played(total, self.nodes, arrived[self.leaf], reach)


class DiscountedSolver(BeliefSolver):
    """DCFR (Brown 2020, section 3.1.2) on subgames without value leaves."""

    def __init__(self, game: BeliefGame, iterations: int, capacity: int) -> None:
        super().__init__(game, no_values, SearchSettings(iterations=iterations), capacity, precision(game))

    @cached_property
    def schedule(self) -> UpdateSchedule:
        """Weights t^2 in the average, and regrets that fade by DCFR(1.5, 0, 2)."""
        return public_schedule(DCFR(), 0, self.settings.iterations)


class OracleValues:
    """Exact values of public belief states after the trunk, as a value function."""

    def __init__(self, whole: WholeGame, iterations: int) -> None:
        self.below, self.game = SolvedContinuations(whole, iterations), whole.game

    def __call__(self, inputs: Floats, states: IntArray) -> Floats:
        """Return the values of both players' hands for each question."""
        game, beliefs = self.game, self.game.decode(inputs)
        leaves = game.following[START][: game.leaves_of[START]]
        leaf_of = {int(state): k for k, state in enumerate(leaves)}
        found = np.zeros((len(states), 2, game.hands))
        places = np.array([leaf_of[int(state)] for state in states])
        if len(set(places.tolist())) < len(places):  # a public state twice: one question at a time
            for number in range(len(states)):
                found[number] = self(inputs[number : number + 1], states[number : number + 1]).reshape(2, -1)
            return found.reshape(len(states), -1)
        ranges = np.tile(np.asarray(game.prior, dtype=np.float64), (len(leaves), 1, 1))
        ranges[places] = beliefs
        won = self.below.values(self.below.solve(ranges), ranges)[places]
        unit = game.unit[states]
        return conditional(won, beliefs, game.pairs).reshape(len(states), -1) / unit.reshape(-1, 1)


class OracleSearch:
    """Iterations on the trunk with solved leaves; both players are updated at once, iteration t with weight t."""

    def __init__(self, game: BeliefGame, algorithm: Trunk = "cfr-d", inner: int = 200) -> None:
        self.algorithm, self.whole = algorithm, WholeGame(game)
        self.below = SolvedContinuations(self.whole, inner)
        self.responds = algorithm in ("linear-fp", "flop")
        settings = SearchSettings(algorithm="flop" if self.responds else "cfr-d", alternating=False)
        self.trunk = BeliefSolver(game, no_values, settings, 1, precision(game))
        self.trunk.begin(np.array([START]), np.asarray(game.prior, dtype=np.float64)[None])
        if self.responds:
            self.trunk.learning.average[...] = 0
        self.total = self.whole.new_table()
        """The policies of the whole game so far, weighted by iteration and own reach."""
        self._before: Floats | None = None

    def step(self) -> None:
        """Run one iteration."""
        trunk = self.trunk
        trunk.iteration += 1
        fading, weight = trunk.settings.fading(trunk.iteration), trunk.settings.weight(trunk.iteration)
        policy, policies = self._respond(fading) if self.responds else self._learn(fading, weight)
        self._add(self.total, policy, policies, weight)

    def _respond(self, fading: float) -> tuple[Floats, Floats]:
        """Return the responses of both players to the averages, and the policies below the leaves."""
        trunk, (_, matched, average) = self.trunk, self.trunk.learning
        faced = average + trunk.extra
        reach = self._leaf_ranges(faced)
        policies = self.below.solve(reach)
        leaf_values = self.below.values(policies, reach)
        for player in range(2):
            answer, rows = faced.copy(), self._leaf_rows(player, leaf_values)
            trunk.traverser.respond(trunk.batch, answer, player, rows)
            own, response = (trunk.traverser.layout.of_player(numbers, player) for numbers in (matched, answer))
            own[...] = response
        before = average * average.dtype.type(fading)
        trunk.traverser.add_to_average(trunk.batch, matched, average, fading)
        if self.algorithm == "flop":
            trunk.extra[...] = average - before
        return matched.copy(), policies

    def _learn(self, fading: float, weight: float) -> tuple[Floats, Floats]:
        """Update both players by CFR and return their policies before, and those below the leaves."""
        trunk, (regrets, matched, average) = self.trunk, self.trunk.learning
        policy, through = matched.copy(), weight / trunk.settings.share(trunk.iteration)
        current = self._leaf_ranges(policy)
        trunk.traverser.add_to_average(trunk.batch, policy, average, fading)
        averages = self._leaf_ranges(average)
        policies = self.below.solve(current if self.algorithm == "cfr-d" else averages)
        if self.algorithm == "cfr-avg":  # differences of what the averages are worth
            now = self.below.values(policies, averages)
            before = np.zeros_like(now) if self._before is None else self._before
            leaf_values, self._before = (through * now - (through - weight) * before) / weight, now
        else:
            leaf_values = self.below.values(policies, current)
        for player in range(2):
            learning = trunk.learning._replace(average=np.zeros_like(average))  # it has this iteration already
            rows = self._leaf_rows(player, leaf_values)
            trunk.traverser.update(trunk.batch, learning, _faded(fading), player, leaf_values=rows)
        matched[...] = regrets
        return policy, policies

    def exploitability(self) -> float:
        """Return the exploitability of the average over iterations, policies below the leaves included."""
        return self.whole.exploitability(self.total)

    def unsafe_exploitability(self) -> float:
        """Return the exploitability of the trunk's average with leaves solved once more for its beliefs."""
        average = self.trunk.learning.average
        policies = self.below.solve(self._leaf_ranges(average))
        table = self.whole.new_table()
        self._add(table, average, policies, 1.0)
        return self.whole.exploitability(table)

    def _leaf_ranges(self, numbers: Floats) -> Floats:
        """Return both players' ranges at the leaves of the trunk, [leaf, player, hand]."""
        ranges = self.trunk.at_leaves(self.trunk.reach(numbers))[0].transpose(1, 0, 2)
        return np.ascontiguousarray(ranges[: self._leaves])

    @property
    def _leaves(self) -> int:
        return int(self.trunk.game.leaves_of[START])

    def _leaf_rows(self, player: int, leaf_values: Floats) -> Floats:
        trunk = self.trunk
        return trunk.traverser.leaf_rows(trunk.batch, player, trunk.padded(leaf_values[None, :, player]))

    def _add(self, table: Floats, numbers: Floats, policies: Floats, weight: float) -> None:
        """Add one profile of the whole game to a table, with a weight and own reach."""
        trunk = self.trunk
        reach = trunk.own_reach(numbers)
        arrived = np.full((1, 2, trunk.game.hands), weight)
        self.whole.add_played(table, np.array([0]), arrived, reach)
        at_leaves = trunk.at_leaves(reach)[0].transpose(1, 0, 2)[: self._leaves] * weight
        self.below.add(table, policies, at_leaves)


def _faded(factor: float) -> UpdateSchedule:
    own = np.array([factor])
    return UpdateSchedule(own, own, own)


def no_values(inputs: Floats, states: IntArray) -> Floats:
    """Refuse every question: these subgames reach the end of the game, or their leaves are solved."""
    raise AssertionError("these subgames reach the end of the game, or their leaves are solved")
