"""What the tests of several solvers share."""

import numpy as np

import counterpoise as cp
from counterpoise.tree import evaluate
from counterpoise.tree.kernels.sequence_form import counterfactual_values, gradient, realisation_weights

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


def nash_conv_at_nodes(game, algorithm, marks, batch=10):
    """NashConv of a solver when it has touched a number of nodes, to the next `batch` iterations."""
    solver, found = cp.solver(game, algorithm), []
    for mark in marks:
        while solver.nodes_touched < mark:
            solver.step(batch)
        found.append(evaluate(solver.tree, solver.profile()).nash_conv)
    return found


def nodes_to_reach(game, algorithm, nash_conv, batch=10):
    """How many nodes a solver touches until its NashConv is at most this."""
    solver = cp.solver(game, algorithm)
    while True:
        solver.step(batch)
        if evaluate(solver.tree, solver.profile()).nash_conv <= nash_conv:
            return solver.nodes_touched
