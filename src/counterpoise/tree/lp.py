"""Exact equilibrium and value of a two-player zero-sum game by linear programming over the sequence form.

Player 1 chooses a realisation plan x; player 2 answers optimally, which the dual variables v of its infosets
describe (von Stengel 1996):

    maximise v_0   subject to   E x = e,   F^T v <= A^T x,   x >= 0,

where A holds player 1's payoffs and E, F say that a plan's weights at an infoset add up to the weight of the
sequence before it. Player 2's plan is the multiplier of the inequalities. Solved by HiGHS.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from counterpoise.games import Game
from counterpoise.tree.enumerate import enumerate_game
from counterpoise.tree.strategy import Strategy
from counterpoise.tree.tree import Tree


class LpSolution(NamedTuple):
    """Value to each player and one equilibrium."""

    value: tuple[float, ...]
    strategy: Strategy


def exact(game: Game | str) -> LpSolution:
    """Return an equilibrium and the value of a two-player zero-sum (or constant-sum) game, by sequence-form LP."""
    return solve_lp(enumerate_game(game))


def solve_lp(tree: Tree) -> LpSolution:
    """Return what `exact` does, for a game that is already enumerated."""
    from scipy import sparse
    from scipy.optimize import linprog

    tree.require_two_player_zero_sum("the sequence-form LP")
    payoff = payoff_matrix(tree, 0)
    first, second = payoff.shape
    own, other = plan_constraints(tree, 0), plan_constraints(tree, 1)
    infosets = other.shape[0]
    one = np.zeros(own.shape[0])
    one[0] = 1.0
    objective = np.zeros(first + infosets)
    objective[first] = -1.0
    found = linprog(
        objective,
        A_ub=sparse.hstack((-payoff.T, other.T), format="csr"),
        b_ub=np.zeros(second),
        A_eq=sparse.hstack((own, sparse.csr_array((own.shape[0], infosets))), format="csr"),
        b_eq=one,
        bounds=[(0, None)] * first + [(None, None)] * infosets,
        method="highs",
    )
    if found.status != 0 or found.x is None:
        raise ArithmeticError(f"HiGHS could not solve the linear programme of {tree.name}: {found.message}")
    plan = np.concatenate((found.x[:first], -np.asarray(found.ineqlin.marginals))).clip(0.0)
    value = float(found.x[first])
    assert tree.payoff_sum is not None
    return LpSolution((value, tree.payoff_sum - value), Strategy(tree.name, tree.table, tree.behaviour(plan)))


def payoff_matrix(tree: Tree, player: int):  # type: ignore[no-untyped-def]
    """Return a player's payoffs times chance, a row per own sequence and a column per sequence of the other player."""
    from scipy import sparse

    form = tree.form
    own, other = int(form.first_sequence[player]), int(form.first_sequence[1 - player])
    rows = form.row[own : own + int(tree.sequences[player]) + 1].astype(np.int64)
    entries = slice(int(rows[0]), int(rows[-1]))
    return sparse.csr_array(
        (form.values[entries], form.columns[0, entries].astype(np.int64) - other, rows - rows[0]),
        shape=(int(tree.sequences[player]), int(tree.sequences[1 - player])),
    )


def plan_constraints(tree: Tree, player: int):  # type: ignore[no-untyped-def]
    """Return the matrix of "weights at an infoset minus weight of the sequence before it = 0"; row 0 is the root's."""
    from scipy import sparse

    form = tree.form
    low, high = (int(n) for n in form.first_infoset[player : player + 2])
    base, sequences = int(form.first_sequence[player]), int(tree.sequences[player])
    sizes = (form.stop[low:high] - form.start[low:high]).astype(np.int64)
    row = np.concatenate(([0], np.repeat(np.arange(1, high - low + 1), sizes), np.arange(1, high - low + 1)))
    column = np.concatenate(([0], np.arange(1, sequences), form.parent[low:high].astype(np.int64) - base))
    weight = np.concatenate((np.ones(sequences), -np.ones(high - low)))
    return sparse.csr_array((weight, (row, column)), shape=(high - low + 1, sequences))
