"""An enumerated game of a family that is solved while its parameters move, for `slope_ascent.climb`.

Payoffs are affine, so the slope of a parameter is the value of the average strategies in the game that pays only the
parameter's term, times the parameter on a log scale: exact, and without a second game.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from counterpoise.solvers.base import Algorithm
from counterpoise.solvers.bet_sizes.affine import AffineGame
from counterpoise.solvers.bet_sizes.parametric import ParametricSolver
from counterpoise.tree import evaluate
from counterpoise.tree.kernels.layouts import FloatArray


class TreeClimber:
    """The game at one point of a family, for one seat, solved by CFR or LCFR."""

    def __init__(self, game: AffineGame, seat: int, algorithm: Algorithm) -> None:
        self.game, self.seat, self.algorithm = game, seat, algorithm
        self.theta: FloatArray = np.array([low for low, _ in game.box])
        self.traversals = 0
        """Passes over the tree for one player: two for an iteration or an evaluation."""
        self._solver = ParametricSolver(algorithm, game, self.theta)

    @property
    def worth(self) -> float:
        """The number of iterations that those done so far are worth."""
        return self._solver.worth

    def move(self, theta: FloatArray, worth: int) -> None:
        """Continue at another point; the past is worth this many iterations at most."""
        self.theta = theta
        if worth == 0:
            self._solver = ParametricSolver(self.algorithm, self.game, theta)
            return
        self._solver.move(theta)
        if self._solver.worth > worth:
            self._solver.discount(worth / self._solver.worth)

    def step(self, iterations: int) -> None:
        """Run iterations at the point."""
        self._solver.step(iterations)
        self.traversals += 2 * iterations

    def slopes(self) -> FloatArray:
        """Return how the value to the seat changes with the logarithm of each parameter, in the game's own unit."""
        tree, profile = self._solver.tree, self._solver.average_profile()
        found = []
        for number, table, payoffs in zip(self.theta, self.game.table[1:], self.game.payoffs[1:], strict=True):
            term = replace(
                tree, form=tree.form._replace(values=table), histories=tree.histories._replace(payoffs=payoffs)
            )
            found.append(number * evaluate(term, profile).expected[self.seat])
            self.traversals += 2
        return np.array(found)

    def value(self) -> float:
        """Return the value of the average strategies to the seat, in the game's own unit."""
        return float(evaluate(self._solver.tree, self._solver.average_profile()).expected[self.seat])
