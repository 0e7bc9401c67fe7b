"""What the tests of several solvers share."""

import numpy as np

import counterpoise as cp
from counterpoise.tree.tree_kernels import counterfactual_values, gradient, realisation_weights

EGT_TOLERANCE = 0.05
"""Relative, for scheduled steps on Leduc, where the last bits of the payoffs move the curve by 2.6 %."""
HEDGE_TOLERANCE = 0.02
"""Relative, on Leduc."""


def at(game, algorithm, *iterations):
    """Exploitability after each of the given numbers of iterations."""
    run = cp.solve(game, algorithm, iterations=max(iterations), trace_at=iterations, progress=False)
    return [next(point.exploitability for point in run.trace if point.iteration == t) for t in iterations]


def counterfactual(tree, strategy):
    """The plans of a profile, v(I,a) of every sequence and v(I) of every infoset."""
    reach, values, v = np.empty_like(strategy), np.empty_like(strategy), np.empty(tree.infosets)
    for player in range(tree.players):
        realisation_weights(tree.form, player, strategy, reach)
    for player in range(tree.players):
        gradient(tree.form, player, reach, values)
        counterfactual_values(tree.form, player, strategy, values, v)
    return reach, values, v
